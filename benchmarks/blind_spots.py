"""Where Sieve was blind: generated data of four kinds of users, with simple rivals.

- genes: 300 samples, 8,000 numbers, of which 120 measure eight signals with noise; five
  labels; and 150 samples of 20,000. More features are asked for than there are signals.
- hospital: 400 patients, 24 measurements that matter and 60 that do not, 20 asked for.
- shapes: each label has its samples where a number of its own is low or high.
- repeated samples: ten of each of 120 patients, 4 of 40 features matter.

Shown are the share of noise among the picks with the AUC of logistic regression on
fresh samples, how many features are found, and how often any false one is kept. The
tables are written to results/blind_spots.

    python -m benchmarks.blind_spots [number of draws]
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelsieve import Sieve

FOUND = Path(__file__).parent.parent / "results" / "blind_spots" / "blind_spots.md"
N_DRAWS = 10
N_REPEATED_DRAWS = 400
N_FRESH = 2000


class Drawn(NamedTuple):
    """Samples to select on, fresh ones to judge with, and which features matter."""

    X: Any
    Y: Any
    X_fresh: Any
    Y_fresh: Any
    truth: Any


def genes(seed: int, n: int = 300, n_features: int = 8000) -> Drawn:
    """Eight signals, each measured by 15 genes; five labels of three signals each."""
    rng = np.random.default_rng(seed)
    n_signals, n_copies, n_labels = 8, 15, 5
    truth = np.arange(n_features) < n_signals * n_copies
    share = rng.uniform(0.3, 0.8, size=n_signals * n_copies)
    weights = np.zeros((n_signals, n_labels))
    for label in range(n_labels):
        own = rng.choice(n_signals, size=3, replace=False)
        weights[own, label] = rng.choice([-1.0, 1.0], size=3)

    def draw(size: int) -> tuple[Any, Any]:
        signals = rng.normal(size=(size, n_signals))
        X = rng.normal(size=(size, n_features)).astype(np.float32)
        measured = np.repeat(signals, n_copies, axis=1)
        X[:, truth] = np.sqrt(share) * measured + np.sqrt(1 - share) * X[:, truth]
        noise = rng.normal(size=(size, n_labels))
        return X, signals @ weights + noise > 0

    return Drawn(*draw(n), *draw(N_FRESH), truth)


def more_genes(seed: int) -> Drawn:
    """The same with half of the samples, among 20,000."""
    return genes(seed, 150, 20_000)


def hospital(seed: int, n: int = 400) -> Drawn:
    """Three measurements of each of eight conditions, four diagnoses, and noise."""
    rng = np.random.default_rng(seed)
    n_conditions, n_measured, n_labels = 8, 3, 4
    noise = np.tile([0.3, 0.7, 1.2], n_conditions)
    weights = rng.normal(size=(n_conditions, n_labels))
    weights[rng.random(weights.shape) < 0.5] = 0.0

    def draw(size: int) -> tuple[Any, Any]:
        shared = rng.normal(size=(size, 1))  # such as age
        conditions = 0.5 * shared + rng.normal(size=(size, n_conditions))
        conditions[:, 0] = conditions[:, 0] > 0  # such as sex
        measured = np.repeat(conditions, n_measured, axis=1)
        measured[:, 1:] += noise[1:] * rng.normal(size=(size, noise.size - 1))
        X = np.hstack([measured, rng.normal(size=(size, 60))])
        risk = conditions @ weights
        return X, risk + 1.5 * rng.normal(size=risk.shape) > 1.5

    return Drawn(*draw(n), *draw(N_FRESH), np.arange(84) < noise.size)


def shapes(seed: int) -> Drawn:
    """30 labels, each where the absolute value of its own number is above 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2000, 60))
    Y = np.abs(X[:, :30]) > 1
    return Drawn(X, Y, X, Y, np.arange(60) < 30)


def repeated(seed: int) -> tuple[Any, Any, Any, Any]:
    """Features and labels of ten samples of each of 120 patients; truth, patients."""
    rng = np.random.default_rng(seed)
    n_patients, n_samples, n_true = 120, 10, 4
    patients = np.repeat(np.arange(n_patients), n_samples)
    own = rng.normal(size=(n_patients, 40))
    risk = own[:, :n_true] @ np.repeat([[1.0, 0.0], [0.0, 1.0]], 2, axis=0)
    Y = (risk + 0.7 * rng.normal(size=risk.shape) > 0)[patients]
    X = own[patients] + 0.5 * rng.normal(size=(patients.size, 40))
    return X, Y, np.arange(40) < n_true, patients


Order = Callable[[Any, Any, int], Any]


def by_sieve(X: Any, Y: Any, size: int) -> Any:
    """The first picks of Sieve."""
    return Sieve(size).fit(X, Y).order_[:size]


def by_bins(X: Any, Y: Any, size: int) -> Any:
    """The same with numbers in five bins."""
    return Sieve(size, binning="quantile", n_bins=5).fit(X, Y).order_[:size]


