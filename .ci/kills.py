"""Kill a program that writes the account file a thousand times, and let four change it at once; exit 1 on a loss.

Usage: ``kills.py [KILLS [ROUNDS]]``
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from antigravity_proxy.accounts.store import AccountStore

TESTS = Path(__file__).parent.parent / "tests/accounts"
WORKERS = ("one", "two", "three", "four")


def kill(path: Path, kills: str) -> bool:
    """Whether the file was whole after each kill, and held all that was reported saved; says so."""
    seed = str(time.time_ns())
    command = [sys.executable, str(TESTS / "crash_writer.py"), str(path), kills, seed]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if ended.returncode == 0:
        print(f"{kills} kills: the account file was whole after each, and {ended.stdout} changes are saved")
    else:
        print(f"failed with seed {seed}")
    return ended.returncode == 0


def race(path: Path, rounds: str) -> bool:
    """Whether all accounts are there that programs meant to leave, and no others; says so."""
    commands = ([sys.executable, str(TESTS / "pool_worker.py"), str(path), name, rounds] for name in WORKERS)
    workers = [subprocess.Popen(command) for command in commands]
    ended = [worker.wait() for worker in workers]
    expected = {f"{name}-{number}" for name in WORKERS for number in range(0, int(rounds), 2)}
    left = {account.id for account in AccountStore(path).read().accounts}
    print(
        f"{len(WORKERS)} programs with {rounds} accounts each: {len(expected & left)} of {len(expected)} that should "
        f"stay are there, {len(left - expected)} that should not"
    )
    return not any(ended) and left == expected


def main() -> int:
    """Do both."""
    kills, rounds, *_ = [*sys.argv[1:], *("1000", "100")[len(sys.argv) - 1 :]]
    with tempfile.TemporaryDirectory() as folder:
        is_whole = kill(Path(folder) / "killed" / "accounts.json", kills)
        is_complete = race(Path(folder) / "shared" / "accounts.json", rounds)
    return int(not (is_whole and is_complete))


if __name__ == "__main__":
    sys.exit(main())
