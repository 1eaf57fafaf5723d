"""Which way a call takes: through an account's own HTTP proxy, that of the environment, or none.

Source:
    SPEC.md, "Proxies".
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from ..accounts.proxy_url import is_proxy_url
from ..errors import UpstreamUnreachableError
from ..oauth.trust import is_loopback

if TYPE_CHECKING:
    from collections.abc import Mapping


class Way(TypedDict):
    """What the HTTP client is told about the way of one call."""

    proxy: URL | None
    proxy_headers: Mapping[str, str] | None


PROXY_LOGIN = "Proxy-Authorization"
"""The header with the login of a proxy."""

DIRECT: Way = {"proxy": None, "proxy_headers": None}


class Ways:
    """The ways of one server's calls.

    The environment's proxy, or that of the system's settings, is looked up once for each host. ``~/.netrc`` is not
    read: a login from there is none of ours.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str | None] = {}

    def to(self, url: str, own_proxy: str | None = None) -> Way:
        """The way to a URL; always direct to this machine.

        Args:
            url: what is called.
            own_proxy: URL of the proxy of the account that calls; it goes before the environment's.

        Raises:
            UpstreamUnreachableError: the environment's proxy cannot be used; names the variable.
        """
        parts = urlsplit(url)
        host = parts.hostname or ""
        if is_loopback(host):
            return DIRECT
        proxy = own_proxy or self._of_environment(parts.scheme, host)
        return DIRECT if proxy is None else _through(URL(proxy))

    def _of_environment(self, scheme: str, host: str) -> str | None:
        if (scheme, host) not in self._known:
            self._known[scheme, host] = _proxy_for(scheme, host)
        return self._known[scheme, host]


def _through(proxy: URL) -> Way:
    """The way through a proxy; its login is no part of the URL then, which messages may quote."""
    if proxy.user is None:
        return {"proxy": proxy, "proxy_headers": None}
    login = base64.b64encode(f"{proxy.user}:{proxy.password or ''}".encode()).decode()
    return {"proxy": proxy.with_user(None), "proxy_headers": {PROXY_LOGIN: f"Basic {login}"}}


def to_proxy_url(value: str) -> str | None:
    """The URL of the HTTP proxy that a variable names, perhaps without ``http://``; None when it is none."""
    url = value if "://" in value else f"http://{value}"
    return url if is_proxy_url(url) else None


def _proxy_for(scheme: str, host: str) -> str | None:
    proxies = getproxies()
    name = scheme if proxies.get(scheme) else "all"
    value = proxies.get(name)
    if not value or proxy_bypass(host):
        return None
    url = to_proxy_url(value)
    if url is None:  # the value is not quoted: it may hold a login
        raise UpstreamUnreachableError(
            f"{name.upper()}_PROXY, or this system's settings, names no HTTP proxy that can be used for {host}. "
            "Set it to a URL such as http://proxy.example:3128, or NO_PROXY to the host."
        )
    return url
