"""What Sieve("auto") promises, beside the largest F with the same correction.

Features that tell something are planted among others that tell nothing, or there are
none. Counted is how often any feature that tells nothing is selected (`error="family"`
promises at most 5 percent), which share of the selected ones these are on average
(`error="fdr"` promises at most 10 percent), and which share of the planted ones is
found. Results are written to results/auto.

    python -m benchmarks.auto [number of draws]
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_selection import f_classif

from benchmarks.field_pages import filled
from labelsieve import Sieve
from labelsieve._plumbing.messages import Column, Table, numbers

ROOT = Path(__file__).parent.parent
FOUND = ROOT / "results" / "auto" / "auto.json"
PAGE = ROOT / "docs" / "methods" / "sieve.md"
N_DRAWS = 1000
N_ROWS, N_FEATURES, N_LABELS, N_TRUE = 200, 60, 4, 3
RATES = {"family": 0.05, "fdr": 0.1}
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
}


def by_sieve(X: Any, Y: Any, error: str) -> Any:
    """Which features Sieve selects; none, where it says so."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = Sieve("auto", error=error).fit(X, Y).support_
    none = any("no feature is significant" in str(one.message) for one in said)
    # The best one is kept then, and that is no choice.
    return found & (not none or found.sum() > 1)


def by_largest_f(X: Any, Y: Any, error: str) -> Any:
    """Which features have an F that is significant for any label.

    By Bonferroni's correction, or by that of Benjamini and Hochberg over features.
    """
    known = [(X[there], label[there]) for label in Y.T for there in [label == label]]
    varying = [(x, y) for x, y in known if np.unique(y).size > 1]
    with np.errstate(all="ignore"):
        p = np.nan_to_num([f_classif(x, y)[1] for x, y in varying], nan=1.0)
    least = p.min(axis=0) * len(varying)
    if error == "family":
        return least <= RATES[error] / least.size
    ascending, ranks = np.sort(least), np.arange(1, least.size + 1)
    (passed,) = np.nonzero(ascending <= RATES[error] * ranks / least.size)
    return least <= (ascending[passed[-1]] if passed.size else -1.0)


CHOOSERS = {"Sieve": by_sieve, "largest F": by_largest_f}


def measure(case: str, error: str, n_draws: int) -> dict[str, Any]:
    """Rates of each chooser over the draws of a case."""
    values: dict[str, list[Any]] = {name: [] for name in CHOOSERS}
    for planted in (True, False):
        for seed in range(n_draws):
            X, Y, truth = CASES[case](np.random.default_rng(seed), planted)
            for name, choose in CHOOSERS.items():
                chosen = choose(X, Y, error)
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
    """Measure all cases, and write the result and the page."""
    warnings.simplefilter("ignore", UserWarning)  # of constant words
    n_draws = int(sys.argv[1]) if len(sys.argv) > 1 else N_DRAWS
    rates = {e: {c: measure(c, e, n_draws) for c in CASES} for e in RATES}
    found = {"n_draws": n_draws, "rates": rates}
    FOUND.parent.mkdir(parents=True, exist_ok=True)
    FOUND.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(table(found))
    PAGE.write_text(filled(PAGE.read_text("utf-8"), {"auto": table(found)}), "utf-8")


if __name__ == "__main__":
    main()
