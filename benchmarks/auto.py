"""What Sieve("auto") promises, beside the largest F with the same correction.

Relevant features are planted among irrelevant ones, or there are none of them. It
counts how often any irrelevant feature is selected
(`error_rate="fwer"` promises at most 5 percent), which share of the selected ones these
are on average (`error_rate="fdr"` promises at most 10 percent), and which share of the
planted ones is found. Results are written to results/auto.

    python -m benchmarks.auto [number of draws] [--again Sieve]
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_selection import f_classif, f_regression

from benchmarks.field_pages import filled
from labelsieve import Sieve
from labelsieve._utils.messages import Column, Table, numbers

ROOT = Path(__file__).parent.parent
FOUND = ROOT / "results" / "auto" / "auto.json"
PAGE = ROOT / "docs" / "methods" / "sieve.md"
N_DRAWS = 1000
N_ROWS, N_FEATURES, N_LABELS, N_TRUE = 200, 60, 4, 3
RATES = {"fwer": 0.05, "fdr": 0.1}
N_GROUPS, N_VISITS = 60, 5
Data = tuple[Any, Any, Any]


def numbers_case(rng: np.random.Generator, planted: bool) -> Data:
    """Gaussian features; labels are signs of noisy sums of three of them."""
    X = rng.normal(size=(N_ROWS, N_FEATURES))
    sums = _sums(X, planted) + 1.5 * rng.normal(size=(N_ROWS, N_LABELS))
    return X, sums > 0, _truth(planted)


def rare_labels(rng: np.random.Generator, planted: bool) -> Data:
    """The same with labels in about one row of twenty."""
    X = rng.normal(size=(N_ROWS, N_FEATURES))
    sums = _sums(X, planted) + rng.normal(size=(N_ROWS, N_LABELS))
    return X, sums > np.quantile(sums, 0.95, axis=0), _truth(planted)


def dependent_labels(rng: np.random.Generator, planted: bool) -> Data:
    """The same with noise that all labels share."""
    X = rng.normal(size=(N_ROWS, N_FEATURES))
    shared = 1.4 * rng.normal(size=(N_ROWS, 1))
    sums = _sums(X, planted) + shared + 0.5 * rng.normal(size=(N_ROWS, N_LABELS))
    return X, sums > 0, _truth(planted)


def words(rng: np.random.Generator, planted: bool) -> Data:
    """Words in 2 to 20 percent of the rows, labels of rows with any of three."""
    share = rng.uniform(0.02, 0.2, size=N_FEATURES)
    X = (rng.random((N_ROWS, N_FEATURES)) < share).astype(float)
    any_of = _sums(X, planted) > 0
    chance = np.where(any_of, 0.6, 0.1)
    return X, rng.random((N_ROWS, N_LABELS)) < chance, _truth(planted)


def few_known(rng: np.random.Generator, planted: bool) -> Data:
    """Gaussian features, 300 rows, each label known in about a tenth of them."""
    return _hidden(rng, rng.normal(size=(300, N_FEATURES)), 0.1, planted)


def fewer_known(rng: np.random.Generator, planted: bool) -> Data:
    """The same with 600 rows, and a twentieth of them."""
    return _hidden(rng, rng.normal(size=(600, N_FEATURES)), 0.05, planted)


def counts_few_known(rng: np.random.Generator, planted: bool) -> Data:
    """Counts with many ties, 300 rows, labels known in a tenth of them."""
    X = rng.poisson(3, size=(300, N_FEATURES)).astype(float)
    return _hidden(rng, X, 0.1, planted)


def known_by_features(rng: np.random.Generator, planted: bool) -> Data:
    """Labels known in a tenth of 300 rows, most where a feature of noise is extreme."""
    X = rng.normal(size=(300, N_FEATURES))
    extreme = np.abs(X[:, -N_LABELS:]) > 1
    return _hidden(rng, X, np.where(extreme, 0.29, 0.01), planted)


def low_and_high(rng: np.random.Generator, planted: bool) -> Data:
    """Labels are where sums of distances from the middle are large."""
    X = rng.normal(size=(N_ROWS, N_FEATURES))
    sums = _sums(np.abs(X), planted) + rng.normal(size=(N_ROWS, N_LABELS))
    return X, sums > np.median(sums, axis=0), _truth(planted)


def grouped(rng: np.random.Generator, planted: bool) -> Data:
    """Five samples of each of 60 patients, one after the other, who have the labels."""
    own = rng.normal(size=(N_GROUPS, N_FEATURES))
    sums = _sums(own, planted) + rng.normal(size=(N_GROUPS, N_LABELS))
    patients = np.repeat(np.arange(N_GROUPS), N_VISITS)
    X = own[patients] + 0.5 * rng.normal(size=(patients.size, N_FEATURES))
    return X, (sums > 0)[patients], _truth(planted)


def grouped_half_known(rng: np.random.Generator, planted: bool) -> Data:
    """The same with labels known in half of the samples."""
    X, Y, truth = grouped(rng, planted)
    return X, np.where(rng.random(Y.shape) < 0.5, Y, np.nan), truth


def grouped_words(rng: np.random.Generator, planted: bool) -> Data:
    """The same with words, which most samples of a patient share."""
    X, Y, truth = grouped(rng, planted)
    return (X > 0.3).astype(float), Y, truth


def mixed_targets(rng: np.random.Generator, planted: bool) -> Data:
    """Two numbers, one of them skewed, a label and a class of three values."""
    X = rng.normal(size=(N_ROWS, N_FEATURES))
    sums = _sums(X, planted) + 1.5 * rng.normal(size=(N_ROWS, N_LABELS))
    Y = sums.copy()
    Y[:, 1] = np.exp(sums[:, 1])
    Y[:, 2] = sums[:, 2] > 0.5
    Y[:, 3] = np.digitize(sums[:, 3], [-0.5, 1.5])
    return X, Y, _truth(planted)


def mixed_half_known(rng: np.random.Generator, planted: bool) -> Data:
    """The same, each cell known with a probability of a half."""
    X, Y, truth = mixed_targets(rng, planted)
    return X, np.where(rng.random(Y.shape) < 0.5, Y, np.nan), truth


def _hidden(rng: np.random.Generator, X: Any, known: Any, planted: bool) -> Data:
    """Labels known with a probability, and mostly made of one of three features."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    Z[:, : N_LABELS * N_TRUE : N_TRUE] *= 3
    sums = _sums(Z, planted) + rng.normal(size=(len(X), N_LABELS))
    is_known = rng.random(sums.shape) < known
    return X, np.where(is_known, sums > 0, np.nan), _truth(planted)


