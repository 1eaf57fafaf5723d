"""Tests of the simulator, one module each."""
