"""Measures the server beside relays and other gateways; no part of what is installed."""
