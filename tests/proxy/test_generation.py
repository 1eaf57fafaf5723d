"""Tests of one generation: accounts, attempts and limits, against the simulator over real sockets."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.proxy.settings import USER_AGENT

from .conftest import EMAIL, chat_body, eventually
from .raw_server import raw_server, reply
from .test_event_stream import text_of

if TYPE_CHECKING:
    from .conftest import Lab, OpenLab

STREAM = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


async def ask(lab: Lab, *, stream: bool, **options: Any) -> tuple[int, str]:
    """One chat, streamed or not: its status, and the text of the answer or the code of the error."""
    body = chat_body(**{"stream": stream, **options})
    async with lab.http.post(f"{lab.url}/v1/chat/completions", json=body) as response:
        received = await response.read()
        if response.status != 200:
            return response.status, json.loads(received)["error"]["code"]
        text = text_of(received) if stream else json.loads(received)["choices"][0]["message"]["content"]
        return 200, text


async def test_calls_send_exactly_the_documented_headers(open_lab: OpenLab) -> None:
    """Every call to Google's service carries three headers beside what a connection needs, and breaks no rule."""
    async with open_lab(accounts=()) as lab:
        lab.save("new@example.com", with_project=False, project="p-1", expired=True)
        lab.plan("gone", models="gemini-3.8-flash-low,gemini-3.7-flash-tiered", times=-1)
        assert (await lab.chat())[0] == 200
        methods = ("loadCodeAssist", "streamGenerateContent", "fetchAvailableModels")
        for entry in [entry for method in methods for entry in lab.requests(method)]:
            assert {name.lower() for name in entry["headers"]} == {
                "host",
                "content-length",
                "authorization",
                "content-type",
                "user-agent",
            }
            assert entry["headers"]["User-Agent"] == USER_AGENT
            assert entry["headers"]["Content-Type"] == "application/json"
            assert entry["headers"]["Authorization"].startswith("Bearer ")
        assert [len(lab.requests(method)) for method in methods] == [1, 3, 1]
        (token,) = lab.requests("token")
        assert set(token["headers"]) == {"Host", "Content-Length", "Content-Type", "User-Agent"}
        assert token["headers"]["Content-Type"] == "application/x-www-form-urlencoded"
        assert token["body"]["grant_type"] == "refresh_token"


async def test_envelope_has_project_session_and_fresh_ids(lab: Lab) -> None:
    """Two requests of one conversation share project and session and have ids of their own."""
    await lab.chat("hello")
    await lab.chat("hello")
    first, second = [entry["body"] for entry in lab.requests()]
    assert first["project"] == second["project"] == lab.saved().project_id
    assert first["request"]["sessionId"] == second["request"]["sessionId"] == "-3238736544897475342"
    assert first["requestId"] != second["requestId"]
    assert re.fullmatch(r"agent-[0-9a-f]{32}", first["requestId"])
    assert (first["requestType"], first["userAgent"]) == ("agent", "antigravity")


@pytest.mark.parametrize(
    ("effort", "runtime_id", "thinking"),
    [
        ("low", "gemini-3.8-flash-low", {"includeThoughts": True, "thinkingBudget": 1000}),
        ("medium", "gemini-3.8-flash-medium", {"includeThoughts": True, "thinkingBudget": 4000}),
        ("high", "gemini-3.8-flash-high", {"includeThoughts": True, "thinkingBudget": -1}),
        (None, "gemini-3.8-flash-low", {"includeThoughts": False, "thinkingBudget": 0}),
    ],
)
async def test_effort_chooses_runtime_id_and_budget(
    lab: Lab, effort: str | None, runtime_id: str, thinking: dict[str, Any]
) -> None:
    """The effort decides which runtime id thinks how much; none means off."""
    await lab.chat(**({} if effort is None else {"reasoning_effort": effort}))
    (entry,) = lab.requests()
    assert entry["body"]["model"] == runtime_id
    assert entry["body"]["request"]["generationConfig"]["thinkingConfig"] == thinking


