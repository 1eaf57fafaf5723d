"""Tests of the page and of what it shows."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy import __version__

from .conftest import EMAIL

if TYPE_CHECKING:
    from .conftest import Lab, OpenLab

REFERENCE = re.compile(r"""(?:src|href)="([^"]+)"|ask\("([^"]+)"\)""")


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/dashboard.css", "text/css; charset=utf-8"),
        ("/dashboard.js", "text/javascript; charset=utf-8"),
    ],
)
async def test_page_is_locked_down(lab: Lab, path: str, content_type: str) -> None:
    """The page and its files may load nothing from elsewhere, be framed by nobody, and are not cached."""
    async with lab.http.get(f"{lab.url}{path}") as response:
        text = await response.text()
        assert response.status == 200
        assert response.headers["Content-Type"] == content_type
        policy = response.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; ")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert response.headers["Cache-Control"] == "no-store"
    assert "http://" not in text
    assert "https://" not in text


async def test_page_refers_to_files_that_exist(lab: Lab) -> None:
    """Everything the page and its script load is served here."""
    found: set[str] = set()
    for path in ("/", "/dashboard.js"):
        async with lab.http.get(f"{lab.url}{path}") as response:
            found |= {match[1] or match[2] for match in REFERENCE.finditer(await response.text())}
    assert found == {"dashboard.css", "dashboard.js", "api/status"}
    for path in found:
        async with lab.http.get(f"{lab.url}/{path}") as response:
            assert response.status == 200


async def test_page_keeps_to_the_policy(lab: Lab) -> None:
    """The page has no script or style within it, and puts text, never markup, into itself."""
    async with lab.http.get(f"{lab.url}/") as response:
        page = await response.text()
    assert "<script>" not in page
    assert " style=" not in page
    assert not re.search(r"\son\w+=", page)
    async with lab.http.get(f"{lab.url}/dashboard.js") as response:
        assert "innerHTML" not in await response.text()


async def test_status_shows_accounts_masked(open_lab: OpenLab) -> None:
    """The status has the version, the accounts without addresses and tokens, and the models."""
    async with open_lab(accounts=("ben@example.com", EMAIL)) as lab:
        status, body = await lab.get("/api/status")
        assert (status, body["version"], body["warning"]) == (200, __version__, None)
        assert body["upstream"] == lab.simulator.base_url
        assert {entry["account"]: entry["active"] for entry in body["accounts"]} == {
            "a***a@example.com": True,
            "b***n@example.com": False,
        }
        assert {entry["project"] for entry in body["accounts"]} == {
            lab.saved(EMAIL).project_id,
            lab.saved("ben@example.com").project_id,
        }
        assert [model["id"] for model in body["models"]] == [
            row["id"] for row in (await lab.get("/v1/models"))[1]["data"]
        ]
        shown = json.dumps(body)
        assert EMAIL not in shown
        assert lab.saved().tokens.access not in shown
        assert lab.saved().tokens.refresh not in shown


async def test_status_tells_what_is_held_against_accounts(lab: Lab) -> None:
    """An account that is out has the reason, and the page where its owner can end it."""
    assert (await lab.get("/api/status"))[1]["accounts"][0]["out"] == []
    lab.plan("verify")
    _, refused = await lab.chat()
    _, body = await lab.get("/api/status")
    (out,) = body["accounts"][0]["out"]
    assert (out["reason"], out["quota_pool"], out["until"]) == ("verification", None, None)
    assert out["url"].startswith("https://")
    assert out["url"] in refused["error"]["message"]
    assert EMAIL not in json.dumps(body)


async def test_status_tells_of_a_damaged_file(open_lab: OpenLab) -> None:
    """What is wrong with the account file is on the page."""
    async with open_lab(accounts=()) as lab:
        lab.services.store.path.write_text("{")
        _, body = await lab.get("/api/status")
        assert body["accounts"] == []
        assert "is damaged" in body["warning"]


async def test_quota_without_any_account_is_an_empty_list(open_lab: OpenLab) -> None:
    """Where nobody has logged in there is no quota to show, nobody is asked, and that is no error."""
    async with open_lab(accounts=()) as lab:
        assert await lab.get("/api/quota") == (200, {"accounts": []})
        async with lab.http.post(f"{lab.url}/api/quota/refresh", json={}) as response:
            assert (response.status, await response.json()) == (200, {"accounts": []})
        assert lab.simulator.requests() == []
