"""Tests of DSH."""

from __future__ import annotations

from dataclasses import replace

import pytest

from antigravity_proxy.provision.dsh import CREDENTIALS, PATCH, SETTINGS, has_section
from antigravity_proxy.provision.route import Route

from .golden import CHOICE, ROUTE, WITH_KEY, check_golden

NOBODY = Route(ROUTE.base_url, CHOICE, has_account=False)


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
