"""Tests with real processes and real clients."""
