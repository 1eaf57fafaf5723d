"""Tests of ``antigravity-proxy models``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from antigravity_proxy.catalog.catalog import Catalog
from antigravity_proxy.catalog.listing import to_listing
from antigravity_proxy.cli import models

from .test_serve import simulator_thread

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from .conftest import Command


def test_models_are_a_table(command: Command, home: Path) -> None:
    """Each model is one line with its id, sizes, what it takes and its efforts."""
    result = command("models")
    assert result.exit_code == 0
    heading, *lines = result.stdout.splitlines()
    assert heading.split() == ["Model", "Context", "Output", "Takes", "Efforts", "Left", "Source"]
    assert [line.split()[0] for line in lines] == [model.id for model in Catalog().models]
    assert "  low, medium, high  " in lines[0]
    assert all(line.endswith("  unknown  built-in") for line in lines)
    assert "1,048,576" in lines[0]
    assert "text, image, audio, video, pdf" in lines[0]
    assert not home.exists()


def test_models_are_json(command: Command) -> None:
    """With ``--json`` the list is that of the server."""
    result = command("models", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == to_listing(Catalog().models, "built-in")


def save_account(home: Path, base_url: str, document: object, client: object) -> None:
    """Save an account of the simulator, and the simulator in Google's place."""
    home.mkdir()
    (home / "accounts.json").write_text(json.dumps(document))
    (home / "client.json").write_text(json.dumps(client))
    (home / "config.toml").write_text(f'base_url = "{base_url}"\noauth_client_file = "{home / "client.json"}"\n')


def test_models_are_those_of_the_active_account(command: Command, home: Path) -> None:
    """With an account saved, Google is asked what it serves to it, new models included."""
    with simulator_thread() as simulator:
        simulator.add_account("ben@example.com", next_models=True, retired_models="gpt-oss-120b-medium")
        save_account(
            home, simulator.base_url, simulator.accounts_document("ben@example.com"), simulator.client_document()
        )
        result = command("models", "--json")
    rows = {row["id"]: row for row in json.loads(result.stdout)["data"]}
    assert "gpt-oss-120b" not in rows
    assert rows["gemini-4.0-flash"]["reasoning_efforts"] == ["low", "medium", "high"]
    assert {row["source"] for row in rows.values()} == {"b***n@example.com"}
    assert {row["quota_remaining"] for row in rows.values()} == {1.0}
    assert all(row["quota_resets_at"] for row in rows.values())
    assert result.stderr == ""


def test_built_in_models_stand_in(command: Command, home: Path, unused_tcp_port: int) -> None:
    """When Google cannot be asked, the built-in models are listed, and it is said why."""
    with simulator_thread() as simulator:
        document, client = simulator.accounts_document("ben@example.com"), simulator.client_document()
    save_account(home, f"http://127.0.0.1:{unused_tcp_port}", document, client)
    result = command("models")
    assert result.exit_code == 0
    assert "gpt-oss-120b" in result.stdout
    assert result.stderr == (
        f"There is no connection to 127.0.0.1:{unused_tcp_port}. Check the network and the proxy variables. "
        "These are the built-in models.\n"
    )


def test_slow_google_is_not_waited_for(command: Command, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When Google does not answer in time, the built-in models are listed."""
    monkeypatch.setattr(models, "LIMIT_S", 0.2)
    with simulator_thread() as simulator:
        save_account(
            home, simulator.base_url, simulator.accounts_document("ben@example.com"), simulator.client_document()
        )
        simulator.schedule("silence", method="fetchAvailableModels", seconds=2.0)
        result = command("models")
    assert result.exit_code == 0
    assert result.stderr == "Google did not list its models within 0.2 s. These are the built-in models.\n"
