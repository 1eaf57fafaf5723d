"""Try every fault of the simulator on a whole answer and on a stream, and show which are survived; exit 1 for others.

A fault is survived when the openai package gives the right answer or raises the right error, in time and without any
text twice, nothing that belonged to the request is left, and the next request is answered. The same table is run by
``make test``.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import tempfile
import time
from pathlib import Path

from antigravity_proxy.tests.proxy.fault_lab import open_fault_lab
from antigravity_proxy.tests.proxy.faults import FAULTS, Fault

OTHERS = ("ANTIGRAVITY_PROXY_", "DSH_ANTIGRAVITY_", "OPENAI_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
ROW = "{:<44} {:<22} {:<7} {:<9} {}"


async def main() -> int:
    """Run the table, and print a line for each of its faults."""
    started_s = time.perf_counter()
    print(ROW.format("what goes wrong", "where", "asked", "", "what the client sees"))
    failed = 0
    for is_slow in (False, True):
        with tempfile.TemporaryDirectory() as home:
            faults = [fault for fault in FAULTS if fault.is_slow is is_slow]
            failed += await run(faults, Path(home), is_slow=is_slow)
    count = 2 * len(FAULTS)
    print(f"{count - failed} of {count} survived, in {time.perf_counter() - started_s:.0f} s")
    return int(failed > 0)


async def run(faults: list[Fault], home: Path, *, is_slow: bool) -> int:
    """Run some faults on one server, and give the number of those that were not survived."""
    failed = 0
    async with open_fault_lab(home, is_slow=is_slow) as lab:
        for fault in faults:
            for stream in (False, True):
                seen, *troubles = await lab.run(fault, stream=stream)
                failed += bool(troubles)
                verdict = "FAILED" if troubles else "survived"
                asked = "stream" if stream else "whole"
                print(ROW.format(fault.name, fault.place, asked, verdict, "; ".join(troubles) or seen))
    return failed


if __name__ == "__main__":
    for name in [name for name in os.environ if name.upper().startswith(OTHERS)]:
        del os.environ[name]
    logging.disable()
    sys.exit(asyncio.run(main()))
