"""ANOVA F statistics for many labels: of each label, and with labels as classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import StrOptions

from labelsieve._utils.machine import run_in_threads
from labelsieve._utils.matrices import as_dense
from labelsieve._utils.typing import FloatArray, IntArray, Matrix, Weights
from labelsieve.reading import Features, Labels
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._indicator import (
    IndicatorSelector,
    WeightedRegressionSelector,
)
from labelsieve.selectors._rows.scaled_rows import (
    centred_columns,
    column_blocks,
    column_slices,
    dense_columns,
)
from labelsieve.selectors._terms import ONLY, Rule, ScoreTerms

AGGREGATES = {"mean": "mean over labels", "max": "largest of all labels"}
# Scatter below this share of a column's squares is what rounding leaves of zero.
ROUNDING = 1e-14


class FStatistic(WeightedRegressionSelector):
    """Binary relevance with the ANOVA F statistic: `f_classif` of each label, averaged.

    For every label, the samples with it and those without it are two classes, and

    .. math::

        F_{fl} = (n - 2) \\frac{\\text{sum of squares between classes}}
                               {\\text{sum of squares within classes}}

    A feature is ranked by the mean, or the maximum, of F over the labels that vary. A
    nominal feature has one F for all its categories together. A class counts by the
    mean F of its values, each against the others, and each target where it is known.

    Parameters
    ----------
    aggregate : {"mean", "max"}, default="mean"
        Whether to prefer features that are relevant for many labels, or those that are
        highly relevant for one.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The mean or maximum of F; infinite where a feature separates a label perfectly.

    See Also
    --------
    MLFS : One F statistic with labels as classes.
    TransformationSelector : Binary relevance with any other score function.

    References
    ----------
    G. Tsoumakas, I. Katakis, I. Vlahavas: Mining multi-label data. Data Mining and
    Knowledge Discovery Handbook, 2010 (binary relevance).

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import FStatistic
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(FStatistic(2).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "aggregate": [StrOptions({*AGGREGATES})],
    }

    _capabilities: ClassVar[Capabilities] = replace(
        WeightedRegressionSelector._capabilities,
        takes_classes=True,
        takes_unknown=True,
        takes_mixtures=True,
    )
    aggregate: str = "mean"

    def _asked(self, labels: Labels) -> Labels:
        return labels

    def _score(self, features: Features, labels: Labels) -> FloatArray:
        n_varying = np.count_nonzero(~labels.constant)
        scores = np.zeros(features.constant.size)
        for _, some, found in f_of_targets(features, labels):
            if self.aggregate == "max":
                scores[some] = np.maximum(scores[some], found.max(axis=0))
            else:
                scores[some] += found.sum(axis=0) / n_varying
        scores[features.constant] = 0.0
        return scores

    def _terms(self, explained: Explained) -> ScoreTerms:
        labels = explained.labels
        found = np.zeros((explained.chosen.size, labels.n_values.size))
        for targets, some, per_target in f_of_targets(explained.chosen_numbers, labels):
            found[np.ix_(some, targets)] = per_target.T
        text = AGGREGATES[self.aggregate]
        return ScoreTerms({text: explained.scores}, ONLY, found, text)


