"""The key that DSH finds in its environment, which says whether anybody is logged in."""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING

from ..errors import ProvisionError, ProxyError

if TYPE_CHECKING:
    from ..accounts.pool import Pool
    from ..provision.places import Places
    from ..provision.route import Route
    from ..proxy.settings import Settings

log = logging.getLogger(__name__)

TAG_BYTES = 8
ATTEMPTS = 10
"""So often the key is written when accounts or files change meanwhile."""


def follow(settings: Settings, before: Pool, after: Pool, *, is_server: bool = False) -> None:
    """Give DSH the proxy's key when somebody serves, and take it away when nobody does any more.

    Args:
        settings: of the proxy.
        before: the accounts before a change.
        after: the accounts after it.
        is_server: whether the settings are those that the server runs with.
    """
    if (before.active is None) != (after.active is None):
        settle(settings, is_server=is_server)


def settle(settings: Settings, *, is_server: bool) -> None:
    """Make DSH's key what it should be now: the proxy's while somebody serves, none while nobody does.

    Only where the route was written into DSH, and only what is different is written. A command writes no key that the
    running server does not take, which may have its own in its environment alone. A failure is a line in the log, as
    it is no reason to fail a login or a server.

    Args:
        settings: of the proxy.
        is_server: whether they are those that the server runs with.
    """
    try:
        _write(settings, is_server=is_server)
    except (ProxyError, OSError) as exc:
        log.warning("DSH was not told whether somebody is logged in: %s", exc)


def _write(settings: Settings, *, is_server: bool) -> None:
    from ..provision.places import dsh_home
    from .offer import check_key
    from .provision import find_places, make_route

    places = find_places()
    if not dsh_home(places).is_dir():
        return
    from ..provision.harnesses import dsh_has_route

    if not dsh_has_route(places):
        return
    if not is_server and (route := make_route(settings)).has_account:
        check_key(route, settings)
    for attempt in range(1, ATTEMPTS + 1):
        route = make_route(settings)
        try:
            _write_key(places, route)
        except ProvisionError:
            if attempt == ATTEMPTS:
                raise
        else:
            # Another process may have written between the look at the accounts and the files, for what was before.
            if make_route(settings).has_account is route.has_account:
                return


def _write_key(places: Places, route: Route) -> None:
    from ..provision.harnesses import dsh_keys
    from ..provision.writer import carry_out, plan

    for target in dsh_keys(places):
        change = plan(target, route, add_models=False)
        if change.is_needed:
            carry_out(change, new_tag=lambda: secrets.token_hex(TAG_BYTES))
