"""Content parts of a message to neutral parts. What cannot be sent is refused by name, never dropped.

Source:
    https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages and SPEC.md, "Media".
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...errors import RequestError
from ..events import Media, Text
from ..json_text import as_object, is_list, is_object, to_json
from ..media import audio_type, from_base64, from_data_url, split_data_url, type_of_file
from ..target import rules_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..target import Target


THOUGHT_TYPES = ("thinking", "redacted_thinking", "reasoning")
"""Parts in which some clients send thoughts back, with signatures of other services; they are not replayed."""

PAYLOADS: Mapping[str, str] = MappingProxyType(
    {
        "text": "text",
        "input_text": "text",
        "output_text": "text",
        "refusal": "refusal",
        "image_url": "image_url",
        "input_image": "image_url",
        "input_audio": "input_audio",
        "file": "file",
        "input_file": "file_data",
        "video_url": "video_url",
        "image": "data",
        "audio": "data",
    }
)
"""Type of a part → where it holds what it is about."""


EMBEDDED = ("image", "audio")
"""Parts of the Model Context Protocol, as tools give them back. Source: its specification, "Tool Result"."""


def read_content(content: Any, target: Target, param: str) -> list[Text | Media]:
    """The parts of a message's ``content``: text, a list of parts, or nothing.

    Raises:
        RequestError: a part is of an unknown kind, broken, or not for this model; names it.
    """
    if content is None:
        return []
    if isinstance(content, str):
        return [Text(content)]
    if not is_list(content):
        raise RequestError(f"{param} is neither text nor a list of parts.", param=param)
    return [_read_part(part, target, f"{param}[{index}]") for index, part in enumerate(content)]


def read_answer(content: Any, target: Target, param: str) -> list[Text | Media]:
    """The parts of what the model said, without its thoughts.

    Raises:
        RequestError: as for ``read_content``; or a part is media, and this model takes none from itself.
    """
    if not is_list(content):
        return read_content(content, target, param)
    return [
        _read_answer_part(part, target, f"{param}[{index}]")
        for index, part in enumerate(content)
        if not (is_object(part) and part.get("type") in THOUGHT_TYPES)
    ]


def _read_answer_part(item: Any, target: Target, param: str) -> Text | Media:
    part = _read_part(item, target, param)
    if isinstance(part, Media) and not rules_of(target).has_model_media:
        raise RequestError(
            f"{param} is media in an assistant message, which {target.model_id} does not take. "
            "Move it to a user message.",
            param=param,
        )
    return part


def read_result(content: Any, target: Target, param: str) -> list[Text | Media]:
    """The parts of what a tool gave back; whatever is not text or a part is kept as JSON text.

    Raises:
        RequestError: a part is broken or not for this model; names it.
    """
    if content is None or isinstance(content, str):
        return read_content(content, target, param)
    if not is_list(content):
        return [Text(to_json(content))]
    return [
        _read_part(item, target, f"{param}[{index}]") if _is_part(item) else Text(to_json(item))
        for index, item in enumerate(content)
    ]


def _is_part(item: Any) -> bool:
    """Whether an item of a tool's list is meant as content: a tool's own data may well have a ``type``, too."""
    if not is_object(item):
        return isinstance(item, str)
    kind = str(item.get("type"))
    payload = item.get(PAYLOADS.get(kind, ""))
    is_typed = kind not in EMBEDDED or isinstance(item.get("mimeType"), str)
    return is_typed and (isinstance(payload, str) or is_object(payload))


def _read_part(part: Any, target: Target, param: str) -> Text | Media:
    if isinstance(part, str):
        return Text(part)
    kind = part.get("type") if is_object(part) else None
    read = _READERS.get(kind) if isinstance(kind, str) else None
    if read is None:
        raise RequestError(
            f"{param} is of type {str(kind)[:40]!r}, which is not known here. Known are "
            "text, image_url, input_audio, file and video_url.",
            param=param,
        )
    return read(part, target, param)


def _text(part: dict[str, Any], _target: Target, param: str) -> Text:
    return Text(_string(part.get("text"), f"{param}.text"))


def _refusal(part: dict[str, Any], _target: Target, param: str) -> Text:
    return Text(_string(part.get("refusal"), f"{param}.refusal"))


def _image(part: dict[str, Any], target: Target, param: str) -> Media:
    return _from_url(part, "image_url", target, param, "image/png")


def _video(part: dict[str, Any], target: Target, param: str) -> Media:
    return _from_url(part, "video_url", target, param, "video/mp4")


def _from_url(part: dict[str, Any], key: str, target: Target, param: str, default_type: str) -> Media:
    holder, place = part.get(key), f"{param}.{key}"
    url, place = (holder.get("url"), f"{place}.url") if is_object(holder) else (holder, place)
    return from_data_url(_string(url, place), target, param, default_type=default_type)


def _embedded(part: dict[str, Any], target: Target, param: str) -> Media:
    data = _string(part.get("data"), f"{param}.data")
    return from_base64(data, _string(part.get("mimeType"), f"{param}.mimeType"), target, param)


def _audio(part: dict[str, Any], target: Target, param: str) -> Media:
    audio = as_object(part.get("input_audio"))
    data = _string(audio.get("data"), f"{param}.input_audio.data")
    mime_type = audio_type(str(audio.get("format") or ""), f"{param}.input_audio.format")
    if data[:5].lower() == "data:":
        return from_data_url(data, target, param, default_type=mime_type)
    return from_base64(data, mime_type, target, param)


def _file(part: dict[str, Any], target: Target, param: str) -> Media:
    # Chat Completions puts the file into an object of its own, Responses does not.
    file, place = (as_object(part["file"]), f"{param}.file") if "file" in part else (part, param)
    if file.get("file_data") is None and file.get("file_id") is not None:
        raise RequestError(
            f"{param} names an uploaded file, and this proxy stores none. Send the file itself in file_data.",
            param=param,
        )
    data, mime_type = _string(file.get("file_data"), f"{place}.file_data"), ""
    if data[:5].lower() == "data:":
        mime_type, data = split_data_url(data, param)
    filename = str(file.get("filename") or "")
    return from_base64(data, mime_type or type_of_file(filename, param), target, param)


def _string(value: Any, param: str) -> str:
    if not isinstance(value, str):
        raise RequestError(f"{param} is missing or not text.", param=param)
    return value


_READERS: dict[str, Callable[[dict[str, Any], Target, str], Text | Media]] = {
    "text": _text,
    "input_text": _text,
    "output_text": _text,
    "refusal": _refusal,
    "image_url": _image,
    "input_image": _image,
    "input_audio": _audio,
    "file": _file,
    "input_file": _file,
    "video_url": _video,
    "image": _embedded,
    "audio": _embedded,
}
