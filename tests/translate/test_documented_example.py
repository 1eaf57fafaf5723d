"""Tests that the worked example of ``docs/translation.md`` is what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import antigravity_proxy
from antigravity_proxy.translate.envelope import session_id, to_envelope

from .test_upstream_accepts import check_request
from .test_vectors import chunks_of, completion_of, request_of, route_of, to_call

PAGE = Path(antigravity_proxy.__file__).parent / "docs" / "translation.md"


def example() -> dict[str, Any]:
    """The JSON blocks of the page by the heading they stand under."""
    page = PAGE.read_text(encoding="utf-8")
    pattern = r"^## \d\. ([^\n]+)\n(?:(?!^## ).)*?```json\n(.*?)```"
    blocks = re.findall(pattern, page, re.MULTILINE | re.DOTALL)
    return {heading: json.loads(block) for heading, block in blocks}


def test_example_is_sent_as_the_page_says() -> None:
    """The request of the page becomes the envelope of the page, and upstream takes it."""
    page = example()
    body = page["What the client sends"]
    sent = request_of(body)
    envelope = to_envelope(
        sent["request"],
        session_id(sent["request"]["contents"]),
        project="your-project",
        runtime_id=sent["model"],
        request_id="agent-1",
    )
    assert envelope == page["What Google gets"]
    check_request(sent["request"], route_of(to_call(body)))


def test_example_is_answered_as_the_page_says() -> None:
    """The events of the page become the chunks of the page, and the completion of a client that does not stream."""
    page = example()
    body, events = page["What the client sends"], page["What Google answers"]
    assert chunks_of(body, events) == page["What the client gets"]
    assert completion_of(body, events) == page["The same, not streamed"]
