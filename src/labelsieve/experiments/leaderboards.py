"""The leaderboard: all methods on all data sets at hand, for anybody to run again."""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

import labelsieve
from labelsieve._utils.messages import BEST, Column, Table, TableCell, numbers, unknown
from labelsieve.experiments import regret, runner, summary
from labelsieve.experiments.cells import Cell, Sizes
from labelsieve.experiments.data import CappedHoldOut, Split, facts, locate, read
from labelsieve.experiments.methods import CONTROLS, Method, filled_in, named_function
from labelsieve.experiments.papers import GENBASE
from labelsieve.experiments.results import Results, make_results, write_texts
from labelsieve.experiments.runner import DataPlan, Design, Plan, with_controls
from labelsieve.experiments.store import Record, Store
from labelsieve.experiments.tables import page_of
from labelsieve.registry import selector_names
from labelsieve.sentences import p_value

BAYES, NEIGHBORS, RIDGE = Method("mlnb-codes"), Method("mlknn"), Method("ridge")
FOREST, BOOSTING = Method("forest", {"n_estimators": 20}), Method("boosting")
# The share of features at which recent papers print ML-kNN.
PRINTED_AT = 0.2


@dataclass(frozen=True)
class Protocol:
    """At which sizes selections are judged, by which classifiers, in which time."""

    sizes: Sizes
    classifiers: tuple[Method, ...]
    budget: float  # processor seconds of a selection, and of a judgement
    # The fewer rows, the more a value depends on how they were divided.
    splits_below: tuple[tuple[int, int], ...] = ()
    at_one_size: tuple[Method, ...] = ()  # that take too long to be asked at more sizes


PROTOCOLS = {
    "counts": Protocol(
        Sizes(counts=(10, 20, 50, 100)),
        (BAYES, NEIGHBORS, RIDGE, FOREST),
        budget=40.0,
        splits_below=((500, 20), (1000, 10)),
    ),
    "shares": Protocol(
        Sizes(fractions=(0.05, 0.1, PRINTED_AT, 0.3, 0.5)),
        (NEIGHBORS, RIDGE, BAYES),
        budget=20.0,
        at_one_size=(BOOSTING,),
    ),
}
# What cells keep, and what is compared.
MEASURES = ("average_precision", "micro_f1", "macro_f1", "macro_auc")
MOST_ROWS = 2500
FEW_ROWS, SPLITS = 1000, 3
# More labels than these are too many for a classifier, and why.
MOST_LABELS = {
    FOREST.label: (100, "trees that predict more than 100 labels take minutes"),
    BOOSTING.label: (20, "more than 20 labels are as many boosted models"),
}
# More features than these take long: the usual splits only, no boosted trees.
WIDE = 5000
# So many of the methods must have a case for it to count.
ENOUGH = 0.75
# A second sample of the rows of another data set would count its kind twice.
SAMPLED_TWICE = ("mediamill-reduced",)
# The name of the row is no feature.
DROPPED = {GENBASE.name: GENBASE.drop}
# How the names of label columns begin in tables that do not say which they are.
LABELS = "y_"
SEED, REFERENCE = 2024, "sieve"
FOLDER = "results/leaderboard"


