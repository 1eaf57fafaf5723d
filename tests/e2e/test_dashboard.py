"""Tests of the page in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect, sync_playwright

from .browser import CHROMIUM, NO_SANDBOX, needs_browser
from .clients import download
from .process import run_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from .process import Running


@pytest.fixture
def page(served: Running, tmp_path: Path, unused_tcp_port: int) -> Iterator[Page]:
    """The page of a server without an account, in a browser; the simulator plays Google."""
    client = download(f"{served.simulator_url}/simulator/client.json", tmp_path / "client.json")
    client.write_text(client.read_text().replace(":51121/", f":{unused_tcp_port}/"))
    extra = {"ANTIGRAVITY_PROXY_BASE_URL": served.simulator_url, "ANTIGRAVITY_PROXY_OAUTH_CLIENT_FILE": str(client)}
    with (
        run_command("serve", "--port", "0", home=tmp_path, extra=extra) as running,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=[NO_SANDBOX]) as browser,
    ):
        page = browser.new_page()
        page.goto(running.url.removesuffix("v1"))
        yield page


@needs_browser
def test_message_about_a_bad_paste_stays(page: Page) -> None:
    """What is wrong with a pasted address can be read until the next one, however often the login is asked about."""
    page.get_by_role("button", name="Add a Google account").click()
    box = page.get_by_label("paste its address here")
    box.fill("?state=old&code=c")
    page.get_by_role("button", name="Use this address").click()
    problem = page.get_by_role("alert").filter(has_text="belongs to another login")
    expect(problem).to_be_visible()
    for _ in range(2):
        page.wait_for_event("response", lambda response: response.request.method == "GET")
    expect(problem).to_be_visible()
    expect(page.get_by_text("Waiting for the browser")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The login was given up.")).to_be_visible()
    expect(page.locator("#paste-problem")).to_be_hidden()


@needs_browser
def test_login_is_watched_over_a_poll_that_fails(page: Page) -> None:
    """A question that is lost does not end the login; one that is answered with an error lets another one begin."""
    polls = "**/api/login/*"
    button = page.get_by_role("button", name="Add a Google account")
    page.route(polls, lambda route: route.abort(), times=1)
    button.click()
    expect(page.get_by_text("The proxy does not answer.")).to_be_visible()
    expect(page.get_by_text("Waiting for the browser")).to_be_visible()
    expect(button).to_be_disabled()
    lost = {"error": {"message": "There is no such login."}}
    page.route(polls, lambda route: route.fulfill(status=404, json=lost), times=1)
    expect(page.get_by_text("There is no such login.")).to_be_visible()
    expect(button).to_be_enabled()
    button.click()
    expect(page.get_by_text("Waiting for the browser")).to_be_visible()


@needs_browser
def test_account_is_added_on_the_page(page: Page) -> None:
    """Signing in behind the page's link brings the account into the page's list."""
    page.get_by_role("button", name="Add a Google account").click()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Sign in to Google").click()
    consent = opened.value
    consent.get_by_label("ada@example.com").check()
    consent.get_by_role("button", name="Allow").click()
    expect(consent.get_by_role("heading")).to_have_text("Thank you")
    expect(page.get_by_text("a***a@example.com is saved, and serves from the next request on.")).to_be_visible()
    expect(page.get_by_text("a***a@example.com (serves all requests)")).to_be_visible()


@needs_browser
def test_account_that_is_out_says_why(page: Page) -> None:
    """What is held against an account stands beside it, with a link to the page where its owner can end it."""
    url, message = "https://accounts.google.com/signin/continue?plt=a", "Google wants this account verified."
    out = {"reason": "verification", "quota_pool": None, "until": None, "message": message, "url": url}
    limit = {**out, "reason": "quota", "quota_pool": "3p", "until": "2030-01-01T00:00:00Z", "url": None}
    status = page.evaluate("ask('api/status').then(([response, body]) => body)")
    status["accounts"] = [{"account": "a***a@example.com", "active": True, "project": None, "out": [out, limit]}]
    page.route("**/api/status", lambda route: route.fulfill(json=status))
    page.reload()
    expect(page.get_by_text(f"Out for all models, until it has served once: {message}")).to_be_visible()
    expect(page.get_by_text("Out for Claude and GPT-OSS models, until ")).to_be_visible()
    expect(page.get_by_role("link", name="Open Google's page")).to_have_attribute("href", url)
