"""The leaderboard: all methods on all data sets at hand, for anybody to run again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import labelsieve
from labelsieve._plumbing.files import write_files
from labelsieve._plumbing.tables import BEST, Cell, Column, Table, numbers
from labelsieve.experiments import standing, summary
from labelsieve.experiments.cells import Sizes
from labelsieve.experiments.data import locate, read
from labelsieve.experiments.design import (
    DataPlan,
    Design,
    Plan,
    make_plan,
    with_controls,
)
from labelsieve.experiments.methods import CONTROLS, Method
from labelsieve.experiments.papers import GENBASE
from labelsieve.experiments.protocols import CappedHoldOut
from labelsieve.experiments.runner import run
from labelsieve.experiments.store import Record, Store
from labelsieve.registry import selector_names

JUDGES = (Method("mlnb", {"kind": "auto"}), Method("mlknn"), Method("logistic"))
SIZES = Sizes(counts=(10, 30))
MEASURES = ("micro_f1", "average_precision", "macro_auc")
# Processor seconds of a selection, and of a judgement.
BUDGET = 10.0
MOST_LABELS = 200
TOO_MANY_LABELS = f"one regression for each of more than {MOST_LABELS} labels"
# A second sample of the rows of another data set would count its kind twice.
SAMPLED_TWICE = ("mediamill-reduced",)
# The name of the row is no feature.
DROPPED = {GENBASE.name: GENBASE.drop}
REFERENCE = "sieve"
FOLDER = "results/leaderboard"


@dataclass(frozen=True)
class Leaderboard:
    """Where the methods stand.

    Attributes
    ----------
    content : dict
        As in ``leaderboard.json``: the same however often the run was interrupted.
    costs : dict
        Seconds of the selections by method, as in ``costs.json``.
    """

    content: dict[str, Any]
    costs: dict[str, Any]

    def to_markdown(self) -> str:
        """Return the page."""
        return page(self.content)

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write the page, the JSON and the pictures: all files, or none."""
        from labelsieve.plots import CriticalDifferenceDisplay, TimeQualityDisplay

        ranks = self.content["ranks"]
        regret = {r["method"]: r["regret"]["mean"] for r in self.content["standing"]}
        picture = CriticalDifferenceDisplay(
            ranks["methods"], ranks["average_ranks"], ranks["critical_difference"]
        )
        spent = self.costs["seconds"].items()
        points = {name: (seconds, regret[name]) for name, seconds in spent}
        texts = {
            "leaderboard.json": json.dumps(self.content, indent=1) + "\n",
            "leaderboard.md": self.to_markdown(),
            "critical-difference.svg": picture.to_svg_file(),
            "costs.json": json.dumps(self.costs, indent=1) + "\n",
            "time.svg": TimeQualityDisplay(points, "mean regret").to_svg_file(),
        }
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        write_files({place / name: text.encode() for name, text in texts.items()})


def leaderboard(
    *,
    data: str | os.PathLike[str] | None = None,
    methods: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    n_splits: int = 1,
    budget: float = BUDGET,
    again: Sequence[str] = (),
    n_jobs: int | None = None,
    out: str | os.PathLike[str] = FOLDER,
    verbose: bool = False,
) -> Leaderboard:
    """Judge all methods on all data sets at hand, and say how they stand.

    Finished cells are kept in ``cells.jsonl``: the same call after an interruption
    goes on from there, a method that is new adds its own cells, and a call with
    nothing to add changes nothing. What takes longer than the budget is recorded as
    such, and counts as much as a random choice.

    Parameters
    ----------
    data : path, optional
        Folder of the data sets; by default that of ``LABELSIEVE_DATA``.
    methods : sequence of str, optional
        Names of selectors; by default all.
    datasets : sequence of str, optional
        Names of data sets; by default all folders in `data`.
    n_splits : int, default=1
        How often rows are divided.
    budget : float, default=10.0
        Processor seconds that a selection may take, and a judgement.
    again : sequence of str
        Methods whose cells are computed anew, because they changed.
    n_jobs : int, optional
        Number of processes; -1 uses all processors.
    out : path, default="results/leaderboard"
        The folder of the cells, the page, the JSON and the pictures.
    verbose : bool, default=False
        Show progress and remaining time on the standard error stream.

    Examples
    --------
    >>> from labelsieve.experiments import leaderboard
    >>> leaderboard(methods=["sieve", "fimf"]).content["standing"]  # doctest: +SKIP
    [{'method': 'sieve', ...
    """
    chosen = [Method(name) for name in methods or selector_names()]
    plan = _plan(_names(data, datasets), chosen, n_splits, budget, data)
    store = Store(Path(out) / "cells.jsonl")
    cells = [planned.cell for planned in plan.cells]
    if again:
        store.read()
        for cell in cells:
            if cell.selector.name in again:
                store.forget(cell.key)
    records = run(cells, store, n_jobs=n_jobs, verbose=verbose)
    found = _summarize(plan, records)
    found.write(out)
    return found


