"""Which engine serves which data, by shapes and densities alone."""

from __future__ import annotations

from typing import Any

from labelsieve.engines.columns import Columns
from labelsieve.engines.dense import DenseEngine
from labelsieve.engines.listed import ListedTerms
from labelsieve.engines.sparse import SparseEngine
from labelsieve.engines.terms import Correction, Terms

# Tables of so few cells are quick in any form, and then nothing is compiled.
FEW_CELLS = 250_000
# From this share of cells that are not zero on, arrays are quicker than lists.
DENSE_SHARE = 1 / 8


def is_dense(X: Columns) -> bool:
    """Whether arrays serve better than lists; the same for dense and sparse input."""
    n_cells = X.n_samples * X.totals.size
    return n_cells <= FEW_CELLS or bool(X.totals.sum() > DENSE_SHARE * n_cells)


def choose_engine(
    X: Columns, Y: Columns, n_jobs: int | None = None, dense: bool | None = None
) -> Any:
    """The engine for features and targets; `dense` says so for blocks of samples."""
    if is_dense(X) if dense is None else dense:
        return DenseEngine(X, Y, n_jobs)
    return SparseEngine(X, Y, n_jobs)


def terms_of(engine: Any, correction: Correction | None = None) -> Terms:
    """The terms from what an engine counts, in their quickest form."""
    if correction is None and not engine.is_dense:
        return ListedTerms(engine)
    return Terms(engine, correction)