def _sums(X: Any, planted: bool) -> Any:
    """(rows, labels) the sum of the features that each label is made of."""
    own = X[:, : N_LABELS * N_TRUE].reshape(len(X), N_LABELS, N_TRUE)
    return own.sum(axis=2) * planted


def _truth(planted: bool) -> Any:
    return (np.arange(N_FEATURES) < N_LABELS * N_TRUE) & planted


CASES: dict[str, Callable[[np.random.Generator, bool], Data]] = {
    "numbers": numbers_case,
    "rare labels": rare_labels,
    "dependent labels": dependent_labels,
    "words": words,
    "10 % known": few_known,
    "5 % known": fewer_known,
    "counts, 10 % known": counts_few_known,
    "known by features": known_by_features,
    "low and high values": low_and_high,
    "groups": grouped,
    "groups, half known": grouped_half_known,
    "groups, words": grouped_words,
    "mixed targets": mixed_targets,
    "mixed targets, half known": mixed_half_known,
    "mixed targets, weights": mixed_targets,
}


def weights_of(case: str, Y: Any, seed: int) -> Any:
    """Log-normal weights, effective sample size about 0.6 n, where a case has any."""
    if not case.endswith("weights"):
        return None
    return np.exp(0.7 * np.random.default_rng([seed, 1]).normal(size=len(Y)))


