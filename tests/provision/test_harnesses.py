"""Tests of the table of all harnesses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import antigravity_proxy
from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision import (
    aider,
    cline,
    continue_dev,
    dsh,
    goose,
    hermes,
    librechat,
    litellm,
    llm,
    opencode,
    pi,
    zed,
)
from antigravity_proxy.provision.harnesses import (
    HARNESSES,
    OUT_OF_REACH,
    WITHOUT_DIALECT,
    dsh_has_route,
    find_harness,
    hermes_as_provider,
)
from antigravity_proxy.provision.places import Places
from antigravity_proxy.provision.prints import antigravity_sdk, open_webui

from .golden import CHOICE, ROUTE, WITH_KEY

if TYPE_CHECKING:
    from antigravity_proxy.provision.document import Document
    from antigravity_proxy.provision.harness import Harness

ROOT = Path(antigravity_proxy.__file__).parent
PAGE = ROOT / "docs" / "harnesses.md"

NAMES = (
    "hermes", "dsh", "opencode", "pi", "continue", "cline", "aider", "llm", "litellm", "goose", "zed", "librechat",
    "open-webui", "antigravity-sdk",
)  # fmt: skip


def files_of(name: str, places: Places) -> list[str]:
    """The files of a harness, below the user's folder."""
    return [str(target.path.relative_to(places.user)) for target in find_harness(name).targets(places)]


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A user who has nothing yet."""
    return Places(tmp_path, {}, tmp_path, platform="linux")


def test_names_are_known() -> None:
    """Every name of the command line is there, once."""
    assert tuple(harness.id for harness in HARNESSES) == NAMES


@pytest.mark.parametrize("name", WITHOUT_DIALECT)
def test_other_dialects_are_refused(name: str) -> None:
    """Programs that speak another dialect are told so."""
    with pytest.raises(ProvisionError, match="does not speak yet"):
        find_harness(name)


@pytest.mark.parametrize("name", OUT_OF_REACH)
def test_programs_elsewhere_are_refused(name: str) -> None:
    """Programs that cannot reach this machine are told so."""
    with pytest.raises(ProvisionError, match="cannot reach a proxy on your machine"):
        find_harness(name)


def test_unknown_name_is_refused() -> None:
    """An unknown name is answered with those that are known, and with what any other program needs."""
    with pytest.raises(ProvisionError, match="Those are hermes, dsh"):
        find_harness("emacs")


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("hermes", [".hermes/config.yaml"]),
        ("opencode", [".config/opencode/opencode.json"]),
        ("pi", [".pi/agent/models.json"]),
        ("continue", [".continue/config.yaml"]),
        ("cline", [".cline/data/settings/providers.json"]),
        ("aider", [".aider.conf.yml", ".aider.model.metadata.json", ".aider.model.settings.yml"]),
        ("llm", [".config/io.datasette.llm/extra-openai-models.yaml", ".config/io.datasette.llm/keys.json"]),
        ("goose", [".config/goose/custom_providers/antigravity.json"]),
        ("zed", [".config/zed/settings.json"]),
        ("open-webui", []),
    ],
)
def test_files_are_where_harnesses_look(places: Places, name: str, files: list[str]) -> None:
    """Each harness has its files at their usual places."""
    assert files_of(name, places) == files


@pytest.mark.parametrize(("name", "file"), [("litellm", "litellm_config.yaml"), ("librechat", "librechat.yaml")])
def test_files_of_servers_are_where_they_lie(places: Places, name: str, file: str) -> None:
    """Servers have their files wherever they are started."""
    (places.user / file).touch()
    assert files_of(name, places) == [file]


def test_hermes_can_have_a_provider_of_its_own(places: Places) -> None:
    """A model provider is a folder and a variable."""
    assert [str(target.path.relative_to(places.user)) for target in hermes_as_provider(places)] == [
        ".hermes/plugins/model-providers/antigravity/plugin.yaml",
        ".hermes/plugins/model-providers/antigravity/__init__.py",
        ".hermes/.env",
    ]


def test_dsh_is_written_where_it_looks(places: Places) -> None:
    """The older DSH has one file, the newer one a file for each profile, and a row for all of them beats these."""
    home = places.user / ".dsh"
    with pytest.raises(ProvisionError, match="Start it once"):
        files_of("dsh", places)
    home.mkdir()
    (home / "settings.yaml").touch()
    keys = [".dsh/.env", ".dsh/.credentials.yaml"]
    assert files_of("dsh", places) == [".dsh/settings.yaml", *keys]
    (home / "profiles/web").mkdir(parents=True)
    assert files_of("dsh", places) == [".dsh/profiles/web/cordis.patch.yml", *keys]
    (home / "cordis.patch.yml").write_text("- id: other\n")
    assert files_of("dsh", places) == [".dsh/profiles/web/cordis.patch.yml", *keys]
    (home / "cordis.patch.yml").write_text("- id: llm-pi-ai\n")
    assert files_of("dsh", places) == [".dsh/cordis.patch.yml", *keys]


def test_dsh_route_is_found(places: Places) -> None:
    """It is known whether DSH has the provider."""
    assert not dsh_has_route(places)
    file = places.user / ".dsh/profiles/web/cordis.patch.yml"
    file.parent.mkdir(parents=True)
    assert not dsh_has_route(places)
    file.write_text(dsh.PATCH.provisioned("", ROUTE, add_models=False))
    assert dsh_has_route(places)


@pytest.mark.parametrize(
    ("name", "trace"),
    [
        ("hermes", ".hermes"),
        ("dsh", ".dsh"),
        ("opencode", ".config/opencode"),
        ("pi", ".pi/agent"),
        ("continue", ".continue"),
        ("cline", ".cline"),
        ("aider", ".aider"),
        ("llm", ".config/io.datasette.llm"),
        ("goose", ".config/goose"),
        ("zed", ".config/zed"),
    ],
)
def test_programs_that_were_used_are_found(places: Places, name: str, trace: str) -> None:
    """A program is here when its folder is."""
    harness = find_harness(name)
    assert not harness.is_here(places)
    (places.user / trace).mkdir(parents=True)
    assert harness.is_here(places)


def test_next_step_never_shows_the_key() -> None:
    """What to do next is said for every harness, without the key."""
    for harness in HARNESSES:
        for route in (ROUTE, WITH_KEY):
            step = harness.next_step(route)
            assert step.endswith((".", "Hello", "panel")) or "gemini-3.8-flash" in step
            assert "key-of-mine" not in step
    assert "login" in find_harness("dsh").next_step(type(ROUTE)(ROUTE.base_url, CHOICE, has_account=False))


@pytest.mark.parametrize("harness", HARNESSES, ids=lambda harness: harness.id)
def test_documentation_has_every_harness(harness: Harness) -> None:
    """The README has a row for each harness, and the page about them a section."""
    assert f"| {harness.title} | `provision {harness.id}` |" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"\n## {harness.title}\n" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "document",
    [
        hermes.CONFIG,
        dsh.PATCH,
        dsh.SETTINGS,
        opencode.CONFIG,
        pi.CONFIG,
        continue_dev.CONFIG,
        cline.CONFIG,
        aider.CONNECTION,
        aider.LIMITS,
        aider.BEHAVIOUR,
        llm.MODELS,
        litellm.CONFIG,
        goose.CONFIG,
        zed.CONFIG,
        librechat.CONFIG,
    ],
)
def test_documentation_shows_what_is_written(document: Document) -> None:
    """What the page says to write by hand is what the command writes into an empty file, for one model."""
    route = replace(ROUTE, models=CHOICE[:1])
    text = document.provisioned(document.fresh, route, add_models=False)
    assert f"\n{text}```\n" in PAGE.read_text(encoding="utf-8")


def test_documentation_shows_what_is_printed() -> None:
    """So does it for what is printed."""
    page = PAGE.read_text(encoding="utf-8")
    assert open_webui(ROUTE) in page
    assert antigravity_sdk(ROUTE) in page
