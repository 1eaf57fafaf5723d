"""Tests of hiding secrets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from antigravity_proxy.provision.masking import is_secret_name, masked
from antigravity_proxy.provision.syntax import JSONC, YAML, Syntax

from .documents import json_documents, yaml_documents


@pytest.mark.parametrize(
    "name",
    ["api_key", "apiKey", "OPENAI_API_KEY", "APIKEY", "x-api-key", "access_token", "clientSecret", "Authorization",
     "DB_PASSWORD", "key1", "passwd", "auth", "cookie"],
)  # fmt: skip
def test_names_of_secrets_are_known(name: str) -> None:
    """A name says by one of its words that its value is a secret, in every way of writing names."""
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "name", "tokenizer", "monkey", "keybindings", "apiKeyEnv", "api_key_name", "maxTokensField", "tokenSource",
     "token_url", "auth_type", "base_url"],
)  # fmt: skip
def test_names_of_other_things_are_known(name: str) -> None:
    """Words that only contain such a word, and names that say where a secret is, are none."""
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("api_key: sk-1  # why\n", "api_key: ***  # why\n"),
        ("api_key: 'a#b, c}@d'\n", "api_key: ***\n"),
        ("api_key:\n  plain and\n  more\n", "api_key:\n  ***\n  ***\n"),
        ("api_key: |\n  one\n\n  two\nb: 1\n", "api_key: ***\n  ***\n\n  ***\nb: 1\n"),
        ("headers: {Authorization: Bearer abc, Accept: x}\n", "headers: {Authorization: ***, Accept: x}\n"),
        ("tokens: [a, {b: c}, 5]\n", "tokens: [***, {b: ***}, 5]\n"),
        ("x: &k abc\napi_key: *k\n", "x: ***\napi_key: *k\n"),
        ("x: &k abc\nb: *k\n", "x: &k abc\nb: *k\n"),
        ("args: [--token, abc, --verbose, x]\n", "args: [--token, ***, --verbose, x]\n"),
        ("run: tool --api-key=abc -v\n", "run: tool --api-key=*** -v\n"),
        ("env:\n- OPENAI_API_KEY=abc\n", "env:\n- OPENAI_API_KEY=***\n"),
        ("url: http://me:p/w@x.example/?a=1&token=b\n", "url: http://me:p/w@x.example/?a=1&token=***\n"),
        ("url: http://me:pw@x.example/\n", "url: http://***@x.example/\n"),
        ("a: Bearer abc.def\nb: sk-abcdefghij\n", "a: Bearer ***\nb: ***\n"),
        ("a: eyJhIjoxfQ.eyJi.c-_\nb: eyJ\nc: eyJ.txt\n", "a: ***\nb: eyJ\nc: eyJ.txt\n"),
        ("# api_key: abc\n# token=abc or\na: 1\n# pwd: 1\n", "# api_key: ***\n# token=*** or\na: 1\n# pwd: ***\n"),
        ("input_cost_per_token: 1.5e-6\nmax_tokens: 65536\ncache_key: false\nkey:\ntoken: ~\n", None),
        ("password: 1234\n", "password: ***\n"),
        ("? [a]\n: {token: b}\n", "? [a]\n: {token: ***}\n"),
        ("sk-abcdefghij: {rpm: 5}\n", "***: {rpm: 5}\n"),
        ("a: &r [*r, {token: *r}]\n", None),
    ],
)  # fmt: skip
def test_yaml_is_shown_without_secrets(text: str, expected: str | None) -> None:
    """Values under names of secrets are hidden, in every style, and what else looks like one; numbers are shown."""
    assert masked(text, YAML, has_keys=False) == (text if expected is None else expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"apiKey" : "a\\"b", "n": "x"}', '{"apiKey" : ***, "n": "x"}'),
        ('{"env": {"TOKEN": "a"}, "cost_per_token": 0}', '{"env": {"TOKEN": ***}, "cost_per_token": 0}'),
        ('{\n// "apiKey": "old",\n"a": 1 /* token: x */\n}', '{\n// "apiKey": ***,\n"a": 1 /* token: *** */\n}'),
        ('{"http://token": "a"}', '{"http://token": ***}'),
        ('{"http://me:pw@x.example": {"a": 1}}', '{"http://***@x.example": {"a": 1}}'),
        ("// password: x\n", "// password: ***\n"),
        ("", ""),
    ],
)  # fmt: skip
def test_json_is_shown_without_secrets(text: str, expected: str) -> None:
    """The same holds for JSON and the comments in it."""
    assert masked(text, JSONC, has_keys=False) == expected


@pytest.mark.parametrize(
    ("text", "syntax", "expected"),
    [
        ('{"openai": "a", "n": 5}', JSONC, '{"openai": ***, "n": ***}'),
        ("OPENAI: a\nB: [c]\n", YAML, "OPENAI: ***\nB: [***]\n"),
        ("\ufeffA=x=y # z\nexport B='1\n2'\nC\n", None, "\ufeffA=***\nexport B=***\n***\nC\n"),
        ("PORT=80\nPASSWORD=80\nDEBUG=true\n", None, "PORT=80\nPASSWORD=***\nDEBUG=true\n"),
        ("# mine\n# OLD=x\n\n'broken\r\n", None, "# mine\n# OLD=***\n\n***\r\n"),
    ],
)
def test_files_of_keys_show_names_alone(text: str, syntax: Syntax | None, expected: str) -> None:
    """In a file of keys every value is hidden; of variables numbers are shown where they can be no secret."""
    assert masked(text, syntax, has_keys=True) == expected


def test_other_files_are_looked_through() -> None:
    """A file that is no tree and not of keys alone is shown without what looks like a secret."""
    assert (
        masked('key_variable = "A"\napi_key = "b"\n', None, has_keys=False) == 'key_variable = "A"\napi_key = ***\n'
    )


@settings(max_examples=40, deadline=None)
@given(yaml_documents("providers"))
def test_yaml_without_secrets_is_shown_as_it_is(text: str) -> None:
    """A document without secrets stays, and with them it has as many lines."""
    assert masked(text, YAML, has_keys=False) == text
    assert masked(text, YAML, has_keys=True).count("\n") == text.count("\n")


@settings(max_examples=40, deadline=None)
@given(json_documents("providers"))
def test_json_without_secrets_is_shown_as_it_is(text: str) -> None:
    """So does one of JSON."""
    assert masked(text, JSONC, has_keys=False) == text
    assert masked(text, JSONC, has_keys=True).count("\n") == text.count("\n")


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["unix", "windows"])
@pytest.mark.parametrize(
    "name", ["api_key", "'token'", '"client-secret"', "Authorization", "OPENAI_API_KEY", "password"]
)
@pytest.mark.parametrize(
    "written",
    ["S", "'S'", '"S \\" S"', "|\n    S\n\n    S", ">-\n    S\n     S", "!t S", "&x S", "!!str &x 'S'",
     "\n    S S\n    S", "[S, 'S']", "{a: S, b: [S]}", "\n    - S\n    - x: S", "'a\n    S'", "Bearer S # token=S"],
)  # fmt: skip
def test_secret_is_hidden_in_every_style(name: str, written: str, newline: str) -> None:
    """However a secret is written, nothing of it is shown, and every other line stays."""
    text = f"a: 1\nb:\n  {name}: {written}\nc: 2\n".replace("S", "hidden").replace("\n", newline)
    shown = masked(text, YAML, has_keys=False)
    assert "hidden" not in shown
    assert shown.count(newline) == text.count(newline)
    assert shown.startswith(f"a: 1{newline}b:{newline}  {name}:")
    assert shown.endswith(f"c: 2{newline}")


@pytest.mark.parametrize(("text", "syntax"), [('{"a":[-2.5,1,-3]}', JSONC), ("a: [-2.5, 1, -3]\n", YAML)])
def test_negative_numbers_are_no_options(text: str, syntax: Syntax) -> None:
    """Numbers of a list that begin with a minus sign are shown, and so is what stands behind them."""
    assert masked(text, syntax, has_keys=False) == text
