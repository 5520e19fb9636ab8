"""Which features predict several numbers? Methods on multi-target regression data.

Data made with known relevant features, tables of scikit-learn of which some columns are
the targets, and tables of a folder (LABELSIEVE_DATA), of which ten columns drawn at
random are the targets. Methods rank the features of the training samples; ridge
regression, nearest neighbours and trees predict all targets of the others with the best
5, 10, 20 and 50. The regret of a method in a case (data, model, size) is the mean R2
that the best method reaches less its own. fastcan is compared where it is installed.

    python -m benchmarks.targets [DATA ...]

writes results/targets/results.json; ``python -m benchmarks.targets time`` compares how
long numbers and labels take (time.json), ``python -m benchmarks.targets auto`` counts
the errors of Sieve("auto") for mixed targets in 1,000 draws (auto.json).
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets as sk
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.feature_selection import f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import MultiTaskLasso, Ridge
from sklearn.metrics import r2_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks import auto
from labelsieve import RFS, Sieve, make_selector

SIZES, N_SPLITS, TEST_SHARE = (5, 10, 20, 50), 3, 0.3
FOLDER = Path("results/targets")
# R2 has no lower end: one bad case must not be all that a mean says.
WORST = -1.0
MOST_ROWS, MOST_FEATURES, N_DRAWN = 600, 1000, 10

Table = tuple[Any, Any]


def linear(n: int, d: int, relevant: int, targets: int, seed: int) -> Table:
    X, Y, *_ = sk.make_regression(
        n, d, n_informative=relevant, n_targets=targets, noise=60.0, random_state=seed
    )
    return X, Y


def correlated(seed: int = 2) -> Table:
    """Blocks of four copies with noise; each target needs some of the blocks."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(400, 25))
    X = np.repeat(hidden, 4, axis=1) + 0.5 * random.normal(size=(400, 100))
    weights = random.normal(size=(25, 8)) * (random.random((25, 8)) < 0.25)
    return X, hidden @ weights + random.normal(size=(400, 8))


def friedman(seed: int = 3) -> Table:
    """Friedman's first function of four different sets of features: not linear."""
    random = np.random.default_rng(seed)
    X = random.random((500, 80))
    parts = [X[:, random.permutation(15)[:5]] for _ in range(4)]
    Y = [
        10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e
        for a, b, c, d, e in (part.T for part in parts)
    ]
    return X, np.column_stack(Y) + random.normal(size=(500, 4))


def skewed(seed: int = 4) -> Table:
    """Targets like incomes: exponentials of sums, with a long tail."""
    X, Y = linear(400, 80, 12, 4, seed)
    return X, np.exp(Y / Y.std(axis=0))


