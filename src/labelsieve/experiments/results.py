"""What an experiment found, as plain values that are written, read and shown."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import labelsieve
from labelsieve._utils.machine import write_files
from labelsieve._utils.messages import Row, frame_of, unknown
from labelsieve.experiments import summary
from labelsieve.experiments.data import facts
from labelsieve.experiments.methods import filled_in
from labelsieve.experiments.papers import Paper
from labelsieve.experiments.runner import Plan
from labelsieve.experiments.spoken import against_reference, on_a_screen, who_is_ahead
from labelsieve.experiments.store import Record
from labelsieve.experiments.tables import PLACE, ResultTables, page_of, place_of
from labelsieve.sentences import MEASURES

if TYPE_CHECKING:
    from labelsieve.plots import SelectionCurveDisplay


SHAPE = ("rows", "features", "labels", "checksum")
STABILITY_SIZES = (10, 20, 50)
FILLED = {
    "cells": "medians in place of missing cells",
    "labels": "the more frequent value in place of unknown labels",
}
# What the entries of result files are: raised when they change.
FORMAT = 1


@dataclass(frozen=True, repr=False)
class Results:
    """The outcome of an experiment.

    Attributes
    ----------
    content : dict
        All but costs, as in ``results.json``: "experiment", "datasets", "missing",
        "left_out" (methods with the reason), "failed", "table" (printed values and
        ours), "verdicts", "claims", "scores" (one number per method), "curves",
        "tests", "ranks" and "stability". It is the same for every run of the same
        experiment, interrupted or not.
    costs : list of dict
        Times and memory of the selections, as in ``costs.json``.
    folder : path or None
        Where it was written.
    """

    content: dict[str, Any]
    costs: list[dict[str, Any]]
    folder: Path | None = None

    def to_markdown(self) -> str:
        """Return the tables as Markdown."""
        tables, missing = ResultTables(self.content), self.content["missing"]
        experiment = tables.experiment
        return page_of(
            f"# {experiment['title']}",
            f"{experiment['reference']}." if experiment["reference"] else "",
            tables.datasets().to_markdown(level=0),
            f"Data sets not found: {', '.join(missing)}." if missing else "",
            "\n".join(f"- {note}" for note in experiment["notes"]),
            f"labelsieve {experiment['version']}, seed {experiment['seed']}, "
            f"{experiment['n_cells']} cells.",
            tables.published(),
            tables.left_out(),
            tables.claims(),
            "## All methods",
            f"Mean ± standard deviation over splits; {tables.compared}. All features "
            "have one value. Best of each column in bold.",
            *(table.to_markdown(level=3) for table in tables.scores()),
            tables.tests(),
            tables.ranks(),
            tables.stability(),
            tables.failed(),
        )

    def to_text(self) -> str:
        """Return who is ahead and one table, for a screen."""
        return on_a_screen(self.content)

    def sentences(self) -> list[str]:
        """Which method is ahead, and which are not distinguishable from it."""
        return who_is_ahead(self.content)

    def to_frame(self) -> Any:
        """Return every score as a row of a DataFrame of pandas or polars.

        Returns
        -------
        frame : DataFrame
            Data set, view, contest, method, measure, mean and standard deviation; p of
            the reference method against this one (corrected resampled t-test, Holm
            over the methods), and the verdict on the reference: "better", "worse",
            "inconclusive".
        """
        tests = {place_of(t, "method"): t for t in against_reference(self.content)}
        scores, keys = self.content["scores"], (*PLACE, "method", "mean", "sd")
        columns = {key: [score[key] for score in scores] for key in keys}
        tested = [tests.get(place_of(score, "method"), {}) for score in scores]
        columns["p"] = [test.get("p_holm") for test in tested]
        columns["reference_is"] = [test.get("verdict") for test in tested]
        return frame_of(columns)

    def plot(
        self, measure: str | None = None, *, place: int = 0, ax: Any = None
    ) -> SelectionCurveDisplay:
        """Draw the curves of all methods on one data set, and return the display.

        Parameters
        ----------
        measure : str, optional
            By which measure; by default the first of the experiment.
        place : int, default=0
            Which data set and classifier, in the order of the results.
        ax : matplotlib Axes, optional
            Where to draw; by default into a new figure.
        """
        measures = self.content["experiment"]["measures"]
        chosen = measures[0] if measure is None else measure
        if chosen not in measures:
            raise ValueError(unknown("measure", chosen, measures))
        return curves_display(self.content, chosen, place).plot(ax)

    def __repr__(self) -> str:
        experiment = self.content["experiment"]
        lines = [f"<Results: {experiment['title']}, {experiment['n_cells']:,} cells>"]
        return "\n".join([*lines, *self.sentences()])

    def _repr_html_(self) -> str:
        from labelsieve._utils.messages import paragraphs, table

        scores = ResultTables(self.content, self.costs).scores()
        return paragraphs(self.sentences()) + "".join(map(table, scores))

    def costs_to_markdown(self) -> str:
        """Return times and memory as Markdown."""
        tables = ResultTables(self.content, self.costs)
        relative = tables.relative_times()
        return page_of(
            f"# {tables.experiment['title']}: costs",
            "Median over splits on one thread; memory is the largest amount above what "
            "the process had before. Judging is training and testing at all sizes.",
            relative.to_markdown(level=0) if relative else "",
            tables.times_and_memory().to_markdown(level=0),
        )

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write JSON and Markdown into a folder: all files, or none."""
        texts = {
            "results.json": _to_json(_sealed(self.content)),
            "results.md": self.to_markdown(),
            "costs.json": _to_json(_sealed({"costs": self.costs})),
            "costs.md": self.costs_to_markdown(),
        }
        write_texts(folder, texts)


