"""``antigravity-proxy provision`` beside a running server, in processes of their own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from .process import run_command, run_once, save_account

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .process import Ended, Running

KEY = "key-of-mine"
SERVE = ("serve", "--simulate", "--port", "0", "--pace", "0")


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Running]:
    """A server that wants a key, in a home of its own."""
    folder = tmp_path / "guarded"
    folder.mkdir()
    with run_command(*SERVE, home=folder, extra={"ANTIGRAVITY_PROXY_API_KEY": KEY}) as running:
        yield running


def provision(served: Running, home: Path, **variables: str) -> Ended:
    """Point pi at a server."""
    home.mkdir(exist_ok=True)
    return run_once("provision", "pi", "--base-url", served.url, home=home, extra=variables)


def provider_of(home: Path) -> dict[str, Any]:
    """What pi has of us."""
    document = json.loads((home / ".pi/agent/models.json").read_text(encoding="utf-8"))
    provider: dict[str, Any] = document["providers"]["antigravity"]
    return provider


def test_models_of_the_server_are_written(guarded: Running, tmp_path: Path) -> None:
    """Somebody who has signed in gets the models that the server lists, newer ones included."""
    home = tmp_path / "home"
    home.mkdir()
    account = save_account(guarded, home)
    ended = provision(guarded, home, **account, ANTIGRAVITY_PROXY_API_KEY=KEY)
    assert ended.stderr == f"Models: the 9 that the antigravity-proxy at {guarded.url} lists for a***a@example.com.\n"
    models = {row["id"]: row for row in provider_of(home)["models"]}
    assert len(models) == 9
    assert models["gemini-3-flash"]["contextWindow"] == 1_048_576


def test_key_of_the_server_is_needed(guarded: Running, tmp_path: Path) -> None:
    """Without the server's key nothing is written; ``config.toml`` is one place for it."""
    home = tmp_path / "home"
    refused = provision(guarded, home)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"api_key in {home / 'config.toml'}" in refused.stderr
    assert not (home / ".pi").exists()
    (home / "config.toml").write_text(f'api_key = "{KEY}"\n', encoding="utf-8")
    assert provision(guarded, home).returncode == 0
    assert provider_of(home)["apiKey"] == KEY
