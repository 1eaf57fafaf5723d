"""Tests of leaving the meaning of all other places as it is."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from ruamel import yaml as library
from ruamel.yaml.error import YAMLError

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision import continue_dev, hermes, llm
from antigravity_proxy.provision.meaning import holds, words
from antigravity_proxy.provision.removal import cut
from antigravity_proxy.provision.splice import merge, put
from antigravity_proxy.provision.syntax import YAML
from antigravity_proxy.provision.tree import Row, data_of

from .documents import yaml_documents_with_names
from .golden import ROUTE

if TYPE_CHECKING:
    from antigravity_proxy.provision.document import Document
    from antigravity_proxy.provision.tree import Path

OURS = f"api_mode: chat_completions, base_url: '{ROUTE.base_url}', api_key: local, name: A, models: {{m: {{}}}}"


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("a: &x {n: 1}\nb: *x\n", ("a", "n"), "line 2, column 4: *x stands for what is in a.n"),
        ("a: &x {n: 1}\nb: {<<: *x}\n", ("a", "n"), "line 2, column 9: *x stands for"),
        ("a: &x {n: 1}\nb: *x\n", ("a", "m"), "line 2, column 4: *x stands for what is in a,"),
        ("all: &x\n  a: {n: 1}\nb: [*x]\n", ("all", "a", "n"), "line 3, column 5: *x stands for"),
        ("a: {n: &x 1}\nb: *x\n", ("a", "n"), "line 2, column 4: *x stands for"),
        ("a: &x 1\nb: &x {n: 1}\nc: *x\n", ("b", "n"), "line 3, column 4: *x stands for"),
        ("a: &x {n: 1}\nb: *x\n", ("b", "n"), "line 2, column 1: b is an alias, and what *x stands for is not"),
        ("a: &x {n: 1}\nb: *x\n", ("b",), "line 2, column 1: b is an alias, and what *x stands for is not"),
        ("a: &x {o: {n: 1}}\nb: {<<: *x}\n", ("b", "o", "n"), "line 2, column 9: o comes from here"),
        ("a: &x {o: {n: 1}}\nb: {<<: *x}\n", ("b", "o"), "line 2, column 9: o comes from here"),
        ("a: &x {n: 1, me: *x}\n", ("a", "n"), "line 1, column 18: *x stands for"),
        ("a: !t &x 1\n", ("a",), "line 1, column 1: a has a tag or an anchor"),
        ("a: &x 1\nb: *x\n", ("a",), "line 2, column 4: *x stands for what is in a"),
    ],
)
def test_what_others_mean_too_is_not_changed(text: str, path: Path, message: str) -> None:
    """A change of what an alias elsewhere stands for is refused, and it is said where the alias is."""
    value: Any = {"n": 2} if path[-1] == "o" or path == ("b",) else 2
    with pytest.raises(ProvisionError) as caught:
        put(text, path, value, YAML)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("a: &x {n: 1}\nb: {m: *x, n: 1}\n", ("b", "n"), "a: &x {n: 1}\nb: {m: *x, n: 2}\n"),
        ("a: &x 1\nb: {n: *x}\n", ("b", "n"), "a: &x 1\nb: {n: 2}\n"),
        ("a: &x {n: 1}\nb:\n  <<: *x\n", ("b", "n"), 'a: &x {n: 1}\nb:\n  <<: *x\n  "n": 2\n'),
        ("a: &x {n: 2}\nb:\n  <<: *x\n", ("b", "n"), None),
        ("a: &x {n: 2}\nb: *x\n", ("b", "n"), None),
        ("a: &x {n: 1}\nc: &y {n: 2}\nb: {<<: [*y, *x]}\n", ("b", "n"), None),
        ("a: &x {n: 1}\nb: {<<: *x, n: 2}\n", ("b", "n"), None),
        ("a: {n: 1, m: &x 2}\nb: *x\n", ("a", "n"), "a: {n: 2, m: &x 2}\nb: *x\n"),
        ("b: {'<<': {n: 2}}\n", ("b", "n"), "b: {'<<': {n: 2}, \"n\": 2}\n"),
    ],
)
def test_own_keys_stand_beside_aliases(text: str, path: Path, expected: str | None) -> None:
    """What is ours is written beside what an alias brings, and not at all where that is right already."""
    assert put(text, path, 2, YAML) == (text if expected is None else expected)


def test_mapping_that_an_alias_brings_may_hold_more() -> None:
    """What comes by an alias is left alone as long as it has what is wanted."""
    text = "a: &x {o: {n: 1, more: 2}}\nb: {<<: *x}\nc: *x\n"
    assert merge(text, ("b",), {"o": {"n": 1}}, YAML) == text
    assert merge(text, ("c",), {"o": {"n": 1}}, YAML) == text


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("a: &x {n: 1}\nb: *x\n", ("a",), "line 2, column 4: *x stands for what is in a,"),
        ("a: {n: &x 1}\nb: {c: *x}\n", ("a",), "line 2, column 8: *x stands for"),
        ("z: &x 0\na: {n: &x 1}\nb: {c: *x}\n", ("a",), "line 3, column 8: *x stands for"),
        ("all: &x {a: 1, c: 2}\nb: *x\n", ("all", "a"), "line 2, column 4: *x stands for"),
    ],
)
def test_entry_with_a_name_that_others_use_stays(text: str, path: Path, message: str) -> None:
    """An entry is not taken away while something in it is used elsewhere."""
    with pytest.raises(ProvisionError) as caught:
        cut(text, path, YAML)
    assert str(caught.value).startswith(message)


def test_entry_with_names_of_its_own_goes() -> None:
    """Anchors that are used in the entry alone go with it, and so do aliases of others."""
    assert cut("o: &o 1\na: {n: &x 1, m: *x, o: *o}\nb: 2\n", ("a",), YAML) == "o: &o 1\nb: 2\n"


@pytest.mark.parametrize(
    ("document", "text", "message"),
    [
        (
            hermes.CONFIG,
            "providers:\n  antigravity: &a {base_url: 'http://127.0.0.1:1/v1'}\n  b: {<<: *a, name: B}\n",
            "line 3, column 11: *a",
        ),
        (hermes.CONFIG, "providers: &p\n  b: {}\nbackup: *p\n", "line 3, column 9: *p"),
        (
            hermes.CONFIG,
            "c: &c {base_url: 'https://x.example/v1'}\nproviders: {antigravity: {<<: *c}}\n",
            "leads to x.example",
        ),
        (
            hermes.CONFIG,
            "c: &c {antigravity: {base_url: 'https://x.example'}}\nproviders: {<<: *c}\n",
            "line 2, column 17: antigravity comes from here",
        ),
        (continue_dev.CONFIG, "m: &m [{name: x}]\nmodels: *m\n", "models holds something else"),
    ],
    ids=["anchor of ours", "anchor around it", "merged URL", "merged entry", "list by an alias"],
)
def test_files_with_names_are_refused_where_they_must_be(document: Document, text: str, message: str) -> None:
    """What is ours is not changed where something else would change with it, or where it comes from elsewhere."""
    with pytest.raises(ProvisionError) as caught:
        document.provisioned(text, ROUTE, add_models=False)
    assert message in str(caught.value)


def test_row_that_others_are_made_of_is_not_taken_away() -> None:
    """A row of ours that is right may be used by others, and then stays."""
    ours = f"- &r {{model_id: x, model_name: m, api_base: '{ROUTE.base_url}'}}\n"
    text = f"{ours}- {{<<: *r, model_id: z, api_base: 'https://x.example'}}\n"
    assert llm.MODELS.provisioned(text, ROUTE, add_models=False) == text
    with pytest.raises(ProvisionError, match=r"line 2, column 8: \*r"):
        llm.MODELS.withdrawn(text, "", ROUTE)


@pytest.mark.parametrize("entry", ["*o", "{<<: *o}", "{<<: [*o, {name: B}]}"])
def test_entry_that_is_right_by_an_alias_stays(entry: str) -> None:
    """Nothing is written into an entry to which an alias brings all that it needs."""
    text = f"o: &o {{{OURS}}}\nproviders: {{antigravity: {entry}}}\n"
    assert hermes.CONFIG.provisioned(text, ROUTE, add_models=False) == text


def test_names_that_multiply_take_no_time() -> None:
    """Aliases of aliases of aliases are followed without being written out."""
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40))]
    text = "\n".join(lines) + "\n"
    assert len(data_of(YAML.parse(text))) == 40
    written = hermes.CONFIG.provisioned(text, ROUTE, add_models=False)
    assert hermes.CONFIG.withdrawn(written, text, ROUTE) == text


def loaded(text: str) -> dict[str, Any]:
    """What another program reads: everything that is not ours."""
    reader = library.YAML(typ="safe", pure=True)
    with warnings.catch_warnings():
        # A name may be given twice.
        warnings.simplefilter("ignore")
        data = reader.load(text) or {}
    providers = data.pop("providers", None) or {}
    others = {key: value for key, value in providers.items() if key != "antigravity"}
    return {**data, "providers": others} if others else data


@settings(max_examples=100, deadline=None)
@given(yaml_documents_with_names())
def test_others_mean_what_they_meant(text: str) -> None:
    """Whatever is shared in a document, a program reads the same of all others after each change, or none is made."""
    try:
        before = repr(loaded(text))
    except (YAMLError, AttributeError, TypeError, ValueError):
        # Merge keys may bring what is no mapping, which other programs refuse.
        return
    moved = replace(ROUTE, base_url="http://127.0.0.1:4000/v1", key="key-of-mine")
    try:
        written = hermes.CONFIG.provisioned(text, ROUTE, add_models=False)
        assert repr(loaded(written)) == before
        assert hermes.CONFIG.provisioned(written, ROUTE, add_models=False) == written
        assert repr(loaded(hermes.CONFIG.provisioned(written, moved, add_models=False))) == before
        assert repr(loaded(hermes.CONFIG.withdrawn(written, text, ROUTE))) == before
    except ProvisionError:
        return


def test_data_may_hold_more() -> None:
    """All that is wanted must be there, at every depth."""
    assert holds({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}})
    assert not holds({"a": {"b": 1}}, {"a": {"b": 2}})
    assert not holds({"a": 1}, {"a": {}, "b": 1})
    assert not holds([], {"a": 1})


def test_paths_are_said_in_words() -> None:
    """A path is shown with dots."""
    assert words(("rows", Row("id", "x"), 0, "a")) == "rows.x.0.a"
    assert words(()) == "the file"
