"""Tests of DSH."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.provision.dsh import CREDENTIALS, PATCH, SETTINGS, has_section
from antigravity_proxy.provision.route import Route
from antigravity_proxy.provision.syntax import YAML
from antigravity_proxy.provision.tree import data_of, find

from .golden import CHOICE, ROUTE, WITH_KEY, check_golden

if TYPE_CHECKING:
    from antigravity_proxy.provision.provider import Provider

NOBODY = Route(ROUTE.base_url, CHOICE, has_account=False)


def entry_of(patch: str) -> Any:
    """The provider in a patch, as plain data."""
    return data_of(find(YAML.parse(patch), PATCH.path))


def test_patches_become_what_is_shown() -> None:
    """Every patch of a profile becomes what lies beside it, and back."""
    check_golden(PATCH, "dsh")


def test_settings_become_what_is_shown() -> None:
    """The settings of the older DSH become what lies beside them, and back."""
    check_golden(SETTINGS, "dsh-settings")


def test_model_without_levels_has_none() -> None:
    """A model that cannot think has no levels, and DSH asks for none."""
    route = Route(ROUTE.base_url, (replace(CHOICE[0], efforts=()),))
    assert "reasoningEfforts" not in PATCH.provisioned("", route, add_models=False)


def test_key_is_never_in_the_route() -> None:
    """The route names the variable of the key, whatever the key is."""
    assert "key-of-mine" not in PATCH.provisioned("", WITH_KEY, add_models=False)


def test_only_what_dsh_takes_is_written() -> None:
    """No model takes audio, and none but ``off`` is a level without a value."""
    text = PATCH.provisioned("", ROUTE, add_models=False)
    assert "audio" not in text
    assert {line.strip() for line in text.splitlines() if "null" in line} == {'"off": null'}


def test_all_models_are_listed_as_dsh_takes_them() -> None:
    """The eight models are in the order of the table, with the fields that DSH knows and the levels that each has."""
    rows = entry_of(PATCH.provisioned("", Route(ROUTE.base_url, MODELS), add_models=False))["models"]
    assert [row["id"] for row in rows] == [model.id for model in MODELS]
    assert len(rows) == 8
    for row, model in zip(rows, MODELS, strict=True):
        assert row.keys() == {"id", "name", "contextWindow", "maxTokens", "input", "reasoningEfforts"}
        assert row["reasoningEfforts"] == {"off": None} | {str(effort): str(effort) for effort in model.efforts}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("baseURL: http://127.0.0.1:51122/v1", "baseURL: http://127.0.0.1:4000/v1"),
        ("api: openai-completions", "api: openai-responses"),
        ("apiKeyEnv: ANTIGRAVITY_ACCESS_TOKEN", "apiKeyEnv: OTHER"),
        ("supportsDeveloperRole: false", "supportsDeveloperRole: true"),
    ],
)
@pytest.mark.parametrize("document", [PATCH, SETTINGS], ids=["patch", "settings"])
def test_route_that_is_wrong_is_put_right(document: Provider, right: str, wrong: str) -> None:
    """What makes the route work is put right; names and models of its owner stay, and are no reason to write."""
    text = document.provisioned("", ROUTE, add_models=False)
    mine = text.replace("Antigravity (Google AI subscription)", "Mine").replace("id: gpt-oss-120b", "id: my-model")
    assert document.provisioned(mine, ROUTE, add_models=False) == mine != text
    assert document.provisioned(mine.replace(right, wrong), ROUTE, add_models=False) == mine


@pytest.mark.parametrize("empty", ["[]", "", "null"])
def test_empty_list_of_models_is_filled(empty: str) -> None:
    """A route without models gets them."""
    text = f"- id: llm-pi-ai\n  config:\n    providers:\n      antigravity:\n        models: {empty}\n"
    assert [row["id"] for row in entry_of(PATCH.provisioned(text, ROUTE, add_models=False))["models"]] == [
        model.id for model in CHOICE
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("- id: llm-pi-ai\n", True), ("- id: other\n", False), ("", False)],
    ids=["row", "other", "empty"],
)
def test_section_is_found(text: str, expected: bool) -> None:  # noqa: FBT001
    """A patch with a row for the providers is one that decides about them."""
    assert has_section(text) is expected


@pytest.mark.parametrize(
    ("route", "before", "after"),
    [
        (WITH_KEY, "OTHER: x\n", "OTHER: x\n"),
        (
            WITH_KEY,
            "ANTIGRAVITY_ACCESS_TOKEN: 'old'\nB: x\n",
            "ANTIGRAVITY_ACCESS_TOKEN: 'key-of-mine'\nB: x\n",
        ),
        (NOBODY, "ANTIGRAVITY_ACCESS_TOKEN: 'old'\nOTHER: x\n", "OTHER: x\n"),
    ],
    ids=["absent", "other value", "nobody"],
)
def test_stored_key_is_put_right(route: Route, before: str, after: str) -> None:
    """A key under our name in DSH's own store is the proxy's, or gone when nobody is logged in."""
    assert CREDENTIALS.provisioned(before, route, add_models=False) == after


def test_stored_key_is_taken_away() -> None:
    """Taking the route away takes the key with it."""
    assert CREDENTIALS.withdrawn("A: 1\nANTIGRAVITY_ACCESS_TOKEN: x\n", "", ROUTE) == "A: 1\n"
