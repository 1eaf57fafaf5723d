"""The eight public models, and what is known about the runtime ids behind them.

All tables are facts about Google's service, so a new fact is a new row.

Source:
    SPEC.md, "Models".
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from .model import Effort, Family, Model

if TYPE_CHECKING:
    from collections.abc import Mapping

GEMINI_INPUTS = ("text", "image", "audio", "video", "pdf")
FAMILY_INPUTS: Mapping[Family, tuple[str, ...]] = MappingProxyType(
    {Family.GEMINI: GEMINI_INPUTS, Family.CLAUDE: ("text", "image"), Family.GPT_OSS: ("text",)}
)
"""What a model takes of which Google does not say it."""

FAMILY_EFFORTS: Mapping[Family, tuple[Effort, ...]] = MappingProxyType(
    {
        Family.GEMINI: (Effort.LOW, Effort.MEDIUM, Effort.HIGH),
        Family.CLAUDE: (Effort.HIGH,),
        Family.GPT_OSS: (Effort.MEDIUM,),
    }
)
"""The levels that a runtime id serves whose name is of none."""

FLASH_EFFORTS = (Effort.LOW, Effort.MEDIUM, Effort.HIGH)

MODELS: tuple[Model, ...] = (
    Model("gemini-3.8-flash", "Gemini 3.8 Flash", Family.GEMINI, 1_048_576, 65_536, GEMINI_INPUTS, FLASH_EFFORTS),
    Model("gemini-3.7-flash", "Gemini 3.7 Flash", Family.GEMINI, 1_048_576, 65_536, GEMINI_INPUTS, FLASH_EFFORTS),
    Model("gemini-3.6-flash", "Gemini 3.6 Flash", Family.GEMINI, 1_048_576, 65_536, GEMINI_INPUTS, FLASH_EFFORTS),
    Model("gemini-3.5-flash", "Gemini 3.5 Flash", Family.GEMINI, 1_048_576, 65_536, GEMINI_INPUTS, FLASH_EFFORTS),
    Model(
        "gemini-3.1-pro",
        "Gemini 3.1 Pro",
        Family.GEMINI,
        1_048_576,
        65_535,
        GEMINI_INPUTS,
        (Effort.LOW, Effort.HIGH),
    ),
    Model(
        "claude-sonnet-4-6",
        "Claude Sonnet 4.6",
        Family.CLAUDE,
        200_000,
        64_000,
        ("text", "image"),
        (Effort.HIGH,),
    ),
    Model(
        "claude-opus-4-6",
        "Claude Opus 4.6",
        Family.CLAUDE,
        250_000,
        64_000,
        ("text", "image"),
        (Effort.HIGH,),
    ),
    Model("gpt-oss-120b", "GPT-OSS 120B", Family.GPT_OSS, 131_072, 32_768, ("text",), (Effort.MEDIUM,)),
)


def _runtime_ids(*, off: str, low: str, medium: str, high: str) -> Mapping[Effort, str]:
    return MappingProxyType(
        {
            Effort.NONE: off,
            Effort.MINIMAL: off,
            Effort.LOW: low,
            Effort.MEDIUM: medium,
            Effort.HIGH: high,
            Effort.XHIGH: high,
        }
    )


def _one_runtime_id(runtime_id: str) -> Mapping[Effort, str]:
    return MappingProxyType(dict.fromkeys(Effort, runtime_id))


RUNTIME_IDS: Mapping[str, Mapping[Effort, str]] = MappingProxyType(
    {
        "gemini-3.8-flash": _runtime_ids(
            off="gemini-3.8-flash-low",
            low="gemini-3.8-flash-low",
            medium="gemini-3.8-flash-medium",
            high="gemini-3.8-flash-high",
        ),
        "gemini-3.7-flash": _one_runtime_id("gemini-3.7-flash-tiered"),
        "gemini-3.6-flash": _runtime_ids(
            off="gemini-3.6-flash-low",
            low="gemini-3.6-flash-low",
            medium="gemini-3.6-flash-medium",
            high="gemini-3.6-flash-high",
        ),
        # Google labels -extra-low "Low" and -low "Medium"; the ids' own words are followed here.
        "gemini-3.5-flash": _runtime_ids(
            off="gemini-3.5-flash-extra-low",
            low="gemini-3.5-flash-low",
            medium="gemini-3.5-flash-low",
            high="gemini-3-flash-agent",
        ),
        "gemini-3.1-pro": _runtime_ids(
            off="gemini-3.1-pro-low",
            low="gemini-3.1-pro-low",
            medium="gemini-3.1-pro-low",
            high="gemini-pro-agent",
        ),
        "claude-sonnet-4-6": _one_runtime_id("claude-sonnet-4-6"),
        "claude-opus-4-6": _one_runtime_id("claude-opus-4-6-thinking"),
        "gpt-oss-120b": _one_runtime_id("gpt-oss-120b-medium"),
    }
)
"""Public id → effort → the runtime id that serves it."""

BUILT_IN_IDS = frozenset(runtime_id for by_effort in RUNTIME_IDS.values() for runtime_id in by_effort.values())
"""Every runtime id of the table."""

LABELS: Mapping[str, tuple[str, Effort]] = MappingProxyType(
    {
        "gemini-3-flash-agent": ("gemini-3.5-flash", Effort.HIGH),
        "gemini-pro-agent": ("gemini-3.1-pro", Effort.HIGH),
    }
)
"""Runtime id that does not say which model and level it is → both."""

OUTPUT_CAPS: tuple[tuple[str, int], ...] = (
    ("gemini-3.1-pro", 65_535),
    ("gemini-pro-agent", 65_535),
    ("gemini-", 65_536),
    ("claude-", 64_000),
    ("gpt-oss-", 32_768),
)
"""Prefix of a runtime id → its largest ``maxOutputTokens``; the first that fits holds."""

UNKNOWN_OUTPUT_CAP = 8_192
UNKNOWN_CONTEXT = 128_000

LEVELS: Mapping[Effort, str] = MappingProxyType(
    {
        Effort.NONE: "LOW",
        Effort.MINIMAL: "LOW",
        Effort.LOW: "LOW",
        Effort.MEDIUM: "MEDIUM",
        Effort.HIGH: "HIGH",
        Effort.XHIGH: "HIGH",
    }
)
"""``thinkingLevel`` for the runtime ids that take a level instead of a budget."""

LEVEL_PREFIXES = ("gemini-3.7-flash-tiered",)

THINKING_BUDGETS: tuple[tuple[str, int, int, int], ...] = (
    ("gemini-3.5-flash", 1_000, 4_000, 10_000),
    ("gemini-3-flash-agent", 1_000, 4_000, 10_000),
    ("gemini-3.1-pro", 1_001, 1_001, 10_001),
    ("gemini-pro-agent", 1_001, 1_001, 10_001),
    ("gemini-", 1_000, 4_000, -1),
    ("claude-", 1_024, 1_024, 1_024),
    ("gpt-oss-", 8_192, 8_192, 8_192),
)
"""Prefix of a runtime id → ``thinkingBudget`` for low, medium and high; -1 lets the model decide."""

STATIC_FALLBACKS: tuple[tuple[str, str], ...] = (
    ("gemini-3.8-flash", "gemini-3.7-flash"),
    ("gemini-3.7-flash", "gemini-3.6-flash"),
)
"""Prefix of a runtime id that answered 404 → the public model to fall back on."""
