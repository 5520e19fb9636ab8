"""Every method's results, to compare before and after a change.

``python -m tests.reference before.npz``, change the code, and run
``python -m tests.reference --compare before.npz``: a line for each order that differs,
and for each score, term or prediction that differs by more than 1e-9.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone

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
    """Write all results, or compare them with those of a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="an .npz file")
    parser.add_argument("--method", help="only this registered method")
    parser.add_argument("--compare", action="store_true", help="with what is there")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {}
    for place, X, Y in tables():
        for name, selector in selectors(arguments.method):
            for key, value in results(selector, X, Y):
                found[f"{place}|{name}|{key}"] = np.asarray(value)
        if arguments.method is None:
            for key, value in predictions(X, Y):
                found[f"{place}|{key}"] = np.asarray(value)
    if not arguments.compare:
        np.savez_compressed(arguments.file, **found)
        return
    before, n_different = np.load(arguments.file), 0
    for key, value in found.items():
        if key not in before or not alike(before[key], value):
            n_different += 1
            print(key, "is new" if key not in before else "differs", flush=True)
    print(f"{n_different} of {len(found)} results differ")


def alike(one: Any, other: Any) -> bool:
    """Whether whole numbers and texts are equal, and other numbers close."""
    if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
        return False
    if one.dtype.kind == "f":
        return bool(np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True))
    return bool((one == other).all())


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


def results(selector: Any, X: Any, Y: Any) -> Iterator[tuple[str, Any]]:
    """The fitted attributes, the terms, and the same from blocks of rows."""
    fitted = attempt(lambda: clone(selector).fit(X, Y))
    if isinstance(fitted, str):
        yield "fit", fitted
        return
    yield "order", fitted.order_
    yield "scores", fitted.scores_
    yield "support", fitted.support_
    told = attempt(lambda: fitted.explain(X, Y))
    if isinstance(told, str):
        yield "explain", told
    else:
        yield "information", told.information
        yield "redundancy", told.redundancy
        yield "rule", f"{told.rule}; {told.label_rule}"
        for name, term in told.terms.items():
            yield f"term {name}", term
        if told.label_terms is not None:
            yield "label terms", told.label_terms
    lazy = attempt(lambda: clone(selector).fit(blocks(X), blocks(Y)))
    if isinstance(lazy, str):
        yield "Dask", lazy
    else:
        yield "Dask order", lazy.order_
        yield "Dask scores", lazy.scores_


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


def predictions(X: Any, Y: Any) -> Iterator[tuple[str, Any]]:
    """What the classifiers predict for the rows they learned."""
    if isinstance(X, pd.DataFrame):
        return
    for name in CLASSIFIERS:
        made = seeded(getattr(classifiers, name)())
        fitted = attempt(lambda made=made: made.fit(X, Y))
        if isinstance(fitted, str):
            yield f"{name}|fit", fitted
            continue
        yield f"{name}|predictions", dense(fitted.predict(X))
        yield f"{name}|scores", dense(classifiers.label_scores(fitted, X))


def dense(table: Any) -> Any:
    """An array of what classifiers return."""
    if isinstance(table, list):
        table = np.stack(table)
    return table.toarray() if sp.issparse(table) else table


def attempt(work: Any) -> Any:
    """What the work returns, or what it refuses with."""
    try:
        return work()
    except Exception as error:
        return f"{type(error).__name__}"


if __name__ == "__main__":
    main()
