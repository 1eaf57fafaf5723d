"""The smallest request there is: whether an account serves.

Source:
    SPEC.md, "Failover".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..translate.candidates import CandidateReader

if TYPE_CHECKING:
    from ..catalog.model import Route
    from ..translate.cloud_wire import Request
    from .answer import Reader

MAX_TOKENS = 16
"""Long enough for a word, and no more."""


class Probe:
    """A prompt that costs next to nothing; a route that does not think makes it cheapest.

    Args:
        now_s: Unix time.
    """

    def __init__(self, *, now_s: float) -> None:
        self._now_s = int(now_s)

    async def to_request(self, route: Route) -> Request:
        """The inner request for a route."""
        request: Request = {
            "contents": [{"role": "user", "parts": [{"text": "Say OK."}]}],
            "generationConfig": {"maxOutputTokens": MAX_TOKENS},
        }
        if route.thinking is not None:
            request["generationConfig"]["thinkingConfig"] = dict(route.thinking)
        return request

    async def refuse_signatures(self, route: Route) -> None:
        """Nothing is to be left out."""

    def new_reader(self, route: Route) -> Reader:  # noqa: ARG002 -- nothing in it depends on the route
        """A reader for one answer to it."""
        return CandidateReader(lambda name: name, now_s=self._now_s, keeps_signatures=False)
