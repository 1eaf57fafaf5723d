"""A loopback server that lets any OpenAI client use your own Google Antigravity subscription."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .plugin.hermes import Host

__version__ = "0.1.0"


def register(ctx: Host) -> None:
    """Set the plugin up; Hermes calls this, whether the repository lies in its folder of plugins or is installed."""
    from .plugin import hermes

    hermes.register(ctx)