@STREAM
async def test_404_falls_back_once(lab: Lab, *, stream: bool) -> None:
    """A runtime id that is gone is replaced by the model before it, with that one's own thinking."""
    lab.plan("unknown-model")
    status, _ = await ask(lab, stream=stream, reasoning_effort="low")
    assert status == 200
    assert lab.runtime_ids() == ["gemini-3.8-flash-low", "gemini-3.7-flash-tiered"]
    config = lab.requests()[1]["body"]["request"]["generationConfig"]["thinkingConfig"]
    assert config == {"includeThoughts": True, "thinkingLevel": "LOW"}


async def test_404_of_the_tiered_id_goes_to_the_family_before(lab: Lab) -> None:
    """When 3.7 is gone the 3.6 of the same effort answers."""
    lab.plan("unknown-model")
    status, _ = await lab.chat(model="gemini-3.7-flash", reasoning_effort="high")
    assert status == 200
    assert lab.runtime_ids() == ["gemini-3.7-flash-tiered", "gemini-3.6-flash-high"]


async def test_second_404_asks_the_live_catalogue(lab: Lab) -> None:
    """When the fallback is gone too, the live catalogue names another id of the same model."""
    lab.plan("gone", models="gemini-3.8-flash-low,gemini-3.7-flash-tiered", times=-1)
    status, body = await lab.chat(reasoning_effort="low")
    assert status == 200, body
    *tried, found = lab.runtime_ids()
    assert tried == ["gemini-3.8-flash-low", "gemini-3.7-flash-tiered"]
    assert found.startswith("gemini-3.8-flash-")
    (asked,) = lab.requests("fetchAvailableModels")
    assert asked["body"] == {"project": lab.saved().project_id}


async def test_answer_says_which_runtime_id_it_is_from(lab: Lab) -> None:
    """The header of an answer names who answered in the end, and its body the model that was asked for."""
    lab.plan("unknown-model")
    async with lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body()) as response:
        assert response.headers["X-Antigravity-Runtime-Id"] == "gemini-3.7-flash-tiered"
        assert (await response.json())["model"] == "gemini-3.8-flash"


async def test_404_of_a_model_without_static_fallback_asks_the_live_catalogue(lab: Lab) -> None:
    """A model that no other stands in for is looked up at once; when nothing is found, the client gets the 404."""
    lab.plan("unknown-model", times=-1)
    status, body = await lab.chat(model="claude-sonnet-4-6")
    assert (status, body["error"]["code"]) == (404, "model_not_found")
    assert lab.runtime_ids() == ["claude-sonnet-4-6"]
    assert len(lab.requests("fetchAvailableModels")) == 1


async def test_404_of_everything_ends_after_three_calls(lab: Lab) -> None:
    """When no id answers the client gets a 404 after the request's own id, the fallback and the live one."""
    lab.plan("unknown-model", times=-1)
    assert await ask(lab, stream=True) == (404, "model_not_found")
    assert len(lab.runtime_ids()) == len(set(lab.runtime_ids())) == 3


@pytest.mark.parametrize("scenario", [{"name": "status", "status": 500}, {"name": "bare-429"}, {"name": "verify"}])
async def test_catalogue_that_cannot_be_read_leaves_the_404(lab: Lab, scenario: dict[str, Any]) -> None:
    """When the live catalogue fails too, the client gets the 404 that began it."""
    lab.plan("unknown-model", times=-1)
    lab.plan(method="fetchAvailableModels", **scenario)
    status, body = await lab.chat()
    assert (status, body["error"]["code"]) == (404, "model_not_found")
    assert body["error"]["message"].startswith("Google does not serve gemini-3.8-flash now. The nearest are ")
    assert len(lab.runtime_ids()) == 2


