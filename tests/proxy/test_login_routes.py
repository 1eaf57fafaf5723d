"""Tests of the login over HTTP."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from .test_login import allow

if TYPE_CHECKING:
    from .conftest import Lab, OpenLab


async def post(lab: Lab, path: str, body: Any) -> tuple[int, Any]:
    """One POST."""
    async with lab.http.post(f"{lab.url}{path}", json=body) as response:
        return response.status, await response.json()


async def test_login_over_http(open_lab: OpenLab) -> None:
    """A page begins a login, pastes the address the browser ended on, and sees the account."""
    async with open_lab(accounts=()) as lab:
        status, begun = await post(lab, "/api/login", {})
        assert (status, begun["status"], begun["is_listening"]) == (200, "pending", True)
        path = f"/api/login/{begun['login_id']}"
        assert (await post(lab, "/api/login", {}))[1]["login_id"] == begun["login_id"]
        status, body = await post(lab, f"{path}/paste", {"url": "?state=stale&code=c"})
        assert (status, body["error"]["code"]) == (400, "login_state_mismatch")
        assert (await post(lab, f"{path}/paste", {}))[1]["error"]["param"] == "url"
        address = await allow(lab, lab.services.desk._known(begun["login_id"]).login)
        assert (await post(lab, f"{path}/paste", {"url": address}))[0] == 200
        async with asyncio.timeout(5):
            while (seen := await lab.get(path))[1]["status"] == "pending":
                pass
        assert (seen[1]["status"], seen[1]["account"]) == ("succeeded", "a***a@example.com")
        assert (await post(lab, f"{path}/cancel", {}))[1]["status"] == "succeeded"
        assert (await lab.get("/api/login/other"))[1]["error"]["code"] == "login_not_found"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/json", "Origin": "https://evil.example"}, 403),
        ({"Content-Type": "application/json", "Host": "evil.example"}, 403),
    ],
)
async def test_foreign_page_begins_no_login(lab: Lab, headers: dict[str, str], status: int) -> None:
    """A page of another site cannot begin a login here."""
    async with lab.http.post(f"{lab.url}/api/login", data=b"{}", headers=headers) as response:
        assert response.status == status


async def test_login_needs_the_key(open_lab: OpenLab) -> None:
    """With an API key set a login needs it like everything else."""
    async with open_lab(api_key="local-key") as lab:
        assert (await post(lab, "/api/login", {}))[0] == 401
