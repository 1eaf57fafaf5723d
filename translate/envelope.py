"""The envelope around a request, and the session it belongs to.

Source:
    SPEC.md, "Requests".
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .cloud_wire import Content, Envelope, Request

REQUEST_TYPE = "agent"
USER_AGENT_FIELD = "antigravity"


def to_envelope(request: Request, session: str, *, project: str, runtime_id: str, request_id: str) -> Envelope:
    """The body of ``streamGenerateContent``.

    Args:
        request: the inner request.
        session: of the conversation.
        project: the account's project id.
        runtime_id: which model answers.
        request_id: unique for each call.
    """
    return {
        "project": project,
        "model": runtime_id,
        "request": {**request, "sessionId": session},
        "requestType": REQUEST_TYPE,
        "userAgent": USER_AGENT_FIELD,
        "requestId": request_id,
    }


def session_id(contents: list[Content]) -> str:
    """The session of a conversation: the same for every request that goes on with it, so that prompts are cached.

    Returns:
        A negative 64-bit decimal made from the first text of the user.
    """
    texts = (
        part["text"]
        for content in contents
        if content["role"] == "user"
        for part in content["parts"]
        if "text" in part
    )
    digest = hashlib.sha256(next(texts, "").encode()).digest()
    return f"-{int.from_bytes(digest[:8], 'big') & 0x7FFF_FFFF_FFFF_FFFF}"
