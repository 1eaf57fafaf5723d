"""Tests that errors have the shape that is written down for them."""

from __future__ import annotations

import pytest

from antigravity_proxy.errors import NoAccountError, ProxyError, QuotaExhaustedError, RequestError
from antigravity_proxy.translate.openai_wire import ErrorBody
from antigravity_proxy.translate.problems import to_error_body

from .shapes import misfits


@pytest.mark.parametrize(
    "error",
    [
        RequestError("No.", param="model", code="odd"),
        QuotaExhaustedError("No.", resets_at="2027-01-01T00:00:00Z"),
        NoAccountError("No.", account="a***a@example.com"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_error_body_has_its_shape(error: ProxyError) -> None:
    """The body of an error has the fields of its shape, with those that only some errors have."""
    assert list(misfits(to_error_body(error), ErrorBody)) == []
