"""The table of all harnesses, and which files each one has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import ProvisionError
from . import dsh, hermes, hermes_provider, prints
from .files import (
    aider_targets,
    cline_home,
    cline_targets,
    continue_targets,
    goose_targets,
    librechat_targets,
    litellm_targets,
    llm_targets,
    opencode_targets,
    opencode_traces,
    pi_home,
    pi_targets,
    zed_targets,
)
from .harness import Harness, Target
from .places import dsh_home, dsh_profiles, goose_home, hermes_home, llm_home, opencode_file
from .provider import Provider
from .route import KEY_VARIABLE
from .writer import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from .places import Places
    from .route import Route

PATCH = "cordis.patch.yml"


def _hermes(places: Places) -> tuple[Target, ...]:
    entry, own = _hermes_entry(places), hermes_as_provider(places)
    texts = (read_text(target.path) for target in own[:2])
    if not any(text is not None and hermes_provider.is_ours(text) for text in texts):
        return entry
    # A model provider that was once wanted is kept right, and so is an entry beside it.
    return (*own, *entry) if _have_route(entry) else own


def _hermes_entry(places: Places) -> tuple[Target, ...]:
    return (Target(hermes_home(places) / "config.yaml", hermes.CONFIG),)


def hermes_as_provider(places: Places) -> tuple[Target, ...]:
    """The files of a model provider of Hermes' own, in the place of an entry in its configuration."""
    home = hermes_home(places)
    folder = home / hermes_provider.FOLDER
    return (
        Target(folder / "plugin.yaml", hermes_provider.PLUGIN, has_own_folder=True),
        Target(folder / "__init__.py", hermes_provider.PROVIDER, has_own_folder=True),
        Target(home / ".env", hermes_provider.KEY, has_keys=True),
    )


def _hermes_traces(places: Places) -> tuple[Target, ...]:
    entry, own = _hermes_entry(places), hermes_as_provider(places)
    # The variable alone may be its owner's.
    return (*entry, *own) if any(target.path.exists() for target in own[:2]) else entry


def dsh_keys(places: Places) -> tuple[Target, ...]:
    """The files in which DSH looks for its key."""
    home = dsh_home(places)
    return (
        Target(home / ".env", dsh.KEY, has_keys=True),
        Target(home / ".credentials.yaml", dsh.CREDENTIALS, has_keys=True),
    )


def dsh_routes(places: Places) -> tuple[Target, ...]:
    """The files in which DSH has providers: those of DSH 0.2 where there are any, else that of DSH 0.1.

    Raises:
        ProvisionError: one cannot be read.
    """
    home = dsh_home(places)
    text = read_text(home / PATCH)
    if text is not None and dsh.has_section(text):
        # The row of the whole home takes the place of that of each profile.
        return (Target(home / PATCH, dsh.PATCH),)
    profiles = dsh_profiles(places)
    if profiles:
        return tuple(Target(folder / PATCH, dsh.PATCH) for folder in profiles)
    settings = home / "settings.yaml"
    return (Target(settings, dsh.SETTINGS, has_lock=True),) if settings.exists() else ()


def dsh_has_route(places: Places) -> bool:
    """Whether the provider has been written into DSH.

    Raises:
        ProvisionError: a file of DSH cannot be read.
    """
    return _have_route(dsh_routes(places))


def _have_route(targets: Iterable[Target]) -> bool:
    texts = ((target.document, read_text(target.path)) for target in targets)
    return any(
        text is not None and document.stands_in(text) for document, text in texts if isinstance(document, Provider)
    )


def _dsh(places: Places) -> tuple[Target, ...]:
    routes = dsh_routes(places)
    if not routes:
        raise ProvisionError(
            f"DSH has no profile in {dsh_home(places)} yet. Start it once, or name the profile it shall have: "
            "--profile web."
        )
    return (*routes, *dsh_keys(places))


def _dsh_traces(places: Places) -> tuple[Target, ...]:
    home = dsh_home(places)
    folders = (home, *dsh_profiles(replace(places, profile=None)))
    patches = tuple(Target(folder / PATCH, dsh.PATCH) for folder in folders)
    traces = (*patches, Target(home / "settings.yaml", dsh.SETTINGS, has_lock=True))
    if places.profile is None:
        return (*traces, *dsh_keys(places))
    profile = (Target(folder / PATCH, dsh.PATCH) for folder in dsh_profiles(places))
    own = tuple(dict.fromkeys((*dsh_routes(places), *profile)))
    # The key is that of the whole home: it stays as long as another profile has the route.
    return own if _have_route(target for target in traces if target not in own) else (*own, *dsh_keys(places))


def _has_folder(find: Callable[[Places], Path]) -> Callable[[Places], bool]:
    return lambda places: find(places).is_dir()


def _has_aider(places: Places) -> bool:
    home = places.home or places.user
    return any((home / name).exists() for name in (".aider", ".aider.conf.yml"))


def _run(command: str) -> Callable[[Route], str]:
    return lambda route: f"Use it: {command.format(model=route.models[0].id)}"


