"""Tests of the rules for single parts."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.simulator.models import MODELS_BY_ID
from antigravity_proxy.simulator.part_rules import check_parts, check_system_instruction, decoded_size

from .wire import CLAUDE, FLASH, GPT_OSS, call, model, place_of, refusal, response, user

PNG = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
WAV = {"inlineData": {"mimeType": "audio/wav", "data": "aGk="}}


def media(mime_type: str, data: str = "aGk=") -> dict[str, Any]:
    """Give a media part."""
    return {"inlineData": {"mimeType": mime_type, "data": data}}


@pytest.mark.parametrize(
    ("runtime_id", "turn"),
    [
        (FLASH, user("hi", PNG, WAV)),
        (FLASH, model({"text": "", "thoughtSignature": "QUJD"})),
        (FLASH, model({"text": "hm", "thought": True, "thoughtSignature": "QUJD"}, call("a"))),
        (FLASH, model(PNG)),
        (FLASH, user(" ")),
        (FLASH, model({"text": " ", "thoughtSignature": "QUJD"})),
        (FLASH, user(response("a"))),
        (CLAUDE, user("hi", PNG)),
        (CLAUDE, model(call("a", "toolu_1"))),
        (CLAUDE, user(response("a", "toolu_1"))),
        (GPT_OSS, model("text", call("mcp:a.b-c", "x" * 64))),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value)[:50],
)
def test_good_parts_pass(runtime_id: str, turn: dict[str, Any]) -> None:
    """Parts the model takes pass."""
    check_parts([turn], MODELS_BY_ID[runtime_id])


@pytest.mark.parametrize(
    ("runtime_id", "turn", "key_phrase"),
    [
        (FLASH, user({}), "none"),
        (FLASH, user({"text": "a", **PNG}), "text and inlineData"),
        (FLASH, user({"thoughtSignature": "QUJD"}), "none"),
        (FLASH, user(call("a")), "functionCall part may not stand"),
        (FLASH, model(response("a")), "functionResponse part may not stand"),
        (FLASH, user({"text": "x", "thought": True}, "x"), "role model"),
        (FLASH, user({"text": "x", "thoughtSignature": "QUJD"}), "role model"),
        (FLASH, model({"thought": True, **call("a")}, "x"), "must be text"),
        (FLASH, model({"text": "x", "thought": True}, "x"), "and a thoughtSignature"),
        (FLASH, model({"text": " ", "thought": True, "thoughtSignature": "QUJD"}, "x"), "must have words"),
        (FLASH, model({"text": "x", "thought": True, "thoughtSignature": "QUJD"}), "more than thoughts"),
        (FLASH, user(""), "empty"),
        (CLAUDE, user(""), "empty"),
        (GPT_OSS, user(""), "empty"),
        (CLAUDE, user(" \n"), "blank"),
        (GPT_OSS, user(" "), "blank"),
        (CLAUDE, model({"text": "x", "thought": True}, "x"), "thought is not accepted"),
        (CLAUDE, model({"text": "x", "thought": False}), "thought is not accepted"),
        (CLAUDE, model({"text": "x", "thoughtSignature": "QUJD"}), "thoughtSignature is not accepted"),
        (GPT_OSS, model({**call("a", "b"), "thoughtSignature": "QUJD"}), "thoughtSignature is not accepted"),
        (FLASH, model(call("a", "id")), "take no id"),
        (FLASH, user(response("a", "id")), "take no id"),
        (CLAUDE, model(call("a")), "id is required"),
        (CLAUDE, model(call("a", "a.b")), "id is required"),
        (CLAUDE, user(response("a", "x" * 65)), "id is required"),
        (FLASH, model(call("1a")), "name must start"),
        (FLASH, model(call("a b")), "name must start"),
        (FLASH, model(call("x" * 65)), "name must start"),
        (FLASH, model({"functionCall": {}}), "name must start"),
        (FLASH, user({"functionResponse": {"name": "a"}}), "response is required"),
        (FLASH, user(media("image/gif")), "does not take image/gif"),
        (FLASH, user(media("application/zip")), "does not take application/zip"),
        (FLASH, user(media("audio/mp3")), "does not take audio/mp3"),
        (FLASH, user(media("video/mov")), "does not take video/mov"),
        (FLASH, user(media("text/rtf")), "does not take text/rtf"),
        (FLASH, user({"inlineData": {"data": "aGk="}}), "does not take None"),
        (CLAUDE, user(WAV), "does not take audio/wav"),
        (CLAUDE, model(PNG), "role model"),
        (GPT_OSS, user(PNG), "does not take image/png"),
        (FLASH, user(media("image/png", "")), "base64"),
        (FLASH, user(media("image/png", "aGk")), "base64"),
        (FLASH, user(media("image/png", "aG k=")), "base64"),
        (FLASH, user(media("image/png", "_-8=")), "base64"),
        (FLASH, user({"inlineData": {"mimeType": "image/png"}}), "base64"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value)[:60],
)
def test_bad_parts_are_refused(runtime_id: str, turn: dict[str, Any], key_phrase: str) -> None:
    """A part the model does not take is a 400 that says where and why."""
    error = refusal(lambda: check_parts([turn], MODELS_BY_ID[runtime_id]))
    field, description = place_of(error)
    assert error.http_status == 400
    assert key_phrase in description
    assert field.startswith("request.contents[0].parts[0]")


@pytest.mark.parametrize(
    ("instruction", "field"),
    [
        ({"parts": [{"text": "x"}]}, "request.system_instruction.role"),
        ({"role": "system", "parts": [{"text": "x"}]}, "request.system_instruction.role"),
        ({"role": "user"}, "request.system_instruction.parts"),
        ({"role": "user", "parts": []}, "request.system_instruction.parts"),
        ({"role": "user", "parts": [{"text": " "}]}, "request.system_instruction.parts[0]"),
        ({"role": "user", "parts": [{"text": "a"}, PNG]}, "request.system_instruction.parts[1]"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_bad_system_instruction_is_refused(instruction: dict[str, Any], field: str) -> None:
    """The system instruction has the role user and holds text."""
    assert place_of(refusal(lambda: check_system_instruction(instruction)))[0] == field


def test_good_system_instruction_passes() -> None:
    """One or more texts under the role user pass."""
    check_system_instruction(user("Be brief.", "Be kind."))


@pytest.mark.parametrize(
    ("data", "size"), [("aGk=", 2), ("", 0), ("a", None), ("aGk", None), ("aGk=\n", None), ("é", None)]
)
def test_decoded_size(data: str, size: int | None) -> None:
    """Only standard, padded base64 has a size."""
    assert decoded_size(data) == size
