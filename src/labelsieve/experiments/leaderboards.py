"""The leaderboard: all methods on all data sets at hand, for anybody to run again."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import labelsieve
from labelsieve._utils.machine import write_files
from labelsieve._utils.messages import BEST, Column, Table, TableCell, numbers
from labelsieve.experiments import regret, summary
from labelsieve.experiments.cells import Sizes
from labelsieve.experiments.data import CappedHoldOut, describe, facts, locate
from labelsieve.experiments.methods import CONTROLS, Method
from labelsieve.experiments.papers import GENBASE
from labelsieve.experiments.runner import (
    DataPlan,
    Design,
    Plan,
    make_plan,
    run,
    with_controls,
)
from labelsieve.experiments.store import Record, Store
from labelsieve.registry import selector_names

FOREST = Method("forest", {"n_estimators": 20})
CLASSIFIERS = (Method("mlnb-codes"), Method("mlknn"), Method("ridge"), FOREST)
SIZES = Sizes(counts=(10, 20, 50, 100))
# What cells keep, whatever a page shows of it.
KEPT = ("average_precision", "micro_f1", "macro_f1", "macro_auc")
MEASURES = ("average_precision", "micro_f1", "macro_auc")
MOST_ROWS = 2500
# The fewer rows, the more a value depends on how they were divided.
SPLITS_BELOW = {500: 20, 1000: 10}
FEW_ROWS, SPLITS = 1000, 3
# Processor seconds of a selection, and of a judgement.
BUDGET = 40.0
MOST_LABELS = 100
TOO_MANY_LABELS = f"trees that predict more than {MOST_LABELS} labels take minutes"
# A second sample of the rows of another data set would count its kind twice.
SAMPLED_TWICE = ("mediamill-reduced",)
# The name of the row is no feature.
DROPPED = {GENBASE.name: GENBASE.drop}
REFERENCE = "sieve"
FOLDER = "results/leaderboard"


@dataclass(frozen=True)
class Leaderboard:
    """Where the methods stand: what is in leaderboard.json and in costs.json."""

    content: dict[str, Any]
    costs: dict[str, Any]

    def to_markdown(self) -> str:
        """Return the page."""
        return page(self.content)

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write the page, the JSON and the pictures: all files, or none."""
        from labelsieve.plots import CriticalDifferenceDisplay, TimeQualityDisplay

        ranks = self.content["ranks"]
        regret = {r["method"]: r["regret"]["mean"] for r in self.content["ranking"]}
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
    methods: Sequence[str | Method] | None = None,
    datasets: Sequence[str] | None = None,
    measures: Sequence[str] = MEASURES,
    n_splits: int | Sequence[int] | None = None,
    budget: float = BUDGET,
    again: Sequence[str] = (),
    n_jobs: int | None = None,
    out: str | os.PathLike[str] = FOLDER,
    cells: str | os.PathLike[str] | None = None,
    title: str = "Leaderboard",
    command: str = "labelsieve leaderboard",
    verbose: bool = False,
) -> Leaderboard:
    """Evaluate all methods on all data sets at hand, and compare them.

    Finished cells are kept in ``cells.jsonl``, and go into ``cells.jsonl.xz`` at the
    end where that is there: the same call after an interruption goes on, a method that
    is new adds its own cells, and a call with nothing to add changes nothing. What
    takes longer than the budget is recorded as such, and counts as much as a random
    choice.

    Parameters
    ----------
    data : path, optional
        Folder of the data sets; by default that of ``LABELSIEVE_DATA``.
    methods : sequence of str or Method, optional
        Names of selectors, by default all of the library; "module:function" names one
        of another library, see :class:`Method`.
    datasets : sequence of str, optional
        Names of data sets; by default all folders in `data`.
    measures : sequence of str
        What is compared: "average_precision", "micro_f1", "macro_f1", "macro_auc".
    n_splits : int or pair of int, optional
        How often rows are divided at most: where there are fewer than 1,000, and
        otherwise. By default 20 times where they are fewer than 500, 10 times where
        they are fewer than 1,000, and otherwise 3 times.
    budget : float, default=40.0
        Processor seconds that a selection may take, and a judgement.
    again : sequence of str
        Methods whose cells are computed anew, because they changed.
    n_jobs : int, optional
        Number of processes; -1 uses all processors.
    out : path, default="results/leaderboard"
        The folder of the page, the JSON and the pictures.
    cells : path, optional
        The file of the cells, which pages may share; by default in `out`.
    title, command : str
        What the page is called, and what it says it was made by.
    verbose : bool, default=False
        Show progress and remaining time on the standard error stream.

    Examples
    --------
    >>> from labelsieve.experiments import leaderboard
    >>> leaderboard(methods=["sieve", "fimf"]).content["ranking"]  # doctest: +SKIP
    [{'method': 'sieve', ...
    """
    chosen = [
        Method(method) if isinstance(method, str) else method
        for method in methods or selector_names()
    ]
    most = _most_splits(n_splits)
    planned = [_data_plan(name, data, most) for name in _names(data, datasets)]
    design = Design(
        name="leaderboard",
        title=title,
        datasets=tuple(planned),
        protocol=_protocol(min(most[1], SPLITS)),
        contenders=with_controls(chosen, CLASSIFIERS),
        views=("minmax",),
        sizes=SIZES,
        criterion="best",
        measures=tuple(measures),
        reference=REFERENCE,
        notes=(command,),
        budget=budget,
        kept=KEPT,
    )
    plan = make_plan(design, data=data)
    store = Store(cells or Path(out) / "cells.jsonl")
    if again:
        store.read()
        for cell in plan.cells:
            if cell.selector.label in again:
                store.forget(cell.key)
    records = run(plan.cells, store, n_jobs=n_jobs, verbose=verbose)
    store.fold()
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


