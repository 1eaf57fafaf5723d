"""``antigravity-proxy provision``: write the proxy into the configuration of a harness."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..provision.harness import Harness
    from ..provision.places import Places
    from ..provision.route import Route
    from ..provision.writer import Change
    from ..proxy.settings import Settings

TAG_BYTES = 8


def provision(  # noqa: PLR0913  each one is an option of the command line
    harness: Annotated[
        str | None, typer.Argument(help="Such as hermes; --list shows all.", metavar="HARNESS", show_default=False)
    ] = None,
    *,
    all_found: Annotated[bool, typer.Option("--all-found", help="Every program that is found here.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="List the programs and how they stand.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change; write nothing.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take away what was written.")] = False,
    add_models: Annotated[
        bool, typer.Option("--add-models", help="Add new models to those that an entry has.")
    ] = False,
    profile: Annotated[str | None, typer.Option(help="Of DSH or Hermes: the profile to write into.")] = None,
    as_provider: Annotated[
        bool, typer.Option("--as-provider", help="Of Hermes: write a model provider of its own instead of an entry.")
    ] = False,
    home: Annotated[Path | None, typer.Option(help="The program's folder, if not the usual one.")] = None,
    port: Annotated[int | None, typer.Option(help="The proxy's port.", min=1, max=65_535)] = None,
    base_url: Annotated[str | None, typer.Option(help="The proxy's URL, ending in /v1, instead of the port.")] = None,
) -> None:
    """Write the proxy into the configuration of a program that you already use."""
    from ..provision.harnesses import find_harness
    from ..proxy.settings import load_settings
    from .offer import MEANT, elsewhere, offered
    from .provision_options import check_list_options, check_options, check_profile

    if sum((harness is not None, all_found, show_list)) != 1:
        raise typer.BadParameter("give one of HARNESS, --all-found and --list", param_hint="HARNESS")
    if as_provider and harness != "hermes":
        raise typer.BadParameter("only hermes has model providers of its own", param_hint="--as-provider")
    has_home, has_profile = home is not None, profile is not None
    if show_list:
        given = {"--dry-run": dry_run, "--remove": remove, "--add-models": add_models}
        check_list_options({**given, "--home": has_home, "--profile": has_profile})
    if remove and add_models:
        raise typer.BadParameter("nothing is added when everything is taken away", param_hint="--add-models")
    if harness is not None:
        found = find_harness(harness)
        check_options(found, home=has_home, profile=has_profile, add_models=add_models, as_provider=as_provider)
    if all_found and (home is not None or profile is not None):
        raise typer.BadParameter("--home and --profile are of one program: name it", param_hint="--all-found")
    check_profile(profile)
    _check_url(base_url, port)
    settings = load_settings()
    route = make_route(settings, port, base_url)
    places = find_places(home, profile)
    if show_list:
        _show_list(places, route)
        if (other := elsewhere(route, settings)) is not None:
            typer.echo(f"An antigravity-proxy runs at {other}: {MEANT.format(other)}.", err=True)
        return
    chosen = _choose(harness, places, as_provider=as_provider, remove=remove)
    if not remove:
        route, source = offered(route, settings)
        typer.echo(source, err=True)
    _each(chosen, places, route, dry_run=dry_run, remove=remove, add_models=add_models)


def _check_url(base_url: str | None, port: int | None) -> None:
    from ..provision.route import is_web_url

    if base_url is None:
        return
    if port is not None:
        raise typer.BadParameter("the URL has the port already: leave --port out", param_hint="--base-url")
    if not is_web_url(base_url):
        raise typer.BadParameter("give a URL such as http://127.0.0.1:51122/v1", param_hint="--base-url")
    if not base_url.rstrip("/").endswith("/v1"):
        raise typer.BadParameter("the URL must end in /v1: http://127.0.0.1:51122/v1", param_hint="--base-url")


def _choose(name: str | None, places: Places, *, as_provider: bool, remove: bool) -> list[Harness]:
    from dataclasses import replace

    from ..provision.harnesses import HARNESSES, find_harness, hermes_as_provider

    if name is None:
        return [harness for harness in HARNESSES if _is_found(harness, places, remove=remove)]
    harness = find_harness(name)
    return [replace(harness, targets=hermes_as_provider, traces=None) if as_provider else harness]


def _is_found(harness: Harness, places: Places, *, remove: bool) -> bool:
    from ..errors import ProvisionError

    try:
        return harness.is_here(places) or (
            remove and any(target.path.exists() for target in harness.targets_of_removal(places))
        )
    except ProvisionError:
        return False
    except OSError:
        # What is wrong is said when its files are read.
        return True


def make_route(settings: Settings, port: int | None = None, base_url: str | None = None) -> Route:
    """The way to the proxy, as the settings say, with the models of the built-in table.

    Args:
        settings: of the proxy.
        port: instead of that of the settings.
        base_url: instead of both.
    """
    from datetime import UTC, datetime

    from ..catalog.catalog import Catalog
    from ..provision.route import Route
    from ..proxy.neighbour import reachable
    from ..proxy.services import open_store
    from ..proxy.settings import DEFAULT_PORT

    url = base_url or f"http://{reachable(settings.host)}:{port or settings.port or DEFAULT_PORT}/v1"
    key = settings.api_key.get_secret_value() if settings.api_key is not None else None
    return Route(
        url.rstrip("/"),
        Catalog().models,
        key,
        has_account=open_store(settings.home).read().active is not None,
        written_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    )


def find_places(home: Path | None = None, profile: str | None = None) -> Places:
    """Where to look for files of harnesses.

    Args:
        home: the folder of the harness, when it was named.
        profile: of the harness, when it was named.

    Raises:
        ProvisionError: the user's home folder or the current one is not known.
    """
    import os

    from ..errors import ProvisionError
    from ..provision.places import Places

    try:
        user, named = Path.home(), home.expanduser() if home is not None else None
    except RuntimeError as exc:
        raise ProvisionError(f"{exc} Set HOME to your home folder, or name the folder without ~.") from exc
    try:
        return Places(user, os.environ, Path.cwd(), named, profile)
    except OSError as exc:
        raise ProvisionError("The folder that you are in is gone. Go to another one, and try again.") from exc


def _each(
    chosen: list[Harness], places: Places, route: Route, *, dry_run: bool, remove: bool, add_models: bool
) -> None:
    from ..errors import ProvisionError

    if not chosen:
        raise ProvisionError("None of the known programs is found here. Name one; --list shows them.")
    failures = 0
    for harness in chosen:
        try:
            changes = _plan(harness, places, route, remove=remove, add_models=add_models)
            if dry_run:
                _show(harness, changes, route, remove=remove)
            else:
                _carry_out(harness, changes, route, remove=remove)
        except ProvisionError as exc:
            if len(chosen) == 1:
                raise
            failures += 1
            typer.echo(f"{harness.title}: {exc}", err=True)
    if failures:
        raise typer.Exit(1)


def _plan(harness: Harness, places: Places, route: Route, *, remove: bool, add_models: bool) -> list[Change]:
    from ..errors import ProvisionError
    from ..provision.writer import plan, plan_removal

    try:
        if remove:
            return [plan_removal(target, route) for target in harness.targets_of_removal(places)]
        return [plan(target, route, add_models=add_models) for target in harness.targets(places)]
    except OSError as exc:
        raise ProvisionError(
            f"{exc.filename} cannot be read: {exc.strerror}. Check its name and its permissions."
        ) from exc


def _show(harness: Harness, changes: list[Change], route: Route, *, remove: bool) -> None:
    secrets = [route.key] if route.key is not None else []
    for change in changes:
        if change.is_needed:
            typer.echo(change.diff(secrets), nl=False)
        elif change.before is not None:
            typer.echo(_nothing_to_do(harness, change, remove=remove), err=True)
    if remove:
        _say_if_nothing_is_there(harness, changes)
    elif harness.prints is not None:
        typer.echo(harness.prints(route), nl=False)


def _say_if_nothing_is_there(harness: Harness, changes: list[Change]) -> None:
    if harness.prints is not None:
        typer.echo(f"{harness.title} has no file, so there is nothing to take away.")
    elif all(change.before is None for change in changes):
        typer.echo(f"{harness.title}: there is nothing to take away.")


def _nothing_to_do(harness: Harness, change: Change, *, remove: bool) -> str:
    what = "nothing of this proxy's is" if remove else "nothing to change"
    return f"{harness.title}: {what} in {change.target.path}."


def _carry_out(harness: Harness, changes: list[Change], route: Route, *, remove: bool) -> None:
    import secrets
    import shlex

    from ..provision.writer import carry_out, is_exposed

    for change in changes:
        if not change.is_needed:
            if change.before is not None:
                typer.echo(_nothing_to_do(harness, change, remove=remove))
            continue
        carry_out(change, new_tag=lambda: secrets.token_hex(TAG_BYTES))
        done = "removed" if change.after is None else "wrote"
        typer.echo(f"{harness.title}: {done} {change.target.path}.")
        if is_exposed(change, route.key):
            typer.echo(
                "It holds the proxy's key, and other users can read it. Keep it from them: "
                f"chmod 600 {shlex.quote(str(change.target.path))}",
                err=True,
            )
    if remove:
        _say_if_nothing_is_there(harness, changes)
        return
    if harness.prints is not None:
        typer.echo(harness.prints(route), nl=False)
    typer.echo(harness.next_step(route), err=harness.prints is not None)


def _show_list(places: Places, route: Route) -> None:
    from ..provision.harnesses import HARNESSES, OUT_OF_REACH, WITHOUT_DIALECT
    from .tables import print_table

    rows = [(harness.id, *_state_of(harness, places, route)) for harness in HARNESSES]
    rows += [(name, "cannot use it yet", f"it speaks {dialect}") for name, (_, dialect) in WITHOUT_DIALECT.items()]
    rows += [(name, "cannot use it", "it asks from its own servers") for name in OUT_OF_REACH]
    print_table(("Harness", "State", "Files"), rows)


def _state_of(harness: Harness, places: Places, route: Route) -> tuple[str, str]:
    from ..errors import ProvisionError

    if harness.prints is not None:
        return "prints what to set", ""
    try:
        changes = _plan(harness, places, route, remove=False, add_models=False)
    except ProvisionError as exc:
        return ("cannot be set up" if _is_found(harness, places, remove=False) else "not found"), str(exc)
    if not any(change.is_needed for change in changes):
        state = "set up"
    else:
        state = _other_state(changes, route) or ("not set up" if harness.is_here(places) else "not found")
    files = (str(change.target.path) for change in changes if change.before is not None or change.is_needed)
    return state, ", ".join(files)


def _other_state(changes: list[Change], route: Route) -> str | None:
    from ..provision.provider import Provider
    from ..provision.route import host_of
    from ..provision.rows import Rows

    for change in changes:
        document = change.target.document
        if change.before is not None and isinstance(document, Provider | Rows):
            url = document.other_url(change.before, route)
            if url is not None:
                return f"set up for {host_of(url)}"
    return None
