"""Names of features and labels stay with the result, wherever it goes."""

import json
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from labelsieve import FIMF, PMU, Sieve
from labelsieve.choosing import SizeCV, StabilitySelection
from labelsieve.cli import main
from labelsieve.datasets import load
from labelsieve.selectors import LabelSelector
from tests.distributed.data import in_blocks
from tests.selectors.data import data

FEATURES, LABELS = [f"f{i}" for i in range(12)], ["joy", "fear", "rage", "calm"]


def frames(kind=pd):
    X, Y = data()
    return (
        kind.DataFrame(dict(zip(FEATURES, X.T, strict=True))),
        kind.DataFrame(dict(zip(LABELS, Y.T, strict=True))),
    )


@pytest.mark.parametrize("kind", [pd, pl])
def test_a_frame_of_labels_keeps_its_columns(kind):
    X, Y = frames(kind)
    fitted = FIMF(3).fit(X, Y)
    assert fitted.label_names_in_.tolist() == LABELS
    for result in (fitted, LabelSelector.from_json(fitted.to_json()), fitted.at(2)):
        assert result.explain(X, data()[1]).label_names == LABELS
    constant = Y.assign(calm=1) if kind is pd else Y.with_columns(calm=pl.lit(1))
    with pytest.warns(UserWarning, match="no information: 'calm'"):
        fitted.fit(X, constant)
    assert not hasattr(fitted.fit(*data()), "label_names_in_")


@pytest.mark.parametrize("kind", [pd, pl])
def test_a_series_keeps_its_name(kind):
    X, Y = frames(kind)
    fitted = Sieve(2).fit(X, Y["rage"])
    assert fitted.label_names_in_.tolist() == ["rage"]
    assert "for label rage" in str(fitted.explain(X, Y["rage"]))
    assert not hasattr(fitted.fit(X, np.asarray(Y["rage"])), "label_names_in_")
    with pytest.warns(UserWarning, match="no information: 'rage'"):
        fitted.fit(X, Y["rage"] * 0)


def test_names_on_dask():
    dd = pytest.importorskip("dask.dataframe")
    X, Y = (dd.from_pandas(frame, npartitions=3) for frame in frames())
    assert PMU(2).fit(X, Y).label_names_in_.tolist() == LABELS
    assert PMU(2).fit(X, Y["joy"]).label_names_in_.tolist() == ["joy"]
    blocks = (in_blocks(table, (45, 45), False) for table in data())
    assert not hasattr(PMU(2).fit(*blocks), "label_names_in_")


def test_rankings_as_tables():
    X, Y = frames()
    fitted = FIMF(3).fit(X, Y)
    ranked = fitted.to_frame()
    assert list(ranked) == ["rank", "feature", "index", "score", "selected"]
    assert ranked["feature"].tolist() == [FEATURES[i] for i in fitted.order_]
    assert ranked["score"].tolist() == fitted.scores_[fitted.order_].tolist()
    assert ranked["selected"].tolist() == [True] * 3 + [False] * 9
    search = SizeCV(FIMF(), sizes=[2, 4], random_state=0).fit(X, Y)
    assert search.to_frame()["size"].tolist() == [2, 4]
    sure = StabilitySelection(FIMF(3), n_subsamples=4, random_state=0).fit(X, Y)
    assert sure.to_frame()["frequency"][0] == sure.frequencies_.max()
    assert FIMF(3).fit(*data()).to_frame()["feature"][0].startswith("x")


def test_explanations_as_tables():
    X, Y = frames()
    explained = PMU(3).fit(X, Y).explain(X, Y)
    table = explained.to_frame()
    assert list(table) == [
        "feature",
        "index",
        "score",
        *(f"relevance: {n}" for n in LABELS),
    ]
    assert table["feature"].tolist() == explained.feature_names
    np.testing.assert_array_equal(
        table["relevance: fear"], explained.label_shares[:, 1]
    )


def test_tables_of_polars_where_only_polars_is_loaded(monkeypatch):
    fitted = FIMF(3).fit(*frames(pl))
    monkeypatch.delitem(sys.modules, "pandas")
    ranked = fitted.to_frame()
    assert isinstance(ranked, pl.DataFrame)
    assert ranked["feature"].to_list() == [FEATURES[i] for i in fitted.order_]


def test_the_index_of_a_frame_is_no_feature(tmp_path, capsys):
    X, Y = frames()
    whole = pd.concat([X, Y], axis=1).set_index([[f"row {i}" for i in range(90)]])
    expected = FIMF(3).fit(X, Y)
    named = FIMF(3).fit(whole[FEATURES], whole[LABELS])
    assert named.feature_names_in_.tolist() == FEATURES
    np.testing.assert_array_equal(named.scores_, expected.scores_)
    whole.to_parquet(tmp_path / "a.parquet")
    whole.rename_axis("who").to_parquet(tmp_path / "b.parquet")
    whole.to_csv(tmp_path / "c.csv")
    whole.reset_index(drop=True).to_csv(tmp_path / "d.csv")
    whole[LABELS + FEATURES].to_csv(tmp_path / "e.csv")
    for name in ("a.parquet", "b.parquet", "c.csv", "d.csv"):
        read = load(tmp_path / name, labels=-4)
        assert list(read.feature_names) == FEATURES
        assert list(read.label_names) == LABELS
    assert list(load(tmp_path / "e.csv", labels=4).label_names) == LABELS
    reduced = tmp_path / "small.csv"
    words = ["--labels", "joy,fear,rage,calm", "-k", "3", "-m", "fimf", "--json"]
    assert main(["select", f"{tmp_path}/c.csv", *words, "--reduced", str(reduced)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["features"] == [FEATURES[i] for i in expected.order_[:3]]
    assert set(load(reduced).feature_names) == set(found["features"])
