"""Tests of what is printed for programs without a file."""

from __future__ import annotations

from antigravity_proxy.provision.prints import antigravity_sdk, open_webui

from .golden import ROUTE, WITH_KEY


def test_open_webui_gets_its_environment() -> None:
    """Open WebUI is set up by three variables; the key itself is not shown."""
    assert open_webui(ROUTE) == (
        "ENABLE_OPENAI_API=true\nOPENAI_API_BASE_URLS=http://127.0.0.1:51122/v1\nOPENAI_API_KEYS=local\n"
    )
    assert open_webui(WITH_KEY).endswith('OPENAI_API_KEYS="$ANTIGRAVITY_PROXY_API_KEY"\n')


def test_sdk_gets_two_lines() -> None:
    """The SDK is pointed at the proxy in two lines, and in three where the URL has to bring a key."""
    assert antigravity_sdk(ROUTE) == (
        "from google.antigravity import Agent, LocalOpenAIAgentConfig\n"
        'config = LocalOpenAIAgentConfig(base_url="http://127.0.0.1:51122/v1", model="gemini-3.8-flash")\n'
    )
    assert "key-of-mine" not in antigravity_sdk(WITH_KEY)
    assert "@127.0.0.1:51122/v1" in antigravity_sdk(WITH_KEY)


def test_lines_are_python() -> None:
    """What is printed compiles."""
    for route in (ROUTE, WITH_KEY):
        compile(antigravity_sdk(route), "pasted", "exec")
