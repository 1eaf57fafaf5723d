"""The list of models, with what their account has left of them.

Source:
    SPEC.md, "Model list".
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..accounts.quota import quota_pool_of
from ..accounts.quota_format import to_timestamp
from ..catalog.listing import Left, nothing_known, to_listing, to_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..accounts.account import Account
    from ..catalog.catalog import Catalog
    from ..catalog.model import Model
    from ..catalog.wire import ModelList, ModelRow
    from .services import Services


def list_models(services: Services) -> ModelList:
    """The models of the active account, from memory; what is old is asked for beside."""
    catalog = services.live_models.current()
    return to_listing(catalog.models, catalog.source, _left_to_active(services))


async def find_model(services: Services, model_id: str) -> ModelRow:
    """One model of the active account; Google is asked what there is when it is not known.

    Raises:
        UnknownModelError: there is none; the message names the nearest ids.
    """

    def find(catalog: Catalog) -> ModelRow:
        model = catalog.find(model_id)
        return to_row(model, catalog.source, left_to(model))

    left_to = _left_to_active(services)
    return await services.live_models.resolve(find)


async def read_models(services: Services, account: Account) -> ModelList:
    """The models as Google lists them now for an account, and what it has left of them.

    Raises:
        ProxyError: Google lists none; that it does not tell the quota is no failure.
    """
    catalog = await services.live_models.read(account)
    await services.quota.look([account])
    return to_listing(catalog.models, catalog.source, partial(_left, services, account))


def _left_to_active(services: Services) -> Callable[[Model], Left]:
    account = services.store.read().active
    if account is None:
        return nothing_known
    services.quota.keep_fresh(account)
    return partial(_left, services, account)


def _left(services: Services, account: Account, model: Model) -> Left:
    reading = services.quota.left(account.id, quota_pool_of(model.family))
    return Left(reading.remaining, None if reading.resets_at_s is None else to_timestamp(reading.resets_at_s))