def _most_splits(n_splits: int | Sequence[int] | None) -> tuple[int, int]:
    """How many splits there are at most where rows are few, and otherwise."""
    if n_splits is None:
        return max(SPLITS_BELOW.values()), SPLITS
    asked = [n_splits] * 2 if isinstance(n_splits, int) else list(n_splits)
    if len(asked) != 2 or not all(isinstance(n, int) and n >= 1 for n in asked):
        raise ValueError(
            "n_splits must be a whole number of at least 1, or two of them: for data "
            f"with few rows and for others; got {n_splits!r}."
        )
    return asked[0], asked[1]


def _data_plan(
    name: str, data: str | os.PathLike[str] | None, most: tuple[int, int]
) -> DataPlan:
    drop = DROPPED.get(name, ())
    known = facts(locate(name, data, drop))
    many = known.labels > MOST_LABELS
    left_out = {FOREST.label: TOO_MANY_LABELS} if many else {}
    usual = next((n for rows, n in SPLITS_BELOW.items() if known.rows < rows), SPLITS)
    n_splits = min(usual, most[known.rows >= FEW_ROWS])
    return DataPlan(name, drop, _protocol(n_splits), left_out)


def _protocol(n_splits: int) -> CappedHoldOut:
    return CappedHoldOut(n_splits=n_splits, stratified=True, most_rows=MOST_ROWS)


def _summarize(plan: Plan, records: list[Record]) -> Leaderboard:
    design = plan.design
    curves = summary.collect(plan, records)
    splits = {
        data.name: data.protocol.n_splits for data in design.datasets if data.protocol
    }
    shapes = [
        {
            **describe(source),
            "words": facts(source).is_sparse or facts(source).is_categorical,
            "splits": splits[source.name],
        }
        for source in plan.sources
    ]
    cases = regret.Cases.of(curves, design.measures)
    kinds = regret.kinds_of(shapes)
    rows = regret.rank_methods(cases, kinds)
    first = next(row["method"] for row in rows if row["method"] not in CONTROLS)
    reference = REFERENCE if REFERENCE in cases.methods else first
    content = {
        "title": design.title,
        "command": design.notes[0],
        "version": labelsieve.__version__,
        "protocol": f"stratified hold-outs, 70/30, of at most {MOST_ROWS} rows",
        "seed": design.seed,
        "budget": design.budget,
        "classifiers": [classifier.label for classifier in CLASSIFIERS],
        "sizes": list(SIZES.counts),
        "measures": list(design.measures),
        "rope": regret.ROPE,
        "n_cells": len(plan.cells),
        "n_cases": len(cases.datasets),
        "datasets": shapes,
        "kinds": kinds,
        "left_out": [
            {"dataset": d.name, "classifier": classifier, "reason": reason}
            for d in design.datasets
            for classifier, reason in d.left_out.items()
        ],
        "failed": summary.failures(curves),
        "ranking": rows,
        "reference": reference,
        "against": regret.against(cases, reference),
        "ranks": regret.average_ranks(cases),
        "regret_by_dataset": regret.regret_by_dataset(cases),
    }
    return Leaderboard(content, _costs(curves))


def _costs(curves: Sequence[summary.MethodCurve]) -> dict[str, Any]:
    """Median processor seconds of a selection by method, and the sum of all cells."""
    seconds: dict[str, dict[Any, float]] = {}
    total = 0.0
    for curve in curves:
        for split, record in curve.records.items():
            cost, place = record["cost"], (curve.dataset, split)
            total += cost.get("judge_cpu_seconds", cost["judge_seconds"])
            if place not in seconds.setdefault(curve.method, {}):
                seconds[curve.method][place] = cost["select_cpu_seconds"]
                total += cost["select_cpu_seconds"]
    medians = {
        method: float(f"{np.median(list(spent.values())):.4g}")
        for method, spent in seconds.items()
        if spent and method not in CONTROLS
    }
    return {"seconds": medians, "seconds_of_all_cells": round(total, 1)}


