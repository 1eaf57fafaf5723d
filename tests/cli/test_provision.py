"""Tests of ``antigravity-proxy provision``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer
from typer.core import TyperGroup

import antigravity_proxy
from antigravity_proxy.cli.main import app
from antigravity_proxy.cli.provision import make_route
from antigravity_proxy.provision import hermes
from antigravity_proxy.provision.harnesses import HARNESSES, WITHOUT_DIALECT
from antigravity_proxy.proxy.settings import load_settings

from .test_accounts import ADA, record, write

if TYPE_CHECKING:
    from .conftest import Command

ROOT = Path(antigravity_proxy.__file__).parent
KEY = "key-of-mine"
BUILT_IN = "Models: the 8 of the built-in table, as no antigravity-proxy runs at http://127.0.0.1:51122/v1.\n"

pytestmark = pytest.mark.usefixtures("nobody_serves")


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, which is the current one too."""
    folder = tmp_path / "user"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def texts_below(folder: Path) -> dict[str, str]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes().decode() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("harness", [harness.id for harness in HARNESSES if harness.prints is None])
def test_every_harness_is_set_up_and_taken_back(
    command: Command, user: Path, monkeypatch: pytest.MonkeyPatch, harness: str
) -> None:
    """Each harness is written once, with the key, not again, and is as before when that is taken away."""
    monkeypatch.setenv("ANTIGRAVITY_PROXY_API_KEY", KEY)
    (user / ".dsh/profiles/web").mkdir(parents=True)
    for name in ("librechat.yaml", "litellm_config.yaml"):
        (user / name).write_text("# mine\n")
    before = texts_below(user)
    first = command("provision", harness)
    assert first.exit_code == 0
    assert first.stderr.startswith(BUILT_IN)
    assert ": wrote " in first.stdout
    written = texts_below(user)
    assert any("127.0.0.1:51122/v1" in text for text in written.values())
    second = command("provision", harness)
    assert ": wrote " not in second.stdout
    assert "nothing to change" in second.stdout
    assert texts_below(user) == written
    assert KEY not in first.output + second.output
    removed = command("provision", harness, "--remove")
    assert (removed.exit_code, removed.stderr) == (0, "")
    assert texts_below(user) == before


