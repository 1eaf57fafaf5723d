"""What OpenAI clients read, whatever dialect they speak: errors.

Source:
    https://platform.openai.com/docs/guides/error-codes
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class ErrorDetails(TypedDict):
    """What went wrong; the last two fields are ours."""

    message: str
    type: str
    param: str | None
    code: str | None
    resets_at: NotRequired[str]
    account: NotRequired[str]


class ErrorBody(TypedDict):
    """An HTTP body, or a frame of a stream."""

    error: ErrorDetails
