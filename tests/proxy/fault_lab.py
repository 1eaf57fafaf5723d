"""Runs one fault of the table, and looks at what it leaves behind."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import openai
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from .conftest import EMAIL, MODEL, open_lab_in, tasks_beside_connections
from .faults import ANSWER, WORDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from .conftest import Lab
    from .faults import Fault

HANG_S = 10.0
SETTLE_S = 2.0
QUESTION: dict[str, Any] = {"model": MODEL, "messages": [{"role": "user", "content": "Hi"}]}
SLOW_LIMITS: dict[str, Any] = {"first_byte_timeout": 1.2, "idle_timeout": 1.2, "keepalive": 0.1}


@dataclass(frozen=True, slots=True)
class Seen:
    """What a client saw of one request.

    Attributes:
        outcome: in the words of the table.
        text: all text that came.
    """

    outcome: str
    text: str = ""


@dataclass
class FaultLab:
    """A server, the simulator behind it, and the openai package in front.

    Attributes:
        lab: the server and the simulator.
        client: the openai package; it opens a connection for each request, and asks once.
        tasks: what runs already.
        accounts: how many accounts were made for faults of accounts.
    """

    lab: Lab
    client: AsyncOpenAI
    tasks: set[asyncio.Task[Any]] = field(default_factory=set[asyncio.Task[Any]])
    accounts: int = field(default=0)

    async def run(self, fault: Fault, *, stream: bool) -> list[str]:
        """What is wrong with how a fault was survived; nothing when all is as it should be.

        Returns:
            Sentences; the first says what the client saw.
        """
        expected = fault.stream if stream else fault.whole
        self._prepare(fault)
        try:
            async with asyncio.timeout(HANG_S):
                seen = await _ask(self.client, {**QUESTION, **fault.request}, stream=stream)
        except TimeoutError:
            seen = Seen("nothing, it hangs")
        troubles = [f"the client saw {seen.outcome}, not {expected}"] if seen.outcome != expected else []
        is_whole = seen.outcome.startswith(ANSWER)
        if seen.text != fault.text if is_whole else not fault.text.startswith(seen.text):
            troubles.append(f"the text is not what was said: {seen.text[:80]!r}")
        return [seen.outcome, *troubles, *await self._left_behind(), *await self._next()]

    def _prepare(self, fault: Fault) -> None:
        self.tasks = tasks_beside_connections()
        self.lab.simulator.state.scenarios.clear()
        self.lab.simulator.state.requests.clear()
        self.lab.simulator.add_account(EMAIL, quota={"gemini-5h": 1.0, "3p-5h": 1.0})
        if fault.account is not None:
            self.accounts += 1
            self.lab.save(f"case{self.accounts}@example.com", **fault.account)
        for plan in fault.plans:
            self.lab.plan(**plan)

    async def _left_behind(self) -> list[str]:
        """Whatever belongs to a request and is still there when both ends had time to tidy up."""
        try:
            async with asyncio.timeout(SETTLE_S):
                while left := self._left():  # noqa: ASYNC110 -- both ends of a connection learn of its end
                    await asyncio.sleep(0.002)
        except TimeoutError:
            return [f"left behind: {', '.join(left)}"]
        return []

    def _left(self) -> list[str]:
        counts = {**self.lab.left_over(), "other tasks": len(tasks_beside_connections() - self.tasks)}
        return [f"{count} {what}" for what, count in counts.items() if count]

    async def _next(self) -> list[str]:
        """Whether the next request is answered as if nothing had happened."""
        self.lab.simulator.state.scenarios.clear()
        ordinary = self.lab.saved(EMAIL).id
        self.lab.services.store.update(lambda pool: replace(pool, active_id=ordinary))
        seen = await _ask(self.client, QUESTION, stream=False)
        return [] if seen == Seen(ANSWER, WORDS) else [f"the next request saw {seen.outcome}"]


@asynccontextmanager
async def open_fault_lab(home: Path, *, is_slow: bool) -> AsyncIterator[FaultLab]:
    """A lab for faults, with short time limits for those that are about them."""
    async with (
        open_lab_in(home, **(SLOW_LIMITS if is_slow else {})) as lab,
        DefaultAsyncHttpxClient(trust_env=False) as http,
    ):
        client = AsyncOpenAI(
            base_url=f"{lab.url}/v1",
            api_key="local",
            max_retries=0,
            timeout=HANG_S,
            http_client=http,
            default_headers={"Connection": "close"},
        )
        yield FaultLab(lab, client)


async def _ask(client: AsyncOpenAI, request: dict[str, Any], *, stream: bool) -> Seen:
    texts: list[str] = []
    thoughts: list[str] = []
    reasons: list[str] = []
    try:
        if stream:
            async for chunk in await client.chat.completions.create(stream=True, **request):
                for choice in chunk.choices:
                    thought: str | None = getattr(choice.delta, "reasoning_content", None)
                    texts += filter(None, (choice.delta.content,))
                    thoughts += filter(None, (thought,))
                    reasons += filter(None, (choice.finish_reason,))
        else:
            choice = (await client.chat.completions.create(stream=False, **request)).choices[0]
            texts.append(choice.message.content or "")
            reasons.append(choice.finish_reason)
    except openai.APIStatusError as error:
        return Seen(f"{type(error).__name__} {error.status_code} {error.code or '-'}", "".join(texts))
    except openai.APIError as error:
        after = " after text" if texts or thoughts else ""
        return Seen(f"{type(error).__name__} {error.code or '-'}{after}", "".join(texts))
    outcome = f"{ANSWER} {'+'.join(reasons)}" if reasons != ["stop"] else ANSWER
    return Seen(outcome, "".join(texts))
