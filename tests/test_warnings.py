"""Warnings point to the line of the user that called into the library."""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from pathlib import Path

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import labelsieve
from labelsieve import (
    GMBA,
    MLNB,
    PMU,
    Discretizer,
    EMCFSDensity,
    LabelPowerset,
    MLkNN,
    PrunedTransformation,
    RankSVM,
    Sieve,
    SizeCV,
    StabilitySelection,
    TransformationSelector,
    make_selector,
    permutation_p_values,
    selector_names,
)
from labelsieve._utils.messages import warn
from labelsieve.datasets import Dataset, open_lazy, save
from labelsieve.experiments import HoldOut, Sizes, Store, compare

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 4))
Y = (X[:, :3] > 0).astype(int)
EVEN = np.repeat([[0], [1]], 20, axis=0)  # what alternates tells nothing of it
CONSTANT = np.column_stack([Y, np.ones(40, dtype=int)])
BLOCKS = da.from_array(X, chunks=(20, 4)), da.from_array(CONSTANT, chunks=(20, 4))
TEXT = X.astype(str)
CLASSIFIERS = ["BRkNN", "CCkNN", "EMCFS", "LIFT", "MLNB", "MLkNN", "RankSVM"]


def nominal_libsvm(folder):
    nominal = Dataset(
        np.array([[0.0], [1.0], [2.0]]),
        np.array([[0], [1], [1]]),
        ["a"],
        ["b"],
        "nominal",
        categories={"a": ["x", "y", "z"]},
    )
    save(nominal, folder / "nominal.svm")
    return open_lazy(folder / "nominal.svm")


def results(folder, line):
    file = folder / "cells.jsonl"
    file.write_text(line)
    return file


def compared(folder):
    results(folder, '{"key": 1')
    save(Dataset(X, Y, list("abcd"), list("efg"), "small"), folder / "small.csv")
    few = {"protocol": HoldOut(n_splits=1), "sizes": Sizes(counts=(1,))}
    return compare([folder / "small.csv"], ["mlfs"], out=folder, **few)


def grid():
    steps = make_pipeline(StandardScaler(), PMU(), MLNB())
    return GridSearchCV(steps, {"pmu__n_features_to_select": [2]}, cv=2)


def transformed(transformation):
    return TransformationSelector(transformation=transformation)


DISTINCT = (np.arange(40)[:, np.newaxis] >> np.arange(6)) & 1

