"""DSH: the provider ``antigravity`` of ``llm-pi-ai``, and the variable that holds its key.

DSH 0.1 keeps the provider in ``settings.yaml``, DSH 0.2 in the row of each profile's ``cordis.patch.yml``. One level
that is not ``off`` without a value, or ``audio`` in what a model takes, makes DSH refuse every provider.

Source:
    DSH 0.2.1, which this was tried with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .dotenv_file import DotEnv
from .provider import ModelRows, Provider
from .removal import cut
from .route import ID
from .splice import put
from .syntax import YAML
from .tree import Row, find

if TYPE_CHECKING:
    from ..catalog.model import Model
    from .route import Route
    from .syntax import Syntax

KEY_VARIABLE = "ANTIGRAVITY_ACCESS_TOKEN"
"""Holds the proxy's key while an account is active; never a token of Google's."""

SECTION = "llm-pi-ai"
INPUTS = ("text", "image")
"""All that DSH takes in ``input``."""


def _row(model: Model) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": f"{model.name} (Antigravity)",
        "contextWindow": model.context_tokens,
        "maxTokens": model.max_output_tokens,
        "input": [kind for kind in INPUTS if kind in model.inputs],
    }
    if model.efforts:
        row["reasoningEfforts"] = {"off": None} | {str(effort): str(effort) for effort in model.efforts}
    return row


def _owned(_route: Route) -> dict[str, Any]:
    return {
        "apiKeyEnv": KEY_VARIABLE,
        "api": "openai-completions",
        "compat": {"supportsDeveloperRole": False, "maxTokensField": "max_tokens"},
    }


def _initial(_route: Route) -> dict[str, Any]:
    return {"displayName": "Antigravity (Google AI subscription)"}


def _provider(*path: str | Row) -> Provider:
    return Provider(
        syntax=YAML,
        path=(*path, "providers", ID),
        owned=_owned,
        urls=(("baseURL",),),
        initial=_initial,
        models=ModelRows("models", _row, name="id"),
    )


SETTINGS = _provider(SECTION)
PATCH = _provider(Row("id", SECTION), "config")
KEY = DotEnv(KEY_VARIABLE)


@dataclass(frozen=True, slots=True)
class Credentials:
    """DSH's own store of keys, which comes before the variables: what stands there for our name must be right too.

    Attributes:
        fresh: the file before anything of ours.
        syntax: how the file is written.
    """

    fresh: str = ""
    syntax: Syntax = YAML

    def provisioned(self, text: str, route: Route, *, add_models: bool) -> str:
        """See ``Document``; nothing is written where nothing stands."""
        if find(self.syntax.parse(text), (KEY_VARIABLE,)) is None:
            return text
        if not route.has_account:
            return cut(text, (KEY_VARIABLE,), self.syntax)
        return put(text, (KEY_VARIABLE,), route.written_key, self.syntax)

    def withdrawn(self, text: str, before: str, route: Route) -> str:
        """See ``Document``."""
        return cut(text, (KEY_VARIABLE,), self.syntax)


CREDENTIALS = Credentials()


def has_section(text: str) -> bool:
    """Whether a patch has the row of the providers, which then replaces that of every file before it.

    Raises:
        ProvisionError: it cannot be parsed.
    """
    return find(YAML.parse(text), (Row("id", SECTION),)) is not None