@dataclass(frozen=True)
class Leaderboard:
    """Where the methods stand: what is in leaderboard.json and in costs.json.

    `find_results` returns all values, tests and costs, as `compare` does: for a page.
    """

    content: dict[str, Any]
    costs: dict[str, Any]
    find_results: Callable[[], Results]

    def to_markdown(self) -> str:
        """Return the page."""
        return page(self.content)

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write the page, the JSON and the pictures: all files, or none."""
        from labelsieve.plots import CriticalDifferenceDisplay, TimeQualityDisplay

        ranks = self.content["ranks"]
        regret = {r["method"]: r["regret"]["mean"] for r in self.content["ranking"]}
        drawn = "methods", "average_ranks", "critical_difference"
        picture = CriticalDifferenceDisplay(*(ranks[name] for name in drawn))
        points = {n: (s, regret[n]) for n, s in self.costs["seconds"].items()}
        texts = {
            "leaderboard.json": json.dumps(self.content, indent=1) + "\n",
            "leaderboard.md": self.to_markdown(),
            "critical-difference.svg": picture.to_svg_file(),
            "costs.json": json.dumps(self.costs, indent=1) + "\n",
            "time.svg": TimeQualityDisplay(points, "mean regret").to_svg_file(),
        }
        write_texts(folder, texts)


def leaderboard(
    protocol: str = "counts",
    *,
    data: str | os.PathLike[str] | None = None,
    methods: Sequence[str | Method] | None = None,
    entries: str | None = None,
    datasets: Sequence[str] | None = None,
    measures: Sequence[str] = MEASURES,
    n_splits: int | Sequence[int] | None = None,
    budget: float | None = None,
    again: Sequence[str] = (),
    compute: bool = True,
    n_jobs: int | None = None,
    out: str | os.PathLike[str] = FOLDER,
    cells: str | os.PathLike[str] | None = None,
    verbose: bool = False,
) -> Leaderboard:
    """Evaluate all methods on all data sets at hand, and compare them.

    Finished cells are kept in ``cells.jsonl``, and go into ``cells.jsonl.xz`` at the
    end where that is there: the same call after an interruption goes on, a method that
    is new adds its own cells, and a call with nothing to add changes nothing. What
    takes longer than the budget is recorded as such, and counts as much as a random
    choice. Tables without declared labels have them in columns that begin with ``y_``.

    Parameters
    ----------
    protocol : {"counts", "shares"}, default="counts"
        Whether selections are judged at 10 to 100 features, or at 5 to 50 % of them.
    data : path, optional
        Folder of the data sets; by default that of ``LABELSIEVE_DATA``.
    methods : sequence of str or Method, optional
        Names of selectors, by default all of the library; "module:function" names one
        of another library, see :class:`Method`.
    entries : str, optional
        A module whose ``ENTRIES`` names functions of it that take part, too.
    datasets : sequence of str, optional
        Names of data sets; by default all folders in `data`.
    measures : sequence of str
        What is compared: "average_precision", "micro_f1", "macro_f1", "macro_auc".
    n_splits : int or pair of int, optional
        How often rows are divided at most: where there are fewer than 1,000, and
        otherwise. By default 3 times; by counts 20 times where rows are fewer than
        500, and 10 times where they are fewer than 1,000.
    budget : float, optional
        Processor seconds that a selection may take, and a judgement: 40 by counts, 20
        by shares.
    again : sequence of str
        Methods whose cells are computed anew, because they changed.
    compute : bool, default=True
        False makes the page from the cells at hand, and names what is not computed.
    n_jobs : int, optional
        Number of processes; -1 uses all processors.
    out : path, default="results/leaderboard"
        The folder of the page, the JSON and the pictures; "shares" in it by shares.
    cells : path, optional
        The file of the cells, which pages share; by default in `out`.
    verbose : bool, default=False
        Show progress and remaining time on the standard error stream.

    Examples
    --------
    >>> from labelsieve.experiments import leaderboard
    >>> leaderboard(methods=["sieve", "fimf"]).content["ranking"]  # doctest: +SKIP
    [{'method': 'sieve', ...
    """
    if protocol not in PROTOCOLS:
        raise ValueError(unknown("protocol", protocol, PROTOCOLS))
    rules = PROTOCOLS[protocol]
    rules = replace(rules, budget=budget or rules.budget)
    given = methods or selector_names()
    chosen = [Method(one) if isinstance(one, str) else one for one in given]
    taking_part = f" --entries {entries}" if entries else ""
    if entries:
        names = named_function(f"{entries}:ENTRIES")
        chosen += [Method(f"{entries}:{name}") for name in names]
    most, one_size = _most_splits(n_splits), Sizes(fractions=(PRINTED_AT,))
    planned = [_data_plan(n, data, most, rules) for n in _names(data, datasets)]
    late = with_controls(chosen, rules.at_one_size)
    design = Design(
        name=protocol,
        title=f"Leaderboard by {protocol}",
        datasets=tuple(planned),
        protocol=_splits(SPLITS),
        contenders=(
            *with_controls(chosen, rules.classifiers),
            *(replace(contender, sizes=one_size) for contender in late),
        ),
        views=("minmax",),
        sizes=rules.sizes,
        criterion="best",
        measures=tuple(measures),
        reference=REFERENCE,
        seed=SEED,
        notes=(f"labelsieve leaderboard --protocol {protocol}{taking_part}",),
        budget=rules.budget,
        kept=MEASURES,
    )
    plan = runner.make_plan(design, data=data)
    store = Store(cells or Path(out) / "cells.jsonl")
    if again:
        store.read()
        called = {c.key: {c.selector.name, c.selector.label} for c in plan.cells}
        known = sorted(set().union(*called.values()))
        if absent := sorted({*again} - {*known}):
            raise ValueError(unknown("method", absent[0], known))
        for key in (key for key, names in called.items() if names & {*again}):
            store.forget(key)
    if compute:
        runner.run(plan.cells, store, n_jobs=n_jobs, verbose=verbose)
        store.fold()
    found = _summarize(*_known(plan, store.read()))
    found.write(Path(out) / (protocol if protocol != "counts" else ""))
    return found


def _known(
    plan: Plan, records: dict[str, Record]
) -> tuple[Plan, list[Record], dict[str, list[str]]]:
    """What can be compared of the cells at hand, and what is not computed yet.

    A split that fewer than three quarters of the methods have has only begun; a method
    that lacks one of the others is not computed yet.
    """
    planned, present = defaultdict(set), defaultdict(set)
    for cell in plan.cells:
        planned[_place(cell)].add(cell.method)
        if cell.key in records:
            present[_place(cell)].add(cell.method)
    done = {p for p in planned if len(present[p]) >= ENOUGH * len(planned[p])}
    absent = set().union(*(planned[p] - present[p] for p in done))
    kept = [_place(c) in done and c.method not in absent for c in plan.cells]
    cells = tuple(compress(plan.cells, kept))
    names = {cell.source.name for cell in cells}
    missing = {
        "methods": sorted(absent),
        "datasets": sorted({s.name for s in plan.sources} - names),
    }
    if len(names) < 2:
        raise ValueError("too few methods are computed on two data sets: run it first.")
    sources = tuple(source for source in plan.sources if source.name in names)
    found_plan = replace(plan, cells=cells, sources=sources)
    return found_plan, [records[cell.key] for cell in cells], missing


def _place(cell: Cell) -> tuple[str, str, int]:
    return cell.source.name, cell.contest, cell.split


def split_rows(
    name: str,
    index: int,
    *,
    data: str | os.PathLike[str] | None = None,
    published: dict[str, Any] | None = None,
) -> Split:
    """Return the training and test rows of a split of the leaderboard.

    Parameters
    ----------
    name : str
        The data set.
    index : int
        The number of the split, from 0.
    data : path, optional
        Folder of the data sets; by default that of ``LABELSIEVE_DATA``.
    published : dict, optional
        The content of a ``leaderboard.json``: the rows must be those that it was made
        with, or it is a ValueError.

    Examples
    --------
    >>> from labelsieve.experiments import split_rows
    >>> split_rows("emotions", 0).train.size  # doctest: +SKIP
    415
    """
    planned = _data_plan(name, data, (1, 1), PROTOCOLS["counts"])
    split = _rows(locate(name, data, planned.drop, None, planned.labels), index)
    if published is not None:
        cards = {card["name"]: card["rows_of_splits"] for card in published["datasets"]}
        if name not in cards:
            raise ValueError(unknown("data set", name, cards))
        if _digest(split) != dict(enumerate(cards[name])).get(index):
            raise ValueError(
                f"split {index} of {name} is none of the {len(cards[name])} published "
                "ones: the data set here has other rows or labels."
            )
    return split


def _rows(source: Any, index: int) -> Split:
    loaded = read(source)
    return _splits(index + 1).split(loaded.Y, SEED, index, loaded.groups)


def _digest(split: Split) -> str:
    """A checksum of the row lists."""
    lists = json.dumps([split.train.tolist(), split.test.tolist()])
    return hashlib.sha256(lists.encode()).hexdigest()[:16]


def _names(data: Any, datasets: Sequence[str] | None) -> list[str]:
    folder = Path(data or os.environ.get("LABELSIEVE_DATA") or os.devnull)
    if not datasets and not folder.is_dir():
        raise FileNotFoundError(
            "the leaderboard needs the folder that holds the data sets: give it, or "
            "set LABELSIEVE_DATA to it."
        )
    found = datasets or sorted(path.name for path in folder.iterdir() if path.is_dir())
    names = [name for name in found if datasets or name not in SAMPLED_TWICE]
    if len(names) < 2:
        raise ValueError(
            f"the leaderboard needs two data sets or more, a folder each; got {names}. "
            "To compare methods on one, there is `labelsieve compare`."
        )
    return names


def _most_splits(n_splits: int | Sequence[int] | None) -> tuple[int, int]:
    """How many splits there are at most where rows are few, and otherwise."""
    if n_splits is None:
        return 20, SPLITS
    asked = [n_splits] if isinstance(n_splits, int) else list(n_splits)
    asked = asked * 2 if len(asked) == 1 else asked
    if len(asked) != 2 or not all(isinstance(n, int) and n >= 1 for n in asked):
        raise ValueError(
            "n_splits must be a whole number of at least 1, or two of them: for data "
            f"with few rows and for others; got {n_splits!r}."
        )
    return asked[0], asked[1]


def _data_plan(
    name: str, data: Any, most: tuple[int, int], rules: Protocol
) -> DataPlan:
    drop = DROPPED.get(name, ())
    source = locate(name, data, drop)
    files = [Path(source.path), *Path(source.path).glob("*")]
    labels = LABELS if any(".csv" in file.suffixes for file in files) else None
    known = facts(replace(source, labels=labels))
    left_out = {
        label: why for label, (n, why) in MOST_LABELS.items() if known.labels > n
    }
    if is_wide := known.features > WIDE:
        left_out[BOOSTING.label] = f"more than {WIDE:,} features take too long"
    below = () if is_wide else rules.splits_below
    usual = next((n for rows, n in below if known.rows < rows), SPLITS)
    n_splits = min(usual, most[known.rows >= FEW_ROWS])
    return DataPlan(name, drop, _splits(n_splits), left_out, labels=labels)


def _splits(n_splits: int) -> CappedHoldOut:
    return CappedHoldOut(n_splits=n_splits, stratified=True, most_rows=MOST_ROWS)


def _card(source: Any, n_splits: int) -> dict[str, Any]:
    """What is known of a data set, and checksums of the rows of its splits."""
    known = asdict(facts(source))
    words = known.pop("is_sparse") | known.pop("is_categorical")
    del known["kinds"]  # all targets are labels
    return {
        "name": source.name,
        **known,
        "words": words,
        "outside": source.labels is not None,
        "splits": n_splits,
        "rows_of_splits": [_digest(_rows(source, i)) for i in range(n_splits)],
    }


def _summarize(
    plan: Plan, records: list[Record], absent: dict[str, list[str]]
) -> Leaderboard:
    design = plan.design
    curves = summary.collect(plan, records)
    splits = {c.source.name: c.split + 1 for c in plan.cells}  # the last come last
    shapes = [_card(source, splits[source.name]) for source in plan.sources]
    cases = regret.Cases.of(curves, design.measures)
    kinds = regret.kinds_of(shapes)
    rows = regret.rank_methods(cases, kinds)
    selectors = {cell.method: cell.selector for cell in plan.cells}
    for row in rows:
        row["filled"] = " and ".join(filled_in(selectors[row["method"]]))
    first = next(row["method"] for row in rows if row["method"] not in CONTROLS)
    reference = REFERENCE if REFERENCE in cases.methods else first
    labels = dict.fromkeys(cell.contest for cell in plan.cells)
    content = {
        "title": design.title,
        "command": design.notes[0],
        "version": labelsieve.__version__,
        "protocol": f"stratified hold-outs, 70/30, of at most {MOST_ROWS} rows",
        "splits": {**_splits(SPLITS).identity(), "seed": design.seed},
        "seed": design.seed,
        "budget": design.budget,
        "classifiers": list(labels),
        "sizes": list(design.sizes.counts or design.sizes.fractions),
        "measures": list(design.measures),
        "rope": regret.ROPE,
        "n_cells": len(plan.cells),
        "n_cases": len(cases.places),
        "n_methods": len(cases.methods) - len(CONTROLS),
        "absent": absent,
        "datasets": shapes,
        "kinds": kinds,
        "left_out": [
            {"dataset": d.name, "what": what, "reason": reason}
            for d in design.datasets
            if d.name in splits
            for what, reason in d.left_out.items()
            if what in {*labels, *cases.methods}
        ],
        "failed": summary.failures(curves),
        "ranking": rows,
        "reference": reference,
        "against": regret.against(cases, reference),
        "ranks": regret.average_ranks(cases),
        "regret_by_dataset": regret.regret_by_dataset(cases),
        "printed_at": regret.at_one_size(cases, NEIGHBORS.label, PRINTED_AT),
    }
    return Leaderboard(content, _costs(curves), partial(make_results, plan, records))


def _costs(curves: Sequence[summary.MethodCurve]) -> dict[str, Any]:
    """Median processor seconds of a selection by method, and the sum of all cells."""
    seconds: dict[str, dict[Any, float]] = {}
    total = 0.0
    for curve in curves:
        for split, record in curve.records.items():
            cost, place = record["cost"], (curve.dataset, split, len(record["points"]))
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
    sizes = ", ".join(map(regret.size_text, content["sizes"]))
    kinds = {k: f"{k} ({len(data)})" for k, data in content["kinds"].items() if data}
    return page_of(
        f"# {content['title']}",
        f"{content['n_methods']} methods on {len(content['datasets'])} data sets, "
        f"evaluated by {', '.join(content['classifiers'])} at {sizes} features by "
        f"{', '.join(m.replace('_', ' ') for m in content['measures'])}: "
        f"{content['n_cases']} cases. {content['protocol'].capitalize()}, seed "
        f"{content['seed']}; labelsieve {content['version']}, {content['n_cells']} "
        "cells." + (f" Divided once only: {few}." if few else ""),
        *(
            f"Not computed yet, so left out: {what} {', '.join(names)}."
            for what, names in content["absent"].items()
            if names
        ),
        "A case is a data set, a classifier, a number of features and a measure, the "
        "mean over splits. Regret is how much worse a method is than the best "
        "selection of its case; the second column of regret has all features among the "
        "best. Intervals are those of the mean over data sets, by bootstrap (95 %). A "
        f"selection or judgement that took more than {content['budget']:g} processor "
        "seconds has no value: the method is left with what random features give, and "
        "the number of such cases is shown. Ranks are among methods and random "
        "features. AUC is the mean over labels that have both classes in the test "
        "rows. Where a method takes no missing cells or unknown labels, the table says "
        "what was filled in: medians of features, the more frequent value of labels. "
        "Classifiers see medians, and learn each label from the rows that know it.",
        Table("Ranking", RANKING, content["ranking"]).to_markdown(level=0),
        "![Average ranks](critical-difference.svg)",
        "Methods joined by a bar do not differ (Friedman's test, "
        f"{p_value(content['ranks']['friedman_p'])}; Nemenyi at 0.05).",
        "![Time against quality](time.svg)",
        _by("kind", content, kinds, KINDS_NOTE),
        _by("measure", content, {m: m.replace("_", " ") for m in content["measures"]}),
        _printed_table(content),
        _regret_table("Mean regret by data set", "data set", content, by_data),
        _against_table(content),
        _failed_table(content),
        Table("Data sets", CARD, content["datasets"], [SPLITS_NOTE]),
        f"Made by `{content['command']}`.",
    )


def _by(
    what: str, content: dict[str, Any], names: dict[str, str], *notes: str
) -> Table:
    """Mean regret by kind of data, or by measure."""
    of_methods = {r["method"]: r[f"regret_by_{what}"] for r in content["ranking"]}
    lines = {
        title: {method: found[name] for method, found in of_methods.items()}
        for name, title in names.items()
    }
    return _regret_table(f"By {what}", what, content, lines, *notes)


def _printed_table(content: dict[str, Any]) -> Table | None:
    measures = [numbers(m.replace("_", " "), m) for m in content["measures"]]
    columns = [Column("method", "method"), *measures, numbers("average rank", "rank")]
    note = "Mean over data sets, as recent papers print it."
    title = f"ML-kNN with {regret.size_text(PRINTED_AT)} of the features"
    rows = content["printed_at"]
    return Table(title, columns, rows, [note]) if rows else None


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
        *(numbers(name, name, ".2f") for name in ("better", "alike", "worse")),
        numbers("Wilcoxon p", "p_wilcoxon", ".3g"),
        numbers("Holm p", "p_holm", ".3g"),
    ]
    note = (
        f"How probable it is that {content['reference']} is better, alike within "
        f"{content['rope']:g}, or worse (Bayesian signed-rank test over data sets)."
    )
    title = f"{content['reference']} against each other method"
    return Table(title, columns, content["against"], [note])


def _failed_table(content: dict[str, Any]) -> Table | None:
    rows = [r | {"what": f"{r['method']}, {r['contest']}"} for r in content["failed"]]
    rows += content["left_out"]
    columns = [
        Column("data set", "dataset"),
        Column("method or classifier", "what"),
        numbers("cells", "n_failed", ""),
        Column("why", "reason"),
    ]
    return Table("Without a value", columns, rows) if rows else None


def _worst(value: dict[str, Any]) -> str:
    return f"{value['regret']:.3f} ({value['where']})"


def _interval(value: dict[str, float], digits: int = 3, whole: int = 1) -> str:
    mean, low, high = (f"{whole * part:.{digits}f}" for part in value.values())
    return f"{mean}{' %' if whole == 100 else ''} ({low} to {high})"


_percent = partial(_interval, digits=0, whole=100)


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
    Column("filled in", "filled"),
)
CARD = (
    Column("name", "name"),
    *(numbers(key, key, "") for key in ("rows", "features", "labels")),
    numbers("labels per row", "cardinality", ".2f"),
    numbers("rows of the rarest label", "rarest", ""),
    numbers("missing cells", "missing", ".1%"),
    numbers("unknown labels", "unknown", ".1%"),
    numbers("splits", "splits", ""),
    Column("rows of the first split", "rows_of_splits", lambda found: found[0]),
)
SPLITS_NOTE = (
    "The last column is the checksum of the training and test rows of the first split; "
    "leaderboard.json has those of all. `labelsieve.experiments.split_rows` returns "
    "the rows, and checks them."
)
KINDS_NOTE = (
    "Mean regret on text and annotations (sparse features, or two values each), "
    "numbers, few samples (fewer than 1,000), many labels (50 or more), more features "
    "than samples, missing cells or unknown labels, and tables from outside the "
    "collections of the field."
)