def many_targets(seed: int = 5) -> Table:
    """Sixty targets made of three hidden causes, as questions of a survey are."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(400, 60))
    causes = X[:, :9] @ random.normal(size=(9, 3))
    noise = 2 * random.normal(size=(400, 60))
    return X, causes @ random.normal(size=(3, 60)) + noise


def diabetes() -> Table:
    """The course of the disease, body mass, pressure and a lipid from all else."""
    X, y = sk.load_diabetes(return_X_y=True)
    rest, taken = X[:, [0, 1, 4, 5, 6, 7, 9]], X[:, [2, 3, 8]]
    pairs = [rest[:, i] * rest[:, j] for i in range(7) for j in range(i, 7)]
    return np.column_stack([rest, *pairs]), np.column_stack([y, taken])


def breast_cancer() -> Table:
    """The largest nuclei of a sample from means and errors of all of them."""
    X, _ = sk.load_breast_cancer(return_X_y=True)
    return X[:, :20], X[:, 20:]


def digits() -> Table:
    """The lower half of handwritten digits from the upper half."""
    X, _ = sk.load_digits(return_X_y=True)
    X = X[: 2 * MOST_ROWS]
    Y = X[:, 32:]
    return X[:, :32], Y[:, Y.std(axis=0) > 1]


def drawn_columns(name: str, seed: int = 0) -> Table:
    """A table of the folder, of which some columns with many values are the targets."""
    from labelsieve.datasets import find_dataset, load

    path = find_dataset(name)
    is_csv = "csv" in "".join(p.name for p in Path(path).iterdir())
    data = load(path, labels="y_" if is_csv else None)
    random = np.random.default_rng(seed)
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    X = X[random.permutation(len(X))[:MOST_ROWS]]
    X = SimpleImputer(strategy="median").fit_transform(X)
    X = X[:, X.std(axis=0) > 0]
    n_values = np.array([np.unique(column).size for column in X.T])
    (numbers,) = np.nonzero(n_values > 20)
    targets = random.permutation(numbers)[:N_DRAWN]
    others = np.setdiff1d(np.arange(X.shape[1]), targets)
    return X[:, random.permutation(others)[:MOST_FEATURES]], X[:, targets]


DATA: dict[str, Callable[[], Table]] = {
    "linear": lambda: linear(300, 100, 15, 5, 0),
    "linear, wide": lambda: linear(150, 800, 20, 6, 1),
    "correlated": correlated,
    "friedman": friedman,
    "skewed": skewed,
    "many targets": many_targets,
    "diabetes": diabetes,
    "breast cancer": breast_cancer,
    "digits": digits,
    "emotions": lambda: drawn_columns("emotions"),
    "yeast": lambda: drawn_columns("yeast"),
    "scene": lambda: drawn_columns("scene"),
    "nhanes": lambda: drawn_columns("nhanes-0912"),
    "tox21": lambda: drawn_columns("tox21-rdkit2d"),
    "leukemia": lambda: drawn_columns("all-leukemia-expr"),
}


def best_first(scores: Any) -> Any:
    return np.argsort(-np.nan_to_num(scores), kind="stable")


def by_sieve(X: Any, Y: Any, n: int) -> Any:
    return Sieve(n, target_types="number").fit(X, Y).order_


def by_sieve_values(X: Any, Y: Any, n: int) -> Any:
    return Sieve(n, target_types="number", target_scores="value").fit(X, Y).order_


def by_br_f(X: Any, Y: Any, n: int) -> Any:
    selector = make_selector("br+f", n_features_to_select=n, target_types="number")
    return selector.fit(X, Y).order_


def by_rfs(X: Any, Y: Any, n: int) -> Any:
    return RFS(n, target_types="number").fit(X, Y).order_


def by_fastcan(X: Any, Y: Any, n: int) -> Any:
    from fastcan import FastCan

    return FastCan(n, verbose=0).fit(X, Y).indices_


def by_multi_task_lasso(X: Any, Y: Any, n: int) -> Any:
    """The features by the largest penalty with which they have a weight."""
    X, Y = StandardScaler().fit_transform(X), StandardScaler().fit_transform(Y)
    _, weights, _ = MultiTaskLasso.path(X, Y, eps=1e-2, n_alphas=50, max_iter=300)
    norms = np.sqrt((weights**2).sum(axis=0))
    enters = np.where(norms.any(axis=1), (norms > 0).argmax(axis=1), norms.shape[1])
    return np.lexsort((-norms[:, -1], enters))


def by_forest(X: Any, Y: Any, n: int) -> Any:
    forest = RandomForestRegressor(100, max_features="sqrt", random_state=0)
    return best_first(
        forest.fit(X, StandardScaler().fit_transform(Y)).feature_importances_
    )


def f_values(X: Any, Y: Any) -> Any:
    return np.array([f_regression(X, y)[0] for y in Y.T])


def by_mean_f(X: Any, Y: Any, n: int) -> Any:
    return best_first(f_values(X, Y).mean(axis=0))


def by_largest_f(X: Any, Y: Any, n: int) -> Any:
    return best_first(f_values(X, Y).max(axis=0))


def at_random(X: Any, Y: Any, n: int) -> Any:
    return np.random.default_rng(X.shape[0]).permutation(X.shape[1])


METHODS: dict[str, Callable[[Any, Any, int], Any]] = {
    "Sieve": by_sieve,
    "Sieve, target_scores='value'": by_sieve_values,
    "fastcan": by_fastcan,
    "MultiTaskLasso path": by_multi_task_lasso,
    "forest importances": by_forest,
    "mean f_regression": by_mean_f,
    "largest f_regression": by_largest_f,
    "br+f": by_br_f,
    "RFS": by_rfs,
    "random": at_random,
}
JUDGES: dict[str, Callable[[], Any]] = {
    "ridge": Ridge,
    "neighbours": lambda: KNeighborsRegressor(10),
    "trees": lambda: ExtraTreesRegressor(50, random_state=0),
}


def evaluated(name: str) -> Iterator[tuple[str, str, int, float, float]]:
    """Method, model, size, mean R2 and seconds of each split of one data set."""
    X, Y = DATA[name]()
    for split in range(N_SPLITS):
        rows = np.random.default_rng(split).permutation(len(X))
        n_test = int(TEST_SHARE * len(X))
        test, train = rows[:n_test], rows[n_test:]
        kept = np.flatnonzero(X[train].std(axis=0) > 0)
        known = X[train][:, kept]
        scaler, of_targets = StandardScaler().fit(known), StandardScaler().fit(Y[train])
        Xs, Xt = scaler.transform(known), scaler.transform(X[test][:, kept])
        Ys, Yt = of_targets.transform(Y[train]), of_targets.transform(Y[test])
        sizes = [size for size in SIZES if size < kept.size]
        for method, rank in METHODS.items():
            begin = time.perf_counter()
            try:
                order = rank(known, Y[train], max(sizes))
            except ImportError:
                continue
            seconds = time.perf_counter() - begin
            for size in sizes:
                for judge, make in JUDGES.items():
                    chosen = order[:size]
                    said = make().fit(Xs[:, chosen], Ys).predict(Xt[:, chosen])
                    r2 = r2_score(Yt, said, multioutput="raw_values")
                    yield method, judge, size, float(r2.clip(WORST).mean()), seconds


def compare_times() -> None:
    """Seconds of selections for numbers, and for their upper halves as labels."""
    content = {}
    for n, d, targets in ((2_000, 200, 10), (20_000, 100, 5), (500, 1_000, 20)):
        random = np.random.default_rng(0)
        X = random.normal(size=(n, d))
        numbers = X[:, :targets] + random.normal(size=(n, targets))
        halves = (numbers > 0).astype(int)
        # Those that compare samples take minutes with 20,000 of them.
        compare = ("mifs", "mdfs", "trees") if n < 10_000 else ()
        for name in ("sieve", "br+f", "rfs", *compare):
            took = {}
            for _ in range(100 if name == "br+f" else 3 if name in compare else 15):
                for kind, Y in (("label", halves), ("number", numbers)):
                    selector = make_selector(name, n_features_to_select=20)
                    with threadpool_limits(1):
                        begin = time.process_time()
                        selector.set_params(target_types=kind).fit(X, Y)
                        seconds = time.process_time() - begin
                    took[kind] = min(took.get(kind, np.inf), round(seconds, 5))
            content[f"{name}, {n} x {d}, {targets} targets"] = took
            print(f"{name}, {n} x {d}, {targets} targets", took, flush=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "time.json").write_text(json.dumps(content, indent=1) + "\n")


def count_errors(n_draws: int = 1000) -> None:
    """How often Sieve("auto") selects what is irrelevant to all of four targets."""
    content: dict[str, Any] = {"draws": n_draws}
    for known in (1.0, 0.5):
        for rate in auto.RATES:
            found = np.array([errors_of(i, known, rate) for i in range(n_draws)])
            any_false, share_false, power, any_of_noise = (
                found.mean(axis=0).round(4).tolist()
            )
            content[f"{rate}, {known:.0%} known"] = {
                "any_false": any_false,
                "share_false": share_false,
                "power": power,
                "any_of_noise": any_of_noise,
            }
            print(rate, known, content[f"{rate}, {known:.0%} known"], flush=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "auto.json").write_text(json.dumps(content, indent=1) + "\n")


def errors_of(seed: int, known: float, rate: str) -> list[float]:
    """Any, and the share of, false ones; true ones found; any where none is true."""
    found: list[float] = []
    for planted in (True, False):
        rng = np.random.default_rng(seed)
        X, _, truth = auto.numbers_case(rng, planted)
        sums = auto._sums(X, planted) + 1.5 * rng.normal(size=(len(X), 4))
        classes = np.digitize(sums[:, 2], [-1, 1])
        Y = np.column_stack([np.exp(sums[:, 0]), sums[:, 1] > 0, classes, sums[:, 3]])
        Y[rng.random(Y.shape) > known] = np.nan
        chosen = auto.by_sieve(X, Y, rate, None, None)
        false = int((chosen & ~truth).sum())
        if not planted:
            return [*found, float(false > 0)]
        share = false / max(int(chosen.sum()), 1)
        found = [float(false > 0), share, float(chosen[truth].mean())]
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["auto"]:
        return count_errors(*map(int, sys.argv[2:]))
    if sys.argv[1:] == ["time"]:
        return compare_times()
    wanted = sys.argv[1:] or list(DATA)
    if "LABELSIEVE_DATA" not in os.environ:
        wanted = [name for name in wanted if name in list(DATA)[:9]]
    content: dict[str, Any] = {"splits": N_SPLITS, "sizes": SIZES, "r2": {}}
    seconds: dict[str, dict[str, float]] = {}
    for name in wanted:
        table: dict[str, dict[str, list[float]]] = {}
        for method, judge, size, r2, took in evaluated(name):
            table.setdefault(f"{judge}, {size}", {}).setdefault(method, []).append(r2)
            seconds.setdefault(name, {})[method] = round(took, 3)
        content["r2"][name] = {
            case: {method: round(float(np.mean(r2)), 4) for method, r2 in found.items()}
            for case, found in table.items()
        }
        print(name, json.dumps(regrets({name: content["r2"][name]})), flush=True)
        content |= {"regret": regrets(content["r2"]), "seconds": seconds}
        content["regret_by_data"] = {
            one: regrets({one: cases}) for one, cases in content["r2"].items()
        }
        content["regret_by_case"] = by_case(content["r2"])
        FOLDER.mkdir(parents=True, exist_ok=True)
        text = json.dumps(content, indent=1) + "\n"
        (FOLDER / "results.json").write_text(text)
    print(json.dumps(content["regret"], indent=1))


def regrets(r2: dict[str, Any]) -> dict[str, float]:
    """The mean regret of each method: over the cases of data, then over data."""
    of_data = []
    for cases in r2.values():
        rows = [behind(case) for case in cases.values()]
        of_data.append({m: np.mean([row[m] for row in rows]) for m in rows[0]})
    found = {m: np.mean([one[m] for one in of_data if m in one]) for m in of_data[0]}
    return {m: round(float(v), 4) for m, v in sorted(found.items(), key=lambda i: i[1])}


def behind(case: dict[str, float]) -> dict[str, float]:
    best = max(case.values())
    return {method: best - value for method, value in case.items()}


def by_case(r2: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The mean regrets of each model at each size, over the data that have it."""
    titles = dict.fromkeys(case for cases in r2.values() for case in cases)
    return {
        case: regrets(
            {n: {case: cases[case]} for n, cases in r2.items() if case in cases}
        )
        for case in titles
    }


if __name__ == "__main__":
    main()
