"""A selection as a ranking file, as JSON and as words."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from labelsieve.cli._data import STANDARD
from labelsieve.cli._methods import plain
from labelsieve.cli._output import note, printable, table


def write_ranking(selector: Any, dataset: Any, arguments: argparse.Namespace) -> None:
    """Write rank, column, name and score of the kept features."""
    import csv
    import io
    import json

    ranked = _ranked(selector, dataset)
    header = ("rank", "column", "feature", "score")
    suffix = Path(arguments.output).suffix.lower()
    if suffix == ".json":
        rows = [dict(zip(header, row, strict=True)) for row in ranked]
        text = json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    elif suffix == ".txt":
        text = "".join(f"{name}\n" for _, _, name, _ in ranked)
    else:
        lines = io.StringIO()
        csv.writer(lines, lineterminator="\n").writerows([header, *ranked])
        text = lines.getvalue()
    if arguments.output == STANDARD:
        sys.stdout.write(text)
        return
    Path(arguments.output).write_text(text, encoding="utf-8")
    note(arguments, f"{arguments.output}: {len(ranked)} features")


def selection_as_dict(
    arguments: argparse.Namespace,
    selector: Any,
    dataset: Any,
    explanation: Any,
    quality: Any,
) -> dict[str, Any]:
    """Return all there is to know about a selection, for machines."""
    from labelsieve import __version__
    from labelsieve.datasets import describe

    ranked = _ranked(selector, dataset)
    measured = {} if quality is None else {"quality": _quality(quality, len(ranked))}
    return {
        "method": arguments.method.lower(),
        "parameters": plain(selector.get_params()),
        "order": [column for _, column, _, _ in ranked],
        "features": [name for _, _, name, _ in ranked],
        "scores": [score for _, _, _, score in ranked],
        "data": describe(dataset)._asdict(),
        "explanation": explanation.to_dict(),
        **measured,
        "version": __version__,
    }


def selection_as_text(
    selector: Any, dataset: Any, explanation: Any, quality: Any
) -> str:
    """Return the table for people: features, scores and reasons."""
    n_rows, n_features = dataset.X.shape
    title = (
        f"{printable(dataset.name)}: {explanation.features.size} of {n_features:,} "
        f"features tell most about {len(dataset.label_names):,} labels "
        f"({n_rows:,} rows, {type(selector).__name__})"
    )
    rows = [
        [
            str(rank),
            printable(feature["name"]),
            f"{feature['score']:.4g}",
            ", ".join(map(_told, feature["labels"])),
            ", ".join(_repeated(other) for other in feature["repeats"][:1]),
        ]
        for rank, feature in enumerate(explanation.to_dict(), start=1)
    ]
    header = ["rank", "feature", "score", "tells most about", "repeated most by"]
    text = f"{title}\n\n{table(header, rows)}"
    if quality is None:
        return text
    return f"{text}\n\n{_quality_text(quality, explanation.features.size)}"


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
