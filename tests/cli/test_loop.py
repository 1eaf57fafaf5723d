"""Tests of the event loop commands run in."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
import uvloop

from antigravity_proxy.cli.loop import new_event_loop, run


def test_fastest_loop_is_taken() -> None:
    """Where uvloop is installed, commands run in it."""
    found: list[asyncio.AbstractEventLoop] = []

    async def look() -> None:
        found.append(asyncio.get_running_loop())

    run(look())
    assert isinstance(found[0], uvloop.Loop)
    assert found[0].is_closed()


def test_standard_loop_serves_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where uvloop is not installed, commands run in the standard loop."""
    monkeypatch.setitem(sys.modules, "uvloop", None)
    loop = new_event_loop()
    loop.close()
    assert type(loop).__module__.startswith("asyncio.")


def test_outcome_comes_out() -> None:
    """What a command's work gives is handed out."""

    async def give() -> int:
        await asyncio.sleep(0)
        return 5

    assert run(give()) == 5


def test_failure_comes_out() -> None:
    """What goes wrong in a command's work ends the command."""

    async def fail() -> None:
        raise LookupError("reason")

    with pytest.raises(LookupError, match="reason"):
        run(fail())


def test_few_open_files_are_made_as_many_as_may_be() -> None:
    """A process that a shell allows few open files has more when it serves, and none takes less than it had."""
    program = (
        "import asyncio, resource\n"
        "from antigravity_proxy.cli.loop import allow_open_files, run\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (100, 300))\n"
        "allow_open_files(50)\n"
        "print(resource.getrlimit(resource.RLIMIT_NOFILE))\n"
        "run(asyncio.sleep(0))\n"
        "print(resource.getrlimit(resource.RLIMIT_NOFILE))\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout == "(100, 300)\n(300, 300)\n"
