"""Tests of how a server keeps its memory, in a process of its own, as it changes the whole of one."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import gc
from antigravity_proxy.cli.memory import COLLECT_AFTER, settle_memory
settle_memory()
assert gc.get_freeze_count() > 1_000
assert gc.get_threshold()[0] == COLLECT_AFTER
assert gc.isenabled()
"""


def test_what_was_made_at_the_start_is_not_collected_again() -> None:
    """What is there when the server starts is left out of later collections, which go on for the rest."""
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