class MLFS(IndicatorSelector):
    """Multi-label F statistic (Kong, Ding, Huang and Zhao, 2012).

    Each label is a class, and a sample with several labels belongs to several classes.
    A good feature has class means that lie far apart compared with the scatter within
    the classes.

    Parameters
    ----------
    within : {"scatter", "sum_var"}, default="scatter"
        The scatter within the classes: the sum of squares, or the sum of the class
        variances, so that rare labels count as much as frequent ones, as in the program
        of the GMBA paper.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The F statistic; infinite where classes differ but have no scatter, 0 for
        constant features.

    See Also
    --------
    FStatistic : The F statistic of each label on its own, averaged.

    Notes
    -----
    Samples without labels belong to no class and have no influence. If only a single
    label occurs, it is compared with the samples without it: the ordinary F statistic.
    A nominal feature is one-hot encoded, and the scatter of its columns is summed.

    References
    ----------
    D. Kong, C. Ding, H. Huang and H. Zhao, "Multi-label ReliefF and F-statistic
    feature selections for image annotation", CVPR 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import MLFS
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(MLFS(2).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "within": [StrOptions({"scatter", "sum_var"})],
    }

    within: str = "scatter"
    n_jobs: int | None = None

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        scores = self._made_of(features, indicator).score()
        scores[features.constant] = 0.0
        return scores

    def _terms(self, explained: Explained) -> ScoreTerms:
        return self._made_of(explained.chosen_numbers, explained.indicator)

    def _made_of(self, features: Features, indicator: Matrix) -> ScoreTerms:
        classes = _occurring(indicator)
        frequencies = np.diff(classes.indptr)
        values = features.values
        by_column = values.tocsc() if sp.issparse(values) else values
        scatter = np.zeros((2, values.shape[1]))

        def add(columns: slice) -> None:
            centred = centred_columns(dense_columns(by_column, columns))
            sums = classes @ centred, classes @ centred**2
            scatter[:, columns] = self._scatter(*sums, frequencies)

        if frequencies.size > 1:
            run_in_threads(add, column_slices(values), self.n_jobs)
        between, within = map(features.groups.sums, scatter)
        # A constant factor: it must not wipe the scores out if labels outnumber rows.
        n_rows, n_classes = values.shape[0], frequencies.size
        factor = max(1, n_rows - n_classes) / max(1, n_classes - 1)
        terms = {"between labels": factor * between, "within labels": within}
        return ScoreTerms(terms, F_RATIO)

    def _scatter(
        self, sums: FloatArray, squares: FloatArray, frequencies: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Scatter between and within the classes, with rounding taken for zero."""
        means = sums / frequencies[:, None]
        overall = sums.sum(axis=0) / frequencies.sum()
        between = frequencies @ (means - overall) ** 2
        scatter = squares - sums * means
        noise = ROUNDING * squares
        scatter[scatter <= noise] = 0.0
        between[between <= noise.sum(axis=0)] = 0.0
        if self.within == "sum_var":
            scatter = scatter / frequencies[:, None]
        return between, scatter.sum(axis=0)


