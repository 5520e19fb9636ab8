"""Entropies, mutual and interaction information: of arrays, and of counts.

All values are plug-in estimates from frequencies, in nats unless `base` is given.
Plug-in information of columns without any connection is above zero; `correction`
takes off what chance shows: "miller-madow" adds (occupied cells - 1) / (2 n) to each
entropy, "chi2" counts what is not significant at 5 percent as zero.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri

from labelsieve._plumbing.typing import FloatArray
from labelsieve.counting import (
    CORRECTIONS,
    SIGNIFICANCE,
    CorrectedCounts,
    Correction,
    Counts,
    KnownCounts,
)


def entropy(
    *columns: ArrayLike,
    base: float | None = None,
    correction: Literal["miller-madow"] | None = None,
) -> float:
    """Joint entropy H of one or more columns of discrete values.

    Parameters
    ----------
    *columns : array-like of shape (n,)
        Discrete values: whole numbers, booleans or text.
    base : float, default=None
        Base of the logarithm; None means natural.
    correction : {"miller-madow"} or None, default=None
        How to take off what chance shows; see the head of this module.

    Returns
    -------
    entropy : float
        At least 0; without correction at most the logarithm of the number of
        distinct rows.

    Examples
    --------
    >>> from labelsieve.information import entropy
    >>> entropy([0, 0, 1, 1], base=2)
    1.0
    >>> entropy([0, 0, 1, 1], ["a", "b", "a", "b"], base=2)
    2.0
    """
    frequencies = np.bincount(_joint_codes(*columns))
    n = frequencies.sum()
    shares = frequencies[frequencies > 0] / n
    nats = float(-(shares * np.log(shares)).sum())
    if correction is not None:
        _check_correction(correction, ("miller-madow",))
        nats += (shares.size - 1) / (2.0 * n)
    return max(0.0, nats / _unit(base))


def mutual_information(
    first: ArrayLike,
    second: ArrayLike,
    *,
    base: float | None = None,
    correction: Correction | None = None,
) -> float:
    """Mutual information I(first; second) of two discrete columns.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Discrete values: whole numbers, booleans or text.
    base : float, default=None
        Base of the logarithm; None means natural.
    correction : {"miller-madow", "chi2"} or None, default=None
        How to take off what chance shows; see the head of this module.

    Returns
    -------
    information : float
        At least 0, and at most the smaller of the two entropies.

    Examples
    --------
    >>> from labelsieve.information import mutual_information
    >>> mutual_information([0, 0, 1, 1], ["a", "a", "b", "b"], base=2)
    1.0
    """
    how = _of_entropies(correction)
    value = (
        entropy(first, correction=how)
        + entropy(second, correction=how)
        - entropy(first, second, correction=how)
    )
    if correction == "chi2" and not _is_significant(value, first, second):
        return 0.0
    return max(0.0, value) / _unit(base)


def conditional_mutual_information(
    first: ArrayLike,
    second: ArrayLike,
    given: ArrayLike,
    *,
    base: float | None = None,
    correction: Correction | None = None,
) -> float:
    """Conditional mutual information I(first; second | given).

    Parameters
    ----------
    first, second, given : array-like of shape (n,)
        Discrete values: whole numbers, booleans or text.
    base : float, default=None
        Base of the logarithm; None means natural.
    correction : {"miller-madow", "chi2"} or None, default=None
        How to take off what chance shows; see the head of this module.

    Returns
    -------
    information : float
        At least 0.

    Examples
    --------
    >>> from labelsieve.information import conditional_mutual_information
    >>> a, b = [0, 0, 1, 1], [0, 1, 0, 1]
    >>> xor = [0, 1, 1, 0]
    >>> round(conditional_mutual_information(a, b, xor, base=2), 6)
    1.0
    """
    how = _of_entropies(correction)
    value = (
        entropy(first, given, correction=how)
        + entropy(second, given, correction=how)
        - entropy(given, correction=how)
        - entropy(first, second, given, correction=how)
    )
    if correction == "chi2" and not _is_significant(value, first, second, given):
        return 0.0
    return max(0.0, value) / _unit(base)


def interaction_information(
    first: ArrayLike,
    second: ArrayLike,
    third: ArrayLike,
    *,
    base: float | None = None,
    correction: Correction | None = None,
) -> float:
    """Interaction information I({a, b, c}) = I(a; b) - I(a; b | c).

    Positive values mean redundancy (two say the same about the third), negative
    ones synergy (two say more together than alone).

    Parameters
    ----------
    first, second, third : array-like of shape (n,)
        Discrete values: whole numbers, booleans or text.
    base : float, default=None
        Base of the logarithm; None means natural.
    correction : {"miller-madow", "chi2"} or None, default=None
        How to take off what chance shows; see the head of this module.

    Returns
    -------
    information : float
        Its absolute value is at most the smallest of the three entropies.

    Examples
    --------
    >>> from labelsieve.information import interaction_information
    >>> a, b, xor = [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]
    >>> round(interaction_information(a, b, xor, base=2), 6)
    -1.0
    """
    how = _of_entropies(correction)
    single = [entropy(x, correction=how) for x in (first, second, third)]
    pairs = [
        entropy(x, y, correction=how)
        for x, y in ((first, second), (first, third), (second, third))
    ]
    joint = entropy(first, second, third, correction=how)
    value = single[0] + single[1] + single[2] - (pairs[0] + pairs[1] + pairs[2]) + joint
    if correction == "chi2":
        freedom = _freedom(first, second, third) - _freedom(first, second)
        limit = float(chdtri(max(1, freedom), SIGNIFICANCE))
        if 2.0 * len(np.asarray(first)) * abs(value) <= limit:
            return 0.0
    return value / _unit(base)


def feature_entropy(counts: Counts) -> FloatArray:
    """H(f) of each feature."""
    return -counts.feature_sums / counts.n_rows


def label_entropy(counts: Counts) -> FloatArray:
    """H(l) of each label."""
    return -counts.label_sums / counts.n_rows


def feature_label_information(counts: Counts) -> FloatArray:
    """I(f; l), one line per label, one column per feature."""
    information = counts.feature_label_sums - counts.feature_sums
    information -= counts.label_sums[:, np.newaxis]
    np.maximum(information, 0.0, out=information)
    information /= counts.n_rows
    return information


def relevance(counts: Counts) -> FloatArray:
    """Sum over labels of I(f; l)."""
    return counts.shared_totals / counts.n_rows


def label_pair_interaction(counts: Counts) -> FloatArray:
    """Sum over unordered pairs of labels a, b of I({f, a, b})."""
    n_labels = counts.n_labels
    if n_labels < 2:
        return np.zeros(counts.n_features)
    told = counts.told_of_label_pairs()  # first: totals then use its counts
    # I({f, a, b}) = I(f; a) + I(f; b) - I(f; a, b), and each label is in so many pairs.
    return ((n_labels - 1) * counts.shared_totals - told) / counts.n_rows


def chosen_feature_terms(counts: Counts, chosen: int) -> tuple[FloatArray, FloatArray]:
    """For the chosen feature s: I(f; s), and the sum over labels l of I({f, s, l})."""
    shared, told = counts.chosen_sums(chosen)
    # I({f, s, l}) = I(f; l) - I(f; l | s)
    interaction = (counts.shared_totals - told) / counts.n_rows
    return np.maximum(0.0, shared) / counts.n_rows, interaction


def feature_pair_information(
    counts: Counts, low: int, high: int, out: FloatArray | None = None
) -> FloatArray:
    """I(f; g) for the features g in [low, high), one line each; H(g) where f is g."""
    from labelsieve.counting import entropy_kernels

    alone, own = counts.feature_sums, counts.feature_sums[low:high]
    if out is None:
        out = np.empty((own.size, alone.size))
    if counts.binary:
        n_f, n_fg = counts.feature_counts, counts.feature_pair_counts(low, high)
        entropy_kernels.pair_information_binary(
            *(n_fg, n_f, n_f[low:high], alone, own, counts.n_rows, counts.table, out)
        )
        return out
    sums = counts.feature_pair_sums(low, high)
    sums -= alone + own[:, np.newaxis]
    return np.divide(np.maximum(0.0, sums, out=sums), counts.n_rows, out=out)


class Terms:
    """The sums of information that selectors are made of, as published.

    Parameters
    ----------
    counts : Counts
        Where the integers come from.
    """

    def __init__(self, counts: Counts) -> None:
        self.counts = counts

    @classmethod
    def of(cls, counts: Counts, correction: Correction | None) -> Terms:
        """The terms as published, or corrected."""
        if correction is not None:
            return _Corrected(counts, correction)
        return cls(counts) if counts.known is None else _Known(counts)

    def relevance(self) -> FloatArray:
        """Sum over labels of I(f; l)."""
        return relevance(self.counts)

    def label_pair_interaction(self) -> FloatArray:
        """Sum over unordered pairs of labels a, b of I({f, a, b})."""
        return label_pair_interaction(self.counts)

    def shared_with(self, chosen: int) -> FloatArray:
        """I(f; s) for the chosen feature s."""
        return self.feature_pairs(chosen, chosen + 1)[0]

    def feature_pairs(
        self, low: int, high: int, out: FloatArray | None = None
    ) -> FloatArray:
        """I(f; g) for the features g in [low, high), one line each, in `out`."""
        return feature_pair_information(self.counts, low, high, out)

    def chosen(self, chosen: int) -> tuple[FloatArray, FloatArray]:
        """For the chosen feature s: I(f; s), and the sum of I({f, s, l})."""
        return chosen_feature_terms(self.counts, chosen)


class _Known(Terms):
    """The same where labels are not known in every row."""

    def label_pair_interaction(self) -> FloatArray:
        return KnownCounts(self.counts).label_pair_interactions() / self.counts.n_rows

    def chosen(self, chosen: int) -> tuple[FloatArray, FloatArray]:
        interaction = KnownCounts(self.counts).chosen_interactions(chosen)
        return self.shared_with(chosen), interaction / self.counts.n_rows


class _Corrected(Terms):
    def __init__(self, counts: Counts, correction: Correction) -> None:
        super().__init__(counts)
        kind = CorrectedCounts if counts.known is None else KnownCounts
        self._corrected = kind(counts, correction)

    def relevance(self) -> FloatArray:
        terms = self._corrected.feature_label_information()
        return terms.sum(axis=0) / self.counts.n_rows

    def label_pair_interaction(self) -> FloatArray:
        return self._corrected.label_pair_interactions() / self.counts.n_rows

    def feature_pairs(
        self, low: int, high: int, out: FloatArray | None = None
    ) -> FloatArray:
        pairs = self._corrected.feature_pairs(low, high)
        return np.divide(pairs, self.counts.n_rows, out=out)

    def chosen(self, chosen: int) -> tuple[FloatArray, FloatArray]:
        shared, interaction = self._corrected.chosen_terms(chosen)
        return shared / self.counts.n_rows, interaction / self.counts.n_rows


def _of_entropies(correction: str | None) -> Literal["miller-madow"] | None:
    if correction is not None:
        _check_correction(correction, CORRECTIONS)
    return "miller-madow" if correction == "miller-madow" else None


def _check_correction(correction: str, known: tuple[str, ...]) -> None:
    if correction not in known:
        raise ValueError(
            f"correction must be None or one of {', '.join(known)}, got {correction!r}."
        )


def _is_significant(value: float, first: ArrayLike, *others: ArrayLike) -> bool:
    limit = chdtri(max(1, _freedom(first, *others)), SIGNIFICANCE)
    return bool(2.0 * len(np.asarray(first)) * value > limit)


def _freedom(first: ArrayLike, second: ArrayLike, given: ArrayLike = ()) -> int:
    """Degrees of freedom of two columns within each value of a third."""
    a, b = _joint_codes(first), _joint_codes(second)
    within = _joint_codes(given) if np.size(given) else np.zeros_like(a)
    total = 0
    for value in np.unique(within):
        rows = within == value
        total += (np.unique(a[rows]).size - 1) * (np.unique(b[rows]).size - 1)
    return total


def _joint_codes(*columns: ArrayLike) -> NDArray[np.intp]:
    """One code per distinct combination of the columns' values."""
    if not columns:
        raise ValueError("expected at least one column, got none.")
    read = [_read_column(column) for column in columns]
    shapes = [values.shape for values in read]
    if len(set(shapes)) > 1 or len(shapes[0]) != 1 or not shapes[0][0]:
        raise ValueError(
            "expected 1-D columns of the same length with at least one row, got "
            f"shapes {shapes}."
        )
    joint = np.zeros(shapes[0], dtype=np.intp)
    for values in read:
        distinct, codes = np.unique(values, return_inverse=True)
        # Renumbering after each column keeps the codes below n squared.
        joint = np.unique(joint * distinct.size + codes, return_inverse=True)[1]
    return joint


def _read_column(column: ArrayLike) -> NDArray[Any]:
    if np.ma.is_masked(column):
        n_masked = int(np.ma.count_masked(column))
        raise ValueError(
            f"a column contains NaN: {n_masked} of its cells are masked; fill or drop "
            "missing values."
        )
    try:
        values = np.asarray(column)
        if values.dtype == object:
            # Python's objects: numbers if all of them are, else text.
            values = np.array(values.tolist())
    except ValueError as error:
        raise ValueError(f"expected a column of numbers or text: {error}") from error
    if values.dtype.kind not in "biufUS":
        raise ValueError(
            f"expected a column of numbers or text without missing values, got "
            f"dtype {values.dtype}."
        )
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError("a column contains NaN; fill or drop missing values.")
    return values


def _unit(base: float | None) -> float:
    if base is None:
        return 1.0
    if base <= 0 or base == 1:
        raise ValueError(f"base must be positive and not 1, got {base}.")
    return float(np.log(base))
