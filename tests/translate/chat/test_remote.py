"""Tests of parts that stand at a web address."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.translate.chat.remote import RemotePart, remote_parts, with_data_urls

URL = "https://example.com/a"
PLACE = "messages[0].content[0]"


def body_of(*parts: Any) -> dict[str, Any]:
    """A body with one message."""
    return {"messages": [{"role": "user", "content": list(parts)}]}


@pytest.mark.parametrize(
    ("part", "filled", "kind"),
    [
        (
            {"type": "image_url", "image_url": {"url": URL}},
            {"type": "image_url", "image_url": {"url": "data:x"}},
            "image/",
        ),
        ({"type": "image_url", "image_url": URL}, {"type": "image_url", "image_url": "data:x"}, "image/"),
        ({"type": "input_image", "image_url": URL}, {"type": "input_image", "image_url": "data:x"}, "image/"),
        (
            {"type": "video_url", "video_url": {"url": URL}},
            {"type": "video_url", "video_url": {"url": "data:x"}},
            "video/",
        ),
    ],
    ids=["image", "image as text", "image of Responses", "video"],
)
def test_remote_part_is_found_and_filled(part: Any, filled: Any, kind: str) -> None:
    """A part at an address is found with its place, and takes what was fetched; the body stays as it was."""
    body = body_of(part)
    assert remote_parts(body) == [RemotePart(PLACE, URL, kind)]
    assert with_data_urls(body, {PLACE: "data:x"}) == body_of(filled)
    assert remote_parts(body) == [RemotePart(PLACE, URL, kind)]


@pytest.mark.parametrize(
    "body",
    [
        None,
        {"messages": 5},
        {"messages": ["Hi", {"content": "https://example.com"}]},
        body_of("Hi", {"type": "text", "text": URL}, {"type": ["image_url"]}, {"type": "image_url"}),
        body_of({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}),
        body_of({"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}),
    ],
    ids=["nothing", "no list", "no parts", "other parts", "data URL", "file"],
)
def test_what_is_here_is_not_fetched(body: Any) -> None:
    """Whatever else a body holds is no remote part."""
    assert remote_parts(body) == []


def test_deep_tools_beside_a_part_stay_as_they_are() -> None:
    """Filling a part copies the way to it and nothing else, however deep the rest is."""
    tools: Any = {}
    for _ in range(5_000):
        tools = {"properties": tools}
    body = {**body_of({"type": "image_url", "image_url": URL}, {"type": "text", "text": "Hi"}), "tools": tools}
    filled = with_data_urls(body, {PLACE: "data:x"})
    assert filled["tools"] is tools
    assert filled["messages"][0]["content"][1] is body["messages"][0]["content"][1]
    assert filled["messages"][0]["content"][0] == {"type": "image_url", "image_url": "data:x"}


def test_several_parts_of_a_message_are_filled() -> None:
    """Each place of a message takes its own, and the body stays as it was."""
    part = {"type": "image_url", "image_url": URL}
    body = body_of(part, part)
    places = [found.param for found in remote_parts(body)]
    filled = with_data_urls(body, dict(zip(places, ("data:x", "data:y"), strict=True)))
    assert filled == body_of({**part, "image_url": "data:x"}, {**part, "image_url": "data:y"})
    assert body == body_of(part, part)