def f_of_targets(
    features: Features, labels: Labels
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Some targets that vary, some features, and F of each of these targets (line).

    Those that are known everywhere and have two values come together.
    """
    unknown = labels.n_values * 0 if labels.n_unknown is None else labels.n_unknown
    alone = (unknown > 0) | (labels.n_values > 2)
    table = labels.with_numbers(labels.codes)
    for targets in [np.flatnonzero(~alone), *np.flatnonzero(alone)[:, np.newaxis]]:
        part, lines = features, _by_label(table[:, targets] if alone.any() else table)
        if alone[targets].any():
            codes = as_dense(labels.codes[:, targets]).ravel()
            known = codes != labels.unknown_code[targets]
            part = features.take_rows(known) if unknown[targets] else features
            lines = as_dense(lines)[:, known]
            if labels.n_values[targets] > 2:  # one line for each value of a class
                values = np.arange(labels.n_values[targets[0]])
                lines = np.equal.outer(values, codes[known]).astype(np.float64)
        varies = (scatter := _scatter_of(lines, part.weight)) > 0.0
        for some, found in f_of_features(part, lines, scatter) if varies.any() else ():
            if varies.size == targets.size:
                yield targets[varies], some, found[varies]
            else:
                yield targets, some, found[varies].mean(axis=0, keepdims=True)


def _by_label(indicator: Matrix) -> Matrix:
    """The labels in lines; dense where there are numbers, which are hardly ever 0."""
    if not sp.issparse(indicator) and indicator.dtype.kind == "f":
        return indicator.T
    return sp.csc_matrix(indicator, dtype=np.float64).T.tocsr()


def _scatter_of(labels: Matrix, weight: Weights | None) -> FloatArray:
    """(L,) sums of squares of the labels (lines) around their means."""
    w = np.ones(labels.shape[1]) if weight is None else weight
    squared = labels.power(2) if sp.issparse(labels) else labels**2
    sums, squares = labels @ w, squared @ w
    return np.asarray(squares - sums * (sums / w.sum()))


def f_of_features(
    features: Features, labels: Matrix, scatter: FloatArray
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Some features after the other, with F of each label (line) and feature."""
    groups = features.groups
    feature = groups.spread(np.arange(groups.sizes.size))
    for columns, block in column_blocks(features.values):
        single = groups.single[feature[columns]]
        if single.any():
            found = f_statistics(block[:, single], labels, scatter, features.weight)
            yield feature[columns][single], found
    for one in groups.several:
        block = features.values[:, groups.columns(one)]
        found = joint_f_statistic(block, labels, scatter, features.weight)
        yield np.array([one]), found[:, np.newaxis]


def joint_f_statistic(
    block: FloatArray, labels: Matrix, scatter: FloatArray, weight: Weights | None
) -> FloatArray:
    """F of each label for all columns of a block together: how well they predict it.

    With R^2 the share of the label's scatter that a regression on the columns explains,
    and p their rank, F = (n - p - 1) / p R^2 / (1 - R^2); of a single column it is the
    F of `f_statistics`, of categories that of the analysis of variance between them.
    """
    n_rows = block.shape[0] if weight is None else weight.sum()
    centred = centred_columns(block, weight=weight)
    weighted = centred if weight is None else centred * weight[:, np.newaxis]
    size, directions = np.linalg.eigh(centred.T @ weighted)
    kept = size > ROUNDING * n_rows * size[-1]
    told = ((labels @ (weighted @ directions[:, kept])) ** 2 / size[kept]).sum(axis=1)
    share = np.divide(told, scatter, out=np.zeros(told.size), where=scatter > 0)
    share[share <= ROUNDING * n_rows] = 0.0
    rest = 1.0 - share
    rest[rest <= ROUNDING * n_rows] = 0.0
    rank = max(1, int(kept.sum()))
    return max(1, n_rows - rank - 1) / rank * _f_ratio(share, rest)


def f_statistics(
    block: FloatArray, labels: Matrix, scatter: FloatArray, weight: Weights | None
) -> FloatArray:
    """F of each label (line) and column of a block of features."""
    n_rows = block.shape[0] if weight is None else weight.sum()
    centred = centred_columns(block, weight=weight)
    weighted = centred if weight is None else centred * weight[:, np.newaxis]
    total = (centred * weighted).sum(axis=0)
    product, scatter = np.asarray(labels @ weighted), scatter[:, np.newaxis]
    # The share of x explained by y, as that of y by x: (x'y)^2 / (x'x y'y)
    between = np.zeros_like(product)
    np.divide(product**2, scatter, out=between, where=scatter > 0)
    between[between <= ROUNDING * total] = 0.0
    within = total - between
    within[within <= ROUNDING * n_rows * total] = 0.0
    return max(1, n_rows - 2) * _f_ratio(between, within)


def _f_ratio(between: FloatArray, within: FloatArray) -> FloatArray:
    """Infinite where classes differ but have no scatter, 0 where they do not differ."""
    ratio = np.full(between.shape, np.inf)
    np.divide(between, within, out=ratio, where=within > 0)
    return np.where(between > 0, ratio, 0.0)


F_RATIO = Rule("between labels / within labels", lambda t: _f_ratio(*t.values()))


def _occurring(indicator: Matrix) -> sp.csr_matrix:
    """The labels that occur, one line each; a single one gets its complement."""
    table = sp.csc_matrix(indicator, dtype=np.float64)
    occurring = table[:, np.diff(table.indptr) > 0].T.tocsr()
    if occurring.shape[0] == 1 and occurring.nnz < occurring.shape[1]:
        return sp.csr_matrix(sp.vstack([occurring, 1.0 - occurring.toarray()]))
    return occurring
