"""Tests of the removal of secrets from upstream's words."""

from __future__ import annotations

import pytest

from antigravity_proxy.translate.redact import redact


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("token ya29" + ".a0Af-_x.y/z= expired", "token [redacted] expired", id="access token"),
        pytest.param("<1/" + "/0gInvented-_Token>", "<[redacted]>", id="refresh token"),
        pytest.param("two: ya29" + ".a ya29" + ".b", "two: [redacted] [redacted]", id="two tokens"),
        pytest.param("Quota 1/2 reached.", "Quota 1/2 reached.", id="nothing secret"),
        pytest.param("", "", id="empty"),
    ],
)
def test_redact_removes_tokens(text: str, expected: str) -> None:
    """Google's tokens go by their shape, and the rest stays."""
    assert redact(text) == expected
