"""Tests with the real programs of other people, downloaded for the purpose; run by ``make test-clients``."""
