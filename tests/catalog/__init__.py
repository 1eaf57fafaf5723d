"""Tests of the model catalogue."""
