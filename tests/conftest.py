"""What holds for every test."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.register_profile("random", derandomize=False, max_examples=1000, print_blob=True)
settings.load_profile("repeatable")
