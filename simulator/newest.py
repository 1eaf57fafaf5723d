"""A dictionary that keeps only its newest entries, so that a simulator that runs for weeks does not grow."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Newest(OrderedDict[Key, Value]):
    """Forgets its oldest entry when one more than ``capacity`` is put in; setting an entry makes it the newest.

    Args:
        capacity: how many entries are kept.
    """

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self._capacity = capacity

    def __setitem__(self, key: Key, value: Value) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._capacity:
            self.popitem(last=False)
