"""Tests of where harnesses keep their files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.places import (
    Places,
    continue_file,
    dsh_profiles,
    goose_home,
    hermes_home,
    llm_home,
    named_file,
    opencode_file,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def places_of(
    user: Path,
    variables: Mapping[str, str] | None = None,
    *,
    home: Path | None = None,
    profile: str | None = None,
    platform: str = "linux",
) -> Places:
    """Places with a few variables."""
    return Places(user, variables or {}, user / "current", home, profile, platform)


@pytest.mark.parametrize(
    ("find", "variable", "default"),
    [
        (lambda places: places.folder("PI_CODING_AGENT_DIR", ".pi/agent"), "PI_CODING_AGENT_DIR", ".pi/agent"),
        (hermes_home, "HERMES_HOME", ".hermes"),
        (llm_home, "LLM_USER_PATH", ".config/io.datasette.llm"),
        (lambda places: places.config_folder("zed").parent, "XDG_CONFIG_HOME", ".config"),
    ],
    ids=["pi", "hermes", "llm", "config"],
)
def test_named_folder_beats_variable_beats_default(
    tmp_path: Path, find: Callable[[Places], Path], variable: str, default: str
) -> None:
    """A folder is where its variable says, else at its usual place; blanks say nothing."""
    assert find(places_of(tmp_path)) == tmp_path / default
    assert find(places_of(tmp_path, {variable: " "})) == tmp_path / default
    assert find(places_of(tmp_path, {variable: "/elsewhere"})) == Path("/elsewhere")
    assert find(places_of(tmp_path, {variable: "~/mine"})) == tmp_path / "mine"
    assert find(places_of(tmp_path, {variable: "here"})) == tmp_path / "current" / "here"


def test_named_folder_holds(tmp_path: Path) -> None:
    """A folder that was named beats everything."""
    places = places_of(
        tmp_path, {"HERMES_HOME": "/v", "OPENCODE_CONFIG": "/v", "GOOSE_PATH_ROOT": "/v"}, home=Path("/named")
    )
    assert hermes_home(places) == Path("/named")
    assert opencode_file(places) == Path("/named/opencode.json")
    assert goose_home(places) == Path("/named")


def test_hermes_profile_in_use_is_followed(tmp_path: Path) -> None:
    """The profile that Hermes uses, or that was named, has a folder of its own."""
    (tmp_path / ".hermes").mkdir()
    (tmp_path / ".hermes" / "active_profile").write_text("work\n")
    assert hermes_home(places_of(tmp_path)) == tmp_path / ".hermes/profiles/work"
    assert hermes_home(places_of(tmp_path, profile="default")) == tmp_path / ".hermes"
    assert hermes_home(places_of(tmp_path, profile="play")) == tmp_path / ".hermes/profiles/play"
    assert hermes_home(places_of(tmp_path, {"HERMES_HOME": "/v"})) == Path("/v")
    (tmp_path / ".hermes" / "active_profile").write_bytes(b"\xff")
    assert hermes_home(places_of(tmp_path)) == tmp_path / ".hermes"
    (tmp_path / ".hermes" / "active_profile").unlink()
    os.mkfifo(tmp_path / ".hermes" / "active_profile")
    assert hermes_home(places_of(tmp_path)) == tmp_path / ".hermes"


def test_managed_hermes_is_left_alone(tmp_path: Path) -> None:
    """A Hermes that a package manager configures is refused."""
    with pytest.raises(ProvisionError, match=r"managed by a package manager.* docs/harnesses\.md"):
        hermes_home(places_of(tmp_path, {"HERMES_MANAGED": "true"}))
    (tmp_path / ".hermes").mkdir()
    (tmp_path / ".hermes" / ".managed").touch()
    with pytest.raises(ProvisionError, match="managed by a package manager"):
        hermes_home(places_of(tmp_path))


def test_opencode_file_that_wins_is_taken(tmp_path: Path) -> None:
    """Of both files the one with comments wins in OpenCode, and a named one beats both."""
    folder = tmp_path / ".config" / "opencode"
    assert opencode_file(places_of(tmp_path)) == folder / "opencode.json"
    folder.mkdir(parents=True)
    (folder / "opencode.json").touch()
    (folder / "opencode.jsonc").touch()
    assert opencode_file(places_of(tmp_path)) == folder / "opencode.jsonc"
    assert opencode_file(places_of(tmp_path, {"OPENCODE_CONFIG": "~/o.json"})) == tmp_path / "o.json"


def test_dsh_profiles_are_found(tmp_path: Path) -> None:
    """All profiles that exist are written, or the named one."""
    assert dsh_profiles(places_of(tmp_path)) == ()
    for name in ("web", "headless"):
        (tmp_path / ".dsh/profiles" / name).mkdir(parents=True)
    (tmp_path / ".dsh/profiles/note.txt").touch()
    folder = tmp_path / ".dsh/profiles"
    assert dsh_profiles(places_of(tmp_path)) == (folder / "headless", folder / "web")
    assert dsh_profiles(places_of(tmp_path, profile="new")) == (folder / "new",)


def test_older_continue_is_refused(tmp_path: Path) -> None:
    """A new file would hide the older one, so there is none."""
    assert continue_file(places_of(tmp_path)) == tmp_path / ".continue/config.yaml"
    (tmp_path / ".continue").mkdir()
    (tmp_path / ".continue/config.json").touch()
    with pytest.raises(ProvisionError, match="still reads"):
        continue_file(places_of(tmp_path))
    (tmp_path / ".continue/config.yaml").touch()
    assert continue_file(places_of(tmp_path)) == tmp_path / ".continue/config.yaml"


def test_folders_differ_by_system(tmp_path: Path) -> None:
    """Llm keeps its files elsewhere on macOS, and Goose below the folder that its variable names."""
    assert llm_home(places_of(tmp_path, platform="darwin")).parent == tmp_path / "Library/Application Support"
    assert goose_home(places_of(tmp_path)) == tmp_path / ".config/goose"
    assert goose_home(places_of(tmp_path, {"GOOSE_PATH_ROOT": "/g"})) == Path("/g/config")


def test_file_without_a_place_must_be_named(tmp_path: Path) -> None:
    """A file that can be anywhere is the named one, that of its variable, or the one in the current folder."""

    def find(places: Places) -> Path:
        return named_file(places, "FILE", "x.yaml", "X")

    with pytest.raises(ProvisionError, match=r"no x\.yaml here"):
        find(places_of(tmp_path))
    (tmp_path / "current").mkdir()
    (tmp_path / "current/x.yaml").touch()
    assert find(places_of(tmp_path)) == tmp_path / "current/x.yaml"
    assert find(places_of(tmp_path, {"FILE": "/f.yaml"})) == Path("/f.yaml")
    assert find(places_of(tmp_path, {"FILE": "/f.yaml"}, home=Path("/named"))) == Path("/named/x.yaml")
    assert find(places_of(tmp_path, home=Path("/named/y.yml"))) == Path("/named/y.yml")
