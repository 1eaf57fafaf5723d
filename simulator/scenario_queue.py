"""Which scenarios the next request gets: from markers in its text, and from the queue of the control API."""

from __future__ import annotations

import hashlib
import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .fields import is_integer, is_list, is_object
from .memory import Newest
from .models import MODELS_BY_ID
from .scenarios import FOREVER, GENERATE, Scenario, ScenarioError, make_scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKER = re.compile(r"\[\[simulate\s+(.*?)\]\]\s?", re.DOTALL)
PLACE_KEYS = frozenset({"name", "method", "account", "model", "times", "also"})
"""Keys of a scenario on the control API that are not parameters of its kind."""


def read_markers(text: str) -> tuple[str, list[Scenario]]:
    """Give a text without its markers, and the scenarios they wish for.

    A marker is ``[[simulate NAME key=value key="two words"]]``. Without ``times=N`` it holds for every request that
    brings it; with it, for the first N that bring the same text.

    Raises:
        ScenarioError: when a marker is malformed or names what does not exist.
    """
    scenarios = [_read_marker(match[1]) for match in MARKER.finditer(text)]
    return (MARKER.sub("", text).strip() if scenarios else text), scenarios


def read_scenario(document: object) -> Scenario:
    """Give the scenario a JSON object of the control API describes.

    The object is ``{"name", "method"?, "account"?, "model"?, "times"?, "also"?: [{"name", …}], …parameters}``.

    Raises:
        ScenarioError: when it describes no scenario.
    """
    if not is_object(document):
        raise ScenarioError("a scenario must be an object")
    params = {key: value for key, value in document.items() if key not in PLACE_KEYS}
    times: object = document.get("times", 1)
    if not is_integer(times):
        raise ScenarioError(f"times must be a whole number, not {times!r}")
    also: object = document.get("also", [])
    if not is_list(also):
        raise ScenarioError("also must be a list of scenarios")
    method = str(document.get("method", GENERATE))
    account: Any = document.get("account")
    model = document.get("model")
    if model is not None and model not in MODELS_BY_ID:
        raise ScenarioError(f"unknown model {model!r}; there are {', '.join(MODELS_BY_ID)}")
    return replace(
        make_scenario(str(document.get("name")), params, method),
        account=None if account is None else str(account).lower(),
        model=model,
        times=times,
        also=tuple(read_scenario({"method": method, **other} if is_object(other) else other) for other in also),
    )


class ScenarioQueue:
    """The scenarios that wait for their requests.

    Args:
        capacity: how many scenarios may wait, and how many texts with a marker are remembered.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._waiting: list[Scenario] = []
        self._marked: Newest[bytes, int] = Newest(capacity)

    def add(self, scenario: Scenario) -> None:
        """Put a scenario at the end.

        Raises:
            ScenarioError: when too many are waiting.
        """
        if len(self._waiting) >= self._capacity:
            raise ScenarioError(f"{self._capacity} scenarios are waiting already")
        self._waiting.append(scenario)

    def clear(self) -> None:
        """Forget all scenarios."""
        self._waiting.clear()
        self._marked.clear()

    def __iter__(self) -> Iterator[Scenario]:
        return iter(self._waiting)

    def take(self, method: str, account: str | None, model: str | None = None) -> list[Scenario]:
        """Take from the queue the first scenario that is for a request, and give it with its company."""
        for index, scenario in enumerate(self._waiting):
            if scenario.is_for(method, account, model):
                if scenario.times == 1:
                    del self._waiting[index]
                elif scenario.times > 1:
                    self._waiting[index] = replace(scenario, times=scenario.times - 1)
                return [scenario, *scenario.also]
        return []

    def take_marked(
        self, scenarios: list[Scenario], text: str, account: str | None, model: str | None
    ) -> list[Scenario]:
        """Give those scenarios of a text's markers that are for this request and not used up.

        Args:
            scenarios: what the markers wish for.
            text: the whole text with its markers; ``times`` counts per account and text.
            account: e-mail of the account.
            model: the runtime id.
        """
        key = hashlib.blake2b(f"{account}\n{text}".encode()).digest()
        seen = self._marked.get(key, 0)
        self._marked[key] = seen + 1
        return [
            scenario
            for scenario in scenarios
            if scenario.is_for(GENERATE, account, model) and (scenario.times == FOREVER or seen < scenario.times)
        ]


def _read_marker(inside: str) -> Scenario:
    try:
        name, *pairs = shlex.split(inside)
    except ValueError as error:
        raise ScenarioError(f"the marker {inside!r} cannot be read: {error}") from error
    params: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ScenarioError(f"the marker {inside!r} has {pair!r} where key=value should be")
        params[key] = value
    times: str = params.pop("times", str(FOREVER))
    if not re.fullmatch(r"-1|\d+", times):
        raise ScenarioError(f"times must be a whole number, not {times!r}")
    return replace(make_scenario(name, params), times=int(times))
