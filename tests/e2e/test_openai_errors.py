"""The real openai package against failures: each status raises its class, with words that help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import openai
import pytest

from .callers import AsyncStream, AsyncWhole, SyncStream, SyncWhole
from .clients import open_async_client, open_client
from .process import run_command
from .samples import MODEL, image, user

if TYPE_CHECKING:
    from pathlib import Path

    from .callers import Caller
    from .simulator_control import SimulatorControl

QUESTION: dict[str, Any] = {"model": MODEL, "messages": user("Hi")}


@pytest.mark.parametrize(
    ("scenario", "raised", "status", "words"),
    [
        ({"name": "bad-field"}, openai.BadRequestError, 400, "Unknown name"),
        ({"name": "bad-token", "times": 2}, openai.AuthenticationError, 401, "authentication failed"),
        ({"name": "verify"}, openai.PermissionDeniedError, 403, "https://"),
        ({"name": "no-subscription"}, openai.PermissionDeniedError, 403, "subscription"),
        ({"name": "unknown-model", "times": -1}, openai.NotFoundError, 404, "Google does not serve"),
        ({"name": "quota"}, openai.RateLimitError, 429, "Quota reached"),
        ({"name": "rate-limit", "seconds": 39}, openai.RateLimitError, 429, "slow down"),
        ({"name": "status", "status": 500, "retry_after": 39}, openai.InternalServerError, 502, "status 500"),
        ({"name": "capacity", "retry": 39}, openai.InternalServerError, 503, "no capacity"),
        ({"name": "status", "status": 504, "retry_after": 39}, openai.InternalServerError, 504, "time limit"),
        ({"name": "empty", "times": 3}, openai.InternalServerError, 502, "without text"),
    ],
    ids=lambda value: value["name"] if isinstance(value, dict) else None,
)
async def test_upstream_error_raises_its_class(
    caller: Caller,
    simulator: SimulatorControl,
    scenario: dict[str, Any],
    raised: type[openai.APIStatusError],
    status: int,
    words: str,
) -> None:
    """An error of Google's becomes the status a client understands, and says what happened."""
    simulator.plan(scenario)
    with pytest.raises(raised) as caught:
        await caller.ask(**QUESTION)
    assert caught.value.status_code == status
    assert words in str(caught.value)
    error = cast("dict[str, Any]", caught.value.body)
    assert set(error) >= {"message", "type", "param", "code"}


@pytest.mark.parametrize(
    ("options", "raised", "param", "words"),
    [
        ({"model": "gemini-9"}, openai.NotFoundError, "model", "nearest are gemini-"),
        ({"messages": []}, openai.BadRequestError, "messages", "at least 1 item"),
        ({"n": 2}, openai.BadRequestError, "n", "one answer at a time"),
        (
            {"messages": [{"role": "wizard", "content": "x"}]},
            openai.BadRequestError,
            "messages[0].role",
            "known roles",
        ),
        ({"reasoning_effort": "enormous"}, openai.BadRequestError, "reasoning_effort", "known are"),
        ({"temperature": "hot"}, openai.BadRequestError, "temperature", "valid number"),
        ({"tools": [{"type": "web_search"}]}, openai.BadRequestError, "tools[0]", "not a function"),
        (
            {"messages": user([{"type": "image_url", "image_url": {"url": "https://a/b.png"}}])},
            openai.BadRequestError,
            "messages[0].content[0]",
            "data URL",
        ),
        (
            {"model": "gpt-oss-120b", "messages": user([{"type": "text", "text": "x"}, image(b"x")])},
            openai.BadRequestError,
            "messages[0].content[1]",
            "does not take",
        ),
    ],
    ids=["model", "no-messages", "n", "role", "effort", "type", "tool", "remote-image", "image-for-text-model"],
)
async def test_wrong_request_is_named(
    caller: Caller,
    simulator: SimulatorControl,
    options: dict[str, Any],
    raised: type[openai.APIStatusError],
    param: str,
    words: str,
) -> None:
    """What is wrong with a request is said with its place, and Google is asked to generate nothing."""
    with pytest.raises(raised) as caught:
        await caller.ask(**{**QUESTION, **options})
    error = cast("dict[str, Any]", caught.value.body)
    assert str(error["param"]).startswith(param)
    assert words in error["message"]
    assert simulator.generations() == []


async def test_wrong_key_is_an_authentication_error(tmp_path: Path) -> None:
    """A server with a key lets nobody in who has another one."""
    extra = {"ANTIGRAVITY_PROXY_API_KEY": "the right one"}
    with run_command("serve", "--simulate", "--port", "0", "--pace", "0", home=tmp_path, extra=extra) as running:
        with open_client(running.url, "the right one") as client:
            assert (await SyncWhole(client).ask(**QUESTION)).choices
        with open_client(running.url) as stranger:
            for caller in (SyncWhole(stranger), SyncStream(stranger)):
                await refused(caller)
        async with open_async_client(running.url) as async_stranger:
            for async_caller in (AsyncWhole(async_stranger), AsyncStream(async_stranger)):
                await refused(async_caller)


async def refused(caller: Caller) -> None:
    """Ask, and see the key refused."""
    with pytest.raises(openai.AuthenticationError) as caught:
        await caller.ask(**QUESTION)
    assert "API key is missing or wrong" in str(caught.value)
