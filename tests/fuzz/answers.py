"""Reads damaged files as a user would; a clear error is as good as a result."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelsieve.datasets import Dataset, FormatError, _tables, load
from tests.fuzz.seeds import Seed, plan_of

# How often the slow ways are gone: drawing a page, opening through Dask.
EVERY = 20
# Blocks of damaged metadata may be large and still be right; those are not computed.
MOST_CELLS = 10**6

RESULT, REFUSED = "result", "clear error"


def read_data(folder: Path, seed: Seed, number: int) -> str:
    """Load a data set; every other time row by row."""
    read_at_once(number % 2 == 0)
    try:
        check(load(folder / next(iter(seed.files)), **seed.arguments))
    except FormatError as error:
        return _refused(error)
    return RESULT


def read_parquet(folder: Path, seed: Seed, number: int) -> str:
    """Load a Parquet file, and sometimes open it as one that stays on disk."""
    outcome = read_data(folder, seed, number)
    if number % EVERY == 0:
        return open_lazily(folder / next(iter(seed.files)), seed.arguments)
    return outcome


def read_zarr(folder: Path, seed: Seed, number: int) -> str:
    """Open a zarr group and read all blocks."""
    return open_lazily(folder / seed.arguments["folder"], {})


def open_lazily(path: Path, arguments: dict[str, Any]) -> str:
    """Open a data set that stays on disk, and read all its blocks."""
    import dask

    from labelsieve.datasets import open_lazy

    try:
        with dask.config.set(scheduler="synchronous"):
            data = open_lazy(path, **arguments)
            for part in data:
                if hasattr(part, "columns") or np.prod(part.shape) < MOST_CELLS:
                    part.compute()
            assert data.X.shape[1] == len(data.feature_names)
            assert len(data.label_names) > 0
    except FormatError as error:
        return _refused(error)
    return RESULT


def read_selector(folder: Path, seed: Seed, number: int) -> str:
    """Make a selector of JSON and use it."""
    from labelsieve.selectors import LabelSelector

    text = (folder / "selector.json").read_bytes().decode(errors="replace")
    try:
        selector = LabelSelector.from_json(text)
    except ValueError as error:
        return _refused(error)
    n_features = selector.n_features_in_
    if n_features < 1000:
        X = np.zeros((2, n_features))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # names of features
            assert selector.transform(X).shape == (2, int(selector.support_.sum()))
        assert len(selector.get_support(indices=True)) <= n_features
    return RESULT


def read_page(folder: Path, seed: Seed, number: int) -> str:
    """Read results and make tables, and sometimes the page, of them."""
    from labelsieve.experiments import read_results
    from labelsieve.report import comparison_page, render_page

    try:
        results = read_results(folder)
    except ValueError as error:
        return _refused(error)
    assert results.to_markdown()
    assert results.costs_to_markdown()
    # Several data sets have pictures, which take a second.
    if len(results.content["datasets"]) == 1 or number % EVERY == 0:
        content = comparison_page(results.content, results.costs, command="report")
        if number % EVERY == 0:
            assert render_page(content)
    return RESULT


def read_cells(folder: Path, seed: Seed, number: int) -> str:
    """Read what a run has left; cells that were edited count as missing."""
    from labelsieve.experiments import Store
    from labelsieve.experiments.results import make_results
    from tests.fuzz.seeds import cell_seeds

    plan = plan_of(1)
    cells = list(plan.cells)
    whole = folder / "whole.jsonl"
    whole.write_bytes(cell_seeds()[0].files["cells.jsonl"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = Store(folder / "cells.jsonl").read()
        before = Store(whole).read()
    whole.unlink()
    records = {**before, **known}
    if records != before:  # damage that nothing can tell from a result
        make_results(plan, [records[cell.key] for cell in cells])
    return RESULT if len(known) == len(cells) else REFUSED


def check(dataset: Dataset) -> None:
    """See that a data set is what a data set should be."""
    X, Y = dataset
    assert X.dtype == np.float64
    stored = Y.data if sparse.issparse(Y) else Y
    unknown = Y.dtype == np.float64 and np.isnan(stored).any()
    assert Y.dtype == np.uint8 or unknown
    assert X.shape == (Y.shape[0], len(dataset.feature_names))
    assert Y.shape[1] == len(dataset.label_names) > 0
    assert sparse.issparse(X) == sparse.issparse(Y)
    for matrix in (X, Y):
        if sparse.issparse(matrix):
            matrix.check_format(full_check=True)
            assert matrix.has_canonical_format
    assert not np.isinf(X.data if sparse.issparse(X) else X).any()


def read_at_once(on: bool) -> None:
    """Let many rows be read at once, or each by itself."""
    _tables.AT_ONCE = 1 << 16 if on else 0


def _refused(error: Exception) -> str:
    assert str(error).strip()
    return REFUSED
