"""Tests of entries for each model."""

from __future__ import annotations

import pytest

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.rows import Rows
from antigravity_proxy.provision.syntax import JSONC, YAML
from antigravity_proxy.provision.tree import data_of

from .golden import ROUTE

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


def test_entries_of_both_kinds_go_together() -> None:
    """Entries between those of others go, and the others stay."""
    before = "models:\n- name: a\n  url: https://x\n# why\n- name: b\n"
    written = LIST.provisioned(before, ROUTE, add_models=False)
    assert LIST.withdrawn(written + "- name: c  # later\n", before, ROUTE) == before + "- name: c  # later\n"


def test_name_of_ours_with_another_url_is_refused() -> None:
    """An entry of our name that leads elsewhere is somebody else's."""
    text = "models: [{name: Gemini 3.8 Flash (Antigravity), url: 'https://me:secret@api.example.com/v1'}]\n"
    with pytest.raises(ProvisionError, match=r"leads to api\.example\.com, not to this proxy"):
        LIST.provisioned(text, ROUTE, add_models=False)
    with pytest.raises(ProvisionError, match=r"leads to api\.example\.com, not to this proxy"):
        LIST.withdrawn(text, "", ROUTE)


def test_place_of_another_kind_is_refused() -> None:
    """A mapping in the place of a list is not what we know."""
    with pytest.raises(ProvisionError, match="models holds something else"):
        LIST.provisioned("models: {a: 1}\n", ROUTE, add_models=False)


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
