"""Programs that keep no file: what to paste where they are started or written."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from .route import Route

KEY_SETTING = "ANTIGRAVITY_PROXY_API_KEY"
"""Where the user keeps the proxy's key; it is never printed itself."""


def open_webui(route: Route) -> str:
    """The environment of Open WebUI's first start; later its own settings hold.

    Source:
        https://docs.openwebui.com/getting-started/env-configuration.
    """
    key = route.written_key if route.key is None else f'"${KEY_SETTING}"'
    return f"ENABLE_OPENAI_API=true\nOPENAI_API_BASE_URLS={route.base_url}\nOPENAI_API_KEYS={key}\n"


def antigravity_sdk(route: Route) -> str:
    """The lines that point a program of Google's Antigravity SDK at the proxy.

    The SDK sends no key but that of the URL, so a proxy with a key is named with it.

    Source:
        google-antigravity 0.1.22, which this was tried with.
    """
    model = route.models[0].id
    first = "from google.antigravity import Agent, LocalOpenAIAgentConfig\n"
    if route.key is None:
        return f'{first}config = LocalOpenAIAgentConfig(base_url="{route.base_url}", model="{model}")\n'
    parts = urlsplit(route.base_url)
    url = f"{parts.scheme}://key:{{os.environ['{KEY_SETTING}']}}@{parts.netloc}{parts.path}"
    return f'import os\n{first}config = LocalOpenAIAgentConfig(base_url=f"{url}", model="{model}")\n'
