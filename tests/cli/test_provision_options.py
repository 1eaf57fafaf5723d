"""Tests of which options of ``provision`` mean something together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.provision.harnesses import HARNESSES

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Command

PRINTED = [harness.id for harness in HARNESSES if harness.prints is not None]
NO_PROFILES = ["", " ", ".", "..", "../../x", "/etc", "a/b", "a\\b"]
WITHOUT_PROFILES = [harness.id for harness in HARNESSES if harness.id not in {"hermes", "dsh"}]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--list", "--dry-run"), "--dry-run does nothing here"),
        (("--list", "--remove"), "--remove does nothing here"),
        (("--list", "--add-models"), "--add-models does nothing here"),
        (("--list", "--home", "d"), "--home does nothing here"),
        (("--list", "--profile", "web"), "--profile does nothing here"),
        (("pi", "--remove", "--add-models"), "nothing is added"),
        (("--all-found", "--remove", "--add-models"), "nothing is added"),
        (("cline", "--add-models"), "Cline has no list of models"),
        (("librechat", "--add-models"), "LibreChat has no list of models"),
        (("hermes", "--as-provider", "--add-models"), "Hermes has no list of models"),
        *(((name, "--add-models"), "no list of models") for name in PRINTED),
        *(((name, "--home", "d"), "has no file that is written") for name in PRINTED),
        *(((name, "--profile", "web"), "has no profiles") for name in WITHOUT_PROFILES),
        *(((name, "--profile", odd), "name of a profile alone") for name in ("hermes", "dsh") for odd in NO_PROFILES),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_option_that_would_do_nothing_is_refused(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    """An option without a meaning for the program is wrong usage, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    result = command("provision", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert sorted(tmp_path.rglob("*")) == before
