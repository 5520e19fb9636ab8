"""A selection as a ranking file, as JSON and as words."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from labelsieve import sentences
from labelsieve._plumbing.files import write_file
from labelsieve._plumbing.tables import Column, Table, numbers
from labelsieve.cli._certainty import (
    Certainty,
    certainty_as_dict,
    certainty_as_text,
)
from labelsieve.cli._data import STANDARD, decided_names
from labelsieve.cli._methods import plain
from labelsieve.cli._output import note, put

NOTHING_ASKED = Certainty()
# How a cell begins that a spreadsheet takes for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Selection:
    """A fitted selector, its data, and what is known about its choice."""

    selector: Any
    dataset: Any
    explanation: Any
    quality: Any
    certainty: Certainty


def write_ranking(
    selector: Any,
    dataset: Any,
    arguments: argparse.Namespace,
    certainty: Certainty = NOTHING_ASKED,
) -> None:
    """Write rank, column, name and score of the kept features, and what was asked."""
    import csv
    import io
    import json

    values = ranking_table(selector, dataset, certainty).to_dicts()
    suffix = Path(arguments.output).suffix.lower()
    if suffix == ".json":
        text = json.dumps(values, ensure_ascii=False, indent=1) + "\n"
    elif suffix == ".txt":
        text = "".join(f"{_on_one_line(row['feature'])}\n" for row in values)
    else:
        lines = io.StringIO()
        rows = [list(values[0]), *(list(row.values()) for row in values)]
        if not arguments.raw:
            rows = [list(map(_harmless, row)) for row in rows]
        for row in rows:
            # A carriage return ends a line for readers, not for Python's writer.
            style = "unix" if "\r" in str(row[2]) else "excel"
            csv.writer(lines, style, lineterminator="\n").writerow(row)
        text = lines.getvalue()
    if arguments.output == STANDARD:
        put(text.encode())
        return
    write_file(arguments.output, text.encode())
    note(arguments, f"{arguments.output}: {len(values)} features")


def _on_one_line(name: str) -> str:
    """A name with escapes for what would end the line, such as \\n."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in name
    )


def _harmless(value: Any) -> Any:
    """A cell; spreadsheets show a text behind a quote, and would run a formula."""
    is_formula = isinstance(value, str) and value.startswith(FORMULA)
    return f"'{value}" if is_formula else value


def selection_as_dict(
    arguments: argparse.Namespace, found: Selection
) -> dict[str, Any]:
    """Return all there is to know about a selection, for machines."""
    from labelsieve import __version__
    from labelsieve.datasets import describe

    ranked = ranking_table(found.selector, found.dataset)
    quality = found.quality
    return {
        **ranking_as_dict(arguments, found.selector, found.dataset, ranked),
        "data": describe(found.dataset)._asdict(),
        "explanation": found.explanation.to_dict(),
        "score_rule": found.explanation.rule,
        "least_kept": found.explanation.least_kept(),
        **certainty_as_dict(found.certainty, [row["column"] for row in ranked.rows]),
        **({} if quality is None else _judged_as_dict(found)),
        "version": __version__,
    }


def _judged_as_dict(found: Selection) -> dict[str, Any]:
    """The verdict, and what the pictures of the page show."""
    from labelsieve.plots import InformationDisplay, RedundancyDisplay

    told = InformationDisplay.from_explanation(found.explanation)
    repeated = RedundancyDisplay.from_explanation(found.explanation)
    return {
        "quality": found.quality.to_dict(),
        "told": {
            "features": told.feature_names,
            "labels": told.label_names,
            "shares": told.shares.tolist(),
        },
        "repeated": {"features": repeated.names, "shares": repeated.shares.tolist()},
    }


def selection_as_text(found: Selection) -> str:
    """Return the table for people: features, scores and reasons."""
    size = found.explanation.features.size
    title = title_of(found.selector, found.dataset, size, found.dataset.X.shape[0])
    parts = [replace(_features(found), title=title).to_text()]
    if said := sentences.least_kept(found.explanation.least_kept()):
        parts.append(said)
    asked = certainty_as_text(found.certainty, size)
    if asked:
        parts.append("\n".join(asked))
    return "\n\n".join(parts)


def title_of(selector: Any, data: Any, n_chosen: int, n_rows: int | None) -> str:
    """Return what was chosen from what; the number of rows may not be known."""
    known = "" if n_rows is None else f"{n_rows:,} rows, "
    sizes = n_chosen, len(data.feature_names), len(data.label_names)
    said = sentences.headline(*sizes)
    return f"{data.name}: {said} ({known}{type(selector).__name__})"


def _features(found: Selection) -> Table:
    from labelsieve.selectors import feature_table

    explanation = found.explanation
    return feature_table(
        explanation,
        found.certainty.columns(explanation.features.tolist()),
        # What takes as long as the selection itself is for --json and --report.
        terms=not explanation.looks_again,
        n_repeats=1,
    )


def ranking_table(
    selector: Any, dataset: Any, certainty: Certainty = NOTHING_ASKED
) -> Table:
    """Return rank, column, name and score of the kept features, best first."""
    chosen = selector.order_[: int(selector.support_.sum())].tolist()
    beside = certainty.columns(chosen)
    rows = [
        {
            "rank": place + 1,
            "column": column,
            "feature": dataset.feature_names[column],
            "score": float(selector.scores_[column]),
            **{name: values[place] for name, values in beside.items()},
        }
        for place, column in enumerate(chosen)
    ]
    places = [numbers(name, name, "") for name in ("rank", "column")]
    scores = [numbers(name, name) for name in ("score", *beside)]
    return Table("", [*places, Column("feature", "feature"), *scores], rows)


def ranking_as_dict(
    arguments: argparse.Namespace, selector: Any, data: Any, ranked: Table
) -> dict[str, Any]:
    """Return method, parameters and the ranking, for machines."""
    return {
        "method": arguments.method.lower(),
        "parameters": settings_of(selector, data),
        "order": [row["column"] for row in ranked.rows],
        "features": [row["feature"] for row in ranked.rows],
        "scores": [row["score"] for row in ranked.rows],
    }


def settings_of(selector: Any, data: Any) -> dict[str, Any]:
    """Return the parameters of the method; features that they name by their names."""
    return plain(selector.get_params()) | decided_names(selector, data)


def quality_as_text(quality: Any) -> str:
    """Return the verdict in sentences, the figures in a table, and what they mean."""
    said = [*quality.sentences(), sentences.how_judged(quality)]
    table = quality.table()
    shown = [row for row in table.rows if row["against"] == "all"]
    parts = ["\n".join(said)]
    if shown:
        title = "quality on unseen rows: the chosen features against all"
        against_all = replace(table, title=title, rows=shown).without("against")
        parts.append(against_all.to_text())
    meanings = [
        f"  {sentences.measure_name(name)}: {sentences.MEANINGS[name]}"
        for name in quality.measures
    ]
    return "\n\n".join([*parts, "\n".join(["what the measures mean", *meanings])])
