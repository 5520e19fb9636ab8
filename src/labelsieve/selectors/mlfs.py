"""MLFS: between-label over within-label scatter, the F statistic for many labels."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import StrOptions

from labelsieve._plumbing.machine import run_in_threads
from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.reading import Features
from labelsieve.selectors._decided import Which
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._rows.scaled_rows import (
    centred_columns,
    centred_matrix,
    column_slices,
    dense_columns,
)
from labelsieve.selectors._terms import Named, Rule, ScoreTerms

if TYPE_CHECKING:
    from labelsieve.selectors._explain import Explained

# Scatter below this share of the column's squares is what rounding leaves of zero.
ROUNDING = 1e-14


class MLFS(IndicatorSelector):
    """Multi-label F statistic (Kong, Ding, Huang and Zhao, 2012).

    Each label is a class, and a row with several labels belongs to several classes.
    A feature is good if the means of the classes lie far apart compared with the
    scatter inside the classes.

    Parameters
    ----------
    within : {"scatter", "sum_var"}, default="scatter"
        The scatter inside the classes: the sum of squares, or the sum of the class
        variances as in the program of the GMBA paper, where rare labels count as
        much as frequent ones.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The F statistic; infinite where classes differ but have no scatter, 0 for
        constant features.

    Notes
    -----
    Rows without labels belong to no class and have no influence. If only a single
    label occurs, the rows without it are the class it is compared with, which gives
    the ordinary F statistic. The scatter of a nominal feature is that of a column of 0
    and 1 for each of its categories, added up.

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
        **IndicatorSelector._parameter_constraints,
        "within": [StrOptions({"scatter", "sum_var"})],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_features_to_select: int | float = 0.1,
        *,
        include: Which = None,
        exclude: Which = None,
        within: str = "scatter",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude
        self.within = within
        self.n_jobs = n_jobs

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        classes = _occurring(indicator)
        scores = np.zeros(features.constant.size)
        values, n_rows = features.values, features.values.shape[0]
        frequencies = np.diff(classes.indptr)
        by_column = values.tocsc() if sp.issparse(values) else values
        scatter = np.zeros((2, values.shape[1]))

        def add(columns: slice) -> None:
            centred = centred_columns(dense_columns(by_column, columns))
            sums = classes @ centred, classes @ centred**2
            scatter[:, columns] = self._scatter(*sums, frequencies)

        if classes.shape[0] > 1:
            run_in_threads(add, column_slices(values), self.n_jobs)
            between, within = map(features.groups.sums, scatter)
            scores = _f_ratio(between, within, _factor(n_rows, frequencies.size))
        scores[features.constant] = 0.0
        return scores

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

    def _terms(self, explained: Explained) -> ScoreTerms:
        classes = _occurring(explained.indicator)
        frequencies = np.diff(classes.indptr)
        if frequencies.size < 2:
            return explained.only_term()
        numbers = explained.chosen_numbers
        centred = centred_matrix(numbers.values)
        sums = classes @ centred, classes @ centred**2
        scatter = self._scatter(*sums, frequencies)
        between, within = map(numbers.groups.sums, scatter)
        factor = _factor(centred.shape[0], frequencies.size)
        terms = {"between labels": factor * between, "within labels": within}
        return ScoreTerms(terms, F_RATIO)


def _factor(n_rows: int, n_classes: int) -> float:
    # A constant factor: it must not wipe the scores out if labels outnumber rows.
    return max(1, n_rows - n_classes) / (n_classes - 1)


def _f_ratio(between: FloatArray, within: FloatArray, factor: float) -> FloatArray:
    """Infinite where classes differ but have no scatter, 0 where they do not differ."""
    ratio = np.full(between.size, np.inf)
    np.divide(between, within, out=ratio, where=within > 0)
    return np.where(between > 0, factor * ratio, 0.0)


def _quotient(terms: Named) -> FloatArray:
    return _f_ratio(terms["between labels"], terms["within labels"], 1.0)


F_RATIO = Rule("between labels / within labels", _quotient)


def _occurring(indicator: Matrix) -> sp.csr_matrix:
    """The labels that occur, one line each; a single one gets its complement."""
    table = sp.csc_matrix(indicator, dtype=np.float64)
    occurring = table[:, np.diff(table.indptr) > 0].T.tocsr()
    if occurring.shape[0] == 1 and occurring.nnz < occurring.shape[1]:
        return sp.csr_matrix(sp.vstack([occurring, 1.0 - occurring.toarray()]))
    return occurring
