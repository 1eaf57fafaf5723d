"""Bodies, headers and event readers that several tests of the simulator share."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from antigravity_proxy.simulator.google_reply import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import aiohttp

    from antigravity_proxy.simulator.server import Simulator

USER_AGENT = "antigravity/cli/1.1.23 (aidev_client; os_type=linux; arch=amd64; cl=974125021; auth_method=consumer)"
EMAIL = "me@example.com"
FLASH = "gemini-3.8-flash-low"
TIERED = "gemini-3.7-flash-tiered"
PRO = "gemini-pro-agent"
CLAUDE = "claude-sonnet-4-6"
GPT_OSS = "gpt-oss-120b-medium"


def user(*parts: dict[str, Any] | str) -> dict[str, Any]:
    """Give a user turn; a text stands for a text part."""
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: dict[str, Any] | str) -> dict[str, Any]:
    """Give a model turn; a text stands for a text part."""
    return {**user(*parts), "role": "model"}


def call(name: str, call_id: str | None = None, signature: str | None = None, **args: Any) -> dict[str, Any]:
    """Give a function call part."""
    function: dict[str, Any] = {"name": name, "args": args}
    if call_id is not None:
        function["id"] = call_id
    part: dict[str, Any] = {"functionCall": function}
    return part if signature is None else {**part, "thoughtSignature": signature}


def response(name: str, call_id: str | None = None, output: str = "ok") -> dict[str, Any]:
    """Give a function response part."""
    function: dict[str, Any] = {"name": name, "response": {"output": output}}
    if call_id is not None:
        function["id"] = call_id
    return {"functionResponse": function}


def gemini_tool(name: str, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    """Give a tool declaration for Gemini."""
    return {"name": name, "parametersJsonSchema": schema or {"type": "object", "properties": {}}}


def legacy_tool(name: str, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    """Give a tool declaration for the other families."""
    return {"name": name, "parameters": schema or {"type": "object", "properties": {}}}


def tools(*declarations: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the tools field of a request."""
    return [{"functionDeclarations": list(declarations)}]


def refusal(check: Callable[[], object]) -> ApiError:
    """Give the error a check raises."""
    with pytest.raises(ApiError) as caught:
        check()
    return caught.value


def place_of(error: ApiError) -> tuple[str, str]:
    """Give the field and the description of an error's first violation."""
    violation = error.details[0]["fieldViolations"][0]
    return violation.get("field", ""), violation["description"]


def read_events(body: bytes) -> list[Any]:
    """Give the events of a stream, comments and what is no JSON left out."""
    return list(_read_events(body))


def _read_events(body: bytes) -> Iterator[Any]:
    for line in body.splitlines():
        if line.startswith(b"data: "):
            try:
                yield orjson.loads(line[6:])
            except orjson.JSONDecodeError:
                continue


def parts_of(events: list[Any]) -> list[dict[str, Any]]:
    """Give all parts of a stream in order."""
    return [
        part
        for event in events
        for candidate in event.get("response", event).get("candidates", [])
        for part in candidate.get("content", {}).get("parts", [])
    ]


def text_of(events: list[Any]) -> str:
    """Give the text of a stream without thoughts."""
    return "".join(part.get("text", "") for part in parts_of(events) if not part.get("thought"))


@dataclass(slots=True)
class Caller:
    """Calls a simulator the way a correct client does.

    Attributes:
        simulator: what is called.
        session: the HTTP client.
        record: the account's record.
    """

    simulator: Simulator
    session: aiohttp.ClientSession
    record: dict[str, Any]
    counter: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def headers(self) -> dict[str, str]:
        """The three headers."""
        return {
            "Authorization": f"Bearer {self.record['access']}",
            "Content-Type": "application/json",
            "User-Agent": USER_AGENT,
        }

    def envelope(self, request: dict[str, Any], runtime_id: str = FLASH) -> dict[str, Any]:
        """Give a correct envelope around a request."""
        return {
            "project": self.record.get("projectId", ""),
            "model": runtime_id,
            "request": request,
            "requestType": "agent",
            "userAgent": "antigravity",
            "requestId": f"test-{next(self.counter)}",
        }

    def post(self, method: str, body: Any, **headers: str) -> aiohttp.client._RequestContextManager:
        """Send a call."""
        query = "?alt=sse" if method == "streamGenerateContent" else ""
        return self.session.post(
            f"{self.simulator.base_url}/v1internal:{method}{query}",
            data=orjson.dumps(body),
            headers=self.headers | headers,
        )

    async def document(self, method: str, body: Any, **headers: str) -> tuple[int, Any]:
        """Send a call and give status and JSON of the answer."""
        async with self.post(method, body, **headers) as answer:
            return answer.status, orjson.loads(await answer.read())

    async def generate(self, content: str | dict[str, Any], runtime_id: str = FLASH) -> tuple[int, bytes]:
        """Ask a model and give status and body of the answer."""
        request = content if isinstance(content, dict) else {"contents": [user(content)]}
        async with self.post("streamGenerateContent", self.envelope(request, runtime_id)) as answer:
            return answer.status, await answer.read()

    async def events(self, content: str | dict[str, Any], runtime_id: str = FLASH) -> list[Any]:
        """Ask a model and give the events of its answer."""
        status, body = await self.generate(content, runtime_id)
        assert status == 200, body
        return read_events(body)