def test_dry_run_writes_nothing(command: Command, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dry run shows a diff without the key; when nothing would change it says so."""
    monkeypatch.setenv("ANTIGRAVITY_PROXY_API_KEY", KEY)
    result = command("provision", "hermes", "--dry-run")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"--- /dev/null\n+++ {user}/.hermes/config.yaml\n")
    assert "+    api_key: ***\n" in result.stdout
    assert KEY not in result.output
    assert texts_below(user) == {}
    command("provision", "hermes")
    result = command("provision", "hermes", "--dry-run")
    assert result.stdout == ""
    assert "nothing to change" in result.stderr
    assert "-    api_key: ***\n" in command("provision", "hermes", "--remove", "--dry-run").stdout


def test_entry_of_somebody_else_does_not_keep_ours_from_going(command: Command, user: Path) -> None:
    """What leads elsewhere under our name stays, which is said, and all that is ours goes."""
    for profile in ("a", "b"):
        (user / ".dsh/profiles" / profile).mkdir(parents=True)
    assert command("provision", "dsh").exit_code == 0
    theirs = user / ".dsh/profiles/a/cordis.patch.yml"
    theirs.write_text(theirs.read_text().replace("http://127.0.0.1:51122", "https://api.example.com"))
    before = theirs.read_text()
    planned = command("provision", "dsh", "--remove", "--dry-run")
    assert f"DSH: nothing of this proxy's is in {theirs}.\n" in planned.stderr
    removed = command("provision", "dsh", "--remove")
    assert (removed.exit_code, removed.stderr) == (0, "")
    assert f"DSH: nothing of this proxy's is in {theirs}.\n" in removed.stdout
    assert texts_below(user) == {".dsh/profiles/a/cordis.patch.yml": before}


def test_profile_of_dsh_goes_alone(command: Command, user: Path) -> None:
    """The key of the whole DSH stays as long as another profile needs it, and goes with the last one."""
    for profile in ("a", "b"):
        (user / ".dsh/profiles" / profile).mkdir(parents=True)
    command("accounts", "import", write(user / "one.json", {ADA: record("ada@example.com")}))
    (user / "one.json").unlink()
    assert command("provision", "dsh").exit_code == 0
    names = [".dsh/.env", ".dsh/profiles/a/cordis.patch.yml", ".dsh/profiles/b/cordis.patch.yml"]
    assert sorted(texts_below(user)) == names
    assert command("provision", "dsh", "--profile", "b", "--remove").exit_code == 0
    assert sorted(texts_below(user)) == names[:2]
    assert command("provision", "dsh", "--profile", "a", "--remove").exit_code == 0
    assert texts_below(user) == {}


def test_programs_without_a_file_get_lines_to_paste(command: Command, user: Path) -> None:
    """What to paste is alone on the standard output."""
    result = command("provision", "open-webui")
    assert result.stdout.splitlines()[1] == "OPENAI_API_BASE_URLS=http://127.0.0.1:51122/v1"
    assert "first start" in result.stderr
    result = command("provision", "antigravity-sdk", "--dry-run", "--port", "4000")
    assert "http://127.0.0.1:4000/v1" in result.stdout
    for option in ((), ("--dry-run",)):
        removed = command("provision", "open-webui", "--remove", *option)
        assert removed.stdout == "Open WebUI has no file, so there is nothing to take away.\n"
    assert texts_below(user) == {}


@pytest.mark.parametrize("harness", WITHOUT_DIALECT)
def test_other_dialects_are_refused(command: Command, harness: str) -> None:
    """A program that speaks another dialect is refused, as long as there is none."""
    result = command("provision", harness)
    assert result.exit_code == 1
    assert "does not speak yet" in str(result.exception)


@pytest.mark.parametrize(
    ("harness", "words"),
    [("cursor", "Cursor sends its requests from its own servers"), ("emacs", "lets you set an OpenAI base URL")],
)
def test_other_programs_are_refused(command: Command, harness: str, words: str) -> None:
    """A program that cannot be set up is told what it can do instead."""
    result = command("provision", harness)
    assert result.exit_code == 1
    assert words in str(result.exception)


def test_all_that_are_found_are_set_up(command: Command, user: Path) -> None:
    """Every program that was used here is set up, also when one of them cannot be."""
    assert "None of the known programs" in str(command("provision", "--all-found").exception)
    (user / ".hermes").mkdir()
    (user / ".hermes/config.yaml").write_text("a: ]\n")
    (user / ".pi/agent").mkdir(parents=True)
    result = command("provision", "--all-found")
    assert result.exit_code == 1
    assert "Hermes: " in result.stderr
    assert "config.yaml, line 1, column 4: this is not YAML" in result.stderr
    assert (user / ".pi/agent/models.json").exists()
    (user / ".hermes/config.yaml").unlink()
    assert command("provision", "--all-found").exit_code == 0


def test_broken_file_is_refused(command: Command, user: Path) -> None:
    """A file that does not parse is a sentence with its place."""
    (user / ".hermes").mkdir()
    (user / ".hermes/config.yaml").write_text("a: ]\n")
    result = command("provision", "hermes")
    assert result.exit_code == 1
    assert str(result.exception).startswith(f"{user}/.hermes/config.yaml, line 1, column 4: this is not YAML")
    assert texts_below(user) == {".hermes/config.yaml": "a: ]\n"}


def test_key_that_others_can_read_is_told(command: Command, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that keeps its mode may show the key to others, which is said."""
    monkeypatch.setenv("ANTIGRAVITY_PROXY_API_KEY", KEY)
    (user / ".hermes").mkdir()
    (user / ".hermes/config.yaml").write_text("model: x\n")
    (user / ".hermes/config.yaml").chmod(0o644)
    told = command("provision", "hermes").stderr
    assert f"other users can read it. Keep it from them: chmod 600 {user}/.hermes/config.yaml\n" in told
    assert command("provision", "pi").stderr == BUILT_IN


def test_list_says_how_all_stand(command: Command, user: Path) -> None:
    """The list shows what is there, what is set up, and where."""
    (user / ".hermes").mkdir()
    (user / ".pi/agent").mkdir(parents=True)
    (user / ".continue").mkdir()
    (user / ".continue/config.json").touch()
    command("provision", "pi")
    rows = {line.split()[0]: line for line in command("provision", "--list").stdout.splitlines()}
    assert "not set up" in rows["hermes"]
    assert f"{user}/.pi/agent/models.json" in rows["pi"]
    assert " set up " in rows["pi"]
    assert "not found" in rows["zed"]
    assert "cannot be set up" in rows["continue"]
    assert "not found" in rows["dsh"]
    assert "prints what to set" in rows["open-webui"]
    assert "OpenAI Responses" in rows["codex"]


@pytest.mark.parametrize("harness", ["pi", "continue", "llm"])
def test_list_says_where_an_entry_leads(command: Command, user: Path, harness: str) -> None:
    """An entry of ours that leads to another port is told from none, however its program keeps entries."""
    command("provision", harness, "--port", "4000")
    assert texts_below(user)
    rows = {line.split()[0]: line for line in command("provision", "--list").stdout.splitlines()}
    assert "set up for 127.0.0.1:4000" in rows[harness]


@pytest.mark.parametrize("name", ["provision", "status"])
def test_documentation_has_every_option(name: str) -> None:
    """The page about harnesses says what each option does."""
    page = (ROOT / "docs" / "harnesses.md").read_text(encoding="utf-8")
    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    options = [option for parameter in root.commands[name].params for option in parameter.opts]
    assert [option for option in options if option.startswith("--") and f"`{option}" not in page] == []


def test_one_thing_is_asked_for(command: Command, user: Path) -> None:
    """A harness, all or the list: one of them, and options only where they mean something."""
    for arguments in (
        (),
        ("hermes", "--list"),
        ("pi", "--as-provider"),
        ("--all-found", "--home", "~/d"),
        ("--all-found", "--profile", "web"),
        ("pi", "--base-url", "127.0.0.1:51122/v1"),
        ("pi", "--base-url", "http:///v1"),
        ("pi", "--base-url", "http://127.0.0.1:x/v1"),
        ("pi", "--base-url", "ftp://127.0.0.1/v1"),
        ("pi", "--base-url", "http://[x/v1"),
        ("pi", "--base-url", "http://127.0.0.1:51122"),
        ("pi", "--base-url", "http://127.0.0.1:51122/"),
        ("pi", "--base-url", "http://127.0.0.1:51122/v1/chat/completions"),
        ("pi", "--base-url", "http://127.0.0.1:51122/v1", "--port", "51122"),
    ):
        assert command("provision", *arguments).exit_code == 2
    assert texts_below(user) == {}
    told = command("provision", "pi", "--base-url", "http://127.0.0.1:51122/").stderr
    assert "the URL must end in /v1: http://127.0.0.1:51122/v1" in " ".join(told.split())


def test_hermes_can_have_a_provider_of_its_own(command: Command, user: Path) -> None:
    """A model provider of Hermes' own is written in the place of an entry, and goes with its folder."""
    assert command("provision", "hermes", "--as-provider").exit_code == 0
    folder = user / ".hermes/plugins/model-providers/antigravity"
    assert {path.name for path in folder.iterdir()} == {"plugin.yaml", "__init__.py"}
    assert (user / ".hermes/.env").read_text() == "ANTIGRAVITY_API_KEY=local\n"
    assert not (user / ".hermes/config.yaml").exists()
    command("provision", "hermes", "--as-provider", "--remove")
    assert not folder.exists()


def test_provider_of_hermes_own_is_kept_right(command: Command, user: Path) -> None:
    """Once it is there it is what is repaired and listed, and no entry is written beside it; one that is there is."""
    command("provision", "hermes", "--as-provider", "--port", "4000")
    assert "model-providers" in command("provision", "--list").stdout
    module = user / ".hermes/plugins/model-providers/antigravity/__init__.py"
    assert ":4000/v1" in module.read_text()
    assert command("provision", "--all-found").exit_code == 0
    assert ":51122/v1" in module.read_text()
    entry = user / ".hermes/config.yaml"
    assert not entry.exists()
    entry.write_text(hermes.CONFIG.provisioned("", make_route(load_settings(), 4000), add_models=False))
    assert command("provision", "hermes").exit_code == 0
    assert ":51122/v1" in entry.read_text()
    assert command("provision", "hermes", "--remove").exit_code == 0
    assert texts_below(user) == {}


def test_removal_looks_everywhere(command: Command, user: Path) -> None:
    """What was written in another way, or before a program had other files, is taken away too."""
    command("provision", "hermes", "--as-provider")
    for folder in (".dsh", ".config/opencode"):
        (user / folder).mkdir(parents=True)
    (user / ".dsh/settings.yaml").write_text("a: 1\n")
    command("provision", "dsh")
    command("provision", "opencode")
    (user / ".dsh/profiles/web").mkdir(parents=True)
    command("provision", "dsh")
    (user / ".config/opencode/opencode.jsonc").write_text("{}\n")
    command("provision", "opencode")
    (user / "litellm_config.yaml").write_text("# mine\n")
    command("provision", "litellm")
    assert len([text for text in texts_below(user).values() if "51122" in text]) == 6
    result = command("provision", "--all-found", "--remove")
    assert result.exit_code == 0, result.stderr
    assert texts_below(user) == {
        ".dsh/settings.yaml": "a: 1\n",
        ".config/opencode/opencode.jsonc": "{}\n",
        "litellm_config.yaml": "# mine\n",
    }


def test_removal_says_that_there_is_nothing(command: Command, user: Path) -> None:
    """Who takes away what is not there is told so, whether it is done or only shown."""
    for harness in (harness for harness in HARNESSES if harness.id not in {"litellm", "librechat"}):
        for options in ((), ("--dry-run",)):
            result = command("provision", harness.id, "--remove", *options)
            assert result.exit_code == 0
            assert "there is nothing to take away." in result.stdout, harness.id
            assert len(result.stdout.splitlines()) == 1
    assert texts_below(user) == {}


def test_variable_of_hermes_stays_without_our_provider(command: Command, user: Path) -> None:
    """A variable that its owner has set for an entry is not taken away with the entry."""
    command("provision", "hermes")
    (user / ".hermes/.env").write_text("ANTIGRAVITY_API_KEY=mine\n")
    command("provision", "hermes", "--remove")
    assert texts_below(user) == {".hermes/.env": "ANTIGRAVITY_API_KEY=mine\n"}


def test_unreadable_folder_fails_one_program(command: Command, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be looked into is a sentence of its program; the others are set up, and listed."""
    (user / ".pi/agent").mkdir(parents=True)
    monkeypatch.setenv("CONTINUE_GLOBAL_DIR", "x" * 300)
    result = command("provision", "--all-found")
    assert result.exit_code == 1
    assert "Continue: " in result.stderr
    assert "cannot be read: File name too long." in result.stderr
    assert (user / ".pi/agent/models.json").exists()
    rows = {line.split()[0]: line for line in command("provision", "--list").stdout.splitlines()}
    assert "cannot be set up" in rows["continue"]
    assert " set up " in rows["pi"]


def test_models_are_added_when_that_is_wanted(command: Command, user: Path) -> None:
    """Models that the entry lacks are added on request alone."""
    command("provision", "pi")
    file = user / ".pi/agent/models.json"
    document = json.loads(file.read_text())
    del document["providers"]["antigravity"]["models"][1:]
    file.write_text(json.dumps(document))
    command("provision", "pi")
    assert len(json.loads(file.read_text())["providers"]["antigravity"]["models"]) == 1
    command("provision", "pi", "--add-models")
    assert len(json.loads(file.read_text())["providers"]["antigravity"]["models"]) == 8


def test_folder_and_profile_can_be_named(command: Command, user: Path) -> None:
    """The program's folder and its profile can be named."""
    command("provision", "dsh", "--home", "~/d", "--profile", "headless")
    assert "llm-pi-ai" in (user / "d/profiles/headless/cordis.patch.yml").read_text()


def test_folders_that_are_not_known_are_told(command: Command, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A current folder that is gone, and a home of nobody, are a sentence each."""
    result = command("provision", "pi", "--home", "~nobody-of-that-name/pi")
    assert "name the folder without ~" in str(result.exception)
    (user / "gone").mkdir()
    monkeypatch.chdir(user / "gone")
    (user / "gone").rmdir()
    assert "The folder that you are in is gone" in str(command("provision", "pi").exception)


@pytest.mark.parametrize(
    ("variables", "arguments", "url"),
    [
        ({}, {}, "http://127.0.0.1:51122/v1"),
        ({"PORT": "4000"}, {}, "http://127.0.0.1:4000/v1"),
        ({"PORT": "0"}, {}, "http://127.0.0.1:51122/v1"),
        ({"HOST": "::", "API_KEY": KEY}, {}, "http://[::1]:51122/v1"),
        ({"PORT": "4000"}, {"port": 5000}, "http://127.0.0.1:5000/v1"),
        ({}, {"base_url": "http://host.docker.internal:51122/v1/"}, "http://host.docker.internal:51122/v1"),
    ],
)
def test_url_is_that_of_the_proxy(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], arguments: dict[str, int | str], url: str
) -> None:
    """The URL follows the proxy's settings, unless it is given."""
    for name, value in variables.items():
        monkeypatch.setenv(f"ANTIGRAVITY_PROXY_{name}", value)
    assert make_route(load_settings(), **arguments).base_url == url  # type: ignore[arg-type]
