"""Tests of thought signatures as clients send them back."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.translate.signatures import SENTINEL, standard_signature


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("QUJD", "QUJD", id="as it was"),
        pytest.param("QUI=", "QUI=", id="with padding"),
        pytest.param("QUI", "QUI=", id="padding lost"),
        pytest.param("+/+/", "+/+/", id="standard alphabet"),
        pytest.param("-_-_", "+/+/", id="URL-safe alphabet"),
        pytest.param(" QUJD\n", "QUJD", id="blanks around"),
    ],
)
def test_signature_is_mended(value: str, expected: str) -> None:
    """A signature that a client wrote in its own way has the same bytes in standard base64."""
    assert standard_signature(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(None, id="none"),
        pytest.param(5, id="number"),
        pytest.param({"a": 1}, id="object"),
        pytest.param("", id="empty"),
        pytest.param("  ", id="blank"),
        pytest.param("====", id="padding only"),
        pytest.param("A", id="too short"),
        pytest.param("QU JD", id="blank inside"),
        pytest.param("QUJD!", id="other characters"),
        pytest.param("Qé", id="not ASCII"),
        pytest.param(SENTINEL, id="sentinel"),
        pytest.param(f" {SENTINEL} ", id="sentinel with blanks"),
    ],
)
def test_signature_is_none(value: object) -> None:
    """What cannot be a genuine signature is none; the sentinel is added where it is due."""
    assert standard_signature(value) is None


@settings(deadline=None)
@given(st.binary(min_size=1, max_size=40))
def test_signature_keeps_its_bytes(raw: bytes) -> None:
    """Both alphabets, with and without padding, lead to the same signature."""
    expected = base64.b64encode(raw).decode()
    for text in (expected, base64.urlsafe_b64encode(raw).decode()):
        assert standard_signature(text) == standard_signature(text.rstrip("=")) == expected


@settings(deadline=None)
@given(st.text(max_size=20))
def test_signature_is_always_base64(value: str) -> None:
    """Any text gives standard base64 or none."""
    signature = standard_signature(value)
    assert signature is None or base64.b64decode(signature, validate=True)
