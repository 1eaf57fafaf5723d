"""Tests of the memory of thought signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.proxy import signature_memory
from antigravity_proxy.proxy.signature_memory import INSERT, MAX_LENGTH, SignatureMemory
from antigravity_proxy.proxy.state import STATE_FILE, StateFile
from antigravity_proxy.translate.signatures import Remembered

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


def now() -> float:
    """A time that stands still."""
    return 1_790_000_000.0


@pytest.fixture
async def state(tmp_path: Path) -> AsyncIterator[StateFile]:
    """A state file."""
    state = StateFile(tmp_path / STATE_FILE, clock=now)
    yield state
    await state.close()


async def test_newest_signatures_are_at_hand(state: StateFile) -> None:
    """What was just remembered is recalled without the disk, with its family; what was not is not there."""
    memory = SignatureMemory(state, clock=now)
    memory.remember("call_1", "gemini", "QUJD")
    known = await memory.recall(["call_1", "call_1"])
    assert known.remembered == {"call_1": Remembered("gemini", "QUJD")}
    assert state.flushes == 0
    assert (await memory.recall(["call_2"])).remembered == {}
    assert memory._newest["call_2"] is None
    assert (await memory.recall([])).remembered == {}


async def test_signatures_are_known_after_a_restart(state: StateFile, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new server finds every signature of the one before, however many are asked for at once."""
    monkeypatch.setattr(signature_memory, "PIECE", 3)
    before = SignatureMemory(state, clock=now)
    call_ids = [f"call_{number}" for number in range(10)]
    for call_id in call_ids:
        before.remember(call_id, "gemini", "QUJD")
    await state.flush()
    known = await SignatureMemory(state, clock=now).recall([*call_ids, "call_99"])
    assert known.remembered == {call_id: Remembered("gemini", "QUJD") for call_id in call_ids}
    assert state.flushes == 1


async def test_memory_is_bounded(state: StateFile, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the newest stay at hand, and what is too long for a signature is not kept at all."""
    monkeypatch.setattr(signature_memory, "MAX_IN_MEMORY", 2)
    memory = SignatureMemory(state, clock=now)
    for number in range(3):
        memory.remember(f"call_{number}", "gemini", "QUJD")
    memory.remember("long", "gemini", "A" * (MAX_LENGTH + 1))
    await state.flush()
    assert set(memory._newest) == {"call_1", "call_2"}
    assert set((await memory.recall(["call_0", "call_1", "long"])).remembered) == {"call_0", "call_1"}


@pytest.mark.parametrize("copy", ["+/+/", "-_-_"], ids=["standard", "url-safe"])
async def test_refused_signatures_are_told_by_their_bytes(
    state: StateFile, copy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signature that Google refused is not sent again in any spelling; the oldest of them are forgotten."""
    monkeypatch.setattr(signature_memory, "MAX_REFUSED", 2)
    memory = SignatureMemory(state, clock=now)
    known = await memory.recall([])
    assert not known.is_refused("+/+/")
    memory.refuse([copy])
    assert known.is_refused("+/+/")
    assert not known.is_refused("QUJD")
    memory.refuse(["QUJD", "REVG"])
    assert not known.is_refused("+/+/")


@pytest.mark.parametrize("junk", [b"\x00\xff", "no base64!", 5, ""])
async def test_junk_in_the_file_is_no_signature(state: StateFile, junk: object) -> None:
    """What somebody has put into the file and is no signature is not sent."""
    state.write(INSERT, [("call_1", "gemini", junk, 0), ("call_2", "gemini", "QUJD", now())])
    await state.flush()
    known = await SignatureMemory(state, clock=now).recall(["call_1", "call_2"])
    assert set(known.remembered) <= {"call_2"}
