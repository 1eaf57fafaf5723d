"""Tests of the model table."""

from __future__ import annotations

import pytest

from antigravity_proxy.simulator.models import (
    DEFAULT_AGENT_MODEL,
    IMAGE_MODELS,
    IMAGE_TYPES,
    MODELS,
    MODELS_BY_ID,
    NEXT_MODELS,
    RECOMMENDED_MODELS,
    TAB_MODELS,
    TIERED_MODELS,
    Family,
    Pool,
    visible_models,
)


@pytest.mark.parametrize(
    ("runtime_id", "family", "cap", "pool"),
    [
        ("gemini-3.8-flash-low", Family.GEMINI, 65_536, Pool.GEMINI),
        ("gemini-3.7-flash-tiered", Family.GEMINI, 65_536, Pool.GEMINI),
        ("gemini-3.6-flash-high", Family.GEMINI, 65_536, Pool.GEMINI),
        ("gemini-3.5-flash-extra-low", Family.GEMINI, 65_536, Pool.GEMINI),
        ("gemini-3-flash-agent", Family.GEMINI, 65_536, Pool.GEMINI),
        ("gemini-3.1-pro-low", Family.GEMINI, 65_535, Pool.GEMINI),
        ("gemini-pro-agent", Family.GEMINI, 65_535, Pool.GEMINI),
        ("claude-sonnet-4-6", Family.CLAUDE, 64_000, Pool.THIRD_PARTY),
        ("claude-opus-4-6-thinking", Family.CLAUDE, 64_000, Pool.THIRD_PARTY),
        ("gpt-oss-120b-medium", Family.GPT_OSS, 32_768, Pool.THIRD_PARTY),
    ],
    ids=str,
)
def test_rows_have_the_known_facts(runtime_id: str, family: Family, cap: int, pool: Pool) -> None:
    """Each runtime id has its family, its cap and its pool."""
    row = MODELS_BY_ID[runtime_id]
    assert (row.family, row.max_output_tokens, row.pool) == (family, cap, pool)


@pytest.mark.parametrize("name", ["gemini-3.8-flash", "gpt-oss-120b", "claude-opus-4-6", "MODEL_PLACEHOLDER_M320"])
def test_public_names_and_enums_are_no_rows(name: str) -> None:
    """Neither public ids nor enum names can be requested."""
    assert name not in MODELS_BY_ID


def test_models_of_editor_and_pictures_do_not_chat() -> None:
    """What is listed for the editor or for making pictures is not for conversations."""
    silent = {row.runtime_id for row in MODELS if not row.answers_chat}
    assert silent == {*IMAGE_MODELS, *TAB_MODELS, "chat_20706"}


def test_rows_are_unique() -> None:
    """No id and no enum occurs twice."""
    rows = (*MODELS, *NEXT_MODELS)
    assert len(MODELS_BY_ID) == len(rows)
    assert len({row.enum for row in rows}) == len(rows)


def test_lists_name_rows() -> None:
    """Every list of the catalogue names rows that exist."""
    named = {DEFAULT_AGENT_MODEL, *RECOMMENDED_MODELS, *IMAGE_MODELS, *TAB_MODELS, *TIERED_MODELS.values()}
    assert named <= set(MODELS_BY_ID)
    assert {row.replaced_by for row in MODELS if row.replaced_by} <= set(MODELS_BY_ID)


def test_media_follow_the_family() -> None:
    """Gemini takes everything, Claude the five image types, GPT-OSS nothing."""
    assert {"image/png", "audio/wav", "video/mp4", "application/pdf"} <= set(
        MODELS_BY_ID["gemini-pro-agent"].mime_types
    )
    assert MODELS_BY_ID["claude-sonnet-4-6"].mime_types == IMAGE_TYPES
    assert MODELS_BY_ID["gpt-oss-120b-medium"].mime_types == ()


def test_one_row_takes_a_level() -> None:
    """Thinking is set by a level on one runtime id and by a budget everywhere else."""
    assert [row.runtime_id for row in MODELS if row.takes_level] == ["gemini-3.7-flash-tiered"]


def test_outdated_clients_do_not_see_new_families() -> None:
    """The families 3.7 and 3.8 are hidden from outdated clients, everything else is not."""
    hidden = {row.runtime_id for row in MODELS} - {row.runtime_id for row in visible_models(is_current_client=False)}
    assert hidden == {row.runtime_id for row in MODELS if "3.8" in row.runtime_id or "3.7" in row.runtime_id}
    assert visible_models(is_current_client=True) == MODELS


def test_next_models_are_for_those_who_have_them() -> None:
    """Made-up models are seen with the option alone, and retired ones by nobody."""
    rows = visible_models(is_current_client=True, has_next=True, retired=frozenset({"gemini-3-flash"}))
    assert set(NEXT_MODELS) < set(rows)
    assert MODELS_BY_ID["gemini-3-flash"] not in rows
    assert not set(NEXT_MODELS) & set(MODELS)
