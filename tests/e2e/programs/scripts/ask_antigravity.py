"""Ask one prompt, with media if wanted, with the google-antigravity SDK.

Usage: ask_antigravity.py URL MODEL PROMPT NOTE [IMAGE or AUDIO ...]

Prints the answer; a failure is printed to stderr in one line, with exit code 1.
"""

import asyncio
import sys
from pathlib import Path

from google.antigravity import Agent, LocalOpenAIAgentConfig, types

URL, MODEL, PROMPT, NOTE, *MEDIA = sys.argv[1:]
TIMEOUT_S = 60.0


def read_note() -> str:
    """Read the note."""
    return Path(NOTE).read_text(encoding="utf-8")


async def ask() -> str:
    """The answer in words."""
    config = LocalOpenAIAgentConfig(base_url=URL, model=MODEL, tools=[read_note])
    async with Agent(config) as agent, asyncio.timeout(TIMEOUT_S):
        response = await agent.chat([PROMPT, *(types.from_file(path) for path in MEDIA)] if MEDIA else PROMPT)
        text: str = await response.text()
        return text


try:
    print(asyncio.run(ask()))
except Exception as error:  # noqa: BLE001 -- whatever it is, is what the test is about
    sys.exit(f"{type(error).__name__}: {error}")
