"""Tests of one variable of a ``.env`` file."""

from __future__ import annotations

import pytest

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
        ("# THE_KEY=no\n\n  THE_KEY = old\n", "# THE_KEY=no\n\n  THE_KEY=local\n"),
        ("THE_KEY=first\nTHE_KEY=last\n", "THE_KEY=first\nTHE_KEY=local\n"),
        ("what is this\nTHE_KEY='local'\n", "what is this\nTHE_KEY='local'\n"),
    ],
    ids=["empty", "no line end", "mark", "indent", "twice", "same"],
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


def test_odd_key_is_quoted() -> None:
    """A key with characters that mean something in such a file is put into quotes."""
    route = Route(ROUTE.base_url, CHOICE, "a b#$c")
    text = KEY.provisioned("", route, add_models=False)
    assert text == "THE_KEY='a b#$c'\n"
    assert KEY.provisioned(text, route, add_models=False) == text
