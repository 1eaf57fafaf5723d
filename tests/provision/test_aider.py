"""Tests of Aider."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.aider import BEHAVIOUR, CONNECTION, KEY, LIMITS, URL

from .golden import ROUTE, check_golden


def test_files_become_what_is_shown() -> None:
    """Every file of Aider becomes what lies beside it, and back."""
    check_golden(CONNECTION, "aider")


def test_models_become_what_is_shown() -> None:
    """What models can do is in two files, which become what lies beside them, and back."""
    check_golden(LIMITS, "aider-limits")
    check_golden(BEHAVIOUR, "aider-behaviour")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{KEY}: theirs\n", f"{KEY} is set for OpenAI itself"),
        (f"{URL}: https://api.example.com/v1\n{KEY}: theirs\n", f"{URL} leads to api.example.com"),
        (f"{URL}: http://127.0.0.1:11434/v1\n{KEY}: ollama\n", f"{URL} leads to 127.0.0.1:11434"),
        (f"{URL}: [x]\n", f"{URL} leads to nowhere"),
    ],
    ids=["key", "elsewhere", "ollama", "list"],
)
def test_other_connection_is_refused(text: str, reason: str) -> None:
    """Aider has one connection; one that is in use stays, and is not taken away."""
    with pytest.raises(ProvisionError, match=reason):
        CONNECTION.provisioned(text, ROUTE, add_models=False)
    assert CONNECTION.withdrawn(text, "", ROUTE) == text


def test_models_that_are_listed_no_more_are_taken_away() -> None:
    """What an older list has brought goes too; an entry of another form, or of a name that others have, stays."""
    gone = replace(MODELS[0], id="gemini-9-pro")
    for document in (LIMITS, BEHAVIOUR):
        text = document.provisioned("", replace(ROUTE, models=(gone,)), add_models=False)
        assert document.withdrawn(text, "", ROUTE).strip() in ("", "{}")
        for other in (text.replace("gemini-9", "gpt-9"), re.sub(r"\b(mode|accepts_settings)\b", "mine", text)):
            assert document.withdrawn(other, "", ROUTE) == other


def test_reference_to_a_key_stays() -> None:
    """A key that its owner keeps elsewhere is not written over."""
    text = f"{URL}: {ROUTE.base_url}\n{KEY}: ${{MY_KEY}}\n"
    assert CONNECTION.provisioned(text, ROUTE, add_models=False) == text


def test_list_in_place_of_settings_is_refused() -> None:
    """A file that is no mapping is nobody's settings."""
    with pytest.raises(ProvisionError, match="holds something else"):
        CONNECTION.provisioned("- a\n", ROUTE, add_models=False)