@STREAM
@pytest.mark.parametrize(
    "scenario",
    [
        {"name": "empty"},
        {"name": "malformed-call"},
        {"name": "garbage", "after": 0},
        {"name": "cut", "after": 0, "headers": True},
        {"name": "cut", "after": 0, "clean": True},
    ],
    ids=["empty", "malformed-call", "garbage", "cut", "clean-cut"],
)
async def test_empty_answer_is_tried_again_after_a_wait(lab: Lab, scenario: dict[str, Any], *, stream: bool) -> None:
    """Two answers without content are followed by a third attempt, with half a second and a second between them."""
    lab.plan(**scenario, times=2)
    status, text = await ask(lab, stream=stream)
    assert status == 200
    assert "You said: Hi" in text
    assert len(lab.requests()) == 3
    assert lab.pauses == [0.5, 1.0]


@STREAM
async def test_third_empty_answer_is_an_error(lab: Lab, *, stream: bool) -> None:
    """After three answers without content the client gets an error and no empty answer."""
    lab.plan("empty", times=3)
    assert await ask(lab, stream=stream) == (502, "empty_answer")
    assert len(lab.requests()) == 3


async def test_thoughts_alone_are_tried_again_for_a_whole_answer(lab: Lab) -> None:
    """An answer of thoughts and nothing else is tried again while nothing was sent."""
    lab.plan("only-thoughts", times=2)
    status, text = await ask(lab, stream=False, reasoning_effort="high")
    assert (status, "You said: Hi" in text) == (200, True)
    lab.plan("only-thoughts", times=3)
    assert await ask(lab, stream=False, reasoning_effort="high") == (502, "empty_answer")


async def test_thoughts_alone_break_a_stream(lab: Lab) -> None:
    """Thoughts that were streamed are not sent twice: without an answer after them the stream breaks."""
    lab.plan("only-thoughts", also=[{"name": "slow", "pace": 0.01}])
    received = await lab.stream(reasoning_effort="high")
    assert b"reasoning_content" in received
    assert b'"code":"empty_answer"' in received
    assert b"[DONE]" not in received
    assert len(lab.requests()) == 1


async def test_whole_answer_that_breaks_is_asked_for_again(lab: Lab) -> None:
    """An answer that is not streamed may break in its middle: nothing was sent, so another one is fetched."""
    lab.plan("cut", after=3, times=2, also=[{"name": "slow", "pace": 0.005}])
    status, text = await ask(lab, stream=False, messages=[{"role": "user", "content": "one two three four"}])
    assert status == 200
    assert text.count("You said: one two three four") == 1
    assert lab.pauses == [0.5, 1.0]


@pytest.mark.refused("Corrupted thought signature")
async def test_refused_signature_is_replaced_by_the_sentinel(lab: Lab) -> None:
    """A signature Google does not know is left out of a second attempt."""
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "read", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "Zm9yZWlnbg=="}},
    }
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "done"},
    ]
    status, _ = await lab.chat(messages=messages)
    assert status == 200
    sent = [entry["body"]["request"]["contents"][1]["parts"][0]["thoughtSignature"] for entry in lab.requests()]
    assert sent == ["Zm9yZWlnbg==", "skip_thought_signature_validator"]


async def test_expired_token_is_refreshed_first(open_lab: OpenLab) -> None:
    """A token that has run out is renewed before it is used, and the new one is saved."""
    async with open_lab(accounts=()) as lab:
        old = lab.save(EMAIL, expired=True)
        assert (await lab.chat())[0] == 200
        assert len(lab.requests("token")) == len(lab.requests()) == 1
        assert lab.saved().tokens.access != old.tokens.access


@pytest.mark.refused("invalid authentication credentials")
@STREAM
async def test_refused_token_is_refreshed_once(lab: Lab, *, stream: bool) -> None:
    """A token Google refuses is refreshed, and the request goes through with the new one."""
    before = lab.saved().tokens.access
    lab.simulator.add_account(EMAIL, expire_access_tokens=True)
    assert (await ask(lab, stream=stream))[0] == 200
    assert [entry["status"] for entry in lab.requests()] == [401, 200]
    assert len(lab.requests("token")) == 1
    assert lab.saved().tokens.access != before


