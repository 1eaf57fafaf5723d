"""Tests of the time limits of a generation, against the simulator over real sockets; time leaps where it may."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from .conftest import EMAIL, chat_body, eventually, settle
from .raw_server import raw_server
from .test_generation import STREAM, ask

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from .conftest import Lab, Leap, OpenLab

GENERATE = "streamGenerateContent"
T = TypeVar("T")


async def while_asked(lab: Lab, leap: Leap, *leaps: tuple[str, float], of: Awaitable[T]) -> T:
    """What an answer comes to while time leaps ahead: each time when a method is called, some seconds."""
    answer = asyncio.ensure_future(of)
    called: list[str] = []

    def has_come() -> bool:
        return len(lab.requests(called[-1])) == called.count(called[-1])

    for method, seconds in leaps:
        called.append(method)
        await eventually(has_come)
        await settle()
        leap(seconds)
    return await answer


@pytest.mark.parametrize(("times", "header"), [(3, "false"), (1, None)], ids=["after-all-attempts", "late-break"])
async def test_client_need_not_repeat_what_was_repeated(
    open_lab: OpenLab, leap: Leap, times: int, header: str | None
) -> None:
    """Only when all attempts were made is a client told not to begin again."""
    async with open_lab(first_byte_timeout=30) as lab:
        if header is None:
            lab.plan("stall", after=2, seconds=50, also=[{"name": "cut", "after": 3}])
        else:
            lab.plan("empty", times=times)
        asked = lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body())
        leaps = ((GENERATE, 60.0),) if header is None else ()
        async with await while_asked(lab, leap, *leaps, of=asked) as response:
            assert response.status == 502
            assert response.headers.get("x-should-retry") == header
        assert len(lab.requests()) == times


async def test_whole_answer_that_breaks_late_is_an_error(open_lab: OpenLab, leap: Leap) -> None:
    """Once the limit for the first content has passed, an answer that breaks is not asked for again."""
    async with open_lab(first_byte_timeout=30) as lab:
        lab.plan("stall", after=2, seconds=50, also=[{"name": "cut", "after": 3}])
        answered = await while_asked(lab, leap, (GENERATE, 60), of=ask(lab, stream=False))
        assert answered == (502, "upstream_garbled")
        assert len(lab.requests()) == 1


async def test_limit_holds_again_for_the_next_attempt(open_lab: OpenLab, leap: Leap) -> None:
    """A whole answer that broke is asked for again within what is left of the limit for the first content."""
    async with open_lab(first_byte_timeout=60) as lab:
        lab.plan("stall", after=2, seconds=40, also=[{"name": "cut", "after": 3}])
        lab.plan("silence", seconds=50)
        status, body = await while_asked(lab, leap, (GENERATE, 45), (GENERATE, 40), of=lab.chat())
        assert (status, body["error"]["code"]) == (504, "upstream_timeout")
        assert "within 60 s" in body["error"]["message"]
        assert "The attempt before the last one failed: The connection to Google" in body["error"]["message"]


async def test_whole_answer_may_take_longer_than_its_first_content(open_lab: OpenLab, leap: Leap) -> None:
    """The limit for the first content ends with it: the rest of a whole answer has all the time it needs."""
    async with open_lab(first_byte_timeout=30) as lab:
        lab.plan("stall", after=2, seconds=50)
        assert (await while_asked(lab, leap, (GENERATE, 60), of=ask(lab, stream=False)))[0] == 200


@pytest.mark.parametrize("place", [{"headers": False}, {"headers": True}], ids=["before-headers", "after-headers"])
@STREAM
async def test_first_byte_limit_ends_a_silent_call(
    open_lab: OpenLab, leap: Leap, place: dict[str, Any], *, stream: bool
) -> None:
    """An upstream that says nothing ends at the limit with an error that names it."""
    async with open_lab(first_byte_timeout=30, keepalive=100) as lab:
        lab.plan("silence", **place)
        asked = lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body(stream=stream))
        async with await while_asked(lab, leap, (GENERATE, 40), of=asked) as response:
            error = (await response.json())["error"]
            assert (response.status, error["code"]) == (504, "upstream_timeout")
            assert "within 30 s" in error["message"]
            assert "FIRST_BYTE_TIMEOUT" in error["message"]
        await eventually(lambda: bool(lab.requests()[0]["aborted"]))


async def test_first_byte_limit_ends_headers_that_trickle(open_lab: OpenLab) -> None:
    """An answer whose headers come byte by byte has the limit of one that does not come."""
    trickle: list[Any] = [b"HTTP/1.1 200 OK\r\n"]
    for letter in "a" * 200:
        trickle += [letter.encode(), 0.02]
    async with raw_server(trickle) as google, open_lab(base_url=google.url, first_byte_timeout=0.2) as lab:
        status, body = await lab.chat()
        assert (status, body["error"]["code"]) == (504, "upstream_timeout")
        assert "within 0.2 s" in body["error"]["message"]


async def test_first_byte_limit_counts_all_attempts(open_lab: OpenLab, leap: Leap) -> None:
    """The limit holds for all attempts, searches and refreshes together, not for each."""
    async with open_lab(accounts=(), first_byte_timeout=30) as lab:
        lab.save(EMAIL, with_project=False, expired=True)
        leaps = (("token", 4.0), ("loadCodeAssist", 4.0), (GENERATE, 24.0))
        for method, seconds in leaps:
            lab.plan("stall", method=method, after=0, seconds=seconds - 0.5)
        assert await while_asked(lab, leap, *leaps, of=ask(lab, stream=False)) == (504, "upstream_timeout")
        assert len(lab.requests()) == 1


async def test_first_content_may_take_longer_than_the_idle_limit(open_lab: OpenLab, leap: Leap) -> None:
    """The idle limit is for a running answer: the wait for the first word is not cut by it."""
    async with open_lab(idle_timeout=10) as lab:
        lab.plan("stall", after=0, seconds=30, headers=True)
        assert (await while_asked(lab, leap, (GENERATE, 40), of=ask(lab, stream=True)))[0] == 200


@STREAM
async def test_idle_limit_ends_a_silent_answer(open_lab: OpenLab, leap: Leap, *, stream: bool) -> None:
    """An answer that goes silent in its middle ends at the limit with an error that names it."""
    async with open_lab(idle_timeout=10) as lab:
        lab.plan("stall", after=3)
        if stream:
            received = await while_asked(lab, leap, (GENERATE, 10), of=lab.stream("one two three four"))
            assert b"IDLE_TIMEOUT" in received
            assert b"[DONE]" not in received
        else:
            answered = await while_asked(lab, leap, (GENERATE, 10), of=ask(lab, stream=False))
            assert answered == (504, "upstream_timeout")
        assert len(lab.requests()) == 1
        await eventually(lambda: bool(lab.requests()[0]["aborted"]))
