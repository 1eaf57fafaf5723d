"""The table: each figure as a ratio to the passthrough relay of the same run.

A figure is that of a target's best round: what else the machine does can only add to a cost, and the rounds of all
targets take turns. How well that works shows in the second passthrough relay, whose distance from 1.00 is the noise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cells import FIGURES
from .programs import AGAIN, DIRECT, OURS, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .cells import Figure
    from .load import Measured

    Rounds = Mapping[tuple[str, str], Sequence[Measured]]

MAX_NOISE = 0.1


def ratio(figure: Figure, name: str, rounds: Rounds) -> float | None:
    """A target's figure as a ratio; None where it was not measured."""
    ours, reference, direct = (_best(figure, target, rounds) for target in (name, REFERENCE, DIRECT))
    if ours is None or reference is None:
        return None
    if not figure.is_added:
        return ours / reference
    return None if direct is None or reference <= direct else (ours - direct) / (reference - direct)


def is_noisy(cell: str, rounds: Rounds) -> bool:
    """Whether the second passthrough relay is more than a tenth away from the first in a figure of a cell."""
    again = (ratio(figure, AGAIN, rounds) for figure in FIGURES if figure.cell == cell and not figure.is_added)
    return any(value is not None and abs(value - 1) > MAX_NOISE for value in again)


def to_table(names: Sequence[str], rounds: Rounds, wrong: Mapping[tuple[str, str], str]) -> str:
    """The table in Markdown; ``wrong`` has the cells in which a target gave a wrong answer."""
    shown = [name for name in names if name != REFERENCE]
    lines = [
        "| | " + " | ".join((*shown, "floor", "goal", "reached")) + " |",
        "|---|" + "---:|" * (len(shown) + 2) + "---|",
    ]
    for figure in FIGURES:
        cells = [_shown(figure, name, rounds, wrong) for name in shown]
        sign = "≥" if figure.is_rate else "≤"
        limits = [f"{sign} {limit}" if limit is not None else "" for limit in (figure.floor, figure.goal)]
        lines.append(f"| {figure.title} | " + " | ".join((*cells, *limits, _reached(figure, rounds))) + " |")
    return "\n".join(lines)


def _shown(figure: Figure, name: str, rounds: Rounds, wrong: Mapping[tuple[str, str], str]) -> str:
    if (figure.cell, name) in wrong:
        return "WRONG"
    value = ratio(figure, name, rounds)
    if value is None or (name == DIRECT and not figure.is_rate):
        return "-"
    is_bound = figure.is_rate and all(measured.is_harness_bound for measured in rounds[figure.cell, name])
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 3
    return f"{'>' if is_bound else ''}{value:.{digits}f}"


def _reached(figure: Figure, rounds: Rounds) -> str:
    value = ratio(figure, OURS, rounds)
    if value is None or figure.floor is None or figure.goal is None:
        return ""
    for limit, word in ((figure.goal, "goal"), (figure.floor, "floor")):
        if value >= limit if figure.is_rate else value <= limit:
            return word
    return "no"


def _best(figure: Figure, name: str, rounds: Rounds) -> float | None:
    measured = rounds.get((figure.cell, name), ())
    values = [one.figures[figure.name] for one in measured if figure.name in one.figures]
    return (max if figure.is_rate else min)(values, default=None)
