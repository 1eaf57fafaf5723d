"""Tests of the tables of public models and runtime ids."""

from __future__ import annotations

import pytest

from antigravity_proxy.catalog.builtin import MODELS, OUTPUT_CAPS, RUNTIME_IDS, STATIC_FALLBACKS, THINKING_BUDGETS
from antigravity_proxy.catalog.model import Effort, Family, Model
from antigravity_proxy.catalog.routing import family_of, output_cap

FLASH = [Effort.LOW, Effort.MEDIUM, Effort.HIGH]


def test_models_are_the_eight_public_ones_in_order() -> None:
    """Users see eight models, the newest first, with the levels that make a difference."""
    assert {model.id: list(model.efforts) for model in MODELS} == {
        "gemini-3.8-flash": FLASH,
        "gemini-3.7-flash": FLASH,
        "gemini-3.6-flash": FLASH,
        "gemini-3.5-flash": FLASH,
        "gemini-3.1-pro": [Effort.LOW, Effort.HIGH],
        "claude-sonnet-4-6": [Effort.HIGH],
        "claude-opus-4-6": [Effort.HIGH],
        "gpt-oss-120b": [Effort.MEDIUM],
    }
    assert [model.id for model in MODELS] == list(RUNTIME_IDS)


@pytest.mark.parametrize(
    ("model_id", "name", "context_tokens", "max_output_tokens", "inputs"),
    [
        pytest.param(
            "gemini-3.8-flash",
            "Gemini 3.8 Flash",
            1_048_576,
            65_536,
            ("text", "image", "audio", "video", "pdf"),
            id="flash",
        ),
        pytest.param(
            "gemini-3.1-pro",
            "Gemini 3.1 Pro",
            1_048_576,
            65_535,
            ("text", "image", "audio", "video", "pdf"),
            id="pro",
        ),
        pytest.param("claude-sonnet-4-6", "Claude Sonnet 4.6", 200_000, 64_000, ("text", "image"), id="sonnet"),
        pytest.param("claude-opus-4-6", "Claude Opus 4.6", 250_000, 64_000, ("text", "image"), id="opus"),
        pytest.param("gpt-oss-120b", "GPT-OSS 120B", 131_072, 32_768, ("text",), id="oss"),
    ],
)
def test_model_has_its_facts(
    model_id: str, name: str, context_tokens: int, max_output_tokens: int, inputs: tuple[str, ...]
) -> None:
    """Sizes and kinds of input are those of the service."""
    [model] = [model for model in MODELS if model.id == model_id]
    assert (model.name, model.context_tokens, model.max_output_tokens, model.inputs) == (
        name,
        context_tokens,
        max_output_tokens,
        inputs,
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
def test_tables_agree_about_model(model: Model) -> None:
    """Every effort has a runtime id of the model's family that takes its largest answer."""
    assert set(RUNTIME_IDS[model.id]) == set(Effort)
    for runtime_id in RUNTIME_IDS[model.id].values():
        assert family_of(runtime_id) is model.family
        assert output_cap(runtime_id) == model.max_output_tokens


def test_prefixes_are_found_before_shorter_ones() -> None:
    """No row of a table of prefixes hides one below it."""
    for table in ([row[0] for row in OUTPUT_CAPS], [row[0] for row in THINKING_BUDGETS]):
        assert not [
            (above, below)
            for index, above in enumerate(table)
            for below in table[index + 1 :]
            if below.startswith(above)
        ]


def test_fallbacks_lead_to_public_models() -> None:
    """What stands in for a runtime id that is gone is a model of ours of the same family."""
    for prefix, model_id in STATIC_FALLBACKS:
        assert model_id in RUNTIME_IDS
        assert family_of(prefix) is family_of(model_id) is Family.GEMINI
