"""Tests of entries for each model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision import continue_dev, librechat, litellm, llm
from antigravity_proxy.provision.rows import Rows
from antigravity_proxy.provision.syntax import JSONC, YAML
from antigravity_proxy.provision.tree import data_of

from .golden import ROUTE

if TYPE_CHECKING:
    from antigravity_proxy.provision.document import Document

LIST = Rows(
    syntax=YAML,
    path=("models",),
    row=lambda model: {"model": model.id, "context": model.context_tokens},
    name_of=lambda model: f"{model.name} (Antigravity)",
    name="name",
    model=("model",),
    url=("url",),
    key=("key",),
)
MAPPING = Rows(syntax=JSONC, path=("models",), row=lambda _: {"n": 1}, name_of=lambda model: f"our/{model.id}")


def test_all_models_are_written_where_none_is() -> None:
    """Each model has an entry of its own, behind those of others."""
    after = data_of(
        YAML.parse(LIST.provisioned("models: [{name: a, url: 'https://x'}, 5]\n", ROUTE, add_models=False))
    )
    assert after["models"][:2] == [{"name": "a", "url": "https://x"}, 5]
    assert after["models"][2] == {
        "name": "Gemini 3.8 Flash (Antigravity)",
        "model": "gemini-3.8-flash",
        "context": 1048576,
        "url": ROUTE.base_url,
        "key": "local",
    }
    assert len(after["models"]) == 5


def test_renamed_entries_are_still_ours() -> None:
    """An entry with our URL is ours whatever it is called, and counts for its model."""
    text = f"models:\n- name: Fast\n  model: gemini-3.8-flash\n  url: {ROUTE.base_url}\n  key: ${{KEY}}\n"
    assert LIST.provisioned(text, ROUTE, add_models=False) == text
    more = data_of(YAML.parse(LIST.provisioned(text, ROUTE, add_models=True)))
    assert [row["model"] for row in more["models"]] == ["gemini-3.8-flash", "claude-sonnet-4-6", "gpt-oss-120b"]
    assert LIST.withdrawn(text, "models:\n", ROUTE) == "models:\n"


LM_STUDIO = "api_base: 'http://localhost:1234/v1', api_key: lm-studio"
RENAMED: list[tuple[Document, str, str]] = [
    (continue_dev.CONFIG, "name: Gemini 3.8 Flash (Antigravity)", "name: Fast one"),
    (litellm.CONFIG, "model_name: antigravity/gemini-3.8-flash", "model_name: fast"),
    (llm.MODELS, "model_id: antigravity/gemini-3.8-flash", "model_id: fast"),
    (librechat.CONFIG, "name: Antigravity", "name: Mine"),
]


@pytest.mark.parametrize("port", [51122, 4000])
@pytest.mark.parametrize("key", [None, "key-of-mine", "${MY_KEY}"])
@pytest.mark.parametrize(("document", "name", "renamed"), RENAMED, ids=["continue", "litellm", "llm", "librechat"])
def test_renamed_entries_move_with_the_proxy(
    document: Document, name: str, renamed: str, port: int, key: str | None
) -> None:
    """An entry that was renamed follows the proxy to another port, under its name and once, and goes again."""
    own_key = "key-of-mine" if key == "${MY_KEY}" else key
    old = replace(ROUTE, base_url=f"http://127.0.0.1:{port}/v1", key=own_key)
    new = replace(ROUTE, base_url="http://127.0.0.1:5000/v1", key=own_key)
    text = document.provisioned(document.fresh, old, add_models=False).replace(name, renamed)
    if own_key and key:
        text = text.replace(own_key, key)
    assert renamed in text
    for add_models in (False, True):
        moved = document.provisioned(text, new, add_models=add_models)
        assert moved == text.replace(old.base_url, new.base_url)
        assert document.provisioned(moved, new, add_models=add_models) == moved
    assert document.withdrawn(moved, document.fresh, new) == document.fresh


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (
            continue_dev.CONFIG,
            "models:\n- {name: x, provider: openai, model: gpt-oss-120b, apiBase: 'http://127.0.0.1:1234/v1'}\n",
        ),
        (
            litellm.CONFIG,
            f"model_list:\n- {{model_name: x, litellm_params: {{model: openai/gpt-oss-120b, {LM_STUDIO}}}}}\n",
        ),
        (llm.MODELS, "- {model_id: x, model_name: gpt-oss-120b, api_base: 'http://localhost:1234/v1'}\n"),
        (
            librechat.CONFIG,
            "endpoints: {custom: [{name: x, baseURL: 'http://[::1]:1234/v1', models: {default: [gpt-oss-120b]}}]}\n",
        ),
    ],
    ids=["continue", "litellm", "llm", "librechat"],
)
def test_other_servers_of_this_machine_are_not_ours(document: Document, text: str) -> None:
    """A model of the same name at another local server, without our key and all that we write, is somebody else's."""
    assert document.withdrawn(text, text, ROUTE) == text
    after = document.provisioned(text, ROUTE, add_models=False)
    assert ":1234/v1" in after
    assert "name: x" in after or "model_id: x" in after


