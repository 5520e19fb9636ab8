"""Data that need no file: with a planted truth, and handwritten digits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._utils.typing import ByteArray
from labelsieve.datasets._dataset import Dataset

Random = np.random.RandomState
# How often a word of a label appears in a sparse row with and without that label.
WORD_WITH_LABEL = 0.4
WORD_WITHOUT_LABEL = 0.01
# Words of sparse noise are as unequal as those of a text.
ZIPF_EXPONENT = 1.0


@dataclass(frozen=True)
class PlantedTruth:
    """What `make_multilabel` put into each feature.

    Attributes
    ----------
    kind : (n_features,) array of str
        ``"relevant"``: relevant for one label by itself. ``"redundant"``: a noisy copy
        of a relevant feature. ``"interacting"``: relevant for a label only together
        with its partner. ``"noise"``: irrelevant.
    label : (n_features,) array of int
        The label that the feature is relevant for, -1 for noise.
    partner : (n_features,) array of int
        The feature that is copied, or the other half of the interacting pair, or -1.
    """

    kind: NDArray[np.str_]
    label: NDArray[np.int64]
    partner: NDArray[np.int64]


def make_multilabel(
    n_samples: int = 1000,
    n_labels: int = 6,
    *,
    n_relevant: int = 12,
    n_redundant: int = 6,
    n_interacting: int = 4,
    n_noise: int = 28,
    labels_per_row: float = 2.0,
    label_dependency: float = 0.3,
    noise: float = 0.1,
    sparse: bool = False,
    noise_words_per_row: float = 5.0,
    shuffle: bool = True,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[Any, NDArray[np.uint8], PlantedTruth]:
    """Generate features and labels of which the truth is known.

    Parameters
    ----------
    n_samples, n_labels : int
        Number of rows and labels.
    n_relevant, n_redundant, n_interacting, n_noise : int
        Number of features of each kind; interacting ones come in pairs.
    labels_per_row : float
        How many labels a row has on average; at most half of them.
    label_dependency : float in [0, 1]
        The share of rows in which a label repeats the label before it.
    noise : float in [0, 0.5)
        How often a redundant or interacting feature is wrong, and how blurred a
        relevant one is.
    sparse : bool
        Whether X is a CSR matrix of 0 and 1, like words of texts, or an array of
        numbers.
    noise_words_per_row : float
        With `sparse`, how many noise features appear in a row on average; some are
        far more frequent than others.
    shuffle : bool
        Whether the columns are shuffled; else the kinds stand in the order of the
        parameters.
    random_state : int, RandomState or None
        The seed.

    Returns
    -------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The features.
    Y : ndarray of shape (n_samples, n_labels)
        The labels, 0 or 1.
    truth : PlantedTruth
        What each feature is.

    Examples
    --------
    >>> from labelsieve.datasets import make_multilabel
    >>> X, Y, truth = make_multilabel(100, 3, n_noise=10, random_state=0)
    >>> X.shape, Y.shape, sorted(set(truth.kind.tolist()))
    ((100, 32), (100, 3), ['interacting', 'noise', 'redundant', 'relevant'])
    """
    if n_samples < 2 or n_labels < 1:
        raise ValueError(
            f"expected at least 2 rows and 1 label, got {n_samples} and {n_labels}."
        )
    if n_interacting % 2:
        raise ValueError(f"n_interacting must be even (pairs), got {n_interacting}.")
    if n_redundant and not n_relevant:
        raise ValueError("n_redundant needs relevant features to copy.")
    if not 0 <= noise < 0.5:
        raise ValueError(f"noise must lie in [0, 0.5), got {noise}.")
    from sklearn.utils import check_random_state  # slow, and readers need none of it

    random = check_random_state(random_state)
    share = min(0.5, labels_per_row / n_labels)
    Y = (random.random_sample((n_samples, n_labels)) < share).astype(np.uint8)
    for label in range(1, n_labels):
        repeats = random.random_sample(n_samples) < label_dependency
        Y[repeats, label] = Y[repeats, label - 1]
    truth = _plan(n_labels, n_relevant, n_redundant, n_interacting, n_noise)
    if sparse:
        X = _sparse_features(random, Y, truth, noise, noise_words_per_row)
    else:
        X = _dense_features(random, Y, truth, noise)
    if shuffle:
        order = random.permutation(truth.kind.size)
        new_place = np.append(np.argsort(order), -1)  # -1 stays -1
        partner = new_place[truth.partner[order]]
        X = X[:, order]
        truth = PlantedTruth(truth.kind[order], truth.label[order], partner)
    if sparse:
        X.sort_indices()
    return X, Y, truth


def _plan(
    n_labels: int, n_relevant: int, n_redundant: int, n_interacting: int, n_noise: int
) -> PlantedTruth:
    numbers = (n_relevant, n_redundant, n_interacting, n_noise)
    kind = np.repeat(["relevant", "redundant", "interacting", "noise"], numbers)
    label = np.full(kind.size, -1)
    partner = np.full(kind.size, -1)
    label[:n_relevant] = np.arange(n_relevant) % n_labels
    copies = n_relevant + np.arange(n_redundant)
    partner[copies] = np.arange(n_redundant) % max(1, n_relevant)
    label[copies] = label[partner[copies]]
    pairs = n_relevant + n_redundant + np.arange(n_interacting)
    label[pairs] = np.arange(n_interacting) // 2 % n_labels
    partner[pairs] = pairs + 1 - 2 * (np.arange(n_interacting) % 2)
    return PlantedTruth(kind, label, partner)


def _interacting_bits(
    random: Random, wanted: ByteArray, noise: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Two fair coins whose exclusive or is the label, up to noise."""
    first = random.random_sample(wanted.size) < 0.5
    wrong = random.random_sample(wanted.size) < noise
    return first, first ^ wanted.astype(bool) ^ wrong


