"""Aider: where the proxy is in ``.aider.conf.yml``, and what its models can do in two files beside it.

Source:
    https://aider.chat/docs/config/aider_conf.html and https://aider.chat/docs/config/adv-model-settings.html, and
    Aider 0.86, which this was tried with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..catalog.builtin import MODELS
from ..errors import ProvisionError
from ..translate.json_text import as_object
from .removal import withdraw_all
from .route import host_of, is_reference
from .rows import Rows
from .splice import merge
from .syntax import JSONC, YAML
from .tree import data_of

if TYPE_CHECKING:
    from ..catalog.model import Model
    from .route import Route
    from .syntax import Syntax

URL = "openai-api-base"
KEY = "openai-api-key"
MODEL = "model"
OUR_NAMES = ("openai/gemini-", "openai/claude-")
"""How names begin that nobody but a proxy such as ours has; ``openai/gpt-oss-`` may be on any server."""


@dataclass(frozen=True, slots=True)
class Connection:
    """The two settings of Aider's one OpenAI connection.

    Attributes:
        fresh: the file before anything of ours.
        syntax: how the file is written.
    """

    fresh: str = ""
    syntax: Syntax = YAML

    def provisioned(self, text: str, route: Route, *, add_models: bool) -> str:
        """See ``Document``."""
        existing = self._existing(text)
        url, key = existing.get(URL), existing.get(KEY)
        if url is None and key not in (None, route.written_key):
            raise ProvisionError(
                f"{KEY} is set for OpenAI itself, and Aider has only one such connection. Remove it and try again."
            )
        if url is not None and not route.has_written(url, key, existing.get(MODEL)):
            raise ProvisionError(
                f"{URL} leads to {host_of(url)}, and Aider has only one such connection. Remove it and try again."
            )
        wanted = {URL: route.base_url}
        if not is_reference(key):
            wanted[KEY] = route.literal_key
        return merge(text, (), wanted, self.syntax)

    def withdrawn(self, text: str, before: str, route: Route) -> str:
        """See ``Document``."""
        existing = self._existing(text)
        if route.has_written(existing.get(URL), existing.get(KEY), existing.get(MODEL)):
            return withdraw_all(text, (), (KEY, URL), self.syntax, before)
        return text

    def _existing(self, text: str) -> dict[str, Any]:
        return as_object(data_of(self.syntax.parse(text)))


def _name(model: Model) -> str:
    return f"openai/{model.id}"


def _limits(model: Model) -> dict[str, Any]:
    return {
        "max_tokens": model.max_output_tokens,
        "max_input_tokens": model.context_tokens,
        "max_output_tokens": model.max_output_tokens,
        "input_cost_per_token": 0,
        "output_cost_per_token": 0,
        "litellm_provider": "openai",
        "mode": "chat",
        "supports_vision": "image" in model.inputs,
    }


def _behaviour(model: Model) -> dict[str, Any]:
    return {"accepts_settings": ["reasoning_effort"] if model.efforts else []}


def _is_old_limit(name: str, existing: dict[str, Any]) -> bool:
    return name.startswith(OUR_NAMES) and existing.keys() == _limits(MODELS[0]).keys()


def _is_old_behaviour(name: str, existing: dict[str, Any]) -> bool:
    return name.startswith(OUR_NAMES) and existing.keys() == {"name", *_behaviour(MODELS[0])}


CONNECTION = Connection()
LIMITS = Rows(syntax=JSONC, path=(), row=_limits, name_of=_name, is_old_one=_is_old_limit)
BEHAVIOUR = Rows(syntax=YAML, path=(), row=_behaviour, name_of=_name, name="name", is_old_one=_is_old_behaviour)
