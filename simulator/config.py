"""The settings of one simulator."""

from __future__ import annotations

from dataclasses import dataclass

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
"""The names of this machine: where the simulator may listen, whom it serves, and where a login may lead back to."""


@dataclass(frozen=True, slots=True)
class SimulatorConfig:
    """How a simulator behaves; the defaults suit a person who tries it out, tests want ``pace_s=0``.

    Attributes:
        host: the loopback address to listen on.
        port: the port, 0 for any free one.
        pace_s: seconds between two words of an answer.
        quota_cost: share of a five-hour quota one answer costs, 0 to 1; the weekly quota pays a tenth of it.
        has_demo_accounts: whether three made-up accounts exist from the start.
        client_id: the OAuth client the token endpoint knows.
        client_secret: its secret, as little of one as that of any installed program.
        max_requests: how many requests the log keeps.
        max_body_chars: how many characters of a request body the log keeps.
        max_remembered: how many signatures, tokens, request ids and accounts are remembered of each.
        max_sessions: how many sessions are remembered for the count of cached tokens.
        max_body_bytes: the largest request body read.
    """

    host: str = "127.0.0.1"
    port: int = 0
    pace_s: float = 0.02
    quota_cost: float = 0.002
    has_demo_accounts: bool = True
    client_id: str = "antigravity-simulator.apps.example"
    client_secret: str = "simulator-client-secret"  # noqa: S105 -- public by design
    max_requests: int = 200
    max_body_chars: int = 100_000
    max_remembered: int = 20_000
    max_sessions: int = 1_000
    max_body_bytes: int = 64 * 2**20
