"""Tests of work on large requests beside the event loop; what must not pass by is held back, and not timed."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.proxy import routes
from antigravity_proxy.proxy.large_work import LARGE_BYTES, LargeWork, Rank, size_of
from antigravity_proxy.translate.chat.request import ChatCall

from .conftest import eventually, settle

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from .conftest import Lab, OpenLab

LARGE_TEXT = "," * LARGE_BYTES


@pytest.fixture
async def large_work() -> AsyncIterator[LargeWork]:
    """A thread for large work, ended with the test."""
    work = LargeWork()
    yield work
    work.close()


class Gate:
    """Work that waits in its thread until it may go on."""

    def __init__(self) -> None:
        self._may_go_on = threading.Event()
        self.threads: list[threading.Thread] = []

    def __call__(self) -> str:
        """Wait for ``open``."""
        self.threads.append(threading.current_thread())
        self._may_go_on.wait(30)
        return "done"

    def open(self) -> None:
        """Let all work go on."""
        self._may_go_on.set()


@pytest.fixture
def gate() -> Iterator[Gate]:
    """A gate that is open after the test, so that no thread stays."""
    made = Gate()
    yield made
    made.open()


@pytest.mark.parametrize(
    ("body", "size"),
    [
        (b"", 0),
        (b"," * (LARGE_BYTES - 1), LARGE_BYTES - 1),
        (b"," * LARGE_BYTES, LARGE_BYTES),
        (b'{"a": 123456},' * LARGE_BYTES, 13 * LARGE_BYTES + 14 * LARGE_BYTES // 64),
        (b"%41" * LARGE_BYTES, 3 * LARGE_BYTES),
        (b"\\ud800" * LARGE_BYTES, 6 * LARGE_BYTES),
        (b"A" * LARGE_BYTES, LARGE_BYTES // 64),
        (b"A" * 64 * LARGE_BYTES, LARGE_BYTES),
    ],
    ids=["nothing", "small", "commas", "objects", "percents", "escapes", "base64", "much base64"],
)
def test_long_texts_are_little_work(body: bytes, size: int) -> None:
    """A body is as large as it has members, and megabytes in one text are little."""
    assert size_of(body) == size


@pytest.mark.parametrize(("size", "is_beside"), [(0, False), (LARGE_BYTES - 1, False), (LARGE_BYTES, True)])
async def test_only_large_work_is_done_beside(large_work: LargeWork, size: int, *, is_beside: bool) -> None:
    """Work on a small body is done at once, where it is cheapest; on a large one in another thread."""
    thread = await large_work.run(threading.current_thread, size)
    assert (thread is not threading.main_thread()) is is_beside


async def test_large_work_is_done_one_after_the_other(large_work: LargeWork, gate: Gate) -> None:
    """No second large body is worked on before the first is done, so that memory stays bounded."""
    waiting = [asyncio.create_task(large_work.run(gate, LARGE_BYTES)) for _ in range(5)]
    await eventually(lambda: bool(gate.threads))
    assert len(gate.threads) == 1
    gate.open()
    assert await asyncio.gather(*waiting) == ["done"] * 5
    assert len(set(gate.threads)) == 1


async def test_bodies_that_were_begun_go_first(large_work: LargeWork, gate: Gate) -> None:
    """Work on a body that is in memory already is done before a new one is parsed, whichever came first."""
    done: list[Rank] = []
    first = asyncio.create_task(large_work.run(gate, LARGE_BYTES))
    await eventually(lambda: bool(gate.threads))
    ranks = (Rank.NEW, Rank.BEGUN, Rank.NEW, Rank.BEGUN)
    others = [asyncio.create_task(large_work.run(partial(done.append, rank), LARGE_BYTES, rank)) for rank in ranks]
    await settle()
    gate.open()
    await asyncio.gather(first, *others)
    assert done == sorted(ranks)


async def test_error_of_large_work_is_its_callers(large_work: LargeWork) -> None:
    """What large work raises is raised where it is waited for, and the next work is done."""

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await large_work.run(fail, LARGE_BYTES)
    assert await large_work.run(lambda: 1, LARGE_BYTES) == 1


async def test_cancelled_work_is_not_begun(large_work: LargeWork, gate: Gate) -> None:
    """A caller that leaves does so at once; what was not begun for it is not done, what was is done for nobody."""
    begun: list[str] = []
    first = asyncio.create_task(large_work.run(gate, LARGE_BYTES))
    second = asyncio.create_task(large_work.run(lambda: begun.append("second"), LARGE_BYTES))
    await eventually(lambda: bool(gate.threads))
    for task in (first, second):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    gate.open()
    assert await large_work.run(lambda: "third", LARGE_BYTES) == "third"
    assert begun == []


class Body:
    """Stands for megabytes."""


@pytest.fixture
def _no_collections() -> Iterator[None]:
    """Nobody looks for cycles: what is held by one stays."""
    before = gc.get_threshold()
    gc.set_threshold(0)
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("_no_collections")
@pytest.mark.parametrize("is_broken", [False, True], ids=["outcome", "error"])
async def test_nothing_is_kept_of_what_was_done(large_work: LargeWork, *, is_broken: bool) -> None:
    """When the outcome or the error of some work is forgotten, so is the body, and nobody has to look for cycles."""

    def work(body: Body) -> Body:
        if is_broken:
            raise ValueError(body)
        return body

    body = Body()
    left = weakref.ref(body)
    with suppress(ValueError):
        await large_work.run(partial(work, body), LARGE_BYTES)
    del body
    await eventually(lambda: left() is None)


async def test_thread_ends_with_the_server_or_the_program() -> None:
    """The thread ends when it is closed, and a program that ends does not wait for one that still works."""
    work = LargeWork()
    thread = await work.run(threading.current_thread, LARGE_BYTES)
    assert thread.daemon
    work.close()
    await eventually(lambda: not thread.is_alive())


def watch(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Notes of each step with a body whether it is done in the event loop's thread."""
    steps: list[bool] = []

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any) -> Any:
            steps.append(threading.current_thread() is threading.main_thread())
            return function(*arguments)

        return step

    for owner, name in (
        (routes, "to_value"),
        (routes, "to_chat_request"),
        (ChatCall, "unsigned_call_ids"),
        (ChatCall, "to_request"),
    ):
        monkeypatch.setattr(owner, name, watched(getattr(owner, name)))
    return steps


