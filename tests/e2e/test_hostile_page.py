"""A page of another site in a real browser, which tries everything that pages can do."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

from .browser import CHROMIUM, NO_SANDBOX, needs_browser
from .clients import DIRECT, TIMEOUT_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

    from .process import Running
    from .simulator_control import SimulatorControl

QUESTION = json.dumps({"model": "gemini-3.8-flash", "messages": [{"role": "user", "content": "Who am I?"}]})
ATTACKS = """async ([url, question]) => {
  const outcomes = {};
  const attempt = async (name, act) => {
    try { outcomes[name] = await act(); } catch (error) { outcomes[name] = "failed"; }
  };
  const send = async (options) => {
    const answer = await fetch(url + "/v1/chat/completions", {method: "POST", body: question, ...options});
    return answer.type === "opaque" ? "opaque" : await answer.text();
  };
  const json = {"Content-Type": "application/json"};
  const loads = (element, from) => new Promise((done) => {
    element.onload = () => done("loaded");
    element.onerror = () => done("failed");
    Object.assign(element, from);
    document.body.append(element);
  });
  await attempt("plain", () => send({headers: {"Content-Type": "text/plain"}}));
  await attempt("plain-no-cors", () => send({mode: "no-cors", headers: {"Content-Type": "text/plain"}}));
  await attempt("json", () => send({headers: json}));
  await attempt("json-no-cors", () => send({mode: "no-cors", headers: json}));
  await attempt("with-credentials", () => send({credentials: "include", headers: json}));
  await attempt("models", async () => await (await fetch(url + "/v1/models")).text());
  await attempt("status", async () => await (await fetch(url + "/api/status")).text());
  await attempt("quota", async () => (await fetch(url + "/api/quota", {mode: "no-cors"})).type);
  await attempt("script", () => loads(document.createElement("script"), {src: url + "/dashboard.js"}));
  await attempt("data-as-script", () => loads(document.createElement("script"), {src: url + "/v1/models"}));
  await attempt("picture", () => loads(document.createElement("img"), {src: url + "/metrics"}));
  await attempt("beacon", () => String(navigator.sendBeacon(url + "/api/login", new Blob(["{}"]))));
  await attempt("events", () => new Promise((done) => {
    const source = new EventSource(url + "/v1/models");
    source.onmessage = () => done("message");
    source.onerror = () => { source.close(); done("failed"); };
  }));
  await attempt("socket", () => new Promise((done) => {
    const socket = new WebSocket(url.replace("http", "ws") + "/v1/models");
    socket.onopen = () => done("open");
    socket.onerror = () => done("failed");
  }));
  return outcomes;
}"""
"""What a page can do without its user; gives for each what came of it."""


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<!doctype html><body><p>A harmless page"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the name of the library
        """Tests are quiet."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of another server on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def page_of(*names: str) -> Iterator[Page]:
    """A tab in which these names of the internet lead to this machine."""
    rules = ",".join(f"MAP {name} 127.0.0.1" for name in names)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=[NO_SANDBOX, f"--host-resolver-rules={rules}", "--no-proxy-server"]
        )
        yield browser.new_page()
        browser.close()


def counts_of(served: Running) -> str:
    """What the server has counted."""
    url = served.url.removesuffix("/v1")
    with DIRECT.open(f"{url}/metrics", timeout=TIMEOUT_S) as response:
        return str(response.read().decode())


@needs_browser
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost"])
def test_page_of_another_site_gets_and_does_nothing(
    served: Running, simulator: SimulatorControl, site: str, host: str
) -> None:
    """Whatever a page tries, from the internet or from another server here, it reads nothing and nothing is done."""
    url = served.url.removesuffix("/v1")
    with page_of("evil.example") as page:
        page.goto(f"http://{host}:{urlsplit(f'//{site}').port}/")
        outcomes = page.evaluate(ATTACKS, [url, QUESTION])
        page.set_content(
            f"<form method=post enctype=text/plain action='{url}/v1/chat/completions'>"
            f"<input name='{QUESTION[:-1]}, \"x\": \"' value='\"}}'></form>"
        )
        page.evaluate("document.forms[0].submit()")
        page.wait_for_url(f"{url}/**")
        shown = page.inner_text("body")
    # A beacon is sent without anybody hearing what came of it.
    assert {name for name, outcome in outcomes.items() if outcome != "failed"} == {"beacon"}
    assert "permission_error" in shown
    counts = counts_of(served)
    for route in ("/v1/chat/completions", "/v1/models", "/api/quota", "/api/login", "/metrics", "/dashboard.js"):
        assert f'route="{route}",status="403"' in counts
    assert simulator.generations() == []


@needs_browser
def test_rebound_name_is_refused(served: Running, simulator: SimulatorControl) -> None:
    """A page whose own name suddenly leads to this server is told nothing, though for the browser it is one site."""
    port = urlsplit(served.url).port
    with page_of("rebound.example") as page:
        answer = page.goto(f"http://rebound.example:{port}/")
        assert answer is not None
        assert answer.status == 403
        read = page.evaluate("async () => await (await fetch('/v1/models')).text()")
    assert "does not answer to the host name" in read
    assert simulator.generations() == []


@needs_browser
def test_link_to_the_page_may_be_followed(served: Running, site: str) -> None:
    """A link on another site leads to our page, which then works."""
    url = served.url.removesuffix("/v1")
    with page_of("friend.example") as page:
        page.goto(f"http://friend.example:{urlsplit(f'//{site}').port}/")
        page.set_content(f"<a href='{url}/'>The dashboard</a>")
        page.click("a")
        page.wait_for_selector("text=gemini-3.8-flash")
        page.reload()
        page.wait_for_selector("text=gemini-3.8-flash")
