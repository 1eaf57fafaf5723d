"""Tests of the key that DSH finds in its environment."""

from __future__ import annotations

import json
import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.accounts.pool import Pool
from antigravity_proxy.cli import dsh_key, running
from antigravity_proxy.provision import dsh
from antigravity_proxy.proxy.run_file import RUN_FILE
from antigravity_proxy.proxy.services import open_store
from antigravity_proxy.proxy.settings import load_settings

from ..accounts.samples import make_account
from ..provision.golden import ROUTE
from .test_accounts import ADA, record, write
from .test_offer import KEY, PROCESS, listing

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Command, WhileServing

ONE = Pool().with_account(make_account("one@example.com"))


@pytest.fixture
def dsh_home(tmp_path: Path) -> Path:
    """DSH's folder, with the route in a profile."""
    file = tmp_path / "user/.dsh/profiles/web/cordis.patch.yml"
    file.parent.mkdir(parents=True)
    file.write_text(dsh.PATCH.provisioned("", ROUTE, add_models=False))
    return tmp_path / "user/.dsh"


def test_key_comes_and_goes(dsh_home: Path) -> None:
    """The key is set when the first account comes, and unset when the last one goes."""
    settings = load_settings()
    store = open_store(settings.home)
    (dsh_home / ".env").write_text("MINE=1\n")
    (dsh_home / ".credentials.yaml").write_text("ANTIGRAVITY_ACCESS_TOKEN: old\nOTHER: x\n")
    store.update(lambda _: ONE)
    dsh_key.follow(settings, Pool(), ONE)
    assert (dsh_home / ".env").read_text() == "MINE=1\nANTIGRAVITY_ACCESS_TOKEN=local\n"
    assert (dsh_home / ".credentials.yaml").read_text() == "ANTIGRAVITY_ACCESS_TOKEN: local\nOTHER: x\n"
    store.update(lambda _: Pool())
    dsh_key.follow(settings, ONE, Pool())
    assert (dsh_home / ".env").read_text() == "MINE=1\n"
    assert (dsh_home / ".credentials.yaml").read_text() == "OTHER: x\n"


def test_other_changes_are_none_of_its_business(dsh_home: Path) -> None:
    """As long as somebody serves, nothing is looked at."""
    dsh_key.follow(load_settings(), ONE, ONE)
    assert not (dsh_home / ".env").exists()


def test_dsh_without_the_route_is_left_alone(dsh_home: Path) -> None:
    """Where the route was never written, no key is either."""
    (dsh_home / "profiles/web/cordis.patch.yml").write_text("[]\n")
    settings = load_settings()
    open_store(settings.home).update(lambda _: ONE)
    dsh_key.follow(settings, Pool(), ONE)
    assert not (dsh_home / ".env").exists()


def test_failure_is_a_line_in_the_log(
    dsh_home: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of DSH that cannot be read or written, or an unknown home, does not keep anybody from logging in."""
    (dsh_home / "profiles/web/cordis.patch.yml").write_text("a: ]\n")
    dsh_key.follow(load_settings(), Pool(), ONE)
    assert "DSH was not told whether somebody is logged in" in caplog.text
    (dsh_home / "profiles/web/cordis.patch.yml").write_text(dsh.PATCH.provisioned("", ROUTE, add_models=False))
    settings = load_settings()
    open_store(settings.home).update(lambda _: ONE)
    (dsh_home / ".env").write_text("")
    (dsh_home / ".env").chmod(0o400)
    dsh_key.follow(settings, Pool(), ONE)
    assert "is read-only" in caplog.text

    def refuse(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", refuse)
    dsh_key.follow(settings, Pool(), ONE)
    assert "Set HOME to your home folder" in caplog.text


def test_right_key_is_not_written_again(dsh_home: Path) -> None:
    """A key of another proxy is put right, one that is right is left alone."""
    settings = load_settings(api_key="key-of-mine")
    open_store(settings.home).update(lambda _: ONE)
    (dsh_home / ".env").write_text("ANTIGRAVITY_ACCESS_TOKEN=local\n")
    dsh_key.settle(settings, is_server=True)
    before = (dsh_home / ".env").stat().st_ino
    assert (dsh_home / ".env").read_text() == "ANTIGRAVITY_ACCESS_TOKEN=key-of-mine\n"
    dsh_key.settle(settings, is_server=True)
    assert (dsh_home / ".env").stat().st_ino == before


def test_key_of_a_running_server_is_not_guessed(dsh_home: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A command that does not know the key of the running server writes none, and says where to put it."""
    settings, env = load_settings(), dsh_home / ".env"
    store = open_store(settings.home)
    store.update(lambda _: ONE)
    with listing(key=KEY) as url:
        (settings.home / RUN_FILE).write_text(json.dumps({"url": url, "process": PROCESS}))
        dsh_key.follow(settings, Pool(), ONE)
        assert not env.exists()
        assert f"The antigravity-proxy at {url} wants an API key, and none is set here" in caplog.text
        dsh_key.follow(load_settings(api_key=KEY), Pool(), ONE)
        assert env.read_text() == f"ANTIGRAVITY_ACCESS_TOKEN={KEY}\n"
        store.update(lambda _: Pool())
        dsh_key.follow(settings, ONE, Pool())
    assert not env.exists()


def test_key_agrees_with_the_last_of_many_changes(dsh_home: Path) -> None:
    """Two processes that add and remove accounts at once leave the key as the accounts are in the end."""
    settings = load_settings()
    (dsh_home / ".env").write_text("MINE=1\n")

    def change() -> None:
        store = open_store(settings.home)
        store.watch(partial(dsh_key.follow, settings))
        for number in range(10):
            store.update(lambda _: Pool() if number % 2 else ONE)  # noqa: B023 -- it is called at once

    threads = [threading.Thread(target=change) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    has_account = open_store(settings.home).read().active is not None
    assert ("ANTIGRAVITY_ACCESS_TOKEN" in (dsh_home / ".env").read_text()) is has_account


def test_server_puts_the_key_right(
    command: Command, while_serving: WhileServing, dsh_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that starts with an account gives DSH its key, whatever stood there."""
    monkeypatch.setattr(running, "SETTLE_S", 60)
    settings = load_settings()
    open_store(settings.home).update(lambda _: ONE)
    (dsh_home / ".env").write_text("ANTIGRAVITY_ACCESS_TOKEN=old\n")
    while_serving(lambda port: command("serve", "--no-simulate", "--port", str(port)), lambda _: True)
    assert (dsh_home / ".env").read_text() == "ANTIGRAVITY_ACCESS_TOKEN=local\n"


@pytest.mark.usefixtures("nobody_serves")
def test_key_of_dsh_follows_the_accounts(command: Command, tmp_path: Path) -> None:
    """DSH has the proxy's key while an account is there: from the import on, and no longer than that."""
    (tmp_path / "user/.dsh/profiles/web").mkdir(parents=True)
    result = command("provision", "dsh")
    assert "once somebody is logged in" in result.stdout
    env = tmp_path / "user/.dsh/.env"
    assert not env.exists()
    command("accounts", "import", write(tmp_path / "one.json", {ADA: record("ada@example.com")}))
    assert env.read_text() == "ANTIGRAVITY_ACCESS_TOKEN=local\n"
    assert "once somebody" not in command("provision", "dsh").stdout
    command("accounts", "remove", "1", "--yes")
    assert not env.exists()