def write_texts(folder: str | os.PathLike[str], texts: dict[str, str]) -> None:
    """Write files into a folder: all of them, or none."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    write_files({place / name: text.encode() for name, text in texts.items()})


def read_results(path: str | os.PathLike[str]) -> Results:
    """Read the results of an experiment from its folder, or from its results.json.

    Parameters
    ----------
    path : path
        The folder given as `out` to `reproduce` or `compare`.

    Examples
    --------
    >>> from labelsieve.experiments import read_results
    >>> read_results("no such folder")
    Traceback (most recent call last):
        ...
    FileNotFoundError: no results in no such folder: ...
    """
    folder = Path(path)
    if folder.name == "results.json":
        folder = folder.parent
    if not (folder / "results.json").is_file():
        raise FileNotFoundError(
            f"no results in {path}: expected the folder that an experiment wrote, "
            "with a file results.json."
        )
    content = _read(folder / "results.json")
    file = folder / "costs.json"
    costs = _read(file)["costs"] if file.is_file() else []
    return Results(content, costs, folder)


def _sealed(content: dict[str, Any]) -> dict[str, Any]:
    """The content with a checksum, which shows that nobody has changed it."""
    text = json.dumps([FORMAT, content], sort_keys=True)
    return {"checksum": hashlib.sha256(text.encode()).hexdigest()[:32], **content}


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file}: damaged, not JSON: {error}") from None
    if isinstance(found, dict):
        checksum = found.pop("checksum", None)
        if checksum == _sealed(found)["checksum"]:
            return found
    raise ValueError(
        f"{file}: not as an experiment wrote it: it was changed or damaged, or another "
        "version wrote it. Run the experiment again: finished cells are kept."
    )


def make_results(
    plan: Plan, records: list[Record], paper: Paper | None = None
) -> Results:
    """Put all summaries of an experiment together."""
    design = plan.design
    curves = summary.collect(plan, records)
    protocols = {cell.source.name: cell.protocol.describe() for cell in plan.cells}
    content: dict[str, Any] = {
        "experiment": {
            "name": design.name,
            "title": design.title,
            "reference": paper.reference if paper else None,
            "reference_method": design.reference,
            "protocols": {one.name: protocols[one.name] for one in plan.sources},
            "criterion": design.criterion,
            "measures": list(design.measures),
            "views": list(design.views),
            "seed": design.seed,
            "notes": list(design.notes),
            "n_cells": len(plan.cells),
            "version": labelsieve.__version__,
        },
        "datasets": [
            {"name": one.name, **{key: getattr(facts(one), key) for key in SHAPE}}
            for one in plan.sources
        ],
        "missing": list(plan.missing),
        "left_out": _describe_left_out(plan, paper),
        "failed": summary.failures(curves),
    }
    curves = [curve for curve in curves if curve.records]
    failed = {row["method"] for row in content["failed"]}
    content["experiment"]["notes"] += _describe_filled(plan, failed)
    if paper is not None:
        content["table"] = summary.compare_published(paper.published, curves)
        content["verdicts"] = summary.count_verdicts(content["table"])
        content["claims"] = summary.check_claims(paper.claims, curves, design)
    content["scores"] = summary.summarize_scores(curves, design)
    content["tests"] = summary.compare_pairs(curves, design)
    content["ranks"] = summary.compare_over_datasets(curves, design)
    content["stability"] = summary.summarize_stability(curves, STABILITY_SIZES)
    content["curves"] = summary.summarize_curves(curves, design)
    return Results(content, summary.summarize_costs(curves))


def _describe_filled(plan: Plan, failed: set[str]) -> list[str]:
    """Which methods, if they did not fail, saw values in place of unknown ones."""
    known = [facts(source) for source in plan.sources]
    absent = {
        "cells": any(found.missing for found in known),
        "labels": any(found.unknown for found in known),
    }
    cells = [cell for cell in plan.cells if cell.method not in failed]
    selectors = {cell.method: cell.selector for cell in cells}
    filled = {method: filled_in(selector) for method, selector in selectors.items()}
    notes = []
    for what, said in FILLED.items():
        methods = [method for method, whats in filled.items() if what in whats]
        if absent[what] and methods:
            notes.append(f"{', '.join(methods)}: selected with {said}.")
    return notes


def _describe_left_out(plan: Plan, paper: Paper | None) -> list[dict[str, Any]]:
    """Methods that were not run on a data set that is present, and what is printed."""
    present = {source.name for source in plan.sources}
    return [
        {
            "dataset": planned.name,
            "method": method,
            "reason": reason,
            "published": {
                row.measure: row.value
                for row in (paper.published if paper else ())
                if (row.dataset, row.method) == (planned.name, method)
            },
        }
        for planned in plan.design.datasets
        if planned.name in present
        for method, reason in planned.left_out.items()
    ]


def _to_json(content: dict[str, Any]) -> str:
    """JSON with short lines: one per entry of the long lists."""
    parts = []
    for key, value in content.items():
        text = json.dumps(value, allow_nan=False)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n".join(json.dumps(row, allow_nan=False) for row in value)
            text = f"[\n{rows}\n]"
        parts.append(f"{json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def curves_display(content: Row, measure: str, place: int) -> SelectionCurveDisplay:
    """Return the curves of all methods on one data set with one classifier."""
    from labelsieve.plots import Curve, SelectionCurveDisplay

    places = list(ResultTables(content).lines(measure).items())
    if not 0 <= place < len(places):
        raise ValueError(f"there are {len(places)} places to show, got {place}.")
    (dataset, _, contest), lines = places[place]
    curves = {
        row["method"]: Curve(np.asarray(points, float), mean, mean - half, mean + half)
        for row, points, mean, half in lines
    }
    title = f"{dataset}, {contest}: {MEASURES.get(measure, measure)}"
    return SelectionCurveDisplay(curves, title)
