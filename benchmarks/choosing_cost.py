"""What choosing well costs: Sieve beside PMU, SizeCV, StabilitySelection.

python -m benchmarks.choosing_cost
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable

from benchmarks._timing import label_forms, seconds, sparse_data
from labelsieve import FIMF, PMU
from labelsieve.choosing import SizeCV, StabilitySelection
from labelsieve.selectors import Sieve


def main() -> None:
    for name in ("enron", "bibtex", "delicious"):
        compare_with_pmu(name)
    time_size_cv("bibtex")
    time_stability("enron")


def compare_with_pmu(name: str) -> None:
    data = sparse_data(name)
    if data is None:
        return
    X, Y = data
    unit = processor_seconds(lambda: X.T @ Y, repeat=9)
    for form, labels in label_forms(Y).items():
        times = {}
        for title, selector in (("PMU", PMU(50)), ("Sieve", Sieve(50))):
            taken = processor_seconds(functools.partial(selector.fit, X, labels))
            times[title] = taken / unit
        said = ", ".join(f"{title} {value:.1f}" for title, value in times.items())
        print(f"{name}, {form}: 50 picks in units of X.T @ Y: {said}", flush=True)


def time_size_cv(name: str) -> None:
    data = sparse_data(name)
    if data is None:
        return
    X, labels = data[0], label_forms(data[1])["dense Y"]
    SizeCV(n_jobs=2, random_state=0, sizes=[5]).fit(X[:500], labels[:500])
    begin, spent = time.perf_counter(), time.process_time()
    search = SizeCV(n_jobs=2, random_state=0).fit(X, labels)
    wall, spent = time.perf_counter() - begin, time.process_time() - spent
    print(f"{name}: SizeCV with 5 folds {wall:.1f} s ({spent:.1f} s of processor), ")
    print(f"  {search.sizes_.size} sizes, {search.n_features_} features", flush=True)


def time_stability(name: str) -> None:
    data = sparse_data(name)
    if data is None:
        return
    X, labels = data[0], label_forms(data[1])["dense Y"]
    one = processor_seconds(lambda: FIMF(50).fit(X, labels))
    sure = StabilitySelection(FIMF(50), random_state=0)
    many = processor_seconds(lambda: sure.fit(X, labels), repeat=2)
    print(f"{name}: StabilitySelection of 100 parts {many / one:.0f} times one fit")


def processor_seconds(run: Callable[[], object], repeat: int = 5) -> float:
    """The least processor time of several runs, which others' load hardly changes."""
    return seconds(run, repeat, time.process_time)


if __name__ == "__main__":
    main()
