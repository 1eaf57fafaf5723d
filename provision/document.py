"""What all harnesses' files have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

if TYPE_CHECKING:
    from .route import Route
    from .syntax import Syntax


@runtime_checkable
class Document(Protocol):
    """One file of a harness, as text; a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def syntax(self) -> Syntax | None:
        """How the file is written; None for one that is no tree."""
        ...

    @property
    def fresh(self) -> str:
        """The content before anything of ours, where the harness has no file yet."""
        ...

    def provisioned(self, text: str, route: Route, *, add_models: bool) -> str:
        """The text with the route in it; the same text when nothing is to be changed.

        Args:
            text: the file.
            route: what is written.
            add_models: whether models that an entry lacks are added to those its owner has chosen.

        Raises:
            ProvisionError: it cannot be parsed, or the place is taken by something else.
        """
        ...

    def withdrawn(self, text: str, before: str, route: Route) -> str:
        """The text without what ``provisioned`` wrote; what is somebody else's stays, whatever it is called.

        Args:
            text: the file.
            before: the file as it was before.
            route: what was written.

        Raises:
            ProvisionError: it cannot be parsed, or what is ours cannot be taken away without changing something else.
        """
        ...


def remembering(document: Document) -> Document:
    """The document for one run, in which it parses each text once."""
    return document if document.syntax is None else replace(document, syntax=document.syntax.remembering())
