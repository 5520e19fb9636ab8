"""Do dense tables and listed cells give the same order? All methods, all data sets.

    LABELSIEVE_DATA=folder python -m benchmarks.tables_and_lists [--data bibtex ...]

Each method is fitted twice: once with tables of features and labels, once with rows as
index lists and with cells listed that are not zero, whatever the data would have been
given by itself. Of each method that has an order that differs the first place is told,
and how far apart the two scores are that are the farthest, as they are and relative.
Columns of more than two codes have no lists: there both ways are the same.
"""

import argparse
import os
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
from labelsieve.counting import SparseSource, joint, label_pairs, sources

from labelsieve import datasets
from labelsieve.registry import make_selector
from labelsieve.selectors.sieve import listed as sieve_lists
from labelsieve.selectors.sieve import postponed as sieve_postponed

METHODS = [
    "fimf",
    "pmu",
    "scls",
    "d2f",
    "mdmr",
    "lrfs",
    "mlqpfs",
    "br+chi",
    "br+mi",
    "sieve",
]
PICKS = 30
NEVER = 10**18


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables_and_lists")
    parser.add_argument("--data", nargs="+", default=places())
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--picks", type=int, default=PICKS)
    options = parser.parse_args()
    print("| data | method | order | scores differ by | relative |")
    print("|---" * 5 + "|")
    n_different = 0
    for place in options.data:
        for name in options.methods:
            told, same = compare(place, name, options.picks)
            print(f"| {place} | {name} | {told} |", flush=True)
            n_different += not same
    print(
        f"\n{n_different} of {len(options.data) * len(options.methods)} orders differ."
    )


def places() -> list[str]:
    """The data sets of the folder that LABELSIEVE_DATA names."""
    folder = os.environ.get("LABELSIEVE_DATA")
    if not folder:
        print("set LABELSIEVE_DATA to a folder of data sets")
        return []
    return sorted(path.name for path in Path(folder).iterdir() if path.is_dir())


def compare(place: str, name: str, picks: int) -> tuple[str, bool]:
    """Fit both ways; what differs, and whether the order is the same."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X, Y = datasets.load(datasets.find_dataset(place))
        for way in (tables, lists):
            with way():
                selector = make_selector(
                    name, n_features_to_select=min(picks, X.shape[1]), n_jobs=1
                ).fit(X, Y)
                found.append((selector.order_, selector.scores_))
    (order, scores), (other, others) = found
    known = np.isfinite(scores) & np.isfinite(others)
    apart = np.abs(scores - others)[known]
    size = np.maximum(np.abs(scores), np.abs(others))[known]
    relative = np.divide(apart, size, out=np.zeros_like(apart), where=size > 0)
    (places,) = np.nonzero(order != other)
    told = f"differs from place {places[0] + 1} on" if places.size else "same"
    return f"{told} | {apart.max():.1e} | {relative.max():.1e}", not places.size


@contextmanager
def tables() -> Iterator[None]:
    """Nothing is listed."""
    with ExitStack() as stack:
        for module, threshold in (
            (joint, "LISTED_FROM"),
            (label_pairs, "PAIRS_LISTED_FROM"),
            (sieve_lists, "LISTED_FROM"),
            (sieve_postponed, "LISTED_FROM"),
        ):
            stack.enter_context(mock.patch.object(module, threshold, NEVER))
        yield


@contextmanager
def lists() -> Iterator[None]:
    """Rows are index lists, and cells are listed however many there are."""
    with ExitStack() as stack:
        for module, name, value in (
            (sources, "source_kind", lambda *_: SparseSource),
            (joint, "LISTED_FROM", 0),
            (joint, "LISTED_SHARE", np.inf),
            (label_pairs, "PAIRS_LISTED_FROM", 0),
            (label_pairs, "COST_OF_PAIR", 0),
            (sieve_lists, "LISTED_FROM", 0),
            (sieve_lists, "MOST_MEETINGS", NEVER),
        ):
            stack.enter_context(mock.patch.object(module, name, value))
        yield


if __name__ == "__main__":
    main()