@pytest.mark.refused("invalid authentication credentials")
async def test_burst_with_a_refused_token_refreshes_once(lab: Lab) -> None:
    """Fifty requests at once whose token Google refuses are answered after one refresh, with one more call each."""
    lab.simulator.add_account(EMAIL, expire_access_tokens=True)
    answers = await asyncio.gather(*(lab.chat(f"request {number}") for number in range(50)))
    assert {status for status, _ in answers} == {200}
    assert len(lab.requests("token")) == 1
    statuses = [entry["status"] for entry in lab.requests()]
    assert statuses.count(200) == 50
    assert statuses.count(401) <= 50


async def test_token_that_stays_refused_is_a_401(lab: Lab) -> None:
    """A token that is refused after a refresh too is the client's 401."""
    lab.plan("bad-token", times=-1)
    assert await ask(lab, stream=False) == (401, "upstream_unauthorized")
    assert len(lab.requests()) == 2
    assert len(lab.requests("token")) == 1


@pytest.mark.refused("invalid authentication credentials", "expired or revoked")
async def test_revoked_login_is_a_401_that_names_the_account(lab: Lab) -> None:
    """When Google refuses the refresh token, the client learns whose login it was, masked, and what to do."""
    lab.simulator.add_account(EMAIL, expire_access_tokens=True, revoke_refresh_tokens=True)
    status, body = await lab.chat()
    assert (status, body["error"]["code"]) == (401, "login_required")
    assert body["error"]["account"] == "a***a@example.com"
    assert "antigravity-proxy login" in body["error"]["message"]
    assert EMAIL not in json.dumps(body)


@pytest.mark.parametrize(
    ("scenario", "code"), [("verify", "verification_required"), ("no-subscription", "subscription_required")]
)
async def test_account_error_names_the_account(lab: Lab, scenario: str, code: str) -> None:
    """What is wrong with an account comes with the account it is wrong with."""
    lab.plan(scenario)
    _, body = await lab.chat()
    assert (body["error"]["code"], body["error"]["account"]) == (code, "a***a@example.com")


@pytest.mark.parametrize(
    ("scenario", "status"),
    [
        ({"name": "rate-limit", "seconds": 6}, 429),
        ({"name": "quota"}, 429),
        ({"name": "capacity", "retry": 39}, 503),
        ({"name": "status", "status": 500, "retry_after": "20"}, 502),
        ({"name": "status", "status": 500, "retry_after": "Fri, 01 Jan 2100 00:00:00 GMT"}, 502),
        ({"name": "status", "status": 408}, 504),
        ({"name": "bad-field"}, 400),
    ],
    ids=lambda value: value["name"] if isinstance(value, dict) else "",
)
@STREAM
async def test_other_refusals_are_not_repeated(
    lab: Lab, scenario: dict[str, Any], status: int, *, stream: bool
) -> None:
    """What another attempt would not change is told at once."""
    lab.plan(**scenario)
    assert (await ask(lab, stream=stream))[0] == status
    assert len(lab.requests()) == 1
    assert lab.pauses == []


