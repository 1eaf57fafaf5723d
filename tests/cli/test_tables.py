"""Tests of what listing commands print."""

from __future__ import annotations

import json

import pytest

from antigravity_proxy.cli.tables import print_json, print_table

LONG = "google:0123456789abcdef01234567-" * 5


@pytest.mark.parametrize("columns", ["20", "80", "400"])
def test_rows_stay_in_one_line(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lines are as long as their cells, however narrow the terminal: an id that is broken in two cannot be copied."""
    monkeypatch.setenv("COLUMNS", columns)
    print_table(("", "Id", "Project"), [("*", LONG, "one"), ("", "short", "two")])
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        f"   {'Id'.ljust(len(LONG))}  Project",
        f"*  {LONG}  one",
        f"   {'short'.ljust(len(LONG))}  two",
    ]


def test_cells_are_not_taken_for_markup(capsys: pytest.CaptureFixture[str]) -> None:
    """Text of other people cannot colour or hide anything."""
    print_table(("Name",), [("[red]x[/red]",), (":smile:",)])
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == ["Name", "[red]x[/red]", ":smile:"]


def test_json_is_indented(capsys: pytest.CaptureFixture[str]) -> None:
    """Values are printed as JSON that people can read too."""
    print_json({"a": ["grüße"]})
    out = capsys.readouterr().out
    assert out == '{\n  "a": [\n    "grüße"\n  ]\n}\n'
    assert json.loads(out) == {"a": ["grüße"]}
