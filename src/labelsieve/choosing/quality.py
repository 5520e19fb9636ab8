"""evaluate_selection: what a choice of features is worth, as a verdict with figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.linear_model import Ridge
from sklearn.utils import get_tags
from sklearn.utils._param_validation import Interval, validate_params
from sklearn.utils.validation import _check_feature_names

from labelsieve._utils.compile import working_seconds
from labelsieve._utils.messages import step, warnings_once
from labelsieve._utils.typing import IntArray
from labelsieve.choosing._evaluation import EvaluationSetup, Run, Split, run_within
from labelsieve.choosing.size_cv import Rows, as_in_all_rows, model_pair
from labelsieve.choosing.verdicts import Quality
from labelsieve.classifiers import BRLogistic, PathPredictor, per_label
from labelsieve.folds import group_codes
from labelsieve.reading import (
    KINDS,
    NUMBER,
    ColumnSelector,
    read_values,
    strata,
    without_tags,
)
from labelsieve.registry import make_selector
from labelsieve.selectors import (
    FeatureGroups,
    LabelSelector,
    check_selector,
    size_limits,
)

if TYPE_CHECKING:
    from labelsieve.experiments import HoldOut

# A curve with more points than this looks the same.
POINTS = 6
# More labels than this are a sample of them: classifiers take time for each.
MOST_LABELS = 100
# Steps of logistic regression; more change few decisions.
STEPS = 6
# The name of trees for any kind of target.
FOREST = "forest"
# The budget where none is given: so many times the selection, and at least so long.
TIMES_SELECTION, LEAST_SECONDS = 10.0, 10.0

# What parameters may be.
ASKED = {
    "n_splits": [Interval(Integral, 1, None, closed="left")],
    "test_share": [Interval(Real, 0, 1, closed="neither")],
    "tolerance": [Interval(Real, 0, None, closed="left")],
    "budget": [Interval(Real, 0, None, closed="both"), None],  # also infinity
    "stratified": ["boolean"],
    "seed": [Interval(Integral, 0, None, closed="left")],
}


@warnings_once()
@validate_params(ASKED, prefer_skip_nested_validation=False)
def evaluate_selection(
    selector: Any,
    X: Any,
    Y: Any,
    *,
    classifiers: Sequence[Any] = (),
    n_splits: int = 10,
    test_share: float = 0.3,
    tolerance: float = 0.05,
    budget: float | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    stratified: bool = False,
    cv: Any = None,
    seed: int = 0,
    verbose: bool = False,
) -> Quality:
    """Evaluate a selection on held-out samples, and say what is lost.

    In each split features are chosen on the training rows, and classifiers that differ
    in kind predict the labels of the test rows with the chosen features, with all,
    with as many at random (the mean of 5 draws), and with as many of the most mutual
    information. The differences are tested with the corrected resampled t-test.

    Parameters
    ----------
    selector : selector of this library, SizeCV, StabilitySelection and so on
        Fitted or not; copies are fitted on the training rows, a search for the number
        of features with its folds inside these (nested cross-validation). ``"auto"``
        means the number that it finds in all rows, or found when it was fitted.
    X, Y : as in `fit`
        The data.
    classifiers : sequence of scikit-learn classifiers
        Asked beside naive Bayes (for sparse features) or nearest neighbours (for
        others, scaled to [0, 1] by the training rows) and logistic regression, or the
        model of :class:`~labelsieve.RecursiveElimination`.
    n_splits : int, default=10
        How often the rows are split at random.
    test_share : float, default=0.3
        The share of the rows that is kept for testing.
    tolerance : float, default=0.05
        A loss below this share of what all features reach does not matter.
    budget : float, optional
        Seconds of computing. Where all would take more, a sample of the labels (at
        most 100, at least 30) and of the rows (at least 500) is evaluated; splits that
        the budget does not reach after all are left out, if 5 are done. By default 10
        times the selection, and at least 10; ``inf`` evaluates all.
    groups : array-like of shape (n_samples,), optional
        Rows of a group stay together, in the training or in the test part.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the samples in the selection; models and measures count each sample
        once.
    stratified : bool, default=False
        Whether both parts get their share of every label; with `groups`, as far as
        whole groups allow.
    cv : splitter, optional
        What splits the rows instead, as in scikit-learn.
    seed : int, default=0
        Of the splits, of the random features and of the sample.
    verbose : bool, default=False
        Show the progress on the standard error stream.

    Returns
    -------
    quality : Quality
        Printing it gives the verdict in words; ``to_frame()`` all figures.

    References
    ----------
    C. Nadeau, Y. Bengio: Inference for the generalization error. Machine Learning
    52(3), 2003.

    Examples
    --------
    >>> from labelsieve import FIMF
    >>> from labelsieve.choosing import evaluate_selection
    >>> from labelsieve.datasets import load_segments
    >>> X, Y = load_segments()
    >>> quality = evaluate_selection(FIMF(12), X[:300], Y[:300], n_splits=3)
    >>> quality.classifiers
    ['MLkNN', 'BRLogistic']
    >>> quality.about("hamming_loss", "all")[0].verdict
    'inconclusive'
    """
    from labelsieve.experiments import HoldOut

    check_selector(selector, "evaluate_selection", ColumnSelector)
    begin = working_seconds()
    rows = Rows.of(selector, X, without_tags(Y), groups, sample_weight)
    takes_missing = get_tags(selector).input_tags.allow_nan
    features = read_values(selector, rows.X, min_rows=3, takes_missing=takes_missing)
    seen = clone(selector)
    n_rows, seen.n_features_in_ = features.values.shape
    _check_feature_names(seen, rows.X, reset=True)
    rows = rows.read(selector, seen, features)
    targets, grouped = rows.targets, rows.feature_groups
    n_labels = len(targets.kinds)
    n_chosen, budget = _size_and_budget(selector, rows, budget, verbose)
    columns = np.arange(n_labels)
    if n_labels > MOST_LABELS and budget < math.inf:
        drawn = np.random.default_rng(seed).permutation(n_labels)
        columns = np.sort(drawn[:MOST_LABELS])
    labels, kinds = targets.dense(columns), [targets.kinds[int(c)] for c in columns]
    can_be_cut = isinstance(selector, LabelSelector)
    sizes = _sizes(selector, n_chosen, grouped.names.size) if can_be_cut else None
    setup = EvaluationSetup(
        as_in_all_rows(selector, rows),
        None if NUMBER in kinds else _simpler(selector, grouped),
        replace(rows, groups=None) if can_be_cut else rows,
        labels,
        columns,
        _classifiers(features, labels, kinds, classifiers, selector, grouped.group),
        n_chosen,
        sizes,
    )
    draw = HoldOut(n_splits, stratified, test_share)
    shared = strata(labels, kinds) if stratified else labels
    splits_of = _split_maker(shared, draw, seed, rows.groups, cv)
    run = run_within(setup, splits_of, n_rows, budget, seed, verbose, begin)
    values, curves = gathered(run, setup)
    return Quality(
        list(setup.classifiers),
        values,
        np.empty(0, dtype=np.int64) if sizes is None else sizes,
        curves,
        *(n_chosen, grouped.names.size, run.n_rows, n_rows, run.labels, n_labels),
        *(run.n_all_splits, run.test_to_train),
        *(tolerance, budget, run.estimate, run.seconds),
        *(targets.n_known, n_rows * n_labels, features.values.shape[1]),
        (selector, rows.X, rows.y, rows.weights) if can_be_cut else None,
    )


def _size_and_budget(
    selector: Any, rows: Rows, budget: float | None, verbose: bool
) -> tuple[int, float]:
    """How many features it keeps, and the seconds; if need be, by selecting."""
    known, groups = None, rows.feature_groups
    asked: Any = getattr(selector, "n_features_to_select", None)
    if getattr(selector, "n_features_in_", None) == groups.group.size:
        known = np.unique(groups.group[selector.support_]).size
    elif isinstance(selector, LabelSelector) and isinstance(asked, Integral):
        known = int(asked) if 1 <= int(asked) <= groups.names.size else None
    if known is not None and budget is not None:
        return known, budget
    before = working_seconds()
    step("evaluating: selecting from all samples", verbose)
    fitted = replace(rows, groups=None).fit(selector)
    n_chosen = np.unique(groups.group[fitted.support_]).size
    usual = usual_budget(working_seconds() - before)
    return n_chosen, usual if budget is None else budget


def usual_budget(selection: float) -> float:
    """The seconds for evaluation where none are given, by those of the selection."""
    return max(LEAST_SECONDS, TIMES_SELECTION * selection)


def _sizes(selector: LabelSelector, wanted: int, n_features: int) -> IntArray:
    """Sizes up to twice the wanted one, which is among them; what must be in is."""
    least, most = size_limits(selector, n_features)
    largest = min(2 * wanted, most)
    spread = np.linspace(least, largest, min(largest, POINTS)).round()
    return np.unique(np.append(spread.astype(np.int64), wanted))


def _simpler(selector: Any, grouped: FeatureGroups) -> Any:
    """The selector by summed mutual information, None where this is it."""
    simpler = make_selector("br+mi", n_features_to_select=1)
    if grouped.names.size < grouped.group.size:
        simpler.set_params(feature_groups=grouped.names[grouped.group])
    takes_missing = get_tags(simpler).input_tags.allow_nan
    if get_tags(selector).input_tags.allow_nan and not takes_missing:
        return None
    if type(selector) is not type(simpler):
        return simpler
    given = {**selector.get_params(deep=False), "n_features_to_select": 1}
    # As text: parameters may be arrays, which say of each cell whether it is equal.
    same = repr(given) == repr(simpler.get_params(deep=False))
    return None if same else simpler


def _classifiers(
    features: Any,
    labels: Any,
    kinds: list[str],
    further: Sequence[Any],
    selector: Any,
    groups: IntArray,
) -> dict[str, PathPredictor]:
    n_jobs = getattr(selector, "n_jobs", None)

    def predictor(*models: Any, predicts: Any = KINDS) -> PathPredictor:
        classifier, regressor = models
        how = True, kinds, regressor, predicts, groups
        return PathPredictor(features, labels, classifier, *how)

    logistic = BRLogistic(max_iter=STEPS, n_jobs=n_jobs)
    if getattr(selector, "_has_model", False):
        predictors = [selector._predictor(features, labels, kinds, groups)]
        names = [type(selector._judge(kinds)).__name__]
    else:
        predictors = [predictor(None, None), predictor(logistic, Ridge())]
        names = [one.name for one in predictors]
    for model in further:
        pair, predicts = _models(model, n_jobs, kinds)
        predictors.append(predictor(*pair, predicts=predicts))
        names.append(model if isinstance(model, str) else type(model).__name__)
    found: dict[str, PathPredictor] = {}
    for place, (name, one) in enumerate(zip(names, predictors, strict=True)):
        found[name if name not in found else f"{name} {place + 1}"] = one
    return found


def _models(model: Any, n_jobs: Any, kinds: Any) -> tuple[Any, tuple[str, ...]]:
    """A classifier and a regressor, and which kinds of targets they are asked for."""
    if isinstance(model, str):
        if model != FOREST:
            raise ValueError(
                f"classifiers holds {model!r}; expected estimators of scikit-learn or "
                f"{FOREST!r}."
            )
        of_trees = {"n_jobs": n_jobs, "random_state": 0}
        classifier = per_label(ExtraTreesClassifier(**of_trees), skips_unknown=True)
        return (classifier, ExtraTreesRegressor(**of_trees)), KINDS
    return model_pair(model, kinds)


def _split_maker(
    labels: Any, draw: HoldOut, seed: int, groups: Any, cv: Any
) -> Callable[[IntArray], list[Split]]:
    """What divides some of the rows into those that train and those that test."""
    n_rows = len(labels)
    if n_rows < 3:
        raise ValueError(f"{n_rows} samples are too few to evaluate; expected 3.")
    codes = None if groups is None else group_codes(groups, n_rows)

    def splits_of(rows: IntArray) -> list[Split]:
        found = labels[rows]
        of_rows = None if codes is None else group_codes(codes[rows], rows.size)
        if cv is not None:
            return [
                (rows[train], rows[test])
                for train, test in cv.split(rows, found, of_rows)
            ]
        if of_rows is not None and of_rows.max() == 0:
            raise ValueError(
                "all samples are in one group: none would be left for testing. "
                "Expected two groups or more."
            )
        drawn = (draw.split(found, seed, i, of_rows) for i in range(draw.n_splits))
        return [(rows[split.train], rows[split.test]) for split in drawn]

    return splits_of


def gathered(run: Run, setup: EvaluationSetup) -> tuple[Any, Any]:
    """Values at the chosen size by classifier and features, and the first's curves."""
    place = 0
    if setup.sizes is not None:
        place = int(np.searchsorted(setup.sizes, setup.n_chosen))
    values, curves = {}, {}
    for key in run.splits[0]:
        stacked = {
            name: np.stack([split[key][name] for split in run.splits])
            for name in run.splits[0][key]
        }
        is_curve = next(iter(stacked.values())).shape[1] > 1
        values[key] = {
            name: found[:, place if is_curve else 0] for name, found in stacked.items()
        }
        if is_curve:
            curves[key[1]] = stacked
    return values, curves
