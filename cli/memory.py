"""How a server that runs for days keeps its memory."""

from __future__ import annotations

import ctypes
import gc
import sys

ALLOCATOR_OPTIONS = {-3: 256 << 20, -1: 512 << 20, -2: 64 << 20, -8: 1}
"""M_MMAP_THRESHOLD, M_TRIM_THRESHOLD and M_TOP_PAD, in bytes, and M_ARENA_MAX: what a thread frees others may take.
Source: mallopt(3)."""

COLLECT_AFTER = 20_000
"""So many new objects are looked through for cycles at once; the events of one large read are a few thousand."""


def settle_memory() -> None:
    """Keep what was made until now out of every garbage collection, and freed megabytes for the next large request.

    The C library would give large pieces back at once and have each page cleared again for the next request.
    """
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
    if mallopt is not None:
        for option, value in ALLOCATOR_OPTIONS.items():
            mallopt(option, value)