@pytest.mark.parametrize(
    ("scenario", "waits"),
    [
        ({"name": "rate-limit"}, [0.48, 0.48]),
        ({"name": "bare-429"}, [0.5, 1.0]),
        ({"name": "throttle"}, [0.5, 1.0]),
        ({"name": "capacity"}, [0.5, 1.0]),
        ({"name": "capacity", "retry": 3}, [3, 3]),
        ({"name": "status", "status": 500}, [0.5, 1.0]),
        ({"name": "status", "status": 502, "body": "html"}, [0.5, 1.0]),
        ({"name": "status", "status": 504, "body": "empty"}, [0.5, 1.0]),
        ({"name": "status", "status": 503, "retry_after": "2"}, [2, 2]),
        ({"name": "in-stream-error", "after": 0, "code": 503}, [0.5, 1.0]),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else "",
)
@STREAM
async def test_passing_failure_is_waited_for(
    lab: Lab, scenario: dict[str, Any], waits: list[float], *, stream: bool
) -> None:
    """What may be over in a moment is asked again twice, after the wait that Google states or a short one."""
    lab.plan(**scenario, times=2)
    status, text = await ask(lab, stream=stream)
    assert status == 200
    assert text.count("You said: Hi") == 1
    assert len(lab.requests()) == 3
    assert all(wait - 0.01 <= pause <= wait + 0.5 for pause, wait in zip(lab.pauses, waits, strict=True))


@STREAM
async def test_notice_in_place_of_an_answer_is_an_error(lab: Lab, *, stream: bool) -> None:
    """A text that says that the client is too old is no answer: the error names the setting that helps."""
    lab.plan("old-version", **{"as": "answer"})
    async with lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body(stream=stream)) as response:
        error = (await response.json())["error"]
        assert (response.status, error["code"]) == (400, "client_outdated")
        assert "ANTIGRAVITY_PROXY_USER_AGENT" in error["message"]
        assert "no longer supported. Please update" in error["message"]
    assert len(lab.requests()) == 1


@pytest.mark.parametrize(
    "text", ["This version of Antigravity is fine.", "Antigravity is no longer supported on Windows 7, I believe."]
)
@STREAM
async def test_answer_that_begins_like_the_notice_is_an_answer(lab: Lab, text: str, *, stream: bool) -> None:
    """Words that happen to begin like the notice are handed on, whole and once."""
    lab.plan("text", text=text)
    assert await ask(lab, stream=stream) == (200, text)


async def test_connection_that_breaks_before_the_answer_is_tried_again(lab: Lab) -> None:
    """A connection that is lost before any answer is opened anew once, without a wait."""
    lab.plan("cut", after=0, headers=False)
    assert (await ask(lab, stream=False))[0] == 200
    lab.plan("cut", after=0, headers=False, times=2)
    assert await ask(lab, stream=False) == (502, "upstream_unreachable")
    assert len(lab.requests()) == 4
    assert {*lab.pauses} == {0}


async def test_no_account_is_a_401_that_says_what_to_do(open_lab: OpenLab) -> None:
    """Without an account the client learns how to add one; with one, the next request is served."""
    async with open_lab(accounts=()) as lab:
        status, body = await lab.chat()
        assert (status, body["error"]["code"]) == (401, "no_account")
        assert "antigravity-proxy login" in body["error"]["message"]
        lab.save(EMAIL)
        assert (await lab.chat())[0] == 200


@pytest.mark.parametrize("content", [b"", b"{", b'{"version": 3}'], ids=["empty", "cut", "newer"])
async def test_unusable_account_file_is_told(open_lab: OpenLab, content: bytes) -> None:
    """When the account file cannot be read, clients hear of that, and not that an account is missing."""
    async with open_lab(accounts=()) as lab:
        lab.services.store.path.write_bytes(content)
        status, body = await lab.chat()
        assert (status, body["error"]["code"]) == (500, "store_failed")
        assert str(lab.services.store.path) in body["error"]["message"]


async def test_wrong_request_is_a_400_even_without_an_account(open_lab: OpenLab) -> None:
    """What is wrong with a request is said before anything is asked of an account."""
    async with open_lab(accounts=()) as lab:
        status, _ = await lab.chat(messages=[{"role": "user", "content": [{"type": "smell"}]}])
        assert status == 400


async def test_active_account_serves_alone(open_lab: OpenLab) -> None:
    """All requests go to the active account, and a change of it holds from the next request on."""
    async with open_lab(accounts=("ada@example.com", "ben@example.com")) as lab:
        await lab.chat()
        lab.services.store.update(lambda pool: replace(pool, active_id=lab.saved("ada@example.com").id))
        await lab.chat()
        assert [entry["account"] for entry in lab.requests()] == ["ben@example.com", "ada@example.com"]


