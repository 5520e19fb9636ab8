"""How good a selection is: against all features and against random ones."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing, get_tags

from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.sparse import check_sparse
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.classifiers import Judge, PathScores
from labelsieve.metrics import evaluate
from labelsieve.reading import read_values
from labelsieve.selectors import check_selector, size_limits

CHOSEN, RANDOM, EVERYTHING = "chosen", "random", "all"
# A curve with more points than this looks the same.
POINTS = 24
# Random rankings that are averaged in each split.
RANDOM_RANKINGS = 3


@dataclass(frozen=True, eq=False)
class Quality:
    """Measures of chosen, random and all features on rows not used for choosing.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        The numbers of features.
    values : dict of str to dict of str to ndarray of shape (n_splits, n_sizes)
        For each measure, for ``"chosen"``, ``"random"`` and ``"all"`` features, its
        value in each split at each size; that of all features is always the same.
    classifier : str
        The name of the classifier.
    test_share : float
        The share of the rows that was kept for testing.
    """

    sizes: IntArray
    values: dict[str, dict[str, FloatArray]]
    classifier: str
    test_share: float

    @property
    def n_splits(self) -> int:
        """How often the rows were split."""
        return len(self.values["hamming_loss"][CHOSEN])

    def mean(self, measure: str, features: str, size: int) -> float:
        """Return the average over the splits of one measure at one size."""
        place = int(np.flatnonzero(self.sizes == size)[0])
        return float(self.values[measure][features][:, place].mean())


def measure_quality(
    selector: Any,
    X: Any,
    Y: Any,
    *,
    classifier: Any = None,
    n_splits: int = 10,
    test_share: float = 0.3,
    seed: int = 0,
) -> Quality:
    """Select on training rows, classify the test rows, for every size up to twice k.

    Parameters
    ----------
    selector : LabelSelector
        Not fitted; a clone is fitted on the training rows of every split. ``"auto"``
        means the number of features that it finds in all rows.
    X, Y : as in `fit`
        The data.
    classifier : classifier, optional
        By default naive Bayes for sparse features, ML-kNN for others, scaled to [0, 1]
        by the training rows; nominal features become a 0/1 column per category.
    n_splits : int
        How often the rows are split at random.
    test_share : float
        The share of the rows that is kept for testing.
    seed : int
        The seed of the splits and of the random features.

    Returns
    -------
    Quality
        All measures at all sizes.

    Examples
    --------
    >>> from labelsieve import FIMF
    >>> from labelsieve.datasets import load_segments
    >>> from labelsieve.report import measure_quality
    >>> X, Y = load_segments()
    >>> quality = measure_quality(FIMF(12), X, Y, n_splits=2)
    >>> chosen = quality.mean("hamming_loss", "chosen", 12)
    >>> chosen < quality.mean("hamming_loss", "random", 12)
    True
    """
    check_selector(selector, "measure_quality")
    check_sparse(Y, "Y")
    takes_missing = get_tags(selector).input_tags.allow_nan
    features = read_values(selector, X, min_rows=3, takes_missing=takes_missing)
    judge = Judge(features, Y, classifier, scaled=True)
    sizes = _sizes(_n_wanted(selector, X, Y), *size_limits(selector, X.shape[1]))
    found = [
        _one_split(selector, judge, X, Y, rows, sizes, random)
        for rows, random in _splits(X.shape[0], n_splits, test_share, seed)
    ]
    values = {
        measure: {
            features: np.stack([split[features][measure] for split in found])
            for features in found[0]
        }
        for measure in found[0][CHOSEN]
    }
    return Quality(sizes, values, type(judge.classifier).__name__, test_share)


def _n_wanted(selector: Any, X: Any, Y: Any) -> int:
    wanted, n_features = selector.n_features_to_select, X.shape[1]
    if isinstance(wanted, str):  # "auto": the method finds the number in the data
        wanted = clone(selector).fit(X, Y).support_.sum()
    elif isinstance(wanted, float):
        wanted = max(1, int(wanted * n_features))
    return int(wanted)


def _sizes(wanted: int, least: int, most: int) -> IntArray:
    """Sizes up to twice the wanted one, which is among them, within limits."""
    wanted = min(max(wanted, least), most)
    largest = min(2 * wanted, most)
    n_points = min(largest - least + 1, POINTS)
    spread = np.linspace(least, largest, n_points).round().astype(np.int64)
    return np.unique(np.append(spread, wanted))


def _splits(
    n_rows: int, n_splits: int, test_share: float, seed: int
) -> Iterator[tuple[tuple[NDArray[Any], NDArray[Any]], np.random.Generator]]:
    n_test = min(max(1, round(test_share * n_rows)), n_rows - 2)
    if n_test < 1:
        raise ValueError(f"{n_rows} rows are too few to measure quality; expected 3.")
    for split in range(n_splits):
        random = np.random.default_rng([seed, split])
        rows = random.permutation(n_rows)
        yield (rows[n_test:], rows[:n_test]), random


def _one_split(
    selector: Any,
    judge: Judge,
    X: Any,
    Y: Any,
    rows: tuple[NDArray[Any], NDArray[Any]],
    sizes: IntArray,
    random: np.random.Generator,
) -> dict[str, dict[str, FloatArray]]:
    train, test = rows
    largest, n_features = int(sizes[-1]), X.shape[1]
    fitted = clone(selector).set_params(n_features_to_select=largest)
    with warnings.catch_warnings():
        # A label that training rows lack is no news: the whole data has been seen.
        warnings.simplefilter("ignore", UserWarning)
        order = fitted.fit(_safe_indexing(X, train), Y[train]).order_[:largest]

    def measured(order: IntArray, sizes: IntArray) -> dict[str, FloatArray]:
        return _measures(Y[test], judge.path(train, test, order, sizes))

    randoms = [
        measured(random.permutation(n_features)[:largest], sizes)
        for _ in range(RANDOM_RANKINGS)
    ]
    everything = measured(np.arange(n_features), np.array([n_features]))
    return {
        CHOSEN: measured(order, sizes),
        RANDOM: {
            name: np.mean([r[name] for r in randoms], axis=0) for name in everything
        },
        EVERYTHING: {
            name: np.repeat(value, sizes.size) for name, value in everything.items()
        },
    }


def _measures(Y: Any, path: PathScores) -> dict[str, FloatArray]:
    truth = as_dense(Y)
    rows = [
        evaluate(truth, predictions, scores)
        for predictions, scores in zip(path.predictions, path.scores, strict=True)
    ]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
