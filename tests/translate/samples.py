"""Targets, values and strategies that the tests of this folder start from."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson
from hypothesis import strategies as st

from antigravity_proxy.translate.answer_wire import parse_events
from antigravity_proxy.translate.sse import SseDecoder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True, slots=True)
class SampleTarget:
    """A model that a request goes to."""

    model_id: str
    family: str
    max_output_tokens: int
    thinking: Mapping[str, Any] | None = field(
        default_factory=lambda: {"includeThoughts": True, "thinkingBudget": 4_000}
    )
    media_types: frozenset[str] | None = None


class CountedName(str):
    """A name that counts how often one of its kind is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedName.compared += 1
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


GEMINI = SampleTarget("gemini-3.8-flash", "gemini", 65_536)
CLAUDE = SampleTarget("claude-sonnet-4-6", "claude", 64_000)
GPT_OSS = SampleTarget("gpt-oss-120b", "gpt-oss", 32_768)
TARGETS = (GEMINI, CLAUDE, GPT_OSS)

PNG = "iVBORw0KGgo="
"""The first bytes of every PNG file."""

SIGNATURE = "QUJD"


def new_decoder() -> SseDecoder:
    """A decoder of events that may hold any JSON."""
    return SseDecoder(lambda texts: list(map(orjson.loads, texts)))


def event_of(value: Any) -> Any:
    """An upstream event with this value, as the parser gives it."""
    (event,) = parse_events([json.dumps(value).encode()])
    return event


def json_values(scalars: SearchStrategy[Any] | None = None, keys: SearchStrategy[str] | None = None) -> Any:
    """Any JSON value; some of its leaves and keys are the given ones."""
    plain = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | st.text(max_size=8)
    names = st.text(max_size=4)
    return st.recursive(
        plain if scalars is None else scalars | plain,
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(names if keys is None else keys | names, inner, max_size=4)
        ),
        max_leaves=8,
    )
