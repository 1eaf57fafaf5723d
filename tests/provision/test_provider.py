"""Tests of provider entries."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.provider import ModelRows, Provider
from antigravity_proxy.provision.syntax import YAML
from antigravity_proxy.provision.tree import data_of

from .golden import ROUTE, WITH_KEY

ENTRY = Provider(
    syntax=YAML,
    path=("providers", "antigravity"),
    owned=lambda _: {"api": "chat", "options": {"strict": False}},
    urls=(("url",), ("base",)),
    keys=(("options", "key"),),
    key_references=("key_env",),
    initial=lambda _: {"name": "Antigravity", "options": {"model": "first"}},
    defaults=lambda _: {"fetch": True},
    models=ModelRows("models", lambda model: {"context": model.context_tokens}),
)
FULL: dict[str, Any] = {
    "name": "Antigravity",
    "fetch": True,
    "api": "chat",
    "options": {"strict": False, "key": "local", "model": "first"},
    "url": "http://127.0.0.1:51122/v1",
    "models": {
        "gemini-3.8-flash": {"context": 1048576},
        "claude-sonnet-4-6": {"context": 200000},
        "gpt-oss-120b": {"context": 131072},
    },
}


def entry_after(entry: str, *, add_models: bool = False) -> Any:
    """What becomes of an entry, as plain data."""
    text = f"providers:\n  antigravity: {entry}\n"
    after = ENTRY.provisioned(text, ROUTE, add_models=add_models)
    return data_of(YAML.parse(after))["providers"]["antigravity"]


@pytest.mark.parametrize("entry", ["", "{}", "null"])
def test_new_entry_has_everything(entry: str) -> None:
    """Where nothing stands, the whole entry is written."""
    assert entry_after(entry) == FULL


def test_entry_is_repaired() -> None:
    """What belongs to us is put right and what is missing is filled in; a default that was taken out stays out."""
    after = entry_after("{url: 'http://localhost:1/v1', api: other, options: {key: old, mine: 1}}")
    assert after == {key: value for key, value in FULL.items() if key != "fetch"} | {
        "options": {**FULL["options"], "mine": 1}
    }


def test_what_its_owner_chose_stays() -> None:
    """Names, models, other spellings of the URL and references to a key are the owner's."""
    after = entry_after(
        "{name: Mine, base: 'http://127.0.0.1:1/v1', key_env: K, models: {x: {}}, options: {model: y, strict: true}}"
    )
    assert after == {
        "name": "Mine",
        "base": "http://127.0.0.1:51122/v1",
        "key_env": "K",
        "models": {"x": {}},
        "options": {"model": "y", "strict": False},
        "api": "chat",
    }


def test_entry_without_a_url_is_completed() -> None:
    """An entry that has nothing against it gets what it lacks."""
    assert entry_after("{name: Mine, api: chat}") == {key: value for key, value in FULL.items() if key != "fetch"} | {
        "name": "Mine"
    }


def test_models_are_added_when_that_is_wanted() -> None:
    """New models join those of the entry, which stay as they are."""
    entry = "{url: 'http://127.0.0.1:1/v1', models: {gpt-oss-120b: {context: 5}}}"
    assert entry_after(entry)["models"] == {"gpt-oss-120b": {"context": 5}}
    assert entry_after(entry, add_models=True)["models"] == {
        "gpt-oss-120b": {"context": 5},
        "gemini-3.8-flash": {"context": 1048576},
        "claude-sonnet-4-6": {"context": 200000},
    }


def test_models_of_another_form_stay() -> None:
    """A list where a mapping is usual is its owner's, and is not added to."""
    entry = "{url: 'http://127.0.0.1:1/v1', models: [a]}"
    assert entry_after(entry, add_models=True)["models"] == ["a"]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("words", "holds something else"),
        ("[a]", "holds something else"),
        ("{url: 'https://api.example.com/v1'}", "leads to api.example.com"),
        ("{url: 5}", "leads to nowhere"),
        ("{api: other}", "has another api"),
        ("{options: {key: theirs}}", "has a key and no URL"),
    ],
)
def test_entry_of_somebody_else_is_refused(entry: str, reason: str) -> None:
    """An entry that leads elsewhere is not changed, which is said, and not taken away."""
    text = f"providers: {{antigravity: {entry}}}\n"
    with pytest.raises(ProvisionError, match=f"^providers.antigravity {reason}"):
        ENTRY.provisioned(text, ROUTE, add_models=False)
    assert ENTRY.withdrawn(text, "", ROUTE) == text


def test_key_of_the_proxy_is_written() -> None:
    """A proxy with a key of its own is given with it; a reference in its place stays."""
    assert "key: key-of-mine" in ENTRY.provisioned("", WITH_KEY, add_models=False)
    text = ENTRY.provisioned("", WITH_KEY, add_models=False).replace("key-of-mine", "${KEY}")
    assert ENTRY.provisioned(text, WITH_KEY, add_models=False) == text


def test_entry_is_looked_for() -> None:
    """It can be asked whether there is an entry."""
    assert ENTRY.stands_in("providers: {antigravity: {}}\n")
    assert not ENTRY.stands_in("providers: {}\n")


def test_entry_that_leads_elsewhere_is_told() -> None:
    """It can be asked where an entry leads, if not to where the proxy is."""
    text = ENTRY.provisioned("", ROUTE, add_models=False)
    assert ENTRY.other_url(text, ROUTE) is None
    assert ENTRY.other_url("", ROUTE) is None
    assert ENTRY.other_url(text.replace("51122", "4000"), ROUTE) == "http://127.0.0.1:4000/v1"
