"""Tests of every file of every program: what its owner may have done to it, and what lies on the disk afterwards."""

from __future__ import annotations

import itertools
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision import (
    aider,
    cline,
    continue_dev,
    dsh,
    goose,
    hermes,
    hermes_provider,
    librechat,
    litellm,
    llm,
    opencode,
    pi,
    zed,
)
from antigravity_proxy.provision.files import opencode_traces, pi_home
from antigravity_proxy.provision.harness import Target
from antigravity_proxy.provision.harnesses import HARNESSES, hermes_as_provider
from antigravity_proxy.provision.places import Places
from antigravity_proxy.provision.writer import backup_of, carry_out, plan, plan_removal

from .golden import FOLDER, ROUTE, WITH_KEY, check_golden, in_lines_of_windows, read

if TYPE_CHECKING:
    from pathlib import Path

    from antigravity_proxy.provision.document import Document
    from antigravity_proxy.provision.route import Route

FILES: dict[str, Document] = {
    "hermes": hermes.CONFIG,
    "hermes-plugin": hermes_provider.PLUGIN,
    "hermes-provider": hermes_provider.PROVIDER,
    "hermes-env": hermes_provider.KEY,
    "dsh": dsh.PATCH,
    "dsh-settings": dsh.SETTINGS,
    "dsh-env": dsh.KEY,
    "dsh-credentials": dsh.CREDENTIALS,
    "opencode": opencode.CONFIG,
    "pi": pi.CONFIG,
    "continue": continue_dev.CONFIG,
    "cline": cline.CONFIG,
    "aider": aider.CONNECTION,
    "aider-limits": aider.LIMITS,
    "aider-behaviour": aider.BEHAVIOUR,
    "llm": llm.MODELS,
    "llm-keys": llm.KEYS,
    "litellm": litellm.CONFIG,
    "goose": goose.CONFIG,
    "zed": zed.CONFIG,
    "librechat": librechat.CONFIG,
}
"""Every file that is written, under the name of its folder of examples."""

WITH_KEYS = {"hermes-env", "dsh-env", "dsh-credentials", "llm-keys", "cline"}
ALL_OURS = {"hermes-plugin", "hermes-provider"}
"""Files that nobody else writes, so that there is nothing of others in them."""

OTHER = "https://api.example.com/v1"
TAKEN: dict[str, str] = {
    "hermes": f"providers:\n  antigravity: {{base_url: '{OTHER}'}}\n",
    "hermes-plugin": "name: antigravity\n",
    "hermes-provider": "import os\n",
    "dsh": f"- id: llm-pi-ai\n  config: {{providers: {{antigravity: {{baseURL: '{OTHER}'}}}}}}\n",
    "dsh-settings": f"llm-pi-ai: {{providers: {{antigravity: {{baseURL: '{OTHER}'}}}}}}\n",
    "opencode": f'{{"provider": {{"antigravity": {{"options": {{"baseURL": "{OTHER}"}}}}}}}}\n',
    "pi": f'{{"providers": {{"antigravity": {{"baseUrl": "{OTHER}"}}}}}}\n',
    "continue": f"models:\n- {{name: Gemini 3.8 Flash (Antigravity), apiBase: '{OTHER}'}}\n",
    "cline": f'{{"providers": {{"openai-compatible": {{"settings": {{"baseUrl": "{OTHER}"}}}}}}}}\n',
    "aider": f"openai-api-base: {OTHER}\n",
    "llm": f"- {{model_id: antigravity/gemini-3.8-flash, api_base: '{OTHER}'}}\n",
    "litellm": f"model_list:\n- model_name: antigravity/gemini-3.8-flash\n  litellm_params: {{api_base: {OTHER}}}\n",
    "goose": f'{{"name": "antigravity", "base_url": "{OTHER}"}}\n',
    "zed": f'{{"language_models": {{"openai_compatible": {{"antigravity": {{"api_url": "{OTHER}"}}}}}}}}\n',
    "librechat": f"endpoints: {{custom: [{{name: Antigravity, baseURL: '{OTHER}'}}]}}\n",
}
"""What somebody else has in our place, in every file where that can be told."""

NEVER_TAKEN = {
    "hermes-env": "the variable is ours",
    "dsh-env": "the variable is ours",
    "dsh-credentials": "the name is ours",
    "llm-keys": "the name is ours",
    "aider-limits": "a model of ours has limits wherever they come from, which stay",
    "aider-behaviour": "so does its behaviour",
}
TAGS = itertools.count()


def examples_of(name: str) -> str:
    """The folder with the examples of a file."""
    return "env" if name.endswith("-env") else name


def route_of(name: str) -> Route:
    """With a key where the file holds keys."""
    return WITH_KEY if name in WITH_KEYS else ROUTE


def before_of(name: str) -> str:
    """A file as its owner may have it, with nothing of ours."""
    files = sorted((FOLDER / examples_of(name)).glob("[!e]*.before.*"))
    return read(examples_of(name), files[0].name) if files else FILES[name].fresh


def write(target: Target, route: Route) -> None:
    """Write the route into a file."""
    carry_out(plan(target, route, add_models=False), new_tag=lambda: str(next(TAGS)))


def test_every_file_is_here(tmp_path: Path) -> None:
    """The table has the file of each program."""
    (tmp_path / ".dsh/profiles/web").mkdir(parents=True)
    for name in ("librechat.yaml", "litellm_config.yaml"):
        (tmp_path / name).touch()
    places = Places(tmp_path, {}, tmp_path, platform="linux")
    targets = [target for harness in HARNESSES for target in harness.targets_of_removal(places)]
    known = [id(document) for document in FILES.values()]
    assert {id(target.document) for target in (*targets, *hermes_as_provider(places))} == set(known)