def by_sieve(X: Any, Y: Any, error: str, groups: Any, weight: Any) -> Any:
    """Which features Sieve selects; none, where it says so."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        selector = Sieve("auto", error_rate=error)
        found = selector.fit(X, Y, groups=groups, sample_weight=weight).support_
    none = any("no feature is significant" in str(one.message) for one in said)
    # The best one is kept then, and that is no choice.
    return found & (not none or found.sum() > 1)


def by_largest_f(X: Any, Y: Any, error: str, groups: Any, weight: Any) -> Any:
    """Which features have an F that is significant for any label.

    By Bonferroni's correction, or by that of Benjamini and Hochberg over features;
    where samples repeat, of the means over the samples of each group. It takes no
    weights.
    """
    known = [(X[there], label[there]) for label in Y.T for there in [label == label]]
    if groups is not None:
        ids = [groups[label == label] for label in Y.T]
        known = [
            (_means(x, g), _means(y, g)) for (x, y), g in zip(known, ids, strict=True)
        ]
    varying = [(x, y) for x, y in known if np.unique(y).size > 1]
    with np.errstate(all="ignore"):
        p = np.nan_to_num([_f_test(x, y)[1] for x, y in varying], nan=1.0)
    least = p.min(axis=0) * len(varying)
    if error == "fwer":
        return least <= RATES[error] / least.size
    ascending, ranks = np.sort(least), np.arange(1, least.size + 1)
    (passed,) = np.nonzero(ascending <= RATES[error] * ranks / least.size)
    return least <= (ascending[passed[-1]] if passed.size else -1.0)


def _f_test(x: Any, y: Any) -> Any:
    return (f_regression if np.unique(y).size > 20 else f_classif)(x, y)


def _means(values: Any, groups: Any) -> Any:
    """The mean over the samples of each group."""
    _, places, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    sums = np.zeros((sizes.size, *values.shape[1:]))
    np.add.at(sums, places, values)
    return (sums.T / sizes).T


CHOOSERS = {"Sieve": by_sieve, "largest F": by_largest_f}


def measure(
    case: str, error: str, n_draws: int, choosers: Sequence[str] = tuple(CHOOSERS)
) -> dict[str, Any]:
    """Rates of each chooser over the draws of a case."""
    values: dict[str, list[Any]] = {name: [] for name in choosers}
    groups = None
    if case.startswith("groups"):
        groups = np.repeat(np.arange(N_GROUPS), N_VISITS)
    for planted in (True, False):
        for seed in range(n_draws):
            X, Y, truth = CASES[case](np.random.default_rng(seed), planted)
            weight = weights_of(case, Y, seed)
            for name in choosers:
                chosen = CHOOSERS[name](X, Y, error, groups, weight)
                false = (chosen & ~truth).sum()
                share = false / max(1, chosen.sum())
                found = (chosen & truth).sum() / max(1, truth.sum())
                values[name].append((false > 0, share, found))
    found = {}
    for name, of_draws in values.items():
        planted_rates, noise_rates = np.reshape(of_draws, (2, n_draws, 3)).mean(axis=1)
        found[name] = {
            "any_false": round(float(planted_rates[0]), 4),
            "share_false": round(float(planted_rates[1]), 4),
            "power": round(float(planted_rates[2]), 4),
            "any_of_noise": round(float(noise_rates[0]), 4),
        }
    return found


def table(found: dict[str, Any]) -> str:
    """The table of Sieve's page."""
    rows = [
        {"case": case, "error": f'"{error}"', "chooser": chooser, **rates}
        for error, cases in found["rates"].items()
        for case, of_choosers in cases.items()
        for chooser, rates in of_choosers.items()
    ]
    columns = [
        *(Column("error", "error"), Column("data", "case"), Column("", "chooser")),
        numbers("any false", "any_false", ".1%"),
        numbers("share of false", "share_false", ".1%"),
        numbers("planted found", "power", ".1%"),
        numbers("any, where all is noise", "any_of_noise", ".1%"),
    ]
    shown = Table("", columns, rows).to_markdown(level=0)
    return f"{found['n_draws']:,} draws of each:\n\n{shown}"


def main() -> None:
    """Measure what is missing, and write the result and the page."""
    warnings.simplefilter("ignore", UserWarning)  # of constant words
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("draws", nargs="?", type=int, default=N_DRAWS)
    parser.add_argument("--again", default="", help="choosers to measure anew")
    arguments = parser.parse_args()
    known = json.loads(FOUND.read_text("utf-8")) if FOUND.exists() else {}
    kept = known.get("rates", {}) if known.get("n_draws") == arguments.draws else {}
    found: dict[str, Any] = {"n_draws": arguments.draws, "rates": {}}
    for error in RATES:
        cases = found["rates"].setdefault(error, {})
        for case in CASES:
            before = kept.get(error, {}).get(case, {})
            before = {k: v for k, v in before.items() if k != arguments.again}
            missing = [name for name in CHOOSERS if name not in before]
            now = before | measure(case, error, arguments.draws, missing)
            cases[case] = {name: now[name] for name in CHOOSERS}
            print(error, case, cases[case], flush=True)
    FOUND.parent.mkdir(parents=True, exist_ok=True)
    FOUND.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(table(found))
    PAGE.write_text(filled(PAGE.read_text("utf-8"), {"auto": table(found)}), "utf-8")


if __name__ == "__main__":
    main()
