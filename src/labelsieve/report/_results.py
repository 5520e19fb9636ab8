"""What the pages about experiments share: rows of results and how to read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labelsieve.metrics import SMALLER_IS_BETTER
from labelsieve.report import blocks

Row = Mapping[str, Any]

CONTROLS = ("random", "all")
SIGNIFICANT = 0.05


def methods_of(content: Row) -> list[str]:
    """Return the compared methods in the order of the results."""
    return list(dict.fromkeys(row["method"] for row in content["curves"]))


def best_of(scores: Sequence[Row], measure: str) -> Row:
    """Return the score with the best mean."""
    sign = 1 if measure in SMALLER_IS_BETTER else -1
    return min(scores, key=lambda score: sign * score["mean"])


def title_of(measure: str) -> str:
    """Return the short name of a measure."""
    return blocks.MEASURES.get(measure, measure).split(" (")[0].split(":")[0]


def many(count: int, what: str) -> str:
    """Return a number with its noun."""
    return f"{count} {what}" + ("" if count == 1 else "s")
