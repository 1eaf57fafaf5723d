"""What a harness is, for the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .document import Document
    from .places import Places
    from .route import Route


@dataclass(frozen=True, slots=True)
class Target:
    """One file that is written.

    Attributes:
        path: where it is.
        document: what goes into it.
        has_lock: whether its harness puts a ``.lock`` beside it while it writes.
        has_keys: whether its harness keeps nothing but keys in it.
        has_own_folder: whether nothing else lies in its folder, which then goes with it.
    """

    path: Path
    document: Document
    has_lock: bool = False
    has_own_folder: bool = False
    has_keys: bool = False


def no_targets(_places: Places) -> tuple[Target, ...]:
    """The files of a program that has none."""
    return ()


def nowhere(_places: Places) -> bool:
    """Whether a program is here that leaves no trace."""
    return False


@dataclass(frozen=True, slots=True)
class Harness:
    """A program that can be pointed at the proxy.

    Attributes:
        id: its name on the command line.
        title: its name for people.
        next_step: how to use the models afterwards.
        targets: its files.
        traces: its files and all others that may have been written before; None when that is the same.
        is_here: whether it has been used on this machine.
        prints: what to paste, for a program without a file.
        has_profiles: whether it has several configurations, of which one can be named.
        has_models: whether its entry lists models, to which new ones can be added.
    """

    id: str
    title: str
    next_step: Callable[[Route], str]
    targets: Callable[[Places], tuple[Target, ...]] = no_targets
    traces: Callable[[Places], tuple[Target, ...]] | None = None
    is_here: Callable[[Places], bool] = nowhere
    prints: Callable[[Route], str] | None = None
    has_profiles: bool = False
    has_models: bool = True

    def targets_of_removal(self, places: Places) -> tuple[Target, ...]:
        """The files that may have something of ours.

        Raises:
            ProvisionError: as ``targets``.
        """
        return (self.traces or self.targets)(places)
