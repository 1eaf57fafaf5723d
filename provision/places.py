"""Where harnesses keep their files: the folder that was named, the harness's own variable, its default.

Source:
    SPEC.md, "Provisioning".
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..accounts.disk import read_file
from ..errors import ProvisionError, StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Places:
    """What decides where files are.

    Attributes:
        user: the user's home folder.
        variables: the environment.
        current: the current folder.
        home: the harness's own folder, when it was named.
        profile: of a harness that has several, when it was named.
        platform: as ``sys.platform``.
    """

    user: Path
    variables: Mapping[str, str]
    current: Path
    home: Path | None = None
    profile: str | None = None
    platform: str = sys.platform

    def folder(self, variable: str | None, default: str) -> Path:
        """A harness's folder.

        Args:
            variable: its environment variable.
            default: where it is without one, under the user's home.
        """
        if self.home is not None:
            return self.home
        value = self.variables.get(variable, "").strip() if variable else ""
        return self.expand(value) if value else self.user / default

    def config_folder(self, name: str) -> Path:
        """A harness's folder where the system keeps configuration."""
        if self.home is not None:
            return self.home
        base = self.variables.get("XDG_CONFIG_HOME", "").strip()
        return (self.expand(base) if base else self.user / ".config") / name

    def expand(self, path: str) -> Path:
        """A path of a variable, with the user's home for ``~``."""
        return self.user / path[2:] if path.startswith("~/") else self.current / path


def hermes_home(places: Places) -> Path:
    """Hermes' folder: a named profile has its own, and so has the one that is in use.

    Raises:
        ProvisionError: a package manager or an administrator writes Hermes' configuration.
    """
    home = places.folder("HERMES_HOME", ".hermes")
    is_default = places.home is None and not _is_set(places, "HERMES_HOME")
    profile = places.profile or (_active_profile(home) if is_default else None)
    if profile is not None and profile != "default":
        home = home / "profiles" / profile
    if _is_set(places, "HERMES_MANAGED") or (home / ".managed").exists():
        raise ProvisionError(
            f"The Hermes in {home} is managed by a package manager, which writes its configuration. Add the provider "
            "there; what to write is in docs/harnesses.md of antigravity-proxy, under Hermes."
        )
    return home


def _active_profile(home: Path) -> str | None:
    try:
        return read_file(home / "active_profile")[0].decode().strip() or None
    except (OSError, StoreError, UnicodeDecodeError):
        return None


def opencode_file(places: Places) -> Path:
    """OpenCode's file: the ``.jsonc`` wins over the ``.json``, as it does in OpenCode."""
    *named, with_comments, usual = opencode_files(places)
    if named:
        return named[0]
    return with_comments if with_comments.exists() else usual


def opencode_files(places: Places) -> tuple[Path, ...]:
    """All files that OpenCode may have: the one that its variable names, the ``.jsonc`` and the ``.json``."""
    named = places.variables.get("OPENCODE_CONFIG", "").strip()
    folder = places.config_folder("opencode")
    both = (folder / "opencode.jsonc", folder / "opencode.json")
    return (places.expand(named), *both) if named and places.home is None else both


def dsh_home(places: Places) -> Path:
    """DSH's folder."""
    return places.folder("DSH_HOME", ".dsh")


def dsh_profiles(places: Places) -> tuple[Path, ...]:
    """The folders of DSH's profiles that are to be written: the named one, or all that there are."""
    folder = dsh_home(places) / "profiles"
    if places.profile is not None:
        return (folder / places.profile,)
    try:
        return tuple(sorted(path for path in folder.iterdir() if path.is_dir()))
    except OSError:
        return ()


def continue_file(places: Places) -> Path:
    """Continue's file.

    Raises:
        ProvisionError: there is only one of the older form, which Continue would no longer read beside a new one.
    """
    folder = places.folder("CONTINUE_GLOBAL_DIR", ".continue")
    file = folder / "config.yaml"
    if not file.exists() and (folder / "config.json").exists():
        raise ProvisionError(
            f"Continue still reads {folder / 'config.json'}, and would not beside a config.yaml. Let Continue "
            "convert it, and try again."
        )
    return file


def llm_home(places: Places) -> Path:
    """The folder of llm, as the library that it is written with places it."""
    name = "io.datasette.llm"
    if places.platform == "darwin":
        return places.folder("LLM_USER_PATH", f"Library/Application Support/{name}")
    return places.folder("LLM_USER_PATH", "") if _is_set(places, "LLM_USER_PATH") else places.config_folder(name)


def goose_home(places: Places) -> Path:
    """The folder of Goose's configuration."""
    if _is_set(places, "GOOSE_PATH_ROOT") and places.home is None:
        return places.folder("GOOSE_PATH_ROOT", "") / "config"
    return places.config_folder("goose")


def named_file(places: Places, variable: str, name: str, title: str) -> Path:
    """A file that lies wherever its owner has put it.

    Args:
        places: where to look.
        variable: names the file for its program.
        name: what it is called in the folder that was named, or in the current one.
        title: the program, for people.

    Raises:
        ProvisionError: it is nowhere.
    """
    if places.home is not None:
        return places.home if places.home.suffix in {".yaml", ".yml"} else places.home / name
    if _is_set(places, variable):
        return places.expand(places.variables[variable].strip())
    if (places.current / name).exists():
        return places.current / name
    raise ProvisionError(
        f"There is no {name} here, and {title} has no usual place for it. Name its folder: --home FOLDER."
    )


def _is_set(places: Places, variable: str) -> bool:
    return bool(places.variables.get(variable, "").strip())