def page(content: dict[str, Any]) -> str:
    """Return the leaderboard as Markdown."""
    by_data = content["regret_by_dataset"]
    few = ", ".join(d["name"] for d in content["datasets"] if d["splits"] == 1)
    parts = [
        f"# {content['title']}",
        f"{len(content['datasets'])} data sets, evaluated by "
        f"{', '.join(content['classifiers'])} at "
        f"{', '.join(map(str, content['sizes']))} features by "
        f"{', '.join(m.replace('_', ' ') for m in content['measures'])}: "
        f"{content['n_cases']} cases. {content['protocol'].capitalize()}, seed "
        f"{content['seed']}; labelsieve {content['version']}, {content['n_cells']} "
        "cells." + (f" Divided once only: {few}." if few else ""),
        "A case is a data set, a classifier, a number of features and a measure, the "
        "mean over splits. Regret is how much worse a method is than the best "
        "selection of its case; the second column of regret has all features among the "
        "best. Intervals are those of the mean over data sets, by bootstrap (95 %). A "
        f"selection or judgement that took more than {content['budget']:g} processor "
        "seconds has no value: the method is left with what random features give, and "
        "the number of such cases is shown. Ranks are among methods and random "
        "features. AUC is the mean over labels that have both classes in the test "
        "rows.",
        Table("Ranking", RANKING, content["ranking"]).to_markdown(level=0),
        "![Average ranks](critical-difference.svg)",
        f"Methods joined by a bar do not differ (Friedman p = "
        f"{content['ranks']['friedman_p']:.2g}, Nemenyi at 0.05).",
        "![Time against quality](time.svg)",
        _by_kind_table(content).to_markdown(),
        _regret_table(
            "Mean regret by data set", "data set", content, by_data
        ).to_markdown(),
        _against_table(content).to_markdown(),
        _failed_table(content).to_markdown(),
        Table("Data sets", SHAPES, content["datasets"]).to_markdown(),
        f"Made by `{content['command']}`.",
    ]
    return "\n\n".join(parts) + "\n"


def _by_kind_table(content: dict[str, Any]) -> Table:
    rows, kinds = content["ranking"], content["kinds"].items()
    lines = {
        f"{kind} ({len(data)})": {r["method"]: r["regret_by_kind"][kind] for r in rows}
        for kind, data in kinds
        if data
    }
    note = (
        "Mean regret on text and annotations (sparse features, or two values each), "
        "numbers, few rows (fewer than 1,000) and many labels (50 or more)."
    )
    return _regret_table("By kind of data", "kind", content, lines, note)


def _regret_table(
    title: str, heading: str, content: Any, lines: dict[str, Any], *notes: str
) -> Table:
    """Lines are data sets or kinds of them, methods are columns, the best first."""
    methods = [row["method"] for row in content["ranking"]]
    shown = []
    for name, line in lines.items():
        best = min(line[method] for method in methods if method not in CONTROLS)
        cells = {
            method: TableCell(value, f"{value:.3f}", BEST if value == best else "")
            for method, value in line.items()
        }
        shown.append({"name": name, **cells})
    columns = [Column(heading, "name"), *(numbers(m, m) for m in methods)]
    return Table(title, columns, shown, notes)


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
    left_out = [{**row, "contest": row["classifier"]} for row in content["left_out"]]
    columns = [
        Column("data set", "dataset"),
        Column("classifier", "contest"),
        Column("method", "method"),
        numbers("cells", "n_failed", ""),
        Column("why", "reason"),
    ]
    return Table("Without a value", columns, [*content["failed"], *left_out])


def _worst(value: dict[str, Any]) -> str:
    return f"{value['regret']:.3f} ({value['where']})"


def _interval(value: dict[str, float], digits: int = 3) -> str:
    mean, low, high = (f"{value[k]:.{digits}f}" for k in ("mean", "low", "high"))
    return f"{mean} ({low} to {high})"


def _percent(value: dict[str, float]) -> str:
    mean, low, high = (f"{100 * value[k]:.0f}" for k in ("mean", "low", "high"))
    return f"{mean} % ({low} to {high})"


RANKING = (
    Column("method", "method"),
    numbers("mean regret", "regret", _interval),
    numbers("mean regret, all features among the best", "regret_with_all", _interval),
    numbers("worst data set", "worst_dataset", _worst),
    numbers("worst case", "worst_case", _worst),
    numbers("average rank", "rank", lambda value: _interval(value, 1)),
    numbers("better than random", "wins_against_random", _percent),
    numbers("better than all features", "wins_against_all", _percent),
    numbers("cases without a value", "without_value", ""),
)
SHAPES = (
    Column("name", "name"),
    *(numbers(key, key, "") for key in ("rows", "features", "labels", "splits")),
)
