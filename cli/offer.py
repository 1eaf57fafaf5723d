"""The models that are written into harnesses: those that the running proxy lists, else the built-in ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from ..provision.route import Route
    from ..proxy.neighbour import Neighbour
    from ..proxy.settings import Settings

CONTAINER_HOST = "host.docker.internal"
"""What containers call this machine; here it may have no such name."""

WRONG_KEY = """\
The antigravity-proxy at {url} wants an API key, and {what}, so programs would get 401 from it. Put its key where \
every command finds it: api_key in {config}, or ANTIGRAVITY_PROXY_API_KEY. If it is new, start the server again."""


def offered(route: Route, settings: Settings) -> tuple[Route, str]:
    """The route with the models that the proxy lists at its end, and where they are from, for people.

    Args:
        route: with the models of the built-in table.
        settings: of the proxy.

    Raises:
        ProvisionError: the proxy that runs there wants another key.
    """
    from ..catalog.listing import read_listing
    from ..errors import ApiKeyError, ProvisionError
    from ..proxy.neighbour import ask_models
    from ..proxy.run_file import find_running
    from ..proxy.settings import CONFIG_FILE
    from .loop import run

    try:
        answer = run(ask_models(_asked_url(route.base_url, settings), route.key))
    except ApiKeyError as exc:
        what = "none is set here" if route.key is None else "another one is set here"
        config = settings.home / CONFIG_FILE
        raise ProvisionError(WRONG_KEY.format(url=route.base_url, what=what, config=config)) from exc
    if answer is None:
        other = run(find_running(settings.home))
        hint = f", but one at {other[0]}: add --base-url {other[0]} if that is meant" if other is not None else ""
        return route, _built_in(route, f"no antigravity-proxy runs at {route.base_url}{hint}")
    neighbour, document = answer
    if not route.has_account and _is_simulated(neighbour):
        return route, _built_in(route, f"the simulator answers at {route.base_url}")
    models, source = read_listing(document)
    if not models:
        return route, _built_in(route, f"the antigravity-proxy at {route.base_url} lists none")
    where = f"the antigravity-proxy at {route.base_url}"
    return replace(route, models=models), f"Models: the {len(models)} that {where} lists{_of(source)}."


def _asked_url(base_url: str, settings: Settings) -> str:
    from ..proxy.neighbour import reachable

    parts = urlsplit(base_url)
    if parts.hostname != CONTAINER_HOST:
        return base_url
    return parts._replace(netloc=f"{reachable(settings.host)}:{parts.port or 80}").geturl()


def _built_in(route: Route, reason: str) -> str:
    return f"Models: the {len(route.models)} of the built-in table, as {reason}."


def _of(source: str) -> str:
    from ..catalog.catalog import BUILT_IN

    return f" for {source}" if source not in ("", BUILT_IN) else ", which are built in"


def _is_simulated(neighbour: Neighbour) -> bool:
    from ..oauth.trust import is_loopback

    return is_loopback(urlsplit(neighbour.upstream).hostname or "")
