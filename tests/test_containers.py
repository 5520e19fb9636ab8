"""Tables of other libraries: columns keep their types, and refusals a way out."""

import datetime

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

import labelsieve as ls


def _mixed(n_rows):
    random = np.random.default_rng(0)
    first = datetime.date(2020, 1, 1)
    return pl.DataFrame(
        {
            "number": random.normal(size=n_rows),
            "count": random.integers(0, 3, n_rows),
            "word": random.choice(["x", "y"], n_rows),
            "day": [first + datetime.timedelta(i % 9) for i in range(n_rows)],
            "flag": random.random(n_rows) > 0.5,
        }
    )


@pytest.mark.parametrize("given", ["polars", "arrow", "pandas"])
def test_columns_keep_their_types_in_polars(given):
    frame = _mixed(30)
    Y = np.random.default_rng(1).integers(0, 2, (30, 2))
    forms = {"polars": frame, "arrow": frame.to_arrow(), "pandas": frame.to_pandas()}
    table = forms[given]
    selector = ls.FIMF(4, exclude=["count"]).fit(table, Y)
    found = selector.set_output(transform="polars").transform(table)
    expected = frame.drop("count")
    assert found.columns == expected.columns
    if given == "pandas":  # which knows no days
        found = found.with_columns(pl.col("day").cast(pl.Date))
    assert found.equals(expected)
    assert found.schema == expected.schema


@pytest.mark.parametrize("given", ["polars", "arrow"])
def test_columns_keep_their_types_in_pandas(given):
    frame = _mixed(30)
    Y = np.random.default_rng(1).integers(0, 2, (30, 2))
    table = frame if given == "polars" else frame.to_arrow()
    found = ls.FIMF(5).set_output(transform="pandas").fit(table, Y).transform(table)
    assert found["number"].dtype == float
    assert found["count"].dtype == np.int64
    assert found["flag"].dtype == bool


def test_tables_of_other_names_are_refused_with_polars_output():
    frame = _mixed(30)
    Y = np.random.default_rng(1).integers(0, 2, (30, 2))
    selector = ls.FIMF(2).set_output(transform="polars").fit(frame, Y)
    with pytest.raises(ValueError, match="feature names"):
        selector.transform(frame.rename({"word": "other"}))


class PydataTable:
    """What the package sparse offers, by the one name that tells it."""

    def __init__(self, table):
        self.shape, self.dtype, self.ndim = table.shape, table.dtype, table.ndim

    def to_scipy_sparse(self):
        raise AssertionError("nobody asked for it")


def _objects(table):
    found = sp.csr_matrix(table)
    found.data = found.data.astype(object)
    return found


def _structured(table):
    return np.array([tuple(r) for r in table], dtype=[("a", float), ("b", float)])


OTHERS = {
    "LazyFrame": (lambda t: pl.DataFrame(t).lazy(), r"LazyFrame.*\.collect\(\)"),
    "package sparse": (PydataTable, r"PydataTable.*\.to_scipy_sparse\(\)"),
    "objects": (_objects, r"of object cells.*\.astype\(float\)"),
    "structured": (_structured, r"fields 'a', 'b'.*pandas\.DataFrame\("),
    "records": (lambda t: _structured(t).view(np.recarray), r"pandas\.DataFrame\("),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_tables_that_nobody_reads_are_refused_with_a_way_out(kind):
    make, told = OTHERS[kind]
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(20, 2)), random.integers(0, 2, (20, 2))
    selector, other_x, other_y = ls.FIMF(1).fit(X, Y), make(X), make(Y)
    calls = {
        "X": [
            lambda: ls.GMBA(1).fit(other_x, Y),
            lambda: selector.transform(other_x),
            lambda: selector.explain(other_x, Y),
            lambda: ls.MLkNN().fit(other_x, Y),
            lambda: ls.Discretizer().fit(other_x),
            lambda: ls.describe(other_x, Y),
            lambda: ls.SizeCV().fit(other_x, Y),
        ],
        "y": [
            lambda: ls.FIMF(1).fit(X, other_y),
            lambda: ls.MLkNN().fit(X, other_y),
            lambda: ls.with_unknown(other_y, -1),
            lambda: ls.describe(X, other_y),
        ],
    }
    for name, some in calls.items():
        for call in some:
            with pytest.raises(TypeError, match=f"^{name} is a.*{told}"):
                call()
