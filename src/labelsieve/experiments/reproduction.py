"""The papers' experiments, and experiments of one's own, by one call."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from labelsieve._utils.messages import unknown
from labelsieve.datasets import Dataset, save, to_arrays
from labelsieve.experiments import runner
from labelsieve.experiments.cells import Sizes
from labelsieve.experiments.data import (
    HoldOut,
    SplitProtocol,
    dataset_of,
    facts,
    prepare,
)
from labelsieve.experiments.methods import Method
from labelsieve.experiments.papers import PAPERS, Paper
from labelsieve.experiments.results import Results, make_results
from labelsieve.experiments.runner import DataPlan, Design, Plan
from labelsieve.experiments.store import Store
from labelsieve.metrics import BY_CLASSES, BY_NUMBERS
from labelsieve.registry import COMPARED, COMPARED_BY_NUMBERS

QUICK_SPLITS = 2
LEFT_OUT = "left out of this run, for its time"
# The first is that of the answer.
MEASURES = (
    "micro_f1",
    "hamming_loss",
    "ranking_loss",
    "coverage_error",
    "accuracy",
    "subset_accuracy",
    "macro_f1",
)
# Where labels are many, what stands on top of a ranking matters more than all of it.
MANY_LABELS = 100
MEASURES_OF_MANY = ("precision_at_1", "precision_at_5", "ndcg_at_5", "psp_at_5")


def reproduce(
    paper: str,
    *,
    data: str | os.PathLike[str] | None = None,
    quick: bool = False,
    without: Sequence[str] = (),
    n_jobs: int | None = None,
    out: str | os.PathLike[str] | None = None,
    verbose: bool = False,
    retry_failed: bool = False,
) -> Results:
    """Run a paper's experiment on the data sets that are present.

    Results are kept as cells finish: the same call after an interruption goes on from
    there. Tables are written to `out` at the end.

    Parameters
    ----------
    paper : {"pmu", "mlqpfs", "emcfs", "gmba", "fimf"}
        The paper, by its method.
    data : path, optional
        Folder of the data sets; by default they are looked up as
        :func:`labelsieve.datasets.find_dataset` does.
    quick : bool, default=False
        Two splits only, for trying.
    without : sequence of str
        Methods that would take too long, as "method" or "method@data set"; the tables
        name them.
    n_jobs : int, optional
        Number of processes; -1 uses all processors. Results do not depend on it.
    out : path, optional
        Folder for ``cells.jsonl``, ``results.json``, ``results.md``, ``costs.json``
        and ``costs.md``; by default ``results/<paper>``, or ``results/<paper>-quick``.
    verbose : bool, default=False
        Show progress and remaining time on the standard error stream.
    retry_failed : bool, default=False
        Compute cells again that failed in an earlier run.

    Returns
    -------
    Results
        Printed values beside ours with verdicts, curves, tests and costs.

    Examples
    --------
    >>> from labelsieve.experiments import reproduce
    >>> reproduce("pmu", quick=True).content["verdicts"]  # doctest: +SKIP
    {'uniform': {'reproduced': 12, ...
    """
    if paper not in PAPERS:
        raise ValueError(unknown("paper", paper, PAPERS))
    found = PAPERS[paper]
    design, most = _without(found.design, without), QUICK_SPLITS if quick else None
    plan = runner.make_plan(design, data=data, max_splits=most)
    if not plan.sources:
        raise _not_found(plan)
    folder = Path(out or Path("results") / (f"{paper}-quick" if quick else paper))
    running = {"n_jobs": n_jobs, "verbose": verbose, "retry_failed": retry_failed}
    return _run(plan, folder, found, running)


def _without(design: Design, names: Sequence[str]) -> Design:
    """The same experiment, some methods left out, everywhere or on a data set."""
    methods = list(dict.fromkeys(contender.method for contender in design.contenders))
    datasets = [planned.name for planned in design.datasets]
    left_out: dict[str, dict[str, str]] = {name: {} for name in datasets}
    for name in names:
        method, _, where = name.partition("@")
        if method not in methods:
            raise ValueError(unknown("method", method, methods))
        if where and where not in datasets:
            raise ValueError(unknown("data set", where, datasets))
        for dataset in [where] if where else datasets:
            left_out[dataset][method] = LEFT_OUT
    planned = tuple(
        replace(data, left_out={**data.left_out, **left_out[data.name]})
        for data in design.datasets
    )
    return replace(design, datasets=planned)


def compare(
    X: Any,
    Y: Any = None,
    selectors: Sequence[str | Method] | None = None,
    *,
    classifiers: Sequence[Any] | None = None,
    protocol: SplitProtocol | None = None,
    sizes: Sizes | None = None,
    view: str = "quantile",
    criterion: int | str = "area",
    measures: Sequence[str] | None = None,
    seed: int = 0,
    groups: str | None = None,
    data: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    out: str | os.PathLike[str] = "results/compare",
    verbose: bool = False,
    retry_failed: bool = False,
) -> Results:
    """Compare selectors on data; random and all features are added as controls.

    Call it as ``compare(X, Y, selectors)``, or as ``compare(datasets, selectors)``
    with a list of data sets: names, paths or :class:`labelsieve.datasets.Dataset`.

    Parameters
    ----------
    X, Y : as in `fit`
        The data; or a list of data sets, and the selectors.
    selectors : sequence of str or Method, default=("sieve", "fimf", "pmu")
        Names or methods with parameters; the first is tested against the others. By
        default ("sieve", "rfs", "br+f") where some targets are numbers.
    classifiers : sequence of str, Method or classifier
        "mlnb", "mlknn", "brknn", "ccknn", "lift", "ranksvm", "emcfs", "brsvm",
        "logistic" (one regression per label) or "forest"; or any classifier of
        scikit-learn, such as ``LinearSVC(C=0.1)``, one for each label where it knows
        one target only. By default "mlnb", and "ridge" where some targets are numbers.
    protocol : HoldOut, KFold or SampledTraining, optional
        How rows are divided; by default 10 hold-outs of 30 %.
    sizes : Sizes, optional
        At which numbers of features rankings are evaluated; by default 1 to 50.
    view : {"quantile", "uniform", "none", "standard", "minmax", "raw"}
        How values are presented: as codes, scaled, or as they are.
    criterion : int, "best" or "area", default="area"
        The compared value of a curve: at this number of features, the best over them,
        or its mean height, which shows who needs fewer.
    measures : sequence of str
        The measures that tables show, the first also in sentences; by default those of
        the types of targets there are; for labels those of the papers, and where a data
        set has 100 labels or more also those of the labels on top.
    seed : int, default=0
        Of all splits and random choices.
    groups : str, optional
        A feature that says which rows belong together, such as patients: they are
        never in both parts, and the feature is not used otherwise.
    data, n_jobs, out, verbose, retry_failed
        As for `reproduce`. Data that come from no file are kept in `out`, too: each
        process reads them there.

    Examples
    --------
    >>> from labelsieve.experiments import compare
    >>> compare(["emotions"], ["pmu", "fimf"], n_jobs=2)  # doctest: +SKIP
    """
    datasets, chosen = _split_arguments(X, Y, selectors)
    numeric = any("number" in getattr(one, "target_types", ()) for one in datasets)
    usual = COMPARED_BY_NUMBERS if numeric else COMPARED
    methods = _methods(usual if chosen is None else chosen, "selectors")
    judges = classifiers or (["ridge"] if numeric else ["mlnb"])
    named = [_kept(one, Path(out)) for one in datasets]
    if not methods or not named:
        raise ValueError("compare needs at least one data set and one selector.")
    design = Design(
        name="compare",
        title=f"{', '.join(method.label for method in methods)} compared",
        datasets=tuple(DataPlan(name, groups=groups) for name in named),
        protocol=protocol or HoldOut(n_splits=10),
        contenders=runner.with_controls(methods, _methods(judges, "classifiers")),
        views=(view,),
        sizes=sizes or Sizes(counts=tuple(range(1, 51))),
        criterion=criterion,
        measures=MEASURES if measures is None else tuple(measures),
        reference=methods[0].label,
        seed=seed,
    )
    plan = runner.make_plan(design, data=data)
    if plan.missing:
        raise _not_found(plan)
    if measures is None:
        design = replace(design, measures=_usual_measures(plan))
        plan = replace(plan, design=design)
    running = {"n_jobs": n_jobs, "verbose": verbose, "retry_failed": retry_failed}
    return _run(plan, Path(out), None, running)


def _split_arguments(X: Any, Y: Any, selectors: Any) -> tuple[Sequence[Any], Any]:
    """The data sets and the selectors, of either form of the call."""
    if isinstance(X, str | os.PathLike):
        raise TypeError(f"datasets must be a list of names, got {X!r}.")
    if isinstance(X, Dataset):
        X = [X]
    kinds = str, os.PathLike, Dataset
    if isinstance(X, list | tuple) and all(isinstance(one, kinds) for one in X):
        chosen = [one for one in (Y, selectors) if one is not None]
        if len(chosen) > 1:
            raise TypeError("data sets carry their own labels: do not pass Y as well.")
        return X, chosen[0] if chosen else None
    if Y is None:
        raise TypeError("labels are missing: call compare(X, Y, selectors).")
    return [dataset_of(X, Y)], selectors


def _usual_measures(plan: Plan) -> tuple[str, ...]:
    """Those of the types of targets that there are, which must be the same in all."""
    known = [facts(source) for source in plan.sources]
    kinds = {frozenset(one.kinds) or frozenset(["label"]) for one in known}
    if len(kinds) > 1:
        raise ValueError(
            "the data sets have targets of different types, and so measures of their "
            "own: compare methods on each of them, or pass measures=."
        )
    many = max(one.labels for one in known) >= MANY_LABELS
    of_labels = MEASURES + MEASURES_OF_MANY if many else MEASURES
    found = {"label": of_labels, "class": BY_CLASSES, "number": BY_NUMBERS}
    (present,) = kinds
    return tuple(name for kind in found if kind in present for name in found[kind])


def _kept(dataset: Any, folder: Path) -> str:
    """The name or path of a data set; one from no file is written to the folder.

    Experiments run in several processes and go on after an interruption: they read
    files, and find there all that they need.
    """
    if not isinstance(dataset, Dataset):
        return str(dataset)
    dataset = to_arrays(dataset)
    name = re.sub(r"[^\w-]+", "_", dataset.name) or "data"
    # Other values are another file: what was read of this one stays true.
    file = folder / "data" / prepare(dataset).checksum[:12] / f"{name}.arff"
    file.parent.mkdir(parents=True, exist_ok=True)
    if dataset.target_types:  # which ARFF cannot say
        file = file.with_suffix(".csv")
    save(dataset, file, format="csv" if dataset.target_types else "meka")
    return str(file)


def _methods(given: Sequence[Any], what: str) -> list[Method]:
    """The methods that names stand for."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"{what} must be a list of names, got {given!r}.")
    found = []
    for method in given:
        if isinstance(method, Method):
            found.append(method)
        elif isinstance(method, str):
            # A full name of a class, such as sklearn.svm.LinearSVC, stays as it is.
            found.append(Method(method if "." in method else method.lower()))
        elif what == "classifiers" and hasattr(method, "get_params"):
            found.append(Method.of(method))
        else:
            also = ", or as objects like LinearSVC()" if what == "classifiers" else ""
            raise TypeError(
                f"{what} are given by name, such as 'sieve' or 'mlnb', or with "
                f"parameters as Method(name, parameters){also}; got an object of the "
                f"type {type(method).__name__}."
            )
    return found


def _not_found(plan: Plan) -> FileNotFoundError:
    return FileNotFoundError(
        f"data sets not found: {', '.join(plan.missing)}. Give their paths, the folder "
        "that holds them, or set LABELSIEVE_DATA to it."
    )


def _run(
    plan: Plan, folder: Path, paper: Paper | None, running: dict[str, Any]
) -> Results:
    records = runner.run(plan.cells, Store(folder / "cells.jsonl"), **running)
    results = replace(make_results(plan, records, paper), folder=folder)
    results.write(folder)
    return results
