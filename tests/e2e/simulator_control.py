"""The simulator's control interface, as tests use it."""

from __future__ import annotations

import json
import time
from typing import Any, cast

from .clients import send

ABORT_TIMEOUT_S = 2.5
EMAIL = "ada@example.com"
FULL = {"gemini-5h": 1, "gemini-weekly": 1, "3p-5h": 1, "3p-weekly": 1}


class SimulatorControl:
    """Plans scenarios, and shows what the simulator was sent."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url

    def reset(self) -> None:
        """Forget plans and records, and fill up the quota that many tests share."""
        self._call("POST", "accounts", {"email": EMAIL, "quota": FULL})
        self._call("DELETE", "scenarios")
        self._call("DELETE", "requests")

    def plan(self, *scenarios: dict[str, Any]) -> None:
        """Plan what happens to the next calls."""
        self._call("POST", "scenarios", {"scenarios": list(scenarios)})

    def requests(self, method: str | None = None) -> list[dict[str, Any]]:
        """What the simulator was sent, oldest first, optionally of one method."""
        listed = cast("list[dict[str, Any]]", self._call("GET", "requests")["requests"])
        return [entry for entry in listed if method is None or entry["path"].partition("?")[0].endswith(f":{method}")]

    def generations(self) -> list[dict[str, Any]]:
        """The bodies of all calls that generate, oldest first."""
        return [entry["body"] for entry in self.requests("streamGenerateContent")]

    def wait_until_aborted(self) -> None:
        """Wait until the newest call that generates was left by its caller; fail when that takes too long."""
        deadline_s = time.monotonic() + ABORT_TIMEOUT_S
        while not (newest := self.requests("streamGenerateContent")[-1])["aborted"]:
            assert time.monotonic() < deadline_s, newest

    def _call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        status, answer = send(method, f"{self.base_url}/simulator/{path}", data)
        assert status < 300, answer
        return cast("dict[str, Any]", answer)
