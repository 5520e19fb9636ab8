"""What repeated measurements say: intervals, tests between methods, ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate, stats

from labelsieve._utils.typing import FloatArray
from labelsieve.metrics import TIE, tied

# Wilcoxon's test is exact up to this many differences; 2^50 patterns are still counted
# without rounding.
MOST_EXACT = 50


@dataclass(frozen=True)
class Summary:
    """Mean, standard deviation (n - 1) and interval of the mean of n values."""

    mean: float
    sd: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class TestResult:
    """The statistic of a test and its p-value; both NaN where nothing can be tested.

    A t-test sees chance in how differences vary: of one difference, or of the same one
    everywhere, it can say nothing. Values that are identical have p = 1.
    """

    statistic: float
    p: float

    __test__ = False  # for pytest, which collects classes of this name


@dataclass(frozen=True)
class RankComparison:
    """Methods ranked within each data set, rank 1 being best.

    Friedman's test (`statistic`, `p`) is that all methods are alike; average ranks that
    differ by more than `critical_difference` differ significantly (Nemenyi), and
    `pairwise_p` has Nemenyi's p-value of each pair.
    """

    n_datasets: int
    average_ranks: FloatArray
    statistic: float
    p: float
    critical_difference: float
    pairwise_p: FloatArray


def summarize(values: ArrayLike) -> Summary:
    """Return mean, deviation and Student's interval; of one value, without length."""
    sample = _sample(values)
    if sample.size == 1:
        return Summary(float(sample[0]), 0.0, float(sample[0]), float(sample[0]), 1)
    return _student(sample, 0.0)


def corrected_t_test(
    first: ArrayLike, second: ArrayLike, test_to_train: float
) -> TestResult:
    """Corrected resampled t-test of Nadeau and Bengio (2003).

    Repeated splits share rows, so that the plain paired test finds differences too
    easily: the variance of the mean gets ``test_to_train`` in addition to 1/n. The
    p-value is NaN where the difference is the same in all splits: not testable.

    Parameters
    ----------
    first, second : arrays of shape (n_splits,)
        A measure of two methods on the same splits.
    test_to_train : float
        Number of test rows divided by number of training rows; 0 is the plain test.

    Examples
    --------
    >>> from labelsieve.experiments.statistics import corrected_t_test
    >>> round(corrected_t_test([1.0, 2.0, 4.0], [0.0, 1.5, 2.0], 3 / 7).p, 3)
    0.222
    """
    differences = _differences(first, second)
    if not differences.any():
        return TestResult(0.0, 1.0)
    if not _varies(differences):
        return TestResult(math.nan, math.nan)
    n, variance = differences.size, float(differences.var(ddof=1))
    t = float(differences.mean()) / math.sqrt((1 / n + test_to_train) * variance)
    return TestResult(t, float(2 * stats.t.sf(abs(t), n - 1)))


def corrected_interval(differences: ArrayLike, test_to_train: float) -> Summary:
    """Mean of differences and its 95 % interval by the same variance.

    One difference, or the same one everywhere, says nothing about chance: the interval
    has no ends, unless all values are identical.

    Examples
    --------
    >>> from labelsieve.experiments.statistics import corrected_interval
    >>> found = corrected_interval([1.0, 0.5, 2.0], 3 / 7)
    >>> round(found.low, 2), round(found.high, 2)
    (-1.7, 4.04)
    """
    sample = _sample(differences)
    if not sample.any():
        return Summary(0.0, 0.0, 0.0, 0.0, sample.size)
    if not _varies(sample):
        return Summary(float(sample.mean()), 0.0, -math.inf, math.inf, sample.size)
    return _student(sample, test_to_train)


