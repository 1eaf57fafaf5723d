"""CPU time and memory of processes, from the kernel (Linux)."""

from __future__ import annotations

import time
from pathlib import Path

PROC = Path("/proc")


def with_children(pid: int) -> list[int]:
    """A process and all that it has started."""
    children: dict[int, list[int]] = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            try:
                parent = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(folder.name))
    found = [pid]
    for parent in found:
        found += children.get(parent, [])
    return found


def cpu_s(pids: list[int]) -> float:
    """CPU seconds that processes have used, in all of their threads.

    Source: clock_getcpuclockid(3): the clock of a process is its inverted id, shifted, and 2.
    """
    return sum(time.clock_gettime((~pid << 3) | 2) for pid in pids)


def memory_kb(pids: list[int], *, is_peak: bool = False) -> int:
    """Kilobytes in memory now, or at most since ``reset_peak``."""
    name = "VmHWM:" if is_peak else "VmRSS:"
    lines = (line for pid in pids for line in (PROC / str(pid) / "status").read_text().splitlines())
    return sum(int(line.split()[1]) for line in lines if line.startswith(name))


def reset_peak(pids: list[int]) -> None:
    """Begin to measure the peak anew."""
    for pid in pids:
        (PROC / str(pid) / "clear_refs").write_text("5")
