"""Fit a selector many times on rows that were coded once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import _safe_indexing, get_tags

from labelsieve._plumbing.progress import progress
from labelsieve._plumbing.threads import n_threads, run_in_threads
from labelsieve._plumbing.typing import IntArray
from labelsieve.discretization import Discretizer
from labelsieve.reading import fill_masked, is_frame, open_sparse, without_tags
from labelsieve.selectors import Decided, LabelSelector

Result = TypeVar("Result")


@dataclass(frozen=True)
class Prepared:
    """A selector and its data, with the cut points of all rows where it codes."""

    selector: LabelSelector
    X: Any
    y: Any

    @classmethod
    def of(cls, selector: LabelSelector, X: Any, y: Any) -> Prepared:
        """Code the features once, for selectors that would code them in every fit."""
        labels = indexable(without_tags(y), "y")
        # A search for the size is no method: what it asks codes for itself.
        coding = selector._binning() if isinstance(selector, LabelSelector) else None
        if coding is None or coding[1] == "none" or not selector._sees_only_codes():
            return cls(selector, indexable(X, "X"), labels)
        missing = "code" if get_tags(selector).input_tags.allow_nan else "error"
        coder = Discretizer(*coding, missing)
        codes = coder.fit_transform(X)
        # The codes have no names: features that are decided on become indices.
        decided = Decided.of(selector, coder)
        of_codes = clone(selector).set_params(
            binning="none", include=decided.first, exclude=decided.never
        )
        return cls(of_codes, codes, labels)

    def fit(self, rows: IntArray, label_rows: IntArray) -> LabelSelector:
        """Fit a copy on some rows of the features and, as many, of the labels."""
        return clone(self.selector).fit(
            _safe_indexing(self.X, rows), _safe_indexing(self.y, label_rows)
        )


def indexable(table: Any, name: str) -> Any:
    """The same table in a form of which rows can be taken."""
    if sp.issparse(table):
        return open_sparse(table, name)[0]
    if is_frame(table) or hasattr(table, "iloc"):
        return table
    try:
        return np.asarray(fill_masked(table))
    except ValueError:
        raise ValueError(
            f"{name} is no table: expected rows of equally many values."
        ) from None


def run_rounds(
    function: Callable[[int], Result],
    n_tasks: int,
    title: str,
    n_jobs: int | None,
    verbose: bool,
) -> list[Result]:
    """Run independent fits on threads, with progress, in the order of the tasks.

    What selectors say about rare labels that a part of the rows lacks is not news.
    """
    width = max(1, n_threads(n_jobs))
    results: list[Result] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for first in progress(range(0, n_tasks, width), title, verbose):
            tasks = range(first, min(first + width, n_tasks))
            results.extend(run_in_threads(function, tasks, n_jobs))
    return results


def seeds(random_state: Any, n_seeds: int) -> list[int]:
    """One seed per task, so that results do not depend on the threads."""
    drawn = random_state.randint(np.iinfo(np.int32).max, size=n_seeds)
    return [int(seed) for seed in drawn]
