"""Tests of looking up names, with an event loop whose lookups are counted."""

from __future__ import annotations

import asyncio
from socket import AF_INET, SOCK_STREAM
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.proxy.name_lookup import KEPT_S, NameLookup

from .conftest import settle

if TYPE_CHECKING:
    from .conftest import Leap

FOUND = [(AF_INET, SOCK_STREAM, 6, "", ("192.0.2.1", 443))]


class Names:
    """A name service that answers when it is told to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def getaddrinfo(self, host: str, port: int, **_: Any) -> Any:
        """Note it, and wait for the answer."""
        self.asked.append(f"{host}:{port}")
        return await asyncio.shield(self.answer)


@pytest.fixture
async def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    """The name service of this test's event loop."""
    service = Names()
    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", service.getaddrinfo)
    return service


async def test_all_who_ask_share_one_lookup(names: Names) -> None:
    """A name is looked up once, however many ask, and whoever of them leaves."""
    lookup = NameLookup()
    asking = [asyncio.create_task(lookup.addresses("a.example", 443)) for _ in range(3)]
    await settle()
    asking[0].cancel()
    await settle()
    names.answer.set_result(FOUND)
    assert await asyncio.gather(*asking[1:]) == [FOUND, FOUND]
    assert await lookup.addresses("a.example", 443) == FOUND
    assert await lookup.addresses("b.example", 443) == FOUND
    assert names.asked == ["a.example:443", "b.example:443"]


async def test_addresses_are_kept_for_a_while(names: Names, leap: Leap) -> None:
    """After a minute, or when they led nowhere, addresses are looked up again."""
    lookup = NameLookup()
    names.answer.set_result(FOUND)
    for wait_s, count in ((0.0, 1), (KEPT_S - 1, 1), (1.0, 2)):
        leap(wait_s)
        assert await lookup.addresses("a.example", 443) == FOUND
        assert len(names.asked) == count
    lookup.forget("a.example", 443)
    await lookup.addresses("a.example", 443)
    assert len(names.asked) == 3


async def test_lookup_that_failed_is_not_kept(names: Names) -> None:
    """A name that is unknown now may be known at the next call."""
    lookup = NameLookup()
    asking = [asyncio.create_task(lookup.addresses("a.example", 443)) for _ in range(2)]
    await settle()
    names.answer.set_exception(OSError("no such name"))
    for each in asking:
        with pytest.raises(OSError, match="no such name"):
            await each
    names.answer = asyncio.get_running_loop().create_future()
    names.answer.set_result(FOUND)
    assert await lookup.addresses("a.example", 443) == FOUND


async def test_closing_waits_for_no_lookup(names: Names) -> None:
    """Lookups under way end with the server."""
    lookup = NameLookup()
    asking = asyncio.create_task(lookup.addresses("a.example", 443))
    await settle()
    lookup.close()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert names.asked == ["a.example:443"]
