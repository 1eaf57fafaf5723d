"""The server: settings, the one HTTP client, one request from start to end, routes."""
