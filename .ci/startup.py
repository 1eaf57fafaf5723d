"""Measure how soon the command helps and the first answer comes; exit 1 when that is too late."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

COMMAND = str(Path(sys.executable).with_name("antigravity-proxy"))
ATTEMPTS = 3
HELP_LIMIT_S = 0.4
ANSWER_LIMIT_S = 2.0
QUESTION = {"model": "gemini-3.8-flash", "messages": [{"role": "user", "content": "Hello"}], "stream": True}
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def time_of_help(environment: dict[str, str]) -> float:
    """Seconds that ``--help`` takes."""
    started_s = time.perf_counter()
    subprocess.run([COMMAND, "--help"], env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started_s


def time_to_answer(environment: dict[str, str]) -> float:
    """Seconds from the start of the server to the end of the first chunk of the first answer."""
    command = [COMMAND, "serve", "--simulate", "--port", "0"]
    started_s = time.perf_counter()
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        try:
            ready = next(filter(None, (re.search(r"ready at (\S+)", line) for line in server.stderr or ())))
            headers = {"Content-Type": "application/json"}
            request = urllib.request.Request(f"{ready[1]}/chat/completions", json.dumps(QUESTION).encode(), headers)
            with DIRECT.open(request, timeout=30) as answer:
                assert answer.readline().startswith(b"data: {")
                assert answer.readline() == b"\n"
                return time.perf_counter() - started_s
        finally:
            server.terminate()


def main() -> int:
    """Measure both, and show the best of three beside its limit."""
    with tempfile.TemporaryDirectory() as home:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ANTIGRAVITY_PROXY_")}
        environment = {**kept, "ANTIGRAVITY_PROXY_HOME": home}
        best_help_s = min(time_of_help(environment) for _ in range(ATTEMPTS))
        best_answer_s = min(time_to_answer(environment) for _ in range(ATTEMPTS))
    print(f"antigravity-proxy --help  {best_help_s:.2f} s of {HELP_LIMIT_S} s")
    print(f"first streamed chunk      {best_answer_s:.2f} s of {ANSWER_LIMIT_S} s")
    return int(best_help_s > HELP_LIMIT_S or best_answer_s > ANSWER_LIMIT_S)


if __name__ == "__main__":
    sys.exit(main())
