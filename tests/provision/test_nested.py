"""Tests of plain data inside of plain data."""

from __future__ import annotations

from antigravity_proxy.provision.nested import has_keys, merged, value_at, with_value


def test_value_is_found_where_it_is() -> None:
    """A value is found through mappings, and nothing where they end."""
    data = {"a": {"b": 1}, "c": 2}
    assert value_at(data, ("a", "b")) == 1
    assert value_at(data, ("a", "x")) is None
    assert value_at(data, ("c", "b")) is None


def test_value_is_put_beside_the_others() -> None:
    """The rest of the data stays, and the original does too."""
    data = {"a": {"b": 1}}
    assert with_value(data, ("a", "c"), 2) == {"a": {"b": 1, "c": 2}}
    assert with_value(data, ("x", "y"), 3) == {"a": {"b": 1}, "x": {"y": 3}}
    assert data == {"a": {"b": 1}}


def test_keys_are_looked_for_at_every_depth() -> None:
    """All keys must be there, whatever they hold, and more may be."""
    assert has_keys({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 5}, "d": None})
    assert not has_keys({"a": {"c": 2}}, {"a": {"b": 1}})
    assert not has_keys({"a": 1}, {"a": {}})
    assert not has_keys(None, {})


def test_merging_goes_into_mappings() -> None:
    """Mappings are merged, everything else is replaced."""
    assert merged({"a": {"b": 1}, "c": 1}, {"a": {"d": 2}, "c": {"e": 3}}) == {"a": {"b": 1, "d": 2}, "c": {"e": 3}}
