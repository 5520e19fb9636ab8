"""Checksums of every method's results: equal before and after means no bit changed.

``python -m tests.checksums > before.txt``, change the code, run it again and compare
the two files. One line is one result: which method, on which data, in which form, and
a digest of the bits of its order, its scores, its terms or its predictions.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone

import labelsieve
from labelsieve import classifiers, datasets
from labelsieve.registry import make_selector, selector_names
from labelsieve.selectors import (
    BinaryRelevance,
    EntropyLabelAssignment,
    PrunedTransformation,
    TransformationSelector,
)
from tests.selectors.variants import VARIANTS

REAL = ("flags", "emotions", "birds", "virus-go")
CLASSIFIERS = ("BRkNN", "CCkNN", "EMCFS", "LIFT", "MLkNN", "MLNB", "RankSVM")


def main() -> None:
    """Print one line per result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", help="only this registered method")
    chosen = parser.parse_args().method
    warnings.simplefilter("ignore")
    for place, X, Y in tables():
        for name, selector in selectors(chosen):
            for line in results(selector, X, Y):
                print(f"{place}\t{name}\t{line}", flush=True)
        if chosen is None:
            for line in predictions(X, Y):
                print(f"{place}\t{line}", flush=True)


def tables() -> Iterator[tuple[str, Any, Any]]:
    """Data of many kinds."""
    demo = datasets.load_segments()
    yield "demo", demo.X[:500], demo.Y[:500]
    rng = np.random.default_rng(0)
    Y = (rng.random((150, 5)) < [0.1, 0.3, 0.5, 0.3, 0.2]).astype(int)
    X = rng.normal(size=(150, 24))
    X[:, :5] += Y
    X[:, 5] = 2.0
    X[:, 6] = X[:, 0]
    X[:, 7:9] = rng.integers(0, 3, (150, 2))
    yield "numbers", X, Y
    words = (rng.random((150, 30)) < 0.15).astype(float)
    words[:, :5] = np.maximum(words[:, :5], Y * (rng.random((150, 5)) < 0.7))
    yield "words", sp.csr_matrix(words), sp.csr_matrix(Y)
    colours = np.array(["red", "green", "blue"])
    frame = pd.DataFrame(X[:, :8]).add_prefix("f")
    frame["colour"] = pd.Categorical(colours[Y[:, 0] + (rng.random(150) < 0.3)])
    frame["text"] = colours[rng.integers(0, 3, 150)]
    yield "categories", frame, pd.DataFrame(Y).add_prefix("label")
    folder = os.environ.get("LABELSIEVE_DATA")
    for name in REAL if folder else ():
        data = datasets.load(Path(str(folder)) / name)
        yield name, data.X[:300], data.Y[:300]


def selectors(chosen: str | None) -> Iterator[tuple[str, Any]]:
    """Every registered method and its variants."""
    for name in selector_names():
        if chosen in (None, name):
            for settings in ({}, *VARIANTS.get(name, ())):
                settings = {"n_features_to_select": 6, **settings}
                yield f"{name} {settings}", seeded(make_selector(name, **settings))
    if chosen is None:
        yield (
            "forward",
            TransformationSelector(
                6,
                transformation=PrunedTransformation(2),
                score_func="mutual_information",
                search="forward",
            ),
        )
        for transformation in (BinaryRelevance(), EntropyLabelAssignment()):
            made = TransformationSelector(
                6, transformation=transformation, aggregate="max"
            )
            yield f"largest {type(transformation).__name__}", made


def seeded(estimator: Any) -> Any:
    """With a fixed seed, where there is one."""
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    return estimator


def results(selector: Any, X: Any, Y: Any) -> Iterator[str]:
    """The fitted attributes, the terms, and the same from blocks of rows."""
    fitted = attempt(lambda: clone(selector).fit(X, Y))
    if isinstance(fitted, str):
        yield f"fit\t{fitted}"
        return
    yield f"order\t{digest(fitted.order_)}"
    yield f"scores\t{digest(fitted.scores_)}"
    yield f"support\t{digest(fitted.support_)}"
    told = attempt(lambda: fitted.explain(X, Y))
    if isinstance(told, str):
        yield f"explain\t{told}"
    else:
        yield f"explain\t{digest(told.information, told.redundancy)}"
        yield f"rule\t{told.rule}; {told.label_rule}"
        for name, term in told.terms.items():
            yield f"term {name}\t{digest(term)}"
        if told.label_terms is not None:
            yield f"label terms\t{digest(told.label_terms)}"
    lazy = attempt(lambda: clone(selector).fit(blocks(X), blocks(Y)))
    if isinstance(lazy, str):
        yield f"Dask\t{lazy}"
    else:
        yield f"Dask\t{digest(lazy.order_, lazy.scores_)}"


def blocks(table: Any) -> Any:
    """Rows in three blocks on Dask."""
    import dask.array as da
    import dask.dataframe as dd

    if isinstance(table, pd.DataFrame):
        return dd.from_pandas(table, npartitions=3)
    dense = table.toarray() if sp.issparse(table) else np.asarray(table)
    length = -(-dense.shape[0] // 3)
    made = da.from_array(dense, chunks=(length, dense.shape[1]))
    return made.map_blocks(sp.csr_matrix) if sp.issparse(table) else made


def predictions(X: Any, Y: Any) -> Iterator[str]:
    """What the classifiers predict for the rows they learned."""
    if isinstance(X, pd.DataFrame):
        return
    for name in CLASSIFIERS:
        made = seeded(getattr(classifiers, name)())
        found = attempt(
            lambda made=made: digest(
                made.fit(X, Y).predict(X), classifiers.label_scores(made, X)
            )
        )
        yield f"{name}\tpredictions\t{found}"


def attempt(work: Any) -> Any:
    """What the work returns, or what it refuses with."""
    try:
        return work()
    except Exception as error:
        return f"{type(error).__name__}"


def digest(*found: Any) -> str:
    """A short digest of the bits of arrays."""
    bits = hashlib.sha256()
    for values in found:
        table = values.toarray() if sp.issparse(values) else values
        if isinstance(table, list):
            table = np.stack(table)
        whole = np.ascontiguousarray(table)
        bits.update(f"{whole.dtype.kind}{whole.shape}".encode())
        bits.update(whole.tobytes())
    return bits.hexdigest()[:12]


if __name__ == "__main__":
    print(f"# labelsieve {labelsieve.__version__}")
    main()
