"""Tests of the memory of prompts."""

from __future__ import annotations

from antigravity_proxy.simulator.prompts import PromptMemory

from .wire import gemini_tool, model, tools, user


def test_first_prompt_has_nothing_cached() -> None:
    """The tokens of all turns, the system text and the tools are counted."""
    memory = PromptMemory(10)
    plain = memory.count_tokens({"contents": [user("two words")], "sessionId": "1"})
    assert plain == (3, 0)
    rich = {"contents": [user("two words")], "systemInstruction": user("be brief"), "tools": tools(gemini_tool("f"))}
    total, cached = memory.count_tokens(rich)
    assert total > 6
    assert cached == 0


def test_longer_prompt_of_a_session_is_cached() -> None:
    """What the session's last prompt began with is cached, up to the first difference."""
    memory = PromptMemory(10)
    memory.count_tokens({"contents": [user("one")], "sessionId": "1"})
    longer = {"contents": [user("one"), model("two"), user("three")], "sessionId": "1"}
    assert memory.count_tokens(longer) == (6, 2)
    other = {"contents": [user("one"), model("no"), user("three")], "sessionId": "1"}
    assert memory.count_tokens(other) == (6, 2)


def test_sessions_are_separate() -> None:
    """Another session, or none, has nothing cached."""
    memory = PromptMemory(1)
    contents = [user("one")]
    memory.count_tokens({"contents": contents, "sessionId": "1"})
    assert memory.count_tokens({"contents": contents})[1] == 0
    assert memory.count_tokens({"contents": contents, "sessionId": "2"})[1] == 0
    assert memory.count_tokens({"contents": contents, "sessionId": "1"})[1] == 0