def by_turns(X: Any, Y: Any, size: int) -> Any:
    """The features with the largest F of each label, taken in turns over labels."""
    ranked = [np.argsort(-f_classif(X, label)[0], kind="stable") for label in Y.T]
    turns = np.column_stack(ranked).ravel()
    _, first = np.unique(turns, return_index=True)
    return turns[np.sort(first)][:size]


def auc(drawn: Drawn, chosen: Any) -> float:
    """Mean AUC over labels of logistic regression on fresh samples."""
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    found = []
    for label, fresh in zip(drawn.Y.T, drawn.Y_fresh.T, strict=True):
        fitted = model.fit(drawn.X[:, chosen], label)
        said = fitted.decision_function(drawn.X_fresh[:, chosen])
        found.append(roc_auc_score(fresh, said))
    return float(np.mean(found))


METHODS: dict[str, Order] = {"Sieve": by_sieve, "F in turns": by_turns}
TABLES: dict[str, tuple[Callable[[int], Drawn], tuple[int, ...]]] = {
    "300 x 8,000 genes": (genes, (50, 100)),
    "150 x 20,000 genes": (more_genes, (50, 100)),
    "hospital": (hospital, (10, 20)),
}


def compare(
    draw: Callable[[int], Drawn], sizes: tuple[int, ...], n_draws: int
) -> dict[tuple[int, str], Any]:
    """(2,) share of noise and AUC by size and method, means over draws."""
    found: dict[tuple[int, str], Any] = {
        (k, name): [] for k in sizes for name in METHODS
    }
    for seed in range(n_draws):
        drawn = draw(seed)
        for name, order in METHODS.items():
            picks = order(drawn.X, drawn.Y, max(sizes))
            for k in sizes:
                noise = 1 - drawn.truth[picks[:k]].mean()
                found[k, name].append((noise, auc(drawn, picks[:k])))
    return {key: np.mean(values, axis=0) for key, values in found.items()}


def auto(X: Any, Y: Any, patients: Any = None) -> Any:
    """Which features "auto" finds significant."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        support = Sieve("auto").fit(X, Y, groups=patients).support_
    none = any("no feature is significant" in str(one.message) for one in said)
    return support & (not none or support.sum() > 1)


def find_shapes(n_draws: int) -> dict[str, float]:
    """How many of the 30 numbers are found, on average."""
    found: dict[str, list[int]] = {}
    for seed in range(n_draws):
        X, Y, _, _, truth = shapes(seed)
        n_true = int(truth.sum())
        for name, order in (("Sieve", by_sieve), ("five bins", by_bins)):
            found.setdefault(name, []).append(truth[order(X, Y, n_true)].sum())
        chosen = auto(X, Y)
        found.setdefault('Sieve("auto")', []).append((chosen & truth).sum())
        found.setdefault('false ones of "auto"', []).append((chosen & ~truth).sum())
    return {name: float(np.mean(counts)) for name, counts in found.items()}


def keep_false(n_draws: int) -> dict[str, Any]:
    """How often "auto" keeps any false feature, and how many of the 4 true ones."""
    found: dict[str, Any] = {"all samples": [], "one sample per patient": []}
    for seed in range(n_draws):
        X, Y, truth, patients = repeated(seed)
        for name, some in (("all samples", 1), ("one sample per patient", 10)):
            chosen = auto(X[::some], Y[::some], patients[::some])
            false, true = (chosen & ~truth).sum(), (chosen & truth).sum()
            found[name].append((false > 0, false, true))
    return {name: np.mean(values, axis=0) for name, values in found.items()}


def lines(n_draws: int) -> Iterator[str]:
    """Tables in Markdown."""
    yield f"Mean of {n_draws} draws:\n"
    yield "| data | picks | method | noise among picks | AUC |\n|---|---|---|---|---|"
    for title, (draw, sizes) in TABLES.items():
        for (size, name), (noise, area) in compare(draw, sizes, n_draws).items():
            yield f"| {title} | {size} | {name} | {noise:.1%} | {area:.3f} |"
    yield "\n| low and high values | found of 30 |\n|---|---|"
    for name, count in find_shapes(n_draws).items():
        yield f"| {name} | {count:.1f} |"
    n_repeated = N_REPEATED_DRAWS * n_draws // N_DRAWS
    title = f"{n_repeated} draws of repeated samples"
    yield f"\n| {title} | any false | false | true of 4 |\n|---|---|---|---|"
    for name, (any_false, false, true) in keep_false(n_repeated).items():
        yield f"| {name} | {any_false:.1%} | {false:.2f} | {true:.2f} |"


def main() -> None:
    """Print the tables and write them."""
    n_draws = int(sys.argv[1]) if len(sys.argv) > 1 else N_DRAWS
    said = []
    for line in lines(n_draws):
        print(line, flush=True)
        said.append(line)
    FOUND.parent.mkdir(parents=True, exist_ok=True)
    FOUND.write_text("\n".join(said) + "\n", "utf-8")


if __name__ == "__main__":
    main()
