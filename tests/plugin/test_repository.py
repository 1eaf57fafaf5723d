"""What a host reads in this repository before it loads anything: manifests, and whatever its scanner looks for."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import antigravity_proxy
from antigravity_proxy.plugin.hermes import COMMAND

ROOT = Path(antigravity_proxy.__file__).parent
BINARY = (".png", ".wav", ".ico")

SUSPECT = {
    "a secret in source": r"(?i)(?:api[_-]?key|token|secret|password)\s*[=:]\s*[\"'][A-Za-z0-9+/=_-]{20,}",
    "an API key": r"sk-[A-Za-z0-9]{20}",
    "a private key": r"-----BEGIN\s+(?:RSA\s+)?PRIVATE\s+KEY-----",
    "a download that is run": r"(?:curl|wget)\s[^\n]*\|\s*(?:ba|z)?sh\b",
    "a write into a configuration": r"(?:>|\bsed\s+-i|\btee\b)[^\n]*\.(?:hermes/config|codex/config|claude/settings)",
    "advice to change instructions": r"(?i)\b(?:edit|change|add|append|write)\b[^\n]*\s\S*"
    r"(?:AGENTS\.md|CLAUDE\.md|\.hermes/config|\.codex/config|\.claude/settings)",
}
"""What install-time scanners of hosts refuse → the pattern they look for, or one that is wider."""


def tracked_files() -> list[Path]:
    """All files of the repository that are text."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607
    return [ROOT / name for name in listed.stdout.splitlines() if not name.endswith(BINARY)]


def manifest() -> dict[str, str]:
    """The lines ``name: value`` of the Hermes manifest."""
    lines = (ROOT / "plugin.yml").read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if ": " in line and not line.startswith(("#", " ")))


def test_hermes_manifest() -> None:
    """Its name is the repository's, without which Hermes does not find what it enabled; its kind is spelt out."""
    assert manifest()["name"] == COMMAND == "antigravity-proxy"
    assert manifest()["kind"] == "standalone"
    assert manifest()["version"] == antigravity_proxy.__version__


def test_entry_point_is_a_module() -> None:
    """Hermes looks for ``register`` in what an entry point names, so that is a module and not the function itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["hermes_agent.plugins"] == {COMMAND: "antigravity_proxy"}
    assert callable(antigravity_proxy.register)


def test_bundle_manifest() -> None:
    """The DSH bundle has our version, no dependencies, and names files that are there."""
    folder = ROOT / "plugin" / "dsh"
    package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == antigravity_proxy.__version__
    assert "dependencies" not in package
    assert {path.name for path in folder.iterdir()} == {"package.json", *package["files"]}
    assert (folder / package["dsh"]["bundle"]["patch"]).is_file()
    assert f"name: {package['name']}\n" in (folder / "cordis.patch.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize("pattern", SUSPECT.values(), ids=SUSPECT)
def test_scanners_find_nothing(pattern: str) -> None:
    """No file has a line for which a host would refuse to install this repository."""
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in tracked_files()
        if (match := re.search(pattern, path.read_text(encoding="utf-8"))) is not None
    ]
    assert found == []


def test_init_is_not_taken_for_a_model_provider() -> None:
    """Hermes guesses the kind of a plugin from two words near its top; ours has neither."""
    text = (ROOT / "__init__.py").read_text(encoding="utf-8")
    assert "register_provider" not in text
    assert "ProviderProfile" not in text
