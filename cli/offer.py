"""The models that are written into harnesses: those that the running proxy lists, else the built-in ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from ..errors import ProvisionError
    from ..provision.route import Route
    from ..proxy.neighbour import Neighbour
    from ..proxy.settings import Settings

CONTAINER_HOST = "host.docker.internal"
"""What containers call this machine, which may not know itself by that name."""

MEANT = "add --base-url {} if that is meant"
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
    from ..errors import ApiKeyError
    from .loop import run

    where = f"the antigravity-proxy at {_shown(route.base_url)}"
    try:
        answer = run(_ask(route, settings))
    except ApiKeyError as exc:
        raise _wrong_key(route.base_url, route, settings) from exc
    if answer is None:
        other = elsewhere(route, settings)
        hint = "" if other is None else f", but one at {other}: {MEANT.format(other)}"
        return route, _built_in(route, f"no antigravity-proxy runs at {_shown(route.base_url)}{hint}")
    neighbour, document = answer
    if not route.has_account and _is_simulated(neighbour):
        return route, _built_in(route, f"the simulator answers at {_shown(route.base_url)}")
    models, source = read_listing(document)
    if not models:
        return route, _built_in(route, f"{where} lists none")
    return replace(route, models=models), f"Models: the {len(models)} that {where} lists{_of(source)}."


def elsewhere(route: Route, settings: Settings) -> str | None:
    """The base URL of the proxy of the home, when it runs somewhere else than the route leads; None when it does not.

    Args:
        route: the way to a proxy.
        settings: of the proxy.
    """
    from ..proxy.run_file import find_running
    from .loop import run

    found = run(find_running(settings.home))
    return found[0] if found is not None and found[0] != route.base_url else None


def check_key(route: Route, settings: Settings) -> None:
    """Make sure that the proxy of the home takes the key that programs are given, if it runs.

    Args:
        route: the way to the proxy.
        settings: of the proxy.

    Raises:
        ProvisionError: it wants another key.
    """
    from ..errors import ApiKeyError
    from ..proxy.neighbour import ask_models
    from ..proxy.run_file import find_running
    from .loop import run

    found = run(find_running(settings.home))
    if found is None:
        return
    try:
        run(ask_models(found[0], route.key))
    except ApiKeyError as exc:
        raise _wrong_key(found[0], route, settings) from exc


def _wrong_key(url: str, route: Route, settings: Settings) -> ProvisionError:
    from ..errors import ProvisionError
    from ..proxy.settings import CONFIG_FILE

    what = "none is set here" if route.key is None else "another one is set here"
    return ProvisionError(WRONG_KEY.format(url=_shown(url), what=what, config=settings.home / CONFIG_FILE))


async def _ask(route: Route, settings: Settings) -> tuple[Neighbour, object] | None:
    from ..proxy.neighbour import ask_models, reachable

    parts = urlsplit(route.base_url)
    if parts.hostname == CONTAINER_HOST:
        here = parts._replace(netloc=f"{reachable(settings.host)}:{parts.port or 80}").geturl()
        if (answer := await ask_models(here, route.key)) is not None:
            return answer
    return await ask_models(route.base_url, route.key)


def _shown(url: str) -> str:
    """A URL without the key that may be in it."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _built_in(route: Route, reason: str) -> str:
    return f"Models: the {len(route.models)} of the built-in table, as {reason}."


def _of(source: str) -> str:
    from ..catalog.catalog import BUILT_IN

    return f" for {source}" if source not in ("", BUILT_IN) else ", which are built in"


def _is_simulated(neighbour: Neighbour) -> bool:
    from ..oauth.trust import is_loopback

    return is_loopback(urlsplit(neighbour.upstream).hostname or "")
