"""A process that writes into a state file until it is killed; it says how many rows it has committed at least."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from antigravity_proxy.proxy.signature_memory import INSERT
from antigravity_proxy.proxy.state import STATE_FILE, StateFile


async def main() -> None:
    """Write row after row."""
    state = StateFile(Path(sys.argv[1]) / STATE_FILE, clock=time.time)
    number = 0
    while True:
        state.write(INSERT, [(f"call_{time.time_ns()}_{number}", "gemini", "QUJD" * 50, int(time.time()))])
        await state.flush()
        number += 1
        if number == 20:
            print(number, flush=True)  # noqa: T201 -- the test reads it


asyncio.run(main())
