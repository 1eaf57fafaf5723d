"""Measure what it costs a conversation that its account runs out of quota; exit 1 when that is too much."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = str(Path(sys.executable).with_name("antigravity-proxy"))
ATTEMPTS = 3
LIMIT_MS = 50
TURNS = 12
FAILOVER_TURN = 6
"""The account that serves has used up its quota just before this one."""

USED_UP = {"email": "ada@example.com", "quota": {"gemini-5h": 0, "gemini-weekly": 0}}
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@contextmanager
def running(environment: dict[str, str], *arguments: str) -> Iterator[str]:
    """Run a command that serves; gives its address."""
    with subprocess.Popen([COMMAND, *arguments], env=environment, stderr=subprocess.PIPE, text=True) as server:
        try:
            yield next(filter(None, (re.search(r"ready at (\S+)", line) for line in server.stderr or ())))[1]
        finally:
            server.terminate()


def post(url: str, body: Any) -> str:
    """What a server answers, as text."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with DIRECT.open(request, timeout=30) as answer:
        return str(answer.read().decode())


def time_turns(home: Path, environment: dict[str, str], simulator: str) -> list[float]:
    """Seconds of each turn of a conversation with three accounts, of which the first runs out."""
    for name in ("client.json", "accounts.json"):
        with DIRECT.open(f"{simulator}/simulator/{name}") as answer:
            (home / f"given-{name}").write_bytes(answer.read())
    serving = {
        **environment,
        "ANTIGRAVITY_PROXY_BASE_URL": simulator,
        "ANTIGRAVITY_PROXY_OAUTH_CLIENT_FILE": str(home / "given-client.json"),
    }
    for arguments in (["import", str(home / "given-accounts.json")], ["failover", "on"]):
        subprocess.run([COMMAND, "accounts", *arguments], env=serving, check=True, stdout=subprocess.DEVNULL)
    messages: list[dict[str, Any]] = []
    times_s: list[float] = []
    with running(serving, "serve", "--port", "0") as url:
        for turn in range(TURNS):
            if turn == FAILOVER_TURN:
                post(f"{simulator}/simulator/accounts", USED_UP)
            messages.append({"role": "user", "content": f"This is turn {turn}."})
            started_s = time.perf_counter()
            stream = post(
                f"{url}/chat/completions", {"model": "gemini-3.8-flash", "messages": messages, "stream": True}
            )
            times_s.append(time.perf_counter() - started_s)
            messages.append({"role": "assistant", "content": read_answer(stream)})
    return times_s


def read_answer(stream: str) -> str:
    """The text of a streamed answer, which must have come in one piece."""
    *frames, done = stream.removesuffix("\n\n").split("\n\n")
    assert done == "data: [DONE]", stream
    choices = [choice for frame in frames for choice in json.loads(frame.removeprefix("data: "))["choices"]]
    text = "".join(choice["delta"].get("content") or "" for choice in choices)
    assert text.count("You said") == 1, stream
    assert [choice["finish_reason"] for choice in choices if choice["finish_reason"]] == ["stop"], stream
    return text


def extra_ms(attempt: Path) -> float:
    """Milliseconds that the turn on two accounts took more than the others do."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ANTIGRAVITY_PROXY_")}
    environment = {**kept, "ANTIGRAVITY_PROXY_HOME": str(attempt)}
    with running(environment, "simulate", "--port", "0", "--pace", "0") as simulator:
        times_s = time_turns(attempt, environment, simulator)
    return (times_s[FAILOVER_TURN] - statistics.median(times_s)) * 1000


def main() -> int:
    """Measure three times, and show the median beside the limit."""
    with tempfile.TemporaryDirectory() as folder:
        homes = [Path(folder, str(attempt)) for attempt in range(ATTEMPTS)]
        for home in homes:
            home.mkdir()
        median_ms = statistics.median(extra_ms(home) for home in homes)
    print(f"failover in a conversation  {median_ms:.1f} ms of {LIMIT_MS} ms")
    return int(median_ms > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
