"""The key that DSH finds in its environment, which says whether anybody is logged in."""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..accounts.pool import Pool
    from ..proxy.settings import Settings

log = logging.getLogger(__name__)

TAG_BYTES = 8


def follow(settings: Settings, before: Pool, after: Pool) -> None:
    """Give DSH the proxy's key when somebody serves, and take it away when nobody does any more.

    Only where the route was written into DSH. A failure is a line in the log, as it is no reason to fail a login.

    Args:
        settings: of the proxy.
        before: the accounts before a change.
        after: the accounts after it.
    """
    if (before.active is None) == (after.active is None):
        return
    from ..errors import ProvisionError

    try:
        _write(settings)
    except ProvisionError as exc:
        log.warning("DSH was not told whether somebody is logged in: %s", exc)


def _write(settings: Settings) -> None:
    from ..provision.harnesses import dsh_has_route, dsh_keys
    from ..provision.writer import carry_out, plan
    from .provision import find_places, make_route

    places = find_places()
    if not dsh_has_route(places):
        return
    for target in dsh_keys(places):
        change = plan(target, make_route(settings), add_models=False)
        if change.is_needed:
            carry_out(change, new_tag=lambda: secrets.token_hex(TAG_BYTES))