def _names(
    data: str | os.PathLike[str] | None, datasets: Sequence[str] | None
) -> list[str]:
    if datasets:
        return list(datasets)
    folder = Path(data or os.environ.get("LABELSIEVE_DATA", ""))
    if not str(folder) or not folder.is_dir():
        raise FileNotFoundError(
            "the leaderboard needs the folder that holds the data sets: give it, or "
            "set LABELSIEVE_DATA to it."
        )
    names = sorted(path.name for path in folder.iterdir() if path.is_dir())
    return [name for name in names if name not in SAMPLED_TWICE]


def _plan(
    names: Iterable[str],
    methods: Sequence[Method],
    n_splits: int,
    budget: float,
    data: str | os.PathLike[str] | None,
) -> Plan:
    planned = []
    for name in names:
        drop = DROPPED.get(name, ())
        many = read(locate(name, data, drop)).Y.shape[1] > MOST_LABELS
        left_out = {"logistic": TOO_MANY_LABELS} if many else {}
        planned.append(DataPlan(name, drop, left_out=left_out))
    design = Design(
        name="leaderboard",
        title="Leaderboard",
        datasets=tuple(planned),
        protocol=CappedHoldOut(n_splits=n_splits, stratified=True),
        contenders=with_controls(methods, JUDGES),
        views=("minmax",),
        sizes=SIZES,
        criterion="best",
        measures=MEASURES,
        reference=REFERENCE,
        budget=budget,
    )
    return make_plan(design, data=data)


def _summarize(plan: Plan, records: list[Record]) -> Leaderboard:
    curves = summary.collect(plan, records)
    shapes = [_shape(source) for source in plan.sources]
    cases = standing.Cases.of(curves, MEASURES)
    kinds = standing.kinds_of(shapes)
    rows = standing.standing(cases, kinds)
    first = next(row["method"] for row in rows if row["method"] not in CONTROLS)
    reference = REFERENCE if REFERENCE in cases.methods else first
    content = {
        "version": labelsieve.__version__,
        "protocol": plan.cells[0].cell.protocol.describe(),
        "seed": plan.design.seed,
        "budget": plan.design.budget,
        "judges": [judge.label for judge in JUDGES],
        "sizes": list(SIZES.counts),
        "measures": list(MEASURES),
        "rope": standing.ROPE,
        "n_cells": len(plan.cells),
        "n_cases": len(cases.datasets),
        "datasets": shapes,
        "kinds": kinds,
        "left_out": [
            {"dataset": d.name, "judge": judge, "reason": reason}
            for d in plan.design.datasets
            for judge, reason in d.left_out.items()
        ],
        "failed": summary.failures(curves),
        "standing": rows,
        "reference": reference,
        "against": standing.against(cases, reference),
        "ranks": standing.average_ranks(cases),
    }
    return Leaderboard(content, _costs(curves))


def _shape(source: Any) -> dict[str, Any]:
    loaded = read(source)
    rows, features = loaded.X.shape
    return {
        "name": source.name,
        "rows": int(rows),
        "features": int(features),
        "labels": int(loaded.Y.shape[1]),
        "sparse": bool(sp.issparse(loaded.X)),
        "checksum": loaded.checksum,
    }


def _costs(curves: Sequence[summary.Curve]) -> dict[str, Any]:
    """Median seconds of a selection by method, and the sum over all cells."""
    seconds: dict[str, dict[Any, float]] = {}
    total = 0.0
    for curve in curves:
        for split, record in curve.records.items():
            cost, place = record["cost"], (curve.dataset, split)
            total += cost["judge_seconds"]
            if place not in seconds.setdefault(curve.method, {}):
                seconds[curve.method][place] = cost["select_cpu_seconds"]
                total += cost["select_seconds"]
    medians = {
        method: float(f"{np.median(list(spent.values())):.4g}")
        for method, spent in seconds.items()
        if spent and method not in CONTROLS
    }
    return {"seconds": medians, "seconds_of_all_cells": round(total, 1)}


