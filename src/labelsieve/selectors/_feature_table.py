"""The selected features as a table: score, what it is made of, and reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labelsieve._plumbing.messages import Column, Table, numbers
from labelsieve.selectors._explanation import TOLD, Explanation
from labelsieve.sentences import label_name, with_mark

MISSING_TELLS = ("missing_told", "missing_labels")


def feature_table(
    explanation: Explanation,
    beside: Mapping[str, Any],
    *,
    terms: bool = True,
    n_repeats: int = TOLD,
) -> Table:
    """Return one row per selected feature, best first.

    Numbers of each feature that are known from elsewhere stand `beside` its score.
    """
    columns: dict[str, Any] = {**beside, **(explanation.shown_terms if terms else {})}
    rows = [
        {
            **feature,
            "rank": place + 1,
            "told": _largest(feature["labels"]),
            "repeated": _largest(feature["repeats"]),
            "repeats": feature["repeats"][:n_repeats],
            **_missing(feature),
            **{name: values[place] for name, values in columns.items()},
        }
        for place, feature in enumerate(explanation.reasons())
    ]
    listed = [
        numbers("rank", "rank", ""),
        Column("feature", ("name", "included"), with_mark),
        numbers("score", "score"),
        *(numbers(name.replace("_", " "), name, "z.3g") for name in columns),
        Column("tells most about", ("told", "labels"), _shares, style="words"),
        Column("repeated most by", ("repeated", "repeats"), _shares, style="words"),
    ]
    if explanation.n_missing.any():
        listed += [
            numbers("missing cells", "missing_cells", ""),
            Column("missing tells", MISSING_TELLS, _shares, style="words"),
        ]
    return Table("The chosen features", listed, rows)


def _missing(feature: Mapping[str, Any]) -> dict[str, Any]:
    found = feature.get("missing", {"cells": 0, "labels": []})
    return {
        "missing_cells": found["cells"],
        "missing_told": _largest(found["labels"]),
        "missing_labels": found["labels"],
    }


def _largest(parts: Sequence[Mapping[str, Any]]) -> float:
    return max((part["share"] for part in parts), default=0.0)


def _shares(_: float, parts: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{_name(part)} {_percent(part['share'])}" for part in parts)


def _name(part: Mapping[str, Any]) -> str:
    return label_name(part["label"]) if "label" in part else str(part["feature"])


def _percent(share: float) -> str:
    return "< 1 %" if share < 0.01 else f"{100 * share:.0f} %"