def _student(sample: FloatArray, extra_variance: float) -> Summary:
    mean, sd, n = float(sample.mean()), float(sample.std(ddof=1)), sample.size
    half = float(stats.t.ppf(0.975, n - 1)) * sd * math.sqrt(1 / n + extra_variance)
    return Summary(mean, sd, mean - half, mean + half, n)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's p-values: what holds for all of several tests together.

    Those that could not be tested (NaN) stay so, and do not count as tests.

    Examples
    --------
    >>> from labelsieve.experiments.statistics import holm
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    tested = [place for place, p in enumerate(p_values) if not math.isnan(p)]
    adjusted, largest = [math.nan] * len(p_values), 0.0
    for rank, place in enumerate(sorted(tested, key=lambda place: p_values[place])):
        largest = max(largest, min(1.0, (len(tested) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def wilcoxon_test(first: ArrayLike, second: ArrayLike) -> TestResult:
    """Two-sided Wilcoxon signed-rank test; zero differences are dropped.

    Differences that are the same but for rounding share their rank. The p-value is
    exact for up to 50 differences, with ties too, else from the normal distribution.
    """
    differences = _differences(first, second)
    differences = differences[differences != 0]
    if not differences.size:
        return TestResult(0.0, 1.0)
    if differences.size > MOST_EXACT:
        found = stats.wilcoxon(differences)
        return TestResult(float(found.statistic), float(found.pvalue))
    # Mid-ranks are halves: twice the ranks are integers, and their sums can be listed.
    ranks = np.rint(2 * stats.rankdata(np.abs(differences))).astype(np.int64)
    # How many of the 2^n patterns of signs give each sum of positive ranks.
    patterns = np.ones(1)
    for rank in ranks:
        patterns = np.pad(patterns, (0, rank)) + np.pad(patterns, (rank, 0))
    above = int(ranks[differences > 0].sum())
    least = min(above, int(ranks.sum()) - above)
    p = 2 * patterns[: least + 1].sum() / patterns.sum()
    return TestResult(least / 2, min(1.0, float(p)))


def win_tie_loss(
    first: ArrayLike, second: ArrayLike, *, smaller_is_better: bool
) -> tuple[int, int, int]:
    """Count where the first is better than, equal to and worse than the second."""
    gain = _differences(first, second) * (-1 if smaller_is_better else 1)
    wins, losses = int((gain > 0).sum()), int((gain < 0).sum())
    return wins, gain.size - wins - losses, losses


def compare_ranks(values: ArrayLike, *, smaller_is_better: bool) -> RankComparison:
    """Friedman's test and Nemenyi's comparison of methods over data sets.

    `values` has data sets in rows and methods in columns, one number for each, for
    example the mean over splits.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 2:
        raise ValueError(
            "ranks are compared over at least 2 data sets and 2 methods, got an array "
            f"of shape {table.shape}."
        )
    signed = table if smaller_is_better else -table
    ranks = np.array([stats.rankdata(tied(row)) for row in signed])
    average = ranks.mean(axis=0)
    n, k = table.shape
    # Friedman's chi-squared with the correction for ties.
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())
    between = float(((average - (k + 1) / 2) ** 2).sum())
    statistic = n * n * (k - 1) * between / spread if spread else 0.0
    p = float(stats.chi2.sf(statistic, k - 1))
    error = np.sqrt(k * (k + 1) / (6.0 * n))
    gaps = np.abs(average[:, None] - average) / error
    pairwise_p = np.ones_like(gaps)
    upper = np.triu_indices(k, 1)
    tail = stats.studentized_range.sf(gaps[upper] * np.sqrt(2.0), k, np.inf)
    pairwise_p[upper] = pairwise_p.T[upper] = tail
    difference = critical_difference(k, n)
    return RankComparison(n, average, statistic, p, difference, pairwise_p)


def critical_difference(n_methods: int, n_datasets: int) -> float:
    """Return the difference of average ranks significant at 0.05 (Nemenyi)."""
    quantile = stats.studentized_range.ppf(0.95, n_methods, np.inf) / np.sqrt(2.0)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets)))


def bootstrap_interval(values: ArrayLike, n_samples: int = 2000) -> tuple[float, float]:
    """Return the 95 % interval of the mean, by draws that are always the same."""
    sample = _sample(values)
    shape = n_samples, sample.size
    draws = np.random.default_rng(0).integers(sample.size, size=shape)
    low, high = np.quantile(sample[draws].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def bayesian_signed_rank(
    gains: ArrayLike, rope: float, n_samples: int = 5000
) -> dict[str, float]:
    """Bayesian signed-rank test with a region of practical equivalence.

    How probable it is that the first of two methods is better, that both are alike,
    and that the first is worse; these sum to 1.

    `gains` say how much better the first of two methods is on each data set;
    differences up to `rope` mean nothing in practice. The draws from the posterior are
    the same in every call. After A. Benavoli, G. Corani, F. Mangili, M. Zaffalon, F.
    Ruggeri: A Bayesian Wilcoxon signed-rank test based on the Dirichlet process, ICML
    2014.
    """
    # The prior is one more data set, half as heavy, without a difference.
    z = np.append(0.0, _sample(gains))
    prior = [0.5] + [1.0] * (z.size - 1)
    weights = np.random.default_rng(0).dirichlet(prior, n_samples)
    sums = z[:, None] + z
    masses = [
        ((weights @ region) * weights).sum(axis=1)
        for region in (sums > 2 * rope, np.abs(sums) <= 2 * rope, sums < -2 * rope)
    ]
    winner = np.argmax(masses, axis=0)
    shares = np.bincount(winner, minlength=3) / n_samples
    return dict(zip(("better", "alike", "worse"), shares.tolist(), strict=True))


def curve_area(sizes: ArrayLike, values: ArrayLike) -> float:
    """Return the mean height of a curve: its area divided by its width."""
    x, y = np.asarray(sizes, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if x.size == 1:
        return float(y[0])
    return float(integrate.trapezoid(y, x) / (x[-1] - x[0]))


def _sample(values: ArrayLike) -> FloatArray:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or sample.size == 0:
        raise ValueError(
            f"expected a list of numbers, got an array of shape {sample.shape}."
        )
    return sample


def _differences(first: ArrayLike, second: ArrayLike) -> FloatArray:
    one, two = _sample(first), _sample(second)
    if one.shape != two.shape:
        raise ValueError(
            "paired comparisons need the same splits for both methods, got "
            f"{one.size} and {two.size} values."
        )
    # Rounding makes no difference, and does not separate two of them.
    differences, largest = one - two, float(np.abs([one, two]).max())
    sizes = tied(np.append(0.0, np.abs(differences)), largest)[1:]
    return np.copysign(sizes, differences)


def _varies(differences: FloatArray) -> bool:
    """Whether there is more than one difference, but for rounding."""
    spread = float(differences.std())
    return spread > TIE * abs(float(differences.mean()))
