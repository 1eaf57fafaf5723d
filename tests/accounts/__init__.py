"""Tests of the account pool and its file."""
