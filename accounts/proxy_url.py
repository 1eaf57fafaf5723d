"""The URL of an account's own HTTP proxy, and how it is shown.

Source: SPEC.md, "Proxies".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from typing import TypeGuard

_LOGIN = r"(?:[^\s/?#@\\]*@)?"
_LABEL = r"[a-z0-9_-]{1,63}"  # a longer or an empty one is no name, and Python raises what is no error of a network
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9a-f:.]+\])"
_FORM = re.compile(rf"https?://{_LOGIN}{_HOST}(?::[0-9]{{1,5}})?/?", re.ASCII | re.IGNORECASE)
"""A login, a host and a port; a path or a query would say nothing to a proxy."""

_MASK = "***"


def is_proxy_url(value: Any) -> TypeGuard[str]:
    """Whether a value is the URL of an HTTP proxy, such as ``http://user:password@proxy.example:3128``."""
    if not isinstance(value, str) or not value.isascii() or not value.isprintable() or not _FORM.fullmatch(value):
        return False
    try:
        parts = urlsplit(value)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def mask_proxy(url: str) -> str:
    """The URL of a proxy without the name and password in it: ``http://***@proxy.example:3128``."""
    scheme, _, rest = url.partition("://")
    login, at, host = rest.rpartition("@")
    return f"{scheme}://{_MASK if login else ''}{at}{host.rstrip('/')}"
