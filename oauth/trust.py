"""Where tokens and login codes may be sent: one rule for every address that can be set.

Source: SPEC.md, "Trusted hosts".
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Collection
    from urllib.parse import SplitResult

PLAIN_URL = re.compile(r"https?://[!-\[\]-~]+", re.ASCII | re.IGNORECASE)
"""An address in printable ASCII without a backslash: programs disagree about the host of any other."""

GOOGLE_HOST = re.compile(r"(?:[a-z0-9-]+\.)*googleapis\.com")
"""Other domains of Google's serve what users put there."""


def distrust(url: str, *, more_hosts: Collection[str] = ()) -> str | None:
    """Why tokens must not be sent to a URL, as the end of a sentence about it; None where they may.

    Trusted are https on ``googleapis.com`` and below it, and http or https on this machine. No more of the URL than
    its host is ever quoted.

    Args:
        url: where they would be sent.
        more_hosts: further hosts that are trusted over https.
    """
    parts = split_url(url)
    if parts is None:
        return "must be a URL such as https://daily-cloudcode-pa.googleapis.com"
    host = parts.hostname or ""
    if not is_loopback(host):
        if not GOOGLE_HOST.fullmatch(host) and host not in more_hosts:
            allowed = ", ".join(["*.googleapis.com", *more_hosts])
            return f"names the host {host}; tokens only go to {allowed} or to this machine"
        if parts.scheme != "https":
            return "must be https, as tokens are sent there"
    if parts.username is not None or parts.password is not None:
        return "must not contain a user name or password"
    return None


def split_url(url: str) -> SplitResult | None:
    """The parts of an http or https URL; None for text that is none, or whose host is not plain to see."""
    if not PLAIN_URL.fullmatch(url):
        return None
    try:
        parts = urlsplit(url)
        is_usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if is_usable else None


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Whether a host name or address can only be this machine; any other name may be led elsewhere by DNS."""
    host = host.removeprefix("[").removesuffix("]").lower().rstrip(".")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
