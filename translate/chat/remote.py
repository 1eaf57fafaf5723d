"""Parts of a chat that stand at a web address, and what they become when somebody has fetched them.

Source:
    SPEC.md, "Media".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..json_text import as_list, as_object, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KINDS = {
    "image_url": ("image_url", "image/"),
    "input_image": ("image_url", "image/"),
    "video_url": ("video_url", "video/"),
}
"""Type of a part → where its address stands, and how the mime types begin that may be found there."""

SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class RemotePart:
    """A part that is not in the request.

    Attributes:
        param: its place.
        url: where it is.
        kind: how its mime type must begin.
    """

    param: str
    url: str
    kind: str


def remote_parts(body: Any) -> list[RemotePart]:
    """The parts of a parsed body, of any shape, that must be fetched."""
    return [RemotePart(param, url, kind) for _, _, param, url, kind in _places(body)]


def with_data_urls(body: Any, data_urls: Mapping[str, str]) -> Any:
    """The body with data URLs in place of addresses.

    Args:
        body: as it was parsed; it is not changed.
        data_urls: one for the place of each remote part.
    """
    messages = list(body["messages"])
    filled = {**body, "messages": messages}
    for index, number, param in [(index, number, param) for index, number, param, *_ in _places(body)]:
        # Only the way to the part is copied: a body may be long, and nested deeper than a copy could follow.
        if messages[index] is body["messages"][index]:
            messages[index] = {**messages[index], "content": list(messages[index]["content"])}
        content = messages[index]["content"]
        content[number] = _with_url(content[number], data_urls[param])
    return filled


def _with_url(part: dict[str, Any], url: str) -> dict[str, Any]:
    key, _ = KINDS[part["type"]]
    holder = part[key]
    return {**part, key: {**holder, "url": url} if is_object(holder) else url}


def _places(body: Any) -> Iterator[tuple[int, int, str, str, str]]:
    """Index of the message, number of the part, its place in words, its address, and how its mime type must begin."""
    for index, message in enumerate(as_list(as_object(body).get("messages"))):
        for number, part in enumerate(as_list(as_object(message).get("content"))):
            known = KINDS.get(str(as_object(part).get("type")))
            if known is None:
                continue
            key, kind = known
            holder = part.get(key)
            url = holder.get("url") if is_object(holder) else holder
            if isinstance(url, str) and url.strip().lower().startswith(SCHEMES):
                yield index, number, f"messages[{index}].content[{number}]", url, kind
