"""Pretend Google: a real server that speaks and enforces the upstream protocol."""
