"""Tests of the steps of a delivery."""

from __future__ import annotations

import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.simulator.delivery import (
    COMMENT,
    DONE,
    EMPTY_EVENT,
    GARBAGE,
    Abort,
    Begin,
    Delivery,
    Send,
    Step,
    Wait,
    to_steps,
)

A, B = b"data: a\n\n", b"data: b\n\n"
ERROR = b"data: error\n\n"


@pytest.mark.parametrize(
    ("delivery", "steps"),
    [
        ({}, [Send(A), Send(B)]),
        ({"begins_early": True}, [Begin(), Send(A), Send(B)]),
        ({"pace_s": 0.5}, [Send(A), Wait(0.5), Send(B)]),
        ({"silence_s": 9}, [Wait(9), Abort()]),
        ({"silence_s": 9, "begins_early": True}, [Begin(), Wait(9), Abort()]),
        (
            {"chatter_after": 1, "chatter_s": 2, "chatter_pace_s": 1},
            [Send(A), Send(b""), Send(COMMENT), Wait(1), Send(COMMENT), Wait(1), Abort()],
        ),
        (
            {"chatter_after": 1, "chatter_s": 1, "chatter_pace_s": 1, "chatter_start": B, "chatter": EMPTY_EVENT},
            [Send(A), Send(B), Send(EMPTY_EVENT), Wait(1), Abort()],
        ),
        ({"stall_after": 0, "stall_s": 9}, [Wait(9), Send(A), Send(B)]),
        ({"stall_after": 1, "stall_s": 9}, [Send(A), Wait(9), Send(B)]),
        ({"stall_after": 7, "stall_s": 9}, [Send(A), Send(B), Wait(9)]),
        ({"cut_after": 0}, [Abort()]),
        ({"cut_after": 1}, [Send(A), Abort()]),
        ({"cut_after": 2}, [Send(A), Send(B), Abort()]),
        ({"cut_after": 1, "is_clean_cut": True}, [Send(A)]),
        ({"error_after": 0, "error_frame": ERROR}, [Send(ERROR)]),
        ({"error_after": 1, "error_frame": ERROR}, [Send(A), Send(ERROR)]),
        ({"error_after": 7, "error_frame": ERROR}, [Send(A), Send(B), Send(ERROR)]),
        ({"cut_after": 1, "error_after": 2, "error_frame": ERROR}, [Send(A), Abort()]),
        ({"garbage_after": 1}, [Send(A), Send(GARBAGE), Send(B)]),
        ({"garbage_after": 7}, [Send(A), Send(B), Send(GARBAGE)]),
        ({"has_comments": True}, [Send(COMMENT), Send(A), Send(COMMENT), Send(B)]),
        ({"sends_done": True}, [Send(A), Send(B), Send(DONE)]),
        ({"has_crlf": True}, [Send(b"data: a\r\n\r\n"), Send(b"data: b\r\n\r\n")]),
        ({"has_crlf": True, "pace_s": 1}, [Send(b"data: a\r\n\r\n"), Wait(1), Send(b"data: b\r\n\r\n")]),
        ({"has_final_newline": False}, [Send(A), Send(b"data: b")]),
        ({"has_final_newline": False, "cut_after": 1}, [Send(A), Abort()]),
        ({"split_bytes": 5, "cut_after": 1}, [Send(b"data:"), Send(b" a\n\n"), Abort()]),
    ],
    ids=str,
)
def test_steps(delivery: dict[str, Any], steps: list[Step]) -> None:
    """Each accident happens where it is told to."""
    assert list(to_steps([A, B], Delivery(**delivery))) == steps


def test_nothing_to_deliver() -> None:
    """Without frames nothing is sent, whatever the line ends."""
    assert list(to_steps([], Delivery(has_final_newline=False))) == []


def test_gzip_can_be_read_frame_by_frame() -> None:
    """Each compressed write can be read at once, and all together are a gzip file."""
    delivery = Delivery(is_gzipped=True, pace_s=1)
    sent = [step.data for step in to_steps([A, B], delivery) if isinstance(step, Send)]
    reader = zlib.decompressobj(wbits=31)
    assert [reader.decompress(data) for data in sent] == [A, B, b""]
    assert reader.eof


@settings(deadline=None)
@given(st.lists(st.binary(min_size=1), max_size=4), st.integers(1, 7))
def test_splitting_changes_no_byte(frames: list[bytes], size: int) -> None:
    """Writes of a size hold the same bytes in the same order."""
    sent = [step.data for step in to_steps(frames, Delivery(split_bytes=size)) if isinstance(step, Send)]
    assert b"".join(sent) == b"".join(frames)
    assert all(len(data) <= size for data in sent)
