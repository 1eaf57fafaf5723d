"""Tests of one variable of a ``.env`` file."""

from __future__ import annotations

from io import StringIO

import pytest
from dotenv import dotenv_values
from hypothesis import given
from hypothesis import strategies as st

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.dotenv_file import DotEnv
from antigravity_proxy.provision.route import Route

from .golden import CHOICE, ROUTE, WITH_KEY, check_golden

KEY = DotEnv("THE_KEY")
NOBODY = Route(ROUTE.base_url, CHOICE, has_account=False)


def test_files_become_what_is_shown() -> None:
    """Every file becomes what lies beside it, and back."""
    check_golden(KEY, "env", route=WITH_KEY)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "THE_KEY=local\n"),
        ("A=1", "A=1\nTHE_KEY=local"),
        ("\ufeffTHE_KEY=old\nB=2\n", "\ufeffTHE_KEY=local\nB=2\n"),
        ("# THE_KEY=no\n\n  THE_KEY = old\n", "# THE_KEY=no\n\n  THE_KEY = local\n"),
        ("export THE_KEY='it\\'s' # mine\r\nB=2\r\n", "export THE_KEY=local # mine\r\nB=2\r\n"),
        ('THE_KEY="two\nlines"\n', "THE_KEY=local\n"),
        ("THE_KEY=\n", "THE_KEY=local\n"),
        ("THE_KEY\n", "THE_KEY=local\n"),
        ("THE_KEY=first\nTHE_KEY=last\n", "THE_KEY=first\nTHE_KEY=local\n"),
        ("what is this\nTHE_KEY='local'\n", "what is this\nTHE_KEY='local'\n"),
    ],
    ids=["empty", "no line end", "mark", "indent", "comment", "lines", "empty", "no value", "twice", "same"],
)
def test_variable_is_set(before: str, after: str) -> None:
    """The line that counts is changed or added, and no other."""
    assert KEY.provisioned(before, ROUTE, add_models=False) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [("A=1\nTHE_KEY=x\nB=2\n", "A=1\nB=2\n"), ("A=1\nTHE_KEY=x", "A=1"), ("A=1\n", "A=1\n")],
    ids=["inside", "end", "absent"],
)
def test_variable_is_unset_when_nobody_is_logged_in(before: str, after: str) -> None:
    """Without an account the variable goes, and nothing else."""
    assert KEY.provisioned(before, NOBODY, add_models=False) == after


def test_variable_that_is_not_for_accounts_stays() -> None:
    """A key that has nothing to do with accounts is set without one."""
    assert DotEnv("THE_KEY", is_for_accounts=False).provisioned("", NOBODY, add_models=False) == "THE_KEY=local\n"


@pytest.mark.parametrize(
    ("key", "written"),
    [
        ("a-b_c.d:/+=9", "a-b_c.d:/+=9"),
        ("a b#$c", "'a b#$c'"),
        ("a\\b", "'a\\b'"),
        ("`a`", "'`a`'"),
        ("it's", '"it\'s"'),
        ("it's #1 $x", '"it\'s #1 $x"'),
        ("a'b\"c", "a'b\"c"),
        ("a'b\\\\", "a'b\\\\"),
        ("schlüssel", "'schlüssel'"),
    ],
)
def test_odd_key_is_written_as_all_read_it(key: str, written: str) -> None:
    """A key with characters that mean something in such a file is quoted as it must be, and not written again."""
    route = Route(ROUTE.base_url, CHOICE, key)
    for before in ("", "THE_KEY=old\n", "THE_KEY='old'\n"):
        text = KEY.provisioned(before, route, add_models=False)
        assert text == f"THE_KEY={written}\n"
        assert dotenv_values(stream=StringIO(text)) == {"THE_KEY": key}
        assert KEY.provisioned(text, route, add_models=False) == text
        assert KEY.withdrawn(text, "", route) == ""


@pytest.mark.parametrize("key", ["a${HOME}b", "'a\"", "a'b\"c#d", "'\\", "a\nb"])
def test_key_that_is_read_differently_is_refused(key: str) -> None:
    """A key for which there is no way that all programs read alike is refused, without being shown."""
    with pytest.raises(ProvisionError, match="Choose another API key") as caught:
        KEY.provisioned("", Route(ROUTE.base_url, CHOICE, key), add_models=False)
    assert key not in str(caught.value)


@given(
    st.lists(st.sampled_from(("THE_KEY", "export ", "=", " ", "\t", "'", '"', "\\", "#", "x", "\n", "\r\n", "\x0b")))
)
def test_every_line_can_be_changed(parts: list[str]) -> None:
    """However the variable is written, it has the key afterwards, and other lines are what they were."""
    before = "".join(parts)
    text = KEY.provisioned(before, ROUTE, add_models=False)
    known = {key: value for key, value in dotenv_values(stream=StringIO(before)).items() if key != "THE_KEY"}
    assert dotenv_values(stream=StringIO(text)) == known | {"THE_KEY": "local"}
    assert KEY.provisioned(text, ROUTE, add_models=False) == text


@given(
    st.text("ab '\"\\`#$={}\t", min_size=1).map(str.strip).filter(bool),
    st.sampled_from(("", "A=1\n", "THE_KEY=x # y\n")),
)
def test_every_key_comes_back(key: str, before: str) -> None:
    """Whatever a key is, a program reads what was written, or nothing was written."""
    route = Route(ROUTE.base_url, CHOICE, key)
    try:
        text = KEY.provisioned(before, route, add_models=False)
    except ProvisionError:
        return
    assert dotenv_values(stream=StringIO(text))["THE_KEY"] == key
    assert KEY.provisioned(text, route, add_models=False) == text
