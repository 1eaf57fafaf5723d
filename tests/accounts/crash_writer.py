"""Kills a process that writes the account file, many times, and looks at the file after each.

Usage: ``crash_writer.py FILE KILLS SEED``. The writer counts generations: each update puts the same number into
every account, and adds or removes one account. After each kill the file must load, hold one generation, and
none older than the writer had seen saved.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from antigravity_proxy.accounts.account import Account, Tokens
from antigravity_proxy.accounts.store import AccountStore

if TYPE_CHECKING:
    from antigravity_proxy.accounts.pool import Pool

LONGEST_LIFE_S = 0.03
FIXED_IDS = ("a", "b")
EXTRA_ID = "c"
RECORD_BYTES = 8


def make_account(account_id: str) -> Account:
    """An account whose tokens are long enough to be written in more than one block."""
    return Account(id=account_id, tokens=Tokens("a" * 5_000, "r" * 5_000, 1))


def generation_of(pool: Pool) -> int:
    """The generation of a pool, all of whose accounts must be of it."""
    assert pool.unreadable == ()
    if not pool.accounts:
        return 0
    generations = {account.project_id for account in pool.accounts}
    ids = {account.id for account in pool.accounts} - {EXTRA_ID}
    assert len(generations) == 1, generations
    assert ids == set(FIXED_IDS), ids
    return int(generations.pop() or 0)


def advanced(pool: Pool) -> Pool:
    """The pool of the next generation."""
    generation = generation_of(pool) + 1
    ids = (*FIXED_IDS, EXTRA_ID) if generation % 2 else FIXED_IDS
    accounts = (replace(make_account(account_id), project_id=str(generation)) for account_id in ids)
    return replace(pool, accounts=tuple(accounts))


def write_until_killed(path: Path, saved: int) -> None:
    """Save one generation after the other and report each."""
    store = AccountStore(path)
    while True:
        generation = generation_of(store.update(advanced))
        os.write(saved, generation.to_bytes(RECORD_BYTES, "big"))


def kill_once(path: Path, life_s: float, *, counts_from_first_save: bool) -> int:
    """Let a writer live for a while and give the last generation it saw saved."""
    received, saved = os.pipe()
    writer = os.fork()
    if not writer:
        write_until_killed(path, saved)
    os.close(saved)
    with os.fdopen(received, "rb") as reports:
        first = reports.read(RECORD_BYTES) if counts_from_first_save else b""
        time.sleep(life_s)
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        return int.from_bytes((first + reports.read())[-RECORD_BYTES:], "big")


def main() -> None:
    """Kill as often as told and check the file after each time."""
    path, kills, chance = Path(sys.argv[1]), int(sys.argv[2]), random.Random(sys.argv[3])  # noqa: S311 - no secret
    store = AccountStore(path)
    generation = 0
    for number in range(kills):
        life_s = chance.uniform(0, LONGEST_LIFE_S)
        saved = kill_once(path, life_s, counts_from_first_save=bool(number % 2))
        found = generation_of(store.read())
        assert store.warning is None, store.warning
        assert found >= max(generation, saved), (found, generation, saved)
        generation = found
    sys.stdout.write(str(generation))


if __name__ == "__main__":
    main()