def _run_with_key(command: str, variable: str) -> Callable[[Route], str]:
    def words(route: Route) -> str:
        value = route.written_key if route.key is None else "the API key of this proxy"
        return f"Set {variable} to {value} where it is started. {_run(command)(route)}"

    return words


def _run_goose(route: Route) -> str:
    command = "GOOSE_PROVIDER=antigravity GOOSE_MODEL={model} goose session"
    return _run(command)(route) if route.key is None else _run_with_key(command, KEY_VARIABLE)(route)


def _run_dsh(route: Route) -> str:
    words = "Start DSH again, and choose a model of Antigravity."
    return (
        words if route.has_account else f"{words} It can be used once somebody is logged in: antigravity-proxy login"
    )


HARNESSES: tuple[Harness, ...] = (
    Harness(
        "hermes",
        "Hermes",
        _run("hermes --provider antigravity -m {model}"),
        _hermes,
        _hermes_traces,
        _has_folder(lambda places: places.folder("HERMES_HOME", ".hermes")),
        has_profiles=True,
    ),
    Harness("dsh", "DSH", _run_dsh, _dsh, _dsh_traces, _has_folder(dsh_home), has_profiles=True),
    Harness(
        "opencode",
        "OpenCode",
        _run("opencode -m antigravity/{model}"),
        opencode_targets,
        opencode_traces,
        _has_folder(lambda places: opencode_file(places).parent),
    ),
    Harness("pi", "pi", _run("pi --provider antigravity --model {model}"), pi_targets, is_here=_has_folder(pi_home)),
    Harness(
        "continue",
        "Continue",
        lambda _: "Choose a model that ends in (Antigravity).",
        continue_targets,
        is_here=_has_folder(lambda places: places.folder("CONTINUE_GLOBAL_DIR", ".continue")),
    ),
    Harness(
        "cline",
        "Cline",
        _run("cline -P openai-compatible -m {model}"),
        cline_targets,
        is_here=_has_folder(cline_home),
        has_models=False,
    ),
    Harness("aider", "Aider", _run("aider --model openai/{model}"), aider_targets, is_here=_has_aider),
    Harness("llm", "llm", _run("llm -m antigravity/{model} Hello"), llm_targets, is_here=_has_folder(llm_home)),
    Harness(
        "litellm", "LiteLLM", lambda route: f"Ask LiteLLM for antigravity/{route.models[0].id}.", litellm_targets
    ),
    Harness("goose", "Goose", _run_goose, goose_targets, is_here=_has_folder(goose_home)),
    Harness(
        "zed",
        "Zed",
        _run_with_key("choose Antigravity in the agent panel", KEY_VARIABLE),
        zed_targets,
        is_here=_has_folder(lambda places: places.config_folder("zed")),
    ),
    Harness(
        "librechat",
        "LibreChat",
        lambda _: "Start LibreChat again, and choose Antigravity.",
        librechat_targets,
        has_models=False,
    ),
    Harness(
        "open-webui",
        "Open WebUI",
        lambda _: "Set these for its first start; in Docker the host is host.docker.internal.",
        prints=prints.open_webui,
    ),
    Harness(
        "antigravity-sdk",
        "google-antigravity SDK",
        lambda _: "Give the config to Agent.",
        prints=prints.antigravity_sdk,
    ),
)
"""In the order in which they are listed."""

WITHOUT_DIALECT = {
    "codex": ("Codex", "OpenAI Responses"),
    "claude-code": ("Claude Code", "Anthropic Messages"),
    "gemini-cli": ("Gemini CLI", "the Gemini API"),
}
"""Harness → its title, and the dialect that it speaks and the proxy does not yet."""

OUT_OF_REACH = {"cursor": "Cursor"}
"""Harness → its title; its requests come from its maker's servers."""


def find_harness(name: str) -> Harness:
    """The harness of a name.

    Raises:
        ProvisionError: there is none, it speaks a dialect that the proxy does not speak yet, or it cannot reach a
            proxy on this machine.
    """
    if name in OUT_OF_REACH:
        raise ProvisionError(
            f"{OUT_OF_REACH[name]} sends its requests from its own servers, which cannot reach a proxy on your "
            "machine, so it cannot use it. `antigravity-proxy provision --list` shows the programs that can."
        )
    if name in WITHOUT_DIALECT:
        title, dialect = WITHOUT_DIALECT[name]
        raise ProvisionError(
            f"{title} speaks {dialect}, which this proxy does not speak yet, so it cannot use it. "
            "`antigravity-proxy provision --list` shows the programs that can."
        )
    for harness in HARNESSES:
        if harness.id == name:
            return harness
    known = ", ".join(harness.id for harness in HARNESSES)
    raise ProvisionError(
        f"{name!r} is no program that can be set up. Those are {known}. Any other that lets you set an OpenAI base "
        "URL can use the proxy as well: give it the URL that `antigravity-proxy status` says, and as its key the "
        "proxy's API key, or any text if the proxy has none."
    )