def page(content: dict[str, Any]) -> str:
    """Return the leaderboard as Markdown."""
    parts = [
        "# Leaderboard",
        f"{len(content['datasets'])} data sets, judged by "
        f"{', '.join(content['judges'])} at {' and '.join(map(str, content['sizes']))} "
        f"features by {', '.join(m.replace('_', ' ') for m in content['measures'])}: "
        f"{content['n_cases']} cases. {content['protocol']}, seed {content['seed']}; "
        f"labelsieve {content['version']}, {content['n_cells']} cells.",
        "Regret is how much worse a method is than the best of its case. Intervals are "
        "those of the mean over data sets, by bootstrap (95 %). A selection or "
        f"judgement that took more than {content['budget']:g} processor seconds has no "
        "value: the method is left with what random features give, and the number of "
        "such cases is shown. AUC is the mean over labels that have both classes in "
        "the test rows.",
        _standing_table(content).to_markdown(level=0),
        "![Average ranks](critical-difference.svg)",
        f"Methods joined by a bar do not differ (Friedman p = "
        f"{content['ranks']['friedman_p']:.2g}, Nemenyi at 0.05).",
        "![Time against quality](time.svg)",
        _kinds_table(content).to_markdown(),
        _against_table(content).to_markdown(),
        _failed_table(content).to_markdown(),
        _datasets_table(content).to_markdown(),
        "Made by `labelsieve leaderboard`.",
    ]
    return "\n\n".join(parts) + "\n"


def _standing_table(content: dict[str, Any]) -> Table:
    columns = [
        Column("method", "method"),
        numbers("mean regret", "regret", _interval),
        numbers("average rank", "rank", lambda value: _interval(value, 1)),
        numbers("better than random", "wins_against_random", _percent),
        numbers("better than all features", "wins_against_all", _percent),
        numbers("cases without a value", "without_value", ""),
    ]
    return Table("Standing", columns, content["standing"])


def _kinds_table(content: dict[str, Any]) -> Table:
    rows, kinds = content["standing"], [k for k, d in content["kinds"].items() if d]
    best = {
        kind: min(
            row["regret_by_kind"][kind] for row in rows if row["method"] not in CONTROLS
        )
        for kind in kinds
    }
    shown = [
        {"method": row["method"]}
        | {
            kind: Cell(value, f"{value:.3f}", BEST if value == best[kind] else "")
            for kind, value in row["regret_by_kind"].items()
        }
        for row in rows
    ]
    columns = [
        numbers(f"{kind} ({len(content['kinds'][kind])})", kind) for kind in kinds
    ]
    note = (
        "Mean regret on text and annotations (sparse features), numbers, few rows "
        "(fewer than 1,000) and many labels (50 or more)."
    )
    return Table(
        "By kind of data", [Column("method", "method"), *columns], shown, [note]
    )


def _against_table(content: dict[str, Any]) -> Table:
    columns = [
        Column("against", "method"),
        numbers("gain", "gain", _interval),
        numbers("better", "better", ".2f"),
        numbers("alike", "alike", ".2f"),
        numbers("worse", "worse", ".2f"),
        numbers("Wilcoxon p", "p_wilcoxon", ".3g"),
        numbers("Holm p", "p_holm", ".3g"),
    ]
    note = (
        f"How probable it is that {content['reference']} is better, alike within "
        f"{content['rope']:g}, or worse (Bayesian signed-rank test over data sets)."
    )
    title = f"{content['reference']} against each other method"
    return Table(title, columns, content["against"], [note])


def _failed_table(content: dict[str, Any]) -> Table:
    rows = [
        *content["failed"],
        *(
            {
                "dataset": row["dataset"],
                "contest": row["judge"],
                "reason": row["reason"],
            }
            for row in content["left_out"]
        ),
    ]
    columns = [
        Column("data set", "dataset"),
        Column("judge", "contest"),
        Column("method", "method"),
        numbers("cells", "n_failed", ""),
        Column("why", "reason"),
    ]
    return Table("Without a value", columns, rows)


def _datasets_table(content: dict[str, Any]) -> Table:
    sizes = [numbers(key, key, "") for key in ("rows", "features", "labels")]
    return Table("Data sets", [Column("name", "name"), *sizes], content["datasets"])


def _interval(value: dict[str, float], digits: int = 3) -> str:
    mean, low, high = (f"{value[k]:.{digits}f}" for k in ("mean", "low", "high"))
    return f"{mean} ({low} to {high})"


def _percent(value: dict[str, float]) -> str:
    mean, low, high = (f"{100 * value[k]:.0f}" for k in ("mean", "low", "high"))
    return f"{mean} % ({low} to {high})"
