"""The files of programs that have one place for them; what is more than a list is in ``harnesses``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import aider, cline, continue_dev, goose, librechat, litellm, llm, opencode, pi, zed
from .harness import Target
from .places import continue_file, goose_home, llm_home, named_file, opencode_file, opencode_files

if TYPE_CHECKING:
    from pathlib import Path

    from .places import Places


def opencode_targets(places: Places) -> tuple[Target, ...]:
    """OpenCode's file."""
    return (Target(opencode_file(places), opencode.CONFIG),)


def opencode_traces(places: Places) -> tuple[Target, ...]:
    """All files that OpenCode may have."""
    return tuple(Target(path, opencode.CONFIG) for path in dict.fromkeys(opencode_files(places)))


def pi_home(places: Places) -> Path:
    """The folder of pi."""
    return places.folder("PI_CODING_AGENT_DIR", ".pi/agent")


def pi_targets(places: Places) -> tuple[Target, ...]:
    """The file of pi."""
    return (Target(pi_home(places) / "models.json", pi.CONFIG),)


def continue_targets(places: Places) -> tuple[Target, ...]:
    """Continue's file.

    Raises:
        ProvisionError: as ``continue_file``.
    """
    return (Target(continue_file(places), continue_dev.CONFIG),)


def cline_home(places: Places) -> Path:
    """Cline's folder."""
    return places.folder(None, ".cline")


def cline_targets(places: Places) -> tuple[Target, ...]:
    """The file of Cline's command line."""
    return (Target(cline_home(places) / "data" / "settings" / "providers.json", cline.CONFIG),)


def aider_targets(places: Places) -> tuple[Target, ...]:
    """Aider's files: where the proxy is, and what its models can do."""
    home = places.home or places.user
    return (
        Target(home / ".aider.conf.yml", aider.CONNECTION),
        Target(home / ".aider.model.metadata.json", aider.LIMITS),
        Target(home / ".aider.model.settings.yml", aider.BEHAVIOUR),
    )


def llm_targets(places: Places) -> tuple[Target, ...]:
    """The files of llm: its models, and its keys."""
    home = llm_home(places)
    return (
        Target(home / "extra-openai-models.yaml", llm.MODELS),
        Target(home / "keys.json", llm.KEYS, has_keys=True),
    )


def litellm_targets(places: Places) -> tuple[Target, ...]:
    """The configuration of a LiteLLM proxy.

    Raises:
        ProvisionError: as ``named_file``.
    """
    return (Target(named_file(places, "CONFIG_FILE_PATH", "litellm_config.yaml", "LiteLLM"), litellm.CONFIG),)


def goose_targets(places: Places) -> tuple[Target, ...]:
    """A file of our own in Goose's folder."""
    return (Target(goose_home(places) / "custom_providers" / "antigravity.json", goose.CONFIG),)


def zed_targets(places: Places) -> tuple[Target, ...]:
    """Zed's settings."""
    return (Target(places.config_folder("zed") / "settings.json", zed.CONFIG),)


def librechat_targets(places: Places) -> tuple[Target, ...]:
    """The configuration of LibreChat.

    Raises:
        ProvisionError: as ``named_file``.
    """
    return (Target(named_file(places, "CONFIG_PATH", "librechat.yaml", "LibreChat"), librechat.CONFIG),)
