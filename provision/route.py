"""What is written into a harness: where the proxy is, what it wants as a key, and which models it has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..errors import ProvisionError

if TYPE_CHECKING:
    from ..catalog.model import Model

ID = "antigravity"
"""The provider's id in every harness."""

TITLE = "Antigravity"
KEY_VARIABLE = "ANTIGRAVITY_API_KEY"
"""Where harnesses look for the key that do not have it in their files; not a setting of the proxy's own."""

PLACEHOLDER = "local"
"""The key of a proxy that wants none: harnesses insist on one."""

DEFAULT_PORT = 51_122
"""The port of a proxy whose settings say none, so where an entry of ours may have led before."""

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1", "0.0.0.0", "host.docker.internal"})  # noqa: S104
"""Hosts an entry of ours may name; anything else is somebody else's server."""

REFERENCE_MARKS = ("${", "{env:", "{file:", "$", "!", "os.environ/")
"""How keys begin that say where the key is instead of holding it."""


@dataclass(frozen=True, slots=True)
class Route:
    """The way from a harness to the proxy.

    Attributes:
        base_url: of the proxy, ending in ``/v1``.
        models: in the order they are offered.
        key: the proxy's own API key; None when it wants none.
        has_account: whether somebody is logged in.
        written_at: now, RFC 3339 in UTC, for harnesses that keep the time of a change.
    """

    base_url: str
    models: tuple[Model, ...]
    key: str | None = field(default=None, repr=False)
    has_account: bool = True
    written_at: str = ""

    @property
    def written_key(self) -> str:
        """The key as harnesses are told it."""
        return self.key or PLACEHOLDER

    @property
    def literal_key(self) -> str:
        """The key for a place where a reference may stand instead of one.

        Raises:
            ProvisionError: it would be taken for a reference, and stay as its owner's when the proxy gets another.
        """
        if is_reference(self.written_key):
            raise ProvisionError(
                "the proxy's API key begins with $, ! or another sign of a reference, so programs would look "
                "elsewhere for it. Choose another API key, of letters and digits."
            )
        return self.written_key

    def is_ours(self, url: str) -> bool:
        """Whether a URL in an entry leads to this proxy, or to where it may have been before."""
        try:
            host = urlsplit(url).hostname
        except ValueError:
            return False
        return host in LOCAL_HOSTS or host == urlsplit(self.base_url).hostname

    def has_written(self, url: object, key: object, model: object) -> bool:
        """Whether a connection that has no name of ours was written by us.

        Another server of this machine, such as Ollama, may be there instead. So the port must be that of the proxy,
        or the key and the model must be ours.

        Args:
            url: where it leads.
            key: what it has as a key.
            model: what it asks for, with or without a ``openai/`` before it.
        """
        if not isinstance(url, str) or not self.is_ours(url):
            return False
        if _port_of(url) in {_port_of(self.base_url), DEFAULT_PORT}:
            return True
        is_our_model = isinstance(model, str) and model.removeprefix("openai/") in {known.id for known in self.models}
        return is_our_model and key in (PLACEHOLDER, self.written_key)


def _port_of(url: str) -> int | None:
    try:
        parts = urlsplit(url)
        return parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None


def is_web_url(url: str) -> bool:
    """Whether a URL is one of ``http`` or ``https`` with a host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    is_web = parts.scheme in {"http", "https"} and bool(parts.hostname) and _port_of(url) is not None
    return is_web and url.isprintable() and " " not in url


def host_of(url: object) -> str:
    """The host that a URL leads to, with its port where it names one, without what may be secret in it."""
    try:
        parts = urlsplit(url if isinstance(url, str) else "")
        host, port = parts.hostname or "nowhere", parts.port
    except ValueError:
        return "nowhere"
    return host if port is None else f"{host}:{port}"


def is_reference(key: object) -> bool:
    """Whether a key in an entry is a reference to a variable, a file or a command, which its owner chose."""
    return isinstance(key, str) and key.startswith(REFERENCE_MARKS)
