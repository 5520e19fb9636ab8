"""A table as people have them, through everything: the same answer on every way."""

import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from labelsieve import FIMF, PMU, Sieve, SizeCV, load, split_tags
from labelsieve.choosing import evaluate_selection
from labelsieve.cli import main
from labelsieve.datasets import describe, open_lazy

N_ROWS = 300
TELLING = {"when", "size", "region"}
LAST = ["customer", "currency"]
NAMED = r"column\(s\) 'customer' have a value of their own"
READ = ("--labels", "tags", "--separator", ";")


@pytest.fixture(scope="module")
def mixed():
    """The date tells 'late', the size 'big' and the region 'north'."""
    random = np.random.default_rng(7)
    late, big, north = random.integers(0, 2, (3, N_ROWS)).astype(bool)
    size = np.where(big, 30, 10) + random.normal(size=N_ROWS)
    size[random.random(N_ROWS) < 0.08] = np.nan
    region = np.where(north, "Oslo", random.choice(["Rome", "Lyon"], N_ROWS))
    region = region.astype(object)
    region[random.random(N_ROWS) < 0.05] = None
    days = random.integers(0, 28, N_ROWS) + 100 * late
    tags = zip(late, big, north, strict=True)
    names = ("late", "big", "north")
    return pd.DataFrame(
        {
            "customer": [f"c-{number:05}" for number in random.permutation(N_ROWS)],
            "noise": random.normal(size=N_ROWS),
            "size": size,
            "size_again": size,
            "region": region,
            "paid": random.integers(0, 2, N_ROWS).astype(bool),
            "currency": "EUR",
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(days, unit="D"),
            "tags": [
                ";".join(name for name, has in zip(names, row, strict=True) if has)
                for row in tags
            ],
        }
    )


FORMS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


@pytest.mark.parametrize("form", FORMS)
def test_in_python(form, mixed):
    X, tags = FORMS[form](mixed.drop(columns="tags")), split_tags(mixed["tags"])
    with pytest.warns(UserWarning, match=NAMED):
        sieve = Sieve(3).fit(X, tags)
    assert set(sieve.get_feature_names_out()) == TELLING
    with pytest.warns(UserWarning, match=NAMED):
        # Greedy methods look at what repeats; the copy comes after all that tell.
        order = PMU(4).fit(X, tags).order_
    names = mixed.columns[order].tolist()
    assert set(names[:3]) == TELLING
    assert names[-2:] == LAST
    explanation = sieve.explain(X, tags)
    told = {
        found["name"]: found["labels"][0]["label"] for found in explanation.to_dict()
    }
    assert told == {"when": "late", "size": "big", "region": "north"}
    missing = {found["name"] for found in explanation.to_dict() if "missing" in found}
    assert missing == {"size", "region"}


def test_measured_in_python(mixed):
    X, tags = mixed.drop(columns="tags"), split_tags(mixed["tags"])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", NAMED)
        sieve = Sieve(3).fit(X, tags)
        quality = evaluate_selection(sieve, X, tags, n_splits=1)
        search = SizeCV(FIMF(3), sizes=[1, 3], cv=2).fit(X, tags)
    assert quality.mean("micro_f1", "chosen") > 0.9
    assert search.n_features_ == 3


@pytest.fixture(scope="module", params=["csv", "parquet"])
def file(request, mixed, tmp_path_factory):
    path = tmp_path_factory.mktemp("mixed") / f"mixed.{request.param}"
    if request.param == "csv":
        mixed.to_csv(path, index=False)
    else:
        mixed.to_parquet(path)
    return path


def test_a_file_holds_the_same(file, mixed):
    found = load(file, labels=["tags"], separator=";")
    assert found.label_names == ("big", "late", "north")
    assert describe(found).constant_features == 1
    seconds = mixed["when"].dt.as_unit("s").astype("int64")
    when = found.X[:, found.feature_names.index("when")]
    np.testing.assert_array_equal(when, seconds)


def test_on_the_command_line(file, capsys, tmp_path):
    page = tmp_path / "page.html"
    options = ("-k", "3", "--json", "--splits", "1", "--report", str(page))
    assert main(["select", str(file), *READ, *options]) == 0
    said = capsys.readouterr()
    assert set(json.loads(said.out)["features"]) == TELLING
    assert said.err.count("'customer'") == 1
    assert "when" in page.read_text()
    assert main(["describe", str(file), *READ, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_compared_on_the_command_line(file, capsys, tmp_path):
    words = ["compare", str(file), *READ, "-m", "sieve,fimf", "--splits", "2"]
    words += ["--sizes", "1-3", "-o", str(tmp_path), "--json"]
    assert main([*words, "--report", str(tmp_path / "page.html")]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)
    assert "'customer'" in said.err
    assert "fimf" in (tmp_path / "page.html").read_text()


def test_on_dask(mixed, tmp_path):
    for part in range(2):
        rows = mixed[part * 150 : part * 150 + 150]
        rows.to_parquet(tmp_path / f"{part}.parquet")
    X, Y = open_lazy(tmp_path, labels=["tags"], separator=";")
    with pytest.warns(UserWarning, match=NAMED):
        found = Sieve(3).fit(X, Y)
    with pytest.warns(UserWarning, match=NAMED):
        expected = Sieve(3).fit(mixed.drop(columns="tags"), split_tags(mixed["tags"]))
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    np.testing.assert_array_equal(found.order_, expected.order_)
