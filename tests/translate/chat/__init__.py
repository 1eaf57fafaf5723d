"""Tests of the Chat Completions dialect."""
