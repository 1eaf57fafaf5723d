"""Tests of the client identity, token requests and token refresh."""
