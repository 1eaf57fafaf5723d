"""Tests of a server under load, a process of its own that is counted from outside."""
