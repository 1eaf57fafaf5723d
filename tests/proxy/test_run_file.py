"""Tests of the file that says where a server runs."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.proxy.run_file import RUN_FILE, find_running, said_to_run

from ..accounts.not_files import NOT_FILES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Lab


async def test_server_is_found_where_it_says(lab: Lab, tmp_path: Path) -> None:
    """As long as a server runs its home says where, to its owner alone; afterwards nothing is left."""
    url = f"http://127.0.0.1:{lab.port}/v1"
    file = tmp_path / RUN_FILE
    with said_to_run(tmp_path, url):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        found = await find_running(tmp_path)
        assert found is not None
        assert (found[0], found[1].process) == (url, os.getpid())
    assert not file.exists()
    assert await find_running(tmp_path) is None


async def test_file_of_a_dead_server_misleads_nobody(lab: Lab, tmp_path: Path, unused_tcp_port: int) -> None:
    """A file that a killed server left behind names nobody, or another process: both are no server of this home."""
    for port, process in ((unused_tcp_port, os.getpid()), (lab.port, os.getpid() + 1)):
        said = {"url": f"http://127.0.0.1:{port}/v1", "process": process}
        (tmp_path / RUN_FILE).write_text(json.dumps(said))
        assert await find_running(tmp_path) is None


@pytest.mark.parametrize("text", ["", "[]", '{"url": 1, "process": 2}', '{"url": "http://[x/v1", "process": 2}'])
async def test_odd_file_says_nothing(tmp_path: Path, text: str) -> None:
    """A file of another form is as none."""
    (tmp_path / RUN_FILE).write_text(text)
    assert await find_running(tmp_path) is None


@pytest.mark.parametrize("put", NOT_FILES.values(), ids=NOT_FILES)
async def test_what_is_no_file_says_nothing(tmp_path: Path, put: Callable[[Path], object]) -> None:
    """A pipe or a folder in place of the file is as none, and nobody waits for it."""
    put(tmp_path / RUN_FILE)
    assert await find_running(tmp_path) is None


def test_file_of_a_later_server_stays(tmp_path: Path) -> None:
    """The server that started last has the file, also when an earlier one ends."""
    with said_to_run(tmp_path, "http://127.0.0.1:1/v1"):
        (tmp_path / RUN_FILE).write_text(json.dumps({"url": "http://127.0.0.1:2/v1", "process": os.getpid()}))
    assert json.loads((tmp_path / RUN_FILE).read_text())["url"] == "http://127.0.0.1:2/v1"


def test_home_that_cannot_be_written_is_left_alone(tmp_path: Path) -> None:
    """A server runs without saying so where its home is not there, or something else has the name of the file."""
    with said_to_run(tmp_path / "none", "http://127.0.0.1:1/v1"):
        assert not (tmp_path / "none").exists()
    (tmp_path / RUN_FILE).mkdir()
    with said_to_run(tmp_path, "http://127.0.0.1:1/v1"):
        assert (tmp_path / RUN_FILE).is_dir()
