"""The data doctor: what a careful colleague would notice, against slow counting."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from labelsieve import describe
from labelsieve.datasets import Dataset
from labelsieve.datasets import describe as count
from labelsieve.datasets._dataset import NumberedNames
from labelsieve.describing import leaks
from labelsieve.registry import selector_names
from tests.naive import describing as naive

N_ROWS = 200


def mixed():
    """A table with everything that is to be noticed, and nothing else."""
    random = np.random.default_rng(0)
    Y = pd.DataFrame(random.random((N_ROWS, 3)) < [0.5, 0.3, 0.02], columns=[*"abc"])
    Y = Y.astype(int).assign(wide=lambda y: y.a | (y.b & (random.random(N_ROWS) < 0.5)))
    Y = Y.assign(twin=Y.b, always=1)
    X = pd.DataFrame(
        {
            "number": random.normal(size=N_ROWS),
            "threshold": 10 * Y.a + random.random(N_ROWS),
            "shade": np.where(Y.b == 1, random.choice(["red", "blue"], N_ROWS), "grey"),
            "person": [f"no. {i}" for i in range(N_ROWS)],
            "constant": 3,
            "row": np.arange(N_ROWS) + 7,
            "day": pd.to_datetime(random.integers(0, 10**9, N_ROWS), unit="s"),
            "gaps": np.where(random.random(N_ROWS) < 0.1, np.nan, 1.5 * Y.a),
        }
    )
    X["copy"] = X.number
    return X, Y


def by_kind(described):
    return {one.kind: one.items for one in described.findings}


EXPECTED = {
    "constant features": ["constant"],
    "copies": [["number", "copy"]],
    "identifiers": ["person"],
    "row numbers": ["row"],
    "leaks": [
        {"feature": "threshold", "label": "a"},
        {"feature": "shade", "label": "b"},
        {"feature": "shade", "label": "twin"},
    ],
    "constant labels": ["always"],
    "equal labels": [["b", "twin"]],
    "nested labels": [{"label": "a", "of": "wide"}],
}


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_everything_is_noticed(kind):
    X, Y = mixed()
    n_gaps, n_rare = int(X.gaps.isna().sum()), int(Y.c.sum())
    if kind == "polars":
        X, Y = pl.DataFrame(X.to_dict("list"), nan_to_null=True), pl.DataFrame(dict(Y))
    found = describe(X, Y)
    expected = {
        "missing cells": [{"feature": "gaps", "cells": n_gaps}],
        **EXPECTED,
        "rare labels": [{"label": "c", "rows": n_rare}],
    }
    assert by_kind(found) == expected
    assert found.types == {"numeric": 6, "categorical": 2, "date or time": 1}
    assert found.missing == {"gaps": n_gaps}
    assert found.label_rows["always"] == N_ROWS
    (why,) = found.unsuited
    assert "missing" in why
    assert {*found.suited, *found.unsuited[why]} == {*selector_names()}
    assert "sieve" in found.suited
    assert "spec" in found.unsuited[why]


def test_numbers_and_findings_agree():
    X, Y = mixed()
    labels = Y.drop(columns=["always", "wide"]).astype(float)
    labels.loc[::3, "c"] = np.nan  # in these nobody knows whether there is a label
    for described in (describe(X, Y), describe(X, labels)):
        kinds = by_kind(described)
        constant = kinds["constant features"]
        assert described.numbers.constant_features == len(constant) == 1
        without = kinds.get("rows without a label", [])
        assert described.numbers.samples_without_label == len(without)
    bare = (labels.fillna(1) == 0).all(axis=1)
    assert described.numbers.samples_without_label == bare.sum() > 0


def test_a_few_methods_are_named():
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(50, 4)), random.integers(0, 2, (50, 2))
    found = describe(X, Y)
    (said,) = [note for note in found.notes() if note.startswith("methods that suit")]
    assert said == (
        f"methods that suit: sieve, rfs, scls, and {len(selector_names()) - 3} others"
    )
    X[0, 0] = np.nan
    (said,) = [n for n in describe(X, Y).notes() if n.startswith("methods that suit")]
    assert "sieve" in said
    assert "rfs" not in said  # needs every cell


def test_rows_are_looked_at():
    X = [[0, 1], [0, 1], [2, 3], [2, 3], [2, 3], [4, 5]]
    Y = [[1, 0], [1, 0], [0, 1], [0, 0], [0, 1], [0, 0]]
    for table in (np.array(X), sp.csr_matrix(X), sp.csc_array(X), X):
        found = by_kind(describe(table, sp.csr_matrix(Y)))
        assert found["equal rows"] == [[0, 1], [2, 3, 4]]
        assert found["equal rows with different labels"] == [[2, 3, 4]]
        assert found["rows without a label"] == [3, 5]


def test_text_json_and_html():
    X, Y = mixed()
    X = X.rename(columns={"number": "<b>"})
    found = describe(X, Y)
    text, page = str(found), found._repr_html_()
    assert "copies: 1 group(s) of equal features: <b> = copy. Greedy" in text
    assert "&lt;b&gt; = copy" in page
    assert "<b>" not in page
    read = json.loads(found.to_json())
    assert read["instances"] == N_ROWS
    assert [one["kind"] for one in read["findings"]] == [*by_kind(found)]
    assert all(one["done"] for one in read["findings"])
    nothing = json.loads(describe(np.eye(3), np.zeros((3, 1))).to_json())
    assert nothing["mean_imbalance"] is None


def test_forms_and_numbers_agree():
    random = np.random.default_rng(1)
    X, Y = random.integers(0, 3, (60, 6)), random.integers(0, 2, (60, 3))
    expected = describe(X, Y)
    named = [f"x{j}" for j in range(6)], ["0", "1", "2"]
    data = Dataset(X, Y, *named)
    assert expected.numbers == count(data)
    da = pytest.importorskip("dask.array")
    forms = [
        (sp.csr_matrix(X), sp.csc_matrix(Y)),
        (pl.DataFrame(X, schema=named[0]), pd.DataFrame(Y, columns=named[1])),
        (da.from_array(X, chunks=(20, 6)), da.from_array(Y, chunks=(20, 3))),
        (data,),
    ]
    for form in forms:
        assert describe(*form).to_dict() == expected.to_dict()


def test_labels_with_several_values_and_many_rows(monkeypatch):
    X, y = np.arange(60) % 7, np.arange(60) % 3
    found = describe(X[:, None], y)
    several = by_kind(found)["targets with several values"]
    assert several == [{"label": "0", "values": 3}]
    assert "gmba" in found.unsuited["targets need two values"]
    monkeypatch.setattr("labelsieve.describing.noticed.MANY_ROWS", 50)
    monkeypatch.setattr("labelsieve.describing.noticed.MANY_FEATURES", 0)
    unsuited = describe(X[:, None], y % 2).unsuited
    rows, features = (unsuited[why] for why in sorted(unsuited, reverse=True))
    assert {"gmba", "spec", "mlrf", "relieff-ml", "lp+relieff"} <= {*rows}
    assert features == ["mlqpfs", "grro"]


def test_a_class_is_neither_rare_nor_nested():
    random = np.random.default_rng(0)
    hours = random.choice([2.0, 6.0, 7.0, 8.0], 400, p=[0.01, 0.33, 0.33, 0.33])
    late = (hours == 8) & (random.random(400) < 0.5)
    Y = pd.DataFrame({"hours": hours, "late": late, "old": random.random(400) < 0.4})
    found = describe(random.normal(size=(400, 3)), Y)
    assert not {"rare labels", "nested labels"} & by_kind(found).keys()
    assert found.target_types["hours"] == "class"
    assert found.numbers.labels == 2
    assert found.numbers.cardinality == pytest.approx(late.mean() + Y["old"].mean())
    assert found.label_rows.keys() == {"late", "old"}


def test_rows_without_a_label_may_lack_other_targets():
    random = np.random.default_rng(0)
    size, label = random.normal(size=60), np.arange(60) % 3 == 0
    size[1] = np.nan
    found = describe(random.normal(size=(60, 3)), np.column_stack([size, label]))
    assert found.numbers.samples_without_label == 40


def test_a_billion_columns_take_no_room():
    X = sp.csr_matrix(([1.0, 1.0], ([0, 3], [5, 999_999_999])), shape=(4, 10**9))
    data = Dataset(X, np.eye(4), names := NumberedNames("f", 0, 10**9), list("abcd"))
    found = describe(data)
    assert found.numbers.constant_features == 10**9 - 2
    assert by_kind(found)["constant features"][:6] == [*names[:5], "f6"]


def test_what_is_missing_is_asked_for():
    with pytest.raises(TypeError, match="describe needs X and Y, or a Dataset"):
        describe(np.eye(3))


@given(st.integers(0, 10_000))
def test_leaks_and_nested_labels_equal_the_naive_ones(seed):
    X, Y = leaky(np.random.default_rng(seed))
    n_columns = X.shape[1]
    nominal = [0]
    for table in (X.T.copy(), sp.csr_matrix(X.T)):
        table = table.astype(float)
        labels = leaks.LabelLists(sp.csr_matrix(Y))
        found = leaks.find_leaks(table, range(n_columns), nominal, labels)
        assert found == naive.leaks(X, Y, nominal)
        assert leaks.find_nested(labels) == naive.nested(Y)


@given(st.integers(0, 10_000))
def test_leaks_and_nested_labels_where_labels_are_known(seed):
    random = np.random.default_rng(seed)
    X, Y = leaky(random)
    Y = np.where(random.random(Y.shape) < random.choice([0.05, 0.3]), np.nan, Y)
    there, unknown = sp.csr_matrix(Y == 1), sp.csr_matrix(np.isnan(Y))
    for table in (X.T.copy(), sp.csr_matrix(X.T)):
        labels = leaks.LabelLists(there, unknown)
        found = leaks.find_leaks(table.astype(float), range(6), [0], labels)
        assert found == naive.leaks(X, Y, [0])
        assert leaks.find_nested(labels) == naive.nested(Y)


def unknown_labels():
    """Label c is not known in 20 rows, and none is in rows 0 and 1."""
    random = np.random.default_rng(3)
    Y = pd.DataFrame(random.integers(0, 2, (60, 3)), columns=[*"abc"], dtype=float)
    Y.loc[range(40, 60), "c"] = np.nan
    Y.loc[[0, 1]] = np.nan
    X = random.normal(size=(60, 2))
    X[5] = X[4] = X[3]
    Y.loc[[3, 4, 5]] = [[1, 0, 1], [1, np.nan, 1], [np.nan, np.nan, 1]]
    return X, Y


def test_unknown_labels_are_no_labels():
    X, Y = unknown_labels()
    cells = np.asarray(Y)
    forms = [Y, pl.from_pandas(Y), cells, np.ma.masked_invalid(cells)]
    forms += [sp.csr_matrix(cells), np.where(np.isnan(cells), None, cells)]
    for form in forms:
        found = describe(X, form)
        kinds = by_kind(found)
        assert [one["rows"] for one in kinds["unknown labels"]] == [3, 4, 22]
        assert kinds["rows of which no label is known"] == [0, 1]
        assert kinds["equal rows"] == [[3, 4, 5]]
        assert "equal rows with different labels" not in kinds
        assert [*found.label_rows.values()] == np.nansum(cells, axis=0).tolist()
        bare = np.flatnonzero((cells == 0).all(axis=1)).tolist()
        assert kinds.get("rows without a label", []) == bare
        assert "gmba" in found.unsuited["labels are not known in every row"]
        assert {"sieve", "br+mi"} <= {*found.suited}
    data = Dataset(X, cells, ["f", "g"], [*"abc"])
    assert count(data).cardinality == np.nansum(cells) / 60
    assert describe(data).numbers == count(data)


def test_many_categories_are_told():
    words = [f"w{i % 150}" for i in range(600)]
    X = pd.DataFrame({"word": words, "name": [f"n{i}" for i in range(600)]})
    kinds = by_kind(describe(X, np.arange(600) % 2))
    assert kinds["many categories"] == ["word"]
    assert kinds["identifiers"] == ["name"]


def leaky(random):
    """Columns that tell labels by value, by threshold, nearly, or not at all."""
    n = int(random.integers(20, 60))
    Y = random.random((n, 4)) < random.uniform(0.2, 0.8, 4)
    Y[:, 1] |= Y[:, 0] & (random.random() < 0.5)
    sides = Y[:, random.integers(0, 4, 5)]
    X = np.column_stack(
        [
            sides[:, 0] * 1.0,
            np.where(sides[:, 1], 0, random.integers(1, 3, n)),
            sides[:, 2] * 5 + random.random(n),
            -(sides[:, 3] * random.uniform(1, 9, n)),
            random.normal(size=n),
            1.0 - sides[:, 4],
        ]
    )
    near = random.random(6) < 0.2
    X[0, near] = X[1, near]
    return X, Y.astype(int)


def test_identifiers_whose_values_repeat_are_groups(random):
    rows = np.arange(300)
    X = pd.DataFrame(
        {
            "patient_id": rows // 3,
            "visitID": [f"v{row // 2}" for row in rows],
            "valid": rows // 3,  # no identifier by its name
            "id": random.normal(size=300),  # nor by its values
            "user": rows % 3,
        }
    )
    found = {one.kind: one for one in describe(X, rows % 2).findings}
    assert found["repeated identifiers"].items == ["patient_id", "visitID"]
    assert "groups=" in found["repeated identifiers"].done


def test_numbers_are_no_labels(random):
    X, Y = random.normal(size=(30, 2)), random.normal(size=(30, 2))
    X[1], Y[3] = X[0], np.nan
    found = describe(X, Y)
    kinds = [one.kind for one in found.findings]
    assert kinds == [
        "unknown targets",
        "rows of which no target is known",
        "equal rows",
        "equal rows with different targets",
    ]
    for shown in (str(found), repr(found), found._repr_html_()):
        assert "label" not in shown.replace("labelsieve", "")
    assert "and 2 targets>" in repr(found)
    both = describe(X, np.column_stack([Y, random.random(30) > 0.5]))
    assert "cardinality" in str(both)
    assert both.findings[0].found.startswith("2 of 3 targets")


def test_classes_are_no_labels(random):
    Y = np.arange(30)[:, None] % [3.0, 4.0]
    Y[3] = np.nan
    found = describe(random.normal(size=(30, 2)), np.hstack([Y, Y]))
    assert [one.kind for one in found.findings] == [
        "unknown targets",
        "targets with several values",
        "equal targets",
        "rows of which no target is known",
    ]
    for shown in (str(found), repr(found), found._repr_html_()):
        assert "label" not in shown.replace("labelsieve", "")