# What is called, and what it says.
ENTRIES = {
    **{
        name: (lambda _, name=name: make_selector(name).fit(X, CONSTANT), "same value")
        for name in selector_names()
    },
    **{
        name: (
            lambda _, name=name: getattr(labelsieve, name)().fit(X, CONSTANT),
            "present in all",
        )
        for name in CLASSIFIERS
    },
    "too many": (lambda _: PMU(9).fit(X, Y), "more than the 4 features"),
    "no feature": (lambda _: PMU().fit(np.ones((40, 2)), Y), "all 2 features"),
    "fit_transform": (lambda _: PMU().fit_transform(X, CONSTANT), "same value"),
    "text": (lambda _: PMU().fit(TEXT, Y), "numbers as text"),
    "transform": (lambda _: Discretizer().fit(X).transform(TEXT), "as text"),
    "discretizer": (lambda _: Discretizer().fit(TEXT), "as text"),
    "names": (
        lambda _: PMU().fit(pd.DataFrame({"a": [f"row {i}" for i in range(40)]}), Y),
        "ranked last",
    ),
    "tags": (lambda _: PMU().fit(X, [["p", "q"], ["q", "p"]] * 20), "read as 2 tags"),
    "joined": (lambda _: PMU().fit(X, ["p;q", "q"] * 20), "split_tags"),
    "predict": (lambda _: MLkNN().fit(X, Y).predict(TEXT), "as text"),
    "sets": (lambda _: transformed(LabelPowerset()).fit(X, DISTINCT), "label sets"),
    "rare": (lambda _: transformed(PrunedTransformation(30)).fit(X, Y), "tau=30"),
    "nothing": (lambda _: GMBA(2).fit(np.eye(40, 6), DISTINCT), "nothing could be"),
    "noise": (
        lambda _: Sieve("auto").fit(np.tile([[0.0], [1.0]], (20, 1)), EVEN),
        "no feature is significant",
    ),
    "vacuous": (lambda _: EMCFSDensity(mode="threshold").fit(X, Y), "every feature"),
    "unsettled": (lambda _: RankSVM(max_iter=1).fit(X, Y), "Rank-SVM stopped"),
    "linear": (
        lambda _: RankSVM(solver="linear", max_iter=1).fit(X, Y),
        "Rank-SVM stopped",
    ),
    "unranked": (lambda _: RankSVM().fit(X, Y[:, [0, 0]]), "nothing to rank"),
    "SizeCV": (lambda _: SizeCV(sizes=[2], cv=2).fit(X, CONSTANT), "same value"),
    "StabilitySelection": (
        lambda _: StabilitySelection(n_subsamples=2).fit(TEXT, Y),
        "as text",
    ),
    "permutation_p_values": (
        lambda _: permutation_p_values(PMU(2), X, CONSTANT, n_permutations=1),
        "same value",
    ),
    "pipeline": (
        lambda _: make_pipeline(StandardScaler(), PMU(9), MLNB()).fit(X, Y),
        "more than",
    ),
    "search": (lambda _: grid().fit(X, CONSTANT), "same value"),
    "blocks": (lambda _: PMU().fit(*BLOCKS), "same value"),
    "lazy": (nominal_libsvm, "nominal features in LibSVM"),
    "torn": (lambda d: Store(results(d, '{"key": 1')).read(), "is incomplete"),
    "odd": (lambda d: Store(results(d, "[]\n")).read(), "not as they were written"),
    "compare": (compared, "is incomplete"),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_warning_points_to_the_line_of_the_user(entry, tmp_path):
    call, message = ENTRIES[entry]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(tmp_path)
    said = [w for w in caught if message in str(w.message)]
    assert said, [str(w.message) for w in caught]
    source, first = inspect.getsourcelines(call)
    for warning in said:
        assert warning.filename == __file__
        assert first <= warning.lineno < first + len(source)


def test_a_line_is_warned_once():
    """As with `warnings.warn`: the registry of the caller's module keeps count."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            warn("again")
        warn("again", ConvergenceWarning)
    assert [w.category for w in caught] == [UserWarning, ConvergenceWarning]


def test_filters_by_module_apply():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", module=__name__.replace(".", r"\."))
        PMU(9).fit(X, Y)
    assert not caught


def test_no_level_of_the_stack_is_counted_by_hand():
    sources = Path(labelsieve.__file__).parent.rglob("*.py")
    assert not [file for file in sources if "stacklevel" in file.read_text("utf-8")]


class Loader:
    """As under ``python -m``, where the module that runs has two names."""

    def get_source(self, name):
        raise ImportError(f"cannot handle {name}")


@pytest.mark.parametrize("caller", ["__main__", "labelsieve.other"])
def test_any_caller_can_be_warned(caller):
    names = {"__name__": caller, "__loader__": Loader(), "warn": warn}
    with pytest.warns(UserWarning, match="careful"):
        exec("warn('careful')", names)


def test_a_report_says_each_thing_once(tmp_path):
    table = pd.DataFrame(X).assign(
        name=[f"no. {i}" for i in range(40)], word=[f"w{i % 20}" for i in range(40)]
    )
    table.columns = table.columns.astype(str)
    labels = pd.DataFrame(CONSTANT).rename(columns=str)
    for make in (
        lambda: labelsieve.write_report(PMU(2), table, labels, tmp_path / "why.html"),
        lambda: labelsieve.evaluate_selection(PMU(2), table, labels, n_splits=2),
        lambda: labelsieve.write_report(PMU(2), table, labels, tmp_path / "why.html"),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            make()
        said = [str(warning.message) for warning in caught]
        assert any("have a value of their own" in text for text in said)
        assert any("the same value in every row" in text for text in said)
        assert len(said) == len(set(said))
        assert {warning.filename for warning in caught} == {__file__}


def test_no_warning_speaks_of_the_command_line():
    source = Path(labelsieve.__file__).parent
    spoken = []
    for path in source.rglob("*.py"):
        if "cli" in path.relative_to(source).parts:
            continue
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = getattr(getattr(call, "func", None), "id", None)
            if isinstance(call, ast.Call) and name == "warn":
                spoken += [
                    part.value
                    for part in ast.walk(call)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                ]
    assert len(spoken) > 20
    assert not [text for text in spoken if re.search(r"(^|[ (])--[a-z]", text)]
