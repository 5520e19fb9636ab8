"""BR+F: the F statistic of every label on its own, averaged or the largest."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import StrOptions

from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray, Matrix
from labelsieve.reading import Features
from labelsieve.selectors._decided import Which
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._rows.scaled_rows import centred_columns, column_blocks
from labelsieve.selectors._terms import ONLY, LabelRule, ScoreTerms

if TYPE_CHECKING:
    from labelsieve.selectors._explain import Explained

AGGREGATES = {"mean": "mean over labels", "max": "largest of all labels"}
# Scatter below this share of a column's squares is what rounding leaves of zero.
ROUNDING = 1e-14


class FStatistic(IndicatorSelector):
    """Analysis of variance of each label on its own, averaged or the largest.

    For every label the rows with it and the rows without it are two classes, and

    .. math::

        F_{fl} = (n - 2) \\frac{\\text{scatter between the classes}}
                               {\\text{scatter inside the classes}}

    A feature is ranked by the mean of its F over the labels that vary, or by the
    largest. A nominal feature has the F of all its categories together.

    Parameters
    ----------
    aggregate : {"mean", "max"}, default="mean"
        Whether features that tell of many labels come first, or those that tell most
        of one.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The mean or the largest F; infinite where a label is told without an error.

    See Also
    --------
    MLFS : One F statistic with a class per label.

    References
    ----------
    G. Tsoumakas, I. Katakis, I. Vlahavas: Mining multi-label data. Data Mining and
    Knowledge Discovery Handbook, 2010 (one problem per label).

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
        **IndicatorSelector._parameter_constraints,
        "aggregate": [StrOptions({*AGGREGATES})],
    }

    def __init__(
        self,
        n_features_to_select: int | float = 0.1,
        *,
        include: Which = None,
        exclude: Which = None,
        aggregate: str = "mean",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude
        self.aggregate = aggregate

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        labels, varies = _by_label(indicator)
        scores = np.zeros(features.constant.size)
        for some, per_label in f_of_features(features, labels):
            scores[some] = _over_labels(per_label.T, varies, self.aggregate)
        scores[features.constant] = 0.0
        return scores

    def _terms(self, explained: Explained) -> ScoreTerms:
        labels, varies = _by_label(explained.indicator)
        found = np.zeros((explained.chosen.size, labels.shape[0]))
        for some, per_label in f_of_features(explained.chosen_numbers, labels):
            found[some] = per_label.T
        text = AGGREGATES[self.aggregate]
        of = partial(_over_labels, varies=varies, how=self.aggregate)
        rule = LabelRule(text, of)
        return ScoreTerms({text: explained.scores}, ONLY, found, rule)


def _by_label(indicator: Matrix) -> tuple[sp.csr_matrix, BoolArray]:
    """The labels in lines, and which of them vary."""
    labels = sp.csc_matrix(indicator, dtype=np.float64).T.tocsr()
    n_with = np.diff(labels.indptr)
    return labels, (n_with > 0) & (n_with < labels.shape[1])


def f_of_features(
    features: Features, labels: sp.csr_matrix
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Some features after the other, with F of each label (line) and feature."""
    groups = features.groups
    feature = groups.spread(np.arange(groups.sizes.size))
    for columns, block in column_blocks(features.values):
        single = groups.single[feature[columns]]
        if single.any():
            found = f_statistics(block[:, single], labels)
            yield feature[columns][single], found
    for one in groups.several:
        block = features.values[:, groups.columns(one)]
        yield np.array([one]), joint_f_statistic(block, labels)[:, np.newaxis]


def joint_f_statistic(block: FloatArray, labels: sp.csr_matrix) -> FloatArray:
    """F of each label for all columns of a block together: how well they tell it.

    With R^2 the share of the label's scatter that a regression on the columns tells,
    and p their rank, F = (n - p - 1) / p R^2 / (1 - R^2); of a single column it is the
    F of `f_statistics`, of categories that of the analysis of variance between them.
    """
    n_rows = block.shape[0]
    centred = centred_columns(block)
    size, directions = np.linalg.eigh(centred.T @ centred)
    kept = size > ROUNDING * n_rows * size[-1]
    n_with = np.diff(labels.indptr)
    scatter = n_with * (n_rows - n_with) / n_rows
    told = ((labels @ (centred @ directions[:, kept])) ** 2 / size[kept]).sum(axis=1)
    share = np.divide(told, scatter, out=np.zeros(told.size), where=scatter > 0)
    share[share <= ROUNDING * n_rows] = 0.0
    rest = 1.0 - share
    rest[rest <= ROUNDING * n_rows] = 0.0
    rank = max(1, int(kept.sum()))
    ratio = np.full(share.size, np.inf)
    np.divide(share, rest, out=ratio, where=rest > 0)
    return np.where(share > 0, max(1, n_rows - rank - 1) / rank * ratio, 0.0)


def f_statistics(block: FloatArray, labels: sp.csr_matrix) -> FloatArray:
    """F of each label (line) and column of a block of features."""
    n_rows = block.shape[0]
    centred = centred_columns(block)
    total = (centred**2).sum(axis=0)
    n_with = np.diff(labels.indptr)[:, np.newaxis]
    smaller = np.maximum(np.minimum(n_with, n_rows - n_with), 1)
    # Deviations of the two classes cancel: the sums of one give both means.
    between = (labels @ centred) ** 2 * (n_rows / (smaller * (n_rows - smaller)))
    between[between <= ROUNDING * total] = 0.0
    within = total - between
    within[within <= ROUNDING * n_rows * total] = 0.0
    ratio = np.full(between.shape, np.inf)
    np.divide(between, within, out=ratio, where=within > 0)
    return np.where(between > 0, max(1, n_rows - 2) * ratio, 0.0)


def _over_labels(per_label: FloatArray, varies: BoolArray, how: str) -> FloatArray:
    """One score per feature (line) out of those of the labels that vary."""
    if not varies.any():
        return np.zeros(len(per_label))
    kept = per_label[:, varies]
    return kept.max(axis=1) if how == "max" else kept.mean(axis=1)
