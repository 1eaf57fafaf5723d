"""Tests, one folder per package folder."""
