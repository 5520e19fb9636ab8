"""A selection as a ranking file, as JSON and as words."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labelsieve._plumbing.files import write_file
from labelsieve.cli._certainty import (
    Certainty,
    certainty_as_dict,
    certainty_as_text,
)
from labelsieve.cli._data import STANDARD
from labelsieve.cli._methods import plain
from labelsieve.cli._output import note, printable, put, table

NOTHING_ASKED = Certainty()


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

    ranked = _ranked(selector, dataset)
    beside = certainty.columns([column for _, column, _, _ in ranked])
    header = ("rank", "column", "feature", "score", *beside)
    rows = [
        (*row, *numbers) for row, *numbers in zip(ranked, *beside.values(), strict=True)
    ]
    suffix = Path(arguments.output).suffix.lower()
    if suffix == ".json":
        listed = [dict(zip(header, row, strict=True)) for row in rows]
        text = json.dumps(listed, ensure_ascii=False, indent=1) + "\n"
    elif suffix == ".txt":
        text = "".join(f"{name}\n" for _, _, name, _ in ranked)
    else:
        lines = io.StringIO()
        csv.writer(lines, lineterminator="\n").writerows([header, *rows])
        text = lines.getvalue()
    if arguments.output == STANDARD:
        put(text.encode())
        return
    write_file(arguments.output, text.encode())
    note(arguments, f"{arguments.output}: {len(ranked)} features")


def selection_as_dict(
    arguments: argparse.Namespace, found: Selection
) -> dict[str, Any]:
    """Return all there is to know about a selection, for machines."""
    from labelsieve import __version__
    from labelsieve.datasets import describe

    ranked = _ranked(found.selector, found.dataset)
    order = [column for _, column, _, _ in ranked]
    quality = found.quality
    measured = {} if quality is None else {"quality": _quality(quality, len(ranked))}
    return {
        "method": arguments.method.lower(),
        "parameters": plain(found.selector.get_params()),
        "order": order,
        "features": [name for _, _, name, _ in ranked],
        "scores": [score for _, _, _, score in ranked],
        "data": describe(found.dataset)._asdict(),
        "explanation": found.explanation.to_dict(),
        "score_rule": found.explanation.rule,
        **certainty_as_dict(found.certainty, order),
        **measured,
        "version": __version__,
    }


def selection_as_text(found: Selection) -> str:
    """Return the table for people: features, scores and reasons."""
    dataset, explanation = found.dataset, found.explanation
    n_rows, n_features = dataset.X.shape
    size = explanation.features.size
    title = (
        f"{printable(dataset.name)}: {size} of {n_features:,} "
        f"features tell most about {len(dataset.label_names):,} labels "
        f"({n_rows:,} rows, {type(found.selector).__name__})"
    )
    parts = [title, _features_text(found)]
    asked = certainty_as_text(found.certainty, size)
    if asked:
        parts.append("\n".join(asked))
    if found.quality is not None:
        parts.append(_quality_text(found.quality, size))
    return "\n\n".join(parts)


def _features_text(found: Selection) -> str:
    explanation = found.explanation
    beside = found.certainty.columns(explanation.features.tolist())
    # What takes as long as the selection itself is for --json and --report.
    terms = {} if explanation.looks_again else explanation.shown_terms
    numbers = {**beside, **terms}
    rows = [
        [
            str(place + 1),
            printable(feature["name"]),
            f"{feature['score']:.4g}",
            *(f"{values[place] + 0.0:.3g}" for values in numbers.values()),
            ", ".join(map(_told, feature["labels"])),
            ", ".join(_repeated(other) for other in feature["repeats"][:1]),
        ]
        for place, feature in enumerate(explanation.reasons())
    ]
    titles = [name.replace("_", " ") for name in numbers]
    header = ["rank", "feature", "score", *titles]
    return table([*header, "tells most about", "repeated most by"], rows)


def _ranked(selector: Any, dataset: Any) -> list[tuple[int, int, str, float]]:
    """Rank, column, name and score of the kept features, best first."""
    chosen = selector.order_[: int(selector.support_.sum())].tolist()
    return [
        (rank, column, dataset.feature_names[column], float(selector.scores_[column]))
        for rank, column in enumerate(chosen, start=1)
    ]


def _quality(quality: Any, size: int) -> dict[str, dict[str, float]]:
    """Return each measure for chosen, random and all features."""
    return {
        measure: {which: quality.mean(measure, which, size) for which in by_features}
        for measure, by_features in quality.values.items()
    }


def _quality_text(quality: Any, size: int) -> str:
    rows = [
        [measure.replace("_", " "), *(f"{value:.4f}" for value in values.values())]
        for measure, values in _quality(quality, size).items()
    ]
    header = ["", f"{size} chosen", f"{size} random", "all"]
    return (
        f"quality on unseen rows, {quality.classifier}, mean of {quality.n_splits} "
        f"splits\n\n{table(header, rows)}"
    )


def _told(label: dict[str, Any]) -> str:
    return f"{printable(label['label'])} {_percent(label['share'])}"


def _repeated(other: dict[str, Any]) -> str:
    return f"{printable(other['feature'])} {_percent(other['share'])}"


def _percent(share: float) -> str:
    return "< 1 %" if share < 0.01 else f"{100 * share:.0f} %"