@pytest.mark.parametrize("name", FILES)
def test_every_file_has_examples(name: str) -> None:
    """For each file it is shown what becomes of comments, tags, tabs and changes of its owner."""
    cases = {file.name.partition(".")[0] for file in (FOLDER / examples_of(name)).glob("*.before.*")}
    wanted = {"edited"} if name in ALL_OURS else {"comments", "tabs", "edited"}
    syntax = FILES[name].syntax
    is_yaml = syntax is not None and syntax.has_blocks
    assert cases >= wanted | ({"tags"} if is_yaml else set()), cases


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith("-env")])
def test_files_become_what_is_shown(name: str) -> None:
    """Every file becomes what lies beside it, also with line ends of Windows, a second time nothing, and back."""
    check_golden(FILES[name], name, route=route_of(name))


@pytest.mark.parametrize("name", FILES)
def test_place_of_somebody_else_stays(name: str, tmp_path: Path) -> None:
    """A file whose place for us is taken stays byte for byte, which is said of writing; nothing is to be removed."""
    assert (name in TAKEN) != (name in NEVER_TAKEN)
    if name in NEVER_TAKEN:
        return
    target = Target(tmp_path / "file", FILES[name])
    target.path.write_bytes(TAKEN[name].encode())
    with pytest.raises(ProvisionError) as caught:
        write(target, route_of(name))
    assert str(caught.value).startswith(f"{target.path}")
    assert "Nothing was changed." in str(caught.value)
    assert name in ALL_OURS or "api.example.com" in str(caught.value)
    assert not plan_removal(target, route_of(name)).is_needed
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert target.path.read_bytes() == TAKEN[name].encode()


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["unix", "windows"])
@pytest.mark.parametrize("name", FILES)
def test_second_run_writes_nothing(name: str, newline: str, tmp_path: Path) -> None:
    """After the first run nothing is to be done, and in the end the file comes back byte for byte."""
    before = before_of(name) if newline == "\n" else in_lines_of_windows(before_of(name))
    target = Target(tmp_path / "file", FILES[name])
    if before:
        target.path.write_bytes(before.encode())
    write(target, route_of(name))
    assert not plan(target, route_of(name), add_models=False).is_needed
    carry_out(plan_removal(target, route_of(name)), new_tag=lambda: str(next(TAGS)))
    expected = [("file", before.encode())] if before else []
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == expected


@pytest.mark.parametrize("name", FILES)
def test_read_only_file_is_refused(name: str, tmp_path: Path) -> None:
    """A file that its owner has protected stays, and nothing is left beside it."""
    target = Target(tmp_path / "file", FILES[name])
    text = read(examples_of(name), next((FOLDER / examples_of(name)).glob("edited.before.*")).name)
    target.path.write_bytes(text.encode())
    target.path.chmod(0o444)
    change = plan(target, route_of(name), add_models=False)
    if not change.is_needed:
        assert name in {"aider-limits", "aider-behaviour"}
        change = plan_removal(target, route_of(name))
    with pytest.raises(ProvisionError, match=r"file is read-only. Make it writable and try again.$"):
        carry_out(change, new_tag=lambda: "x")
    assert target.path.read_bytes() == text.encode()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", FILES)
def test_symbolic_link_stays_one(name: str, tmp_path: Path) -> None:
    """The file that a link leads to is written and given back, and the copy lies there; the link stays."""
    real, link = tmp_path / "dotfiles" / "real", tmp_path / "home" / "file"
    for path in (real, link):
        path.parent.mkdir()
    before = before_of(name)
    real.write_bytes(before.encode())
    link.symlink_to(os.path.relpath(real, link.parent))
    target = Target(link, FILES[name])
    write(target, route_of(name))
    assert link.is_symlink()
    assert real.read_bytes().decode() == FILES[name].provisioned(before, route_of(name), add_models=False)
    assert backup_of(link).exists() == (real.read_bytes() != before.encode())
    carry_out(plan_removal(target, route_of(name)), new_tag=lambda: str(next(TAGS)))
    assert [path.name for path in link.parent.iterdir()] == ["file"]
    assert real.read_bytes() == before.encode()


def test_folders_follow_variables(tmp_path: Path) -> None:
    """A folder that a variable names is the one that is looked into, and a file that it names too."""
    variables = {"PI_CODING_AGENT_DIR": "~/agent", "OPENCODE_CONFIG": "~/mine.json"}
    places = Places(tmp_path, variables, tmp_path, platform="linux")
    assert pi_home(places) == tmp_path / "agent"
    assert [target.path.name for target in opencode_traces(places)] == [
        "mine.json",
        "opencode.jsonc",
        "opencode.json",
    ]


@pytest.mark.parametrize("key", ["$KEY", "${KEY}", "!pass show key", "{env:KEY}", "{file:key}", "os.environ/KEY"])
@pytest.mark.parametrize("name", ["hermes", "opencode", "pi", "continue", "cline", "aider", "litellm", "librechat"])
def test_key_that_would_be_read_as_a_reference_is_refused(name: str, key: str) -> None:
    """Programs would look elsewhere for it; a reference that is there already stays, whatever the key is."""
    document, route = FILES[name], replace(WITH_KEY, key=key)
    with pytest.raises(ProvisionError, match="API key begins with"):
        document.provisioned(document.fresh, route, add_models=False)
    written = document.provisioned(document.fresh, WITH_KEY, add_models=False)
    text = written.replace("key-of-mine", "${KEY}")
    assert text != written
    assert document.provisioned(text, route, add_models=False) == text
