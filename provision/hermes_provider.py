"""Hermes Agent: a model provider of its own, in ``plugins/model-providers/antigravity``.

Nobody else writes into that folder, so its two files are written whole. Hermes wants a key in the variable.

Source:
    Hermes 0.19, which this was tried with.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ProvisionError
from .dotenv_file import DotEnv
from .route import ID, KEY_VARIABLE, TITLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from .route import Route

FOLDER = f"plugins/model-providers/{ID}"
MARK = "antigravity-proxy provision"
"""In the first line of every file of ours."""

MANIFEST = f"""\
# Written by `{MARK} hermes --as-provider`.
name: {ID}-provider
kind: model-provider
version: 1.0.0
description: The models of a Google AI subscription, through antigravity-proxy
"""
MODULE = '''\
"""Written by `{mark} hermes --as-provider`, which writes it again when it is run again."""

from providers import register_provider
from providers.base import ProviderProfile


class Antigravity(ProviderProfile):
    """The models of a Google AI subscription, through antigravity-proxy."""

    def build_api_kwargs_extras(self, *, reasoning_config=None, **context):
        """Say how much a model shall think, where that was chosen."""
        config = reasoning_config if isinstance(reasoning_config, dict) else {{}}
        if config.get("enabled") is False:
            return {{}}, {{"reasoning_effort": "none"}}
        effort = {{"max": "xhigh", "ultra": "xhigh"}}.get(config.get("effort"), config.get("effort"))
        return {{}}, {{"reasoning_effort": effort}} if effort else {{}}


register_provider(
    Antigravity(
        name={id},
        display_name={title},
        description="Your own Google AI subscription",
        env_vars=({key_variable},),
        base_url={url},
        supports_vision=True,
        fallback_models=(
{models}
        ),
    )
)
'''


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that is all ours.

    Attributes:
        render: gives its content.
        fresh: the file before anything of ours.
        syntax: none.
    """

    render: Callable[[Route], str]
    fresh: str = ""
    syntax: None = None

    def provisioned(self, text: str, route: Route, *, add_models: bool) -> str:
        """See ``Document``."""
        if text.strip() and not is_ours(text):
            raise ProvisionError("somebody else has written this file. Move it away and try again.")
        return self.render(route)

    def withdrawn(self, text: str, before: str, route: Route) -> str:
        """See ``Document``."""
        return before if is_ours(text) else text


def is_ours(text: str) -> bool:
    """Whether a file of a model provider was written by us."""
    return MARK in text.partition("\n")[0]


def _module(route: Route) -> str:
    return MODULE.format(
        mark=MARK,
        id=json.dumps(ID),
        title=json.dumps(TITLE),
        key_variable=json.dumps(KEY_VARIABLE),
        url=json.dumps(route.base_url),
        models="\n".join(f"            {json.dumps(model.id)}," for model in route.models),
    )


PLUGIN = OwnFile(lambda _: MANIFEST)
PROVIDER = OwnFile(_module)
KEY = DotEnv(KEY_VARIABLE, is_for_accounts=False)
