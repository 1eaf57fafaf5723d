"""Tests of the plugins for other programs."""
