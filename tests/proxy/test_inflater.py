"""Tests of decoding what was compressed."""

from __future__ import annotations

import gzip
import zlib

import pytest

from antigravity_proxy.proxy.inflater import Inflater

TEXT = bytes(range(256)) * 4


@pytest.mark.parametrize(
    "encoded", [gzip.compress(TEXT), zlib.compress(TEXT), gzip.compress(TEXT[:9]) + gzip.compress(TEXT[9:])]
)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_text_is_the_same_however_it_is_cut(encoded: bytes, size: int) -> None:
    """Neither the cuts of what is fed nor the end of a member change the text."""
    inflater, text = Inflater(), b""
    assert inflater.is_whole
    for start in range(0, len(encoded), size):
        inflater.feed(encoded[start : start + size])
        text += inflater.take(10_000)
        assert not inflater.has_rest
    assert (text, inflater.is_whole) == (TEXT, True)


def test_no_more_is_decoded_than_was_asked_for() -> None:
    """A small text that decodes to a large one is handed out in pieces of the wanted size."""
    inflater, sizes = Inflater(), list[int]()
    inflater.feed(gzip.compress(bytes(10_000)))
    assert inflater.take(0) == b""
    while inflater.has_rest:
        assert not inflater.is_whole
        sizes.append(len(inflater.take(1000)))
    assert (max(sizes), sum(sizes), inflater.is_whole) == (1000, 10_000, True)


def test_text_that_breaks_off_is_not_whole() -> None:
    """Without its end a text is not whole, though all that came was decoded."""
    inflater = Inflater()
    inflater.feed(gzip.compress(TEXT)[:-1])
    assert inflater.take(10_000) == TEXT
    assert (inflater.has_rest, inflater.is_whole) == (False, False)


def test_bytes_that_are_not_encoded_are_an_error() -> None:
    """What was never compressed is not decoded."""
    inflater = Inflater()
    inflater.feed(b"none")
    with pytest.raises(zlib.error):
        inflater.take(10)
