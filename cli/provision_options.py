"""Which options of ``provision`` mean something together: one that would do nothing is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from ..provision.harness import Harness


def check_list_options(options: dict[str, bool]) -> None:
    """Refuse what the list does not look at.

    Args:
        options: each option → whether it was given.

    Raises:
        typer.BadParameter: one of them was given.
    """
    for option, is_given in options.items():
        if is_given:
            raise typer.BadParameter(f"{option} does nothing here: the list shows all programs", param_hint="--list")


def check_profile(name: str | None) -> None:
    """Refuse what is no name of a profile: one with a way in it would lead out of the folder of profiles.

    Raises:
        typer.BadParameter: it is empty, or has a way in it.
    """
    if name is None:
        return
    if not name.strip() or name in {".", ".."} or "/" in name or "\\" in name:
        raise typer.BadParameter("give the name of a profile alone, such as web", param_hint="--profile")


def check_options(harness: Harness, *, home: bool, profile: bool, add_models: bool, as_provider: bool) -> None:
    """Refuse what means nothing for a program; all are whether the option was given.

    Raises:
        typer.BadParameter: an option would do nothing.
    """
    if profile and not harness.has_profiles:
        raise typer.BadParameter(f"{harness.title} has no profiles", param_hint="--profile")
    if home and harness.prints is not None:
        raise typer.BadParameter(f"{harness.title} has no file that is written", param_hint="--home")
    if add_models and (as_provider or not harness.has_models or harness.prints is not None):
        raise typer.BadParameter(
            f"{harness.title} has no list of models here that some could be added to", param_hint="--add-models"
        )
