"""The pieces of a page, as plain dictionaries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labelsieve.plots import Display

MEASURES = {
    "micro_f1": "micro-F1 (1 is best)",
    "hamming_loss": "Hamming loss (0 is best)",
    "subset_accuracy": "subset accuracy: all labels of a row right (1 is best)",
    "average_precision": "average precision (1 is best)",
    "ranking_loss": "ranking loss (0 is best)",
    "macro_f1": "macro-F1 (1 is best)",
    "accuracy": "accuracy, Jaccard (1 is best)",
    "example_f1": "F1 by row (1 is best)",
    "one_error": "one-error (0 is best)",
    "coverage": "coverage (smaller is better)",
    "coverage_error": "coverage error (smaller is better)",
}
# More points than pixels only make the page larger.
MOST_POINTS = 40
DIGITS = 4


def section(
    id: str, short: str, title: str, text: Sequence[str], blocks: Sequence[Any]
) -> dict[str, Any]:
    """A part of the page with a title and an entry in the navigation."""
    return {
        "id": id,
        "short": short,
        "title": title,
        "text": list(text),
        "blocks": list(blocks),
    }


def figure(name: str, value: str, unit: str = "", note: str = "") -> dict[str, str]:
    """One large number of the summary."""
    return {"name": name, "value": value, "unit": unit, "note": note}


def series(
    method: str,
    sizes: Sequence[float],
    mean: Sequence[float],
    half: Sequence[float],
    *,
    dashed: bool = False,
    most_points: int = MOST_POINTS,
    **keys: str,
) -> dict[str, Any]:
    """One line of a chart: mean and half the width of its interval at each size."""
    places = np.linspace(0, len(sizes) - 1, min(len(sizes), most_points))
    kept = np.unique(places.round().astype(int)).tolist()
    return {
        "method": method,
        **keys,
        "sizes": [_plain(sizes[place]) for place in kept],
        "mean": [_number(mean[place]) for place in kept],
        "half": [_number(half[place]) for place in kept],
        "dashed": dashed,
    }


def curves(
    id: str,
    lines: Sequence[Mapping[str, Any]],
    choices: Mapping[str, str],
    *,
    chosen: int | None = None,
    fractions: bool = False,
) -> dict[str, Any]:
    """A chart whose lines can be chosen by `choices` (key to title) and toggled."""
    found = {
        key: list(dict.fromkeys(str(line[key]) for line in lines)) for key in choices
    }
    return {
        "kind": "curves",
        "id": id,
        "label": "Chart of quality against the number of features",
        "choices": [
            {
                "name": key,
                "title": title,
                "options": [
                    {"value": value, "title": MEASURES.get(value, value)}
                    for value in found[key]
                ],
            }
            for key, title in choices.items()
        ],
        "data": {
            "methods": list(dict.fromkeys(line["method"] for line in lines)),
            "keys": list(choices),
            "titles": MEASURES,
            "series": list(lines),
            "chosen": chosen,
            "fractions": fractions,
            "unit": "of the features" if fractions else "features",
            "x_title": "share of features" if fractions else "number of features",
        },
    }


def pictures(*drawn: dict[str, Any]) -> dict[str, Any]:
    """Pictures side by side where there is room."""
    return {"kind": "pictures", "pictures": list(drawn)}


def picture(
    id: str, display: Display, title: str, caption: str, small: bool = False
) -> dict[str, Any]:
    """A display as SVG, with what it shows in words."""
    from markupsafe import Markup

    return {
        "title": title,
        "caption": caption,
        "small": small,
        # Matplotlib has escaped the names in it; the title is escaped there too.
        "svg": Markup(display.to_svg(prefix=f"{id}-", title=f"{title}. {caption}")),
    }


def cell(
    text: str,
    sort: float | None = None,
    classes: str = "",
    mark: str = "",
    mark_title: str = "",
) -> dict[str, Any]:
    """A cell of a table; `sort` is the number by which its column sorts."""
    return {
        "text": text,
        "sort": sort if sort is None or math.isfinite(sort) else None,
        "classes": classes,
        "mark": mark,
        "mark_title": mark_title,
    }


def number_cell(value: float, shown: str | None = None, **more: str) -> dict[str, Any]:
    """A cell that holds a number."""
    classes = f"number {more.pop('classes', '')}".strip()
    # Adding 0 turns -0 into 0.
    text = shown if shown is not None else f"{value + 0.0:.4g}"
    return cell(text, float(value), classes, **more)


def table(
    caption: str,
    columns: Sequence[tuple[str, bool]],
    rows: Sequence[Sequence[Mapping[str, Any]]],
    *,
    sortable: bool = True,
    row_headers: bool = True,
) -> dict[str, Any]:
    """A table; columns are pairs of a title and whether they hold numbers."""
    return {
        "kind": "table",
        "caption": caption,
        "columns": [{"title": title, "number": number} for title, number in columns],
        "rows": [list(row) for row in rows],
        "sortable": sortable and len(rows) > 1,
        "row_headers": row_headers,
    }


def facts(caption: str, pairs: Mapping[str, Any]) -> dict[str, Any]:
    """A table of names and values."""
    rows = [[cell(str(name)), cell(_fact(value))] for name, value in pairs.items()]
    return table(caption, [("what", False), ("value", False)], rows, sortable=False)


def tables(*listed: Mapping[str, Any]) -> dict[str, Any]:
    """Small tables side by side where there is room."""
    return {"kind": "tables", "tables": list(listed)}


def command(text: str) -> dict[str, Any]:
    """A command to copy."""
    return {"kind": "command", "text": text}


def _plain(size: float) -> float:
    number = float(size)
    return int(number) if number.is_integer() else number


def _number(value: float) -> float | None:
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def _fact(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