@pytest.mark.parametrize(("text", "in_loop"), [("Hi", True), (LARGE_TEXT, False)], ids=["small", "large"])
async def test_large_request_is_read_and_translated_beside(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, text: str, *, in_loop: bool
) -> None:
    """Each step with a large body is done in another thread than the event loop's, and with a small one in that."""
    steps = watch(monkeypatch)
    assert (await lab.chat(text))[0] == 200
    assert steps == [in_loop] * 4


@pytest.mark.refused("Corrupted thought signature")
async def test_refused_signatures_of_a_large_request_are_found_beside(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large request that is written again, as Google refused a signature, is written beside the loop again."""
    steps = watch(monkeypatch)
    call = {
        "id": "a",
        "type": "function",
        "function": {"name": "read", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "Zm9yZWlnbg=="}},
    }
    result = {"role": "tool", "tool_call_id": "a", "content": LARGE_TEXT}
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [call]}, result]
    assert (await lab.chat(messages=messages))[0] == 200
    assert steps == [False] * 6


async def test_others_are_answered_while_a_large_request_is_translated(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, gate: Gate
) -> None:
    """However long a large request takes, a small one is answered meanwhile."""
    translate = ChatCall.to_request

    def held_back(call: ChatCall, *arguments: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            gate()
        return translate(call, *arguments)

    monkeypatch.setattr(ChatCall, "to_request", held_back)
    large = asyncio.create_task(lab.chat(LARGE_TEXT))
    await eventually(lambda: bool(gate.threads))
    assert (await lab.chat())[0] == 200
    assert not large.done()
    gate.open()
    assert (await large)[0] == 200


async def test_leaving_while_a_large_request_is_translated_leaves_nothing(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, gate: Gate
) -> None:
    """A client that leaves meanwhile is forgotten at once, and its request is not sent."""
    monkeypatch.setattr(ChatCall, "to_request", lambda *_: gate())
    large = asyncio.create_task(lab.chat(LARGE_TEXT))
    await eventually(lambda: bool(gate.threads))
    large.cancel()
    await asyncio.gather(large, return_exceptions=True)
    await eventually(lambda: not lab.left_over())
    gate.open()
    assert lab.requests() == []


@pytest.mark.parametrize(("owner", "step"), [(routes, "to_value"), (ChatCall, "to_request")], ids=["parse", "write"])
async def test_server_stops_while_a_large_request_is_worked_on(
    open_lab: OpenLab, monkeypatch: pytest.MonkeyPatch, gate: Gate, owner: object, step: str
) -> None:
    """The end of the server does not wait for the thread; the client is told."""
    monkeypatch.setattr(owner, step, lambda *_: gate())
    monkeypatch.setattr("antigravity_proxy.proxy.app.GRACE_S", 0)
    async with open_lab() as lab:
        large = asyncio.create_task(lab.chat(LARGE_TEXT))
        await eventually(lambda: bool(gate.threads))
        await lab.server.__aexit__(None, None, None)
        status, answer = await large
        assert (status, answer["error"]["code"]) == (503, "server_stopping")
        assert gate.threads[0].is_alive()