def _dense_features(
    random: Random, Y: ByteArray, truth: PlantedTruth, noise: float
) -> NDArray[np.float64]:
    X = random.standard_normal((len(Y), truth.kind.size))
    blur = 0.2 + 2 * noise
    for column in np.flatnonzero(truth.kind == "relevant").tolist():
        X[:, column] = Y[:, truth.label[column]] + blur * X[:, column]
    for column in np.flatnonzero(truth.kind == "redundant").tolist():
        X[:, column] = X[:, truth.partner[column]] + noise * X[:, column]
    for column in np.flatnonzero(truth.kind == "interacting")[::2].tolist():
        bits = _interacting_bits(random, Y[:, truth.label[column]], noise)
        X[:, [column, column + 1]] = (
            np.column_stack(bits) + 0.1 * (X[:, [column, column + 1]])
        )
    return X


def _sparse_features(
    random: Random, Y: ByteArray, truth: PlantedTruth, noise: float, noise_words: float
) -> sp.csr_matrix:
    n_rows = len(Y)
    found: dict[int, NDArray[np.int64]] = {}
    for column in np.flatnonzero(truth.kind == "relevant").tolist():
        share = np.where(
            Y[:, truth.label[column]] == 1, WORD_WITH_LABEL, WORD_WITHOUT_LABEL
        )
        found[column] = np.flatnonzero(random.random_sample(n_rows) < share)
    for column in np.flatnonzero(truth.kind == "redundant").tolist():
        copied = found[truth.partner[column]]
        found[column] = copied[random.random_sample(copied.size) >= noise]
    for column in np.flatnonzero(truth.kind == "interacting")[::2].tolist():
        first, second = _interacting_bits(random, Y[:, truth.label[column]], noise)
        found[column], found[column + 1] = np.flatnonzero(first), np.flatnonzero(second)
    sizes = [cells.size for cells in found.values()]
    rows = [np.empty(0, dtype=np.int64), *found.values()]
    columns = [np.repeat([*found], sizes).astype(np.int64)]
    (words,) = np.nonzero(truth.kind == "noise")
    if words.size:
        share = 1.0 / np.arange(1, words.size + 1) ** ZIPF_EXPONENT
        edges = np.cumsum(share / share.sum())
        lengths = random.poisson(noise_words, n_rows)
        drawn = np.searchsorted(edges, random.random_sample(lengths.sum()))
        rows.append(np.repeat(np.arange(n_rows), lengths))
        columns.append(words[np.minimum(drawn, words.size - 1)])
    where = np.concatenate(rows), np.concatenate(columns)
    cells, shape = np.ones(where[0].size), (n_rows, truth.kind.size)
    X = sp.coo_matrix((cells, where), shape).tocsr()
    X.data[:] = 1.0  # a word that was drawn twice is there once
    return X


# Which of the seven segments a display lights for each digit.
LIT = ("abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg",
       "abcdfg")  # fmt: skip


def load_segments() -> Dataset:
    """Load 1,797 handwritten digits of 8 x 8 pixels, labelled by lit segments.

    The labels are the segments a to g that a seven-segment display lights for the
    digit: a small real data set with strongly dependent labels, part of
    scikit-learn, so that nothing is downloaded.

    Returns
    -------
    dataset : Dataset
        64 features named ``row,column`` (values 0 to 16) and 7 labels ``a`` .. ``g``.

    Examples
    --------
    >>> from labelsieve.datasets import load_segments
    >>> load_segments()
    Dataset('segments', 1797 samples, 64 features, 7 labels, dense)
    """
    from sklearn.datasets import load_digits

    X, digits = load_digits(return_X_y=True)
    segments = "abcdefg"
    display = np.array([[segment in lit for segment in segments] for lit in LIT])
    pixels = [f"{row},{column}" for row in range(8) for column in range(8)]
    Y = display[digits].astype(np.uint8)
    return Dataset(X, Y, pixels, list(segments), "segments")