async def test_account_stays_through_all_attempts(open_lab: OpenLab) -> None:
    """A request that is tried again stays with the account it began with, whoever is made active meanwhile."""
    async with open_lab(accounts=("ada@example.com", "ben@example.com")) as lab:
        ada = lab.saved("ada@example.com")
        lab.plan("bad-token")
        lab.plan("stall", after=0, seconds=0.1, method="token")
        answer = asyncio.create_task(lab.chat())
        await eventually(lambda: len(lab.requests("token")) == 1)
        lab.services.store.update(lambda pool: replace(pool, active_id=ada.id))
        assert (await answer)[0] == 200
        assert [entry["account"] for entry in lab.requests()] == ["ben@example.com"] * 2


@STREAM
@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Hi", 200),
        ("Hi [[simulate parallel n=2]]", 200),
        ("Hi [[simulate shape kind=several-parts]]", 200),
        ("Hi [[simulate text text=nojson]]", 502),
    ],
    ids=["one-call", "two-calls", "words-beside", "words-alone"],
)
async def test_structured_answer_is_json_or_an_error(lab: Lab, text: str, status: int, *, stream: bool) -> None:
    """On families without schemas for their text, the answer is one JSON object whatever the model does."""
    messages = [{"role": "user", "content": text}]
    options = {"model": "claude-sonnet-4-6", "messages": messages, "response_format": {"type": "json_object"}}
    answered, content = await ask(lab, stream=stream, **options)
    assert answered == status, content
    if status == 200:
        assert isinstance(json.loads(content), dict)
    else:
        assert len(lab.requests()) == 3


@STREAM
async def test_error_in_place_of_a_stream_is_that_error(open_lab: OpenLab, *, stream: bool) -> None:
    """An error that comes under a 200 and is no event keeps its kind and its words."""
    body = b'{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Individual quota reached."}}'
    async with raw_server([reply(body)]) as server, open_lab(base_url=server.url) as lab:
        assert await ask(lab, stream=stream) == (429, "insufficient_quota")


async def test_unreachable_upstream_is_a_502(open_lab: OpenLab, unused_tcp_port: int) -> None:
    """Without a connection to Google the client gets one clear error."""
    async with open_lab(base_url=f"http://127.0.0.1:{unused_tcp_port}") as lab:
        assert await ask(lab, stream=False) == (502, "upstream_unreachable")


async def test_renamed_runtime_id_is_followed(open_lab: OpenLab) -> None:
    """When Google says that an id has a new name, that one is asked."""
    catalogue = {
        "models": {"claude-sonnet-4-7": {}},
        "deprecatedModelIds": {"claude-sonnet-4-6": {"newModelId": "claude-sonnet-4-7"}},
    }
    event = b'data: {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}\n\n'
    replies = ([reply(b"{}", status=404)], [reply(json.dumps(catalogue).encode())], [reply(event)])
    async with raw_server(*replies, is_kept_open=True) as google, open_lab(base_url=google.url) as lab:
        assert await ask(lab, stream=False, model="claude-sonnet-4-6") == (200, "Hi")
        assert b'"model":"claude-sonnet-4-7"' in google.requests[2]


async def test_cold_burst_refreshes_and_searches_once(open_lab: OpenLab) -> None:
    """A hundred requests at once on an account with an expired token cause one refresh and one project search."""
    async with open_lab(accounts=()) as lab:
        lab.save(EMAIL, with_project=False, expired=True)
        answers = await asyncio.gather(*(lab.chat(f"request {number}") for number in range(100)))
        assert {status for status, _ in answers} == {200}
        assert len(lab.requests("token")) == 1
        assert len(lab.requests("loadCodeAssist")) == 1
        assert len({entry["body"]["requestId"] for entry in lab.requests()}) == 100
        texts = [body["choices"][0]["message"]["content"] for _, body in answers]
        assert all(f"You said: request {number}" in text for number, text in enumerate(texts))
