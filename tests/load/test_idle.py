"""What a server does while nobody asks it anything, counted over an hour that passes at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ..proxy.conftest import chat_body, leap, open_lab, settle

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from ..proxy.conftest import Leap, OpenLab

__all__ = ["leap", "open_lab"]

HOUR_S = 3_600
AWAY_S = 1_000
"""After so long nothing is left of clients that are gone: no kept connection, and nothing that is written later."""


async def test_idle_server_does_nothing(open_lab: OpenLab, leap: Leap, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that has answered sets no timer and lets no task go on, until somebody asks again."""
    async with open_lab() as lab:
        assert (await lab.chat())[0] == 200
        await lab.stream()
        for path in ("/v1/models", "/health", "/api/quota"):
            assert (await lab.get(path))[0] == 200
        lab.plan("capacity")
        assert (await lab.chat())[0] == 200
        async with lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body(model="unknown")) as response:
            assert response.status == 404
        for _ in range(3):
            leap(AWAY_S)
            await settle()
        begun = count_calls(monkeypatch, asyncio.get_running_loop())
        for _ in range(HOUR_S):
            leap(1)
            await asyncio.sleep(0)
        assert begun == ["call_soon"] * HOUR_S, "more was begun than the turns of this test"


def count_calls(monkeypatch: pytest.MonkeyPatch, loop: asyncio.AbstractEventLoop) -> list[str]:
    """The names of all calls by which a loop is given something to do, from now on."""
    begun: list[str] = []

    def counted(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def count(*arguments: Any, **options: Any) -> Any:
            begun.append(name)
            return call(*arguments, **options)

        return count

    for name in ("call_soon", "call_at"):
        monkeypatch.setattr(loop, name, counted(name, getattr(loop, name)))
    return begun