def test_entries_of_both_kinds_go_together() -> None:
    """Entries between those of others go, and the others stay."""
    before = "models:\n- name: a\n  url: https://x\n# why\n- name: b\n"
    written = LIST.provisioned(before, ROUTE, add_models=False)
    assert LIST.withdrawn(written + "- name: c  # later\n", before, ROUTE) == before + "- name: c  # later\n"


def test_name_of_ours_with_another_url_is_refused() -> None:
    """An entry of our name that leads elsewhere is somebody else's: it is in the way, and stays when ours go."""
    text = "models: [{name: Gemini 3.8 Flash (Antigravity), url: 'https://me:secret@api.example.com/v1'}]\n"
    with pytest.raises(ProvisionError, match=r"leads to api\.example\.com, not to this proxy"):
        LIST.provisioned(text, ROUTE, add_models=False)
    assert LIST.withdrawn(text, "", ROUTE) == text
    ours = LIST.provisioned("models:\n", replace(ROUTE, models=ROUTE.models[1:]), add_models=False)
    theirs = "- name: Gemini 3.8 Flash (Antigravity)\n    url: https://api.example.com/v1\n"
    assert LIST.withdrawn(f"{ours}  {theirs}", "models:\n", ROUTE) == f"models:\n  {theirs}"


def test_place_of_another_kind_is_refused() -> None:
    """A mapping in the place of a list is not what we know, and has nothing of ours."""
    with pytest.raises(ProvisionError, match="models holds something else"):
        LIST.provisioned("models: {a: 1}\n", ROUTE, add_models=False)
    assert LIST.withdrawn("models: {a: 1}\n", "", ROUTE) == "models: {a: 1}\n"


def test_mapping_has_models_by_name() -> None:
    """In a mapping the name is the key, and entries that are there stay as they are."""
    text = MAPPING.provisioned('{"models": {"our/gpt-oss-120b": {"n": 2}, "x": 1}}', ROUTE, add_models=True)
    assert data_of(JSONC.parse(text)) == {
        "models": {
            "our/gpt-oss-120b": {"n": 2},
            "x": 1,
            "our/gemini-3.8-flash": {"n": 1},
            "our/claude-sonnet-4-6": {"n": 1},
        }
    }
    assert data_of(JSONC.parse(MAPPING.withdrawn(text, "", ROUTE))) == {"models": {"x": 1}}


def test_entries_of_models_that_are_gone_are_still_ours() -> None:
    """An entry that was written when there was another model is kept right, and goes with the others."""
    rows = replace(LIST, is_old_one=lambda name, _row: name.endswith(" (Antigravity)"))
    old = "- name: Gemini 9 (Antigravity)\n  model: gemini-9\n  url: {}\n  key: local\n"
    theirs = "- name: Theirs (Antigravity)\n  model: x\n  url: https://x\n"
    text = "models:\n" + old.format("http://127.0.0.1:4000/v1") + theirs
    after = rows.provisioned(text, ROUTE, add_models=False)
    assert after == "models:\n" + old.format(ROUTE.base_url) + theirs
    assert rows.withdrawn(after, "models:\n", ROUTE) == "models:\n" + theirs
