"""Tests of what is measured with."""
