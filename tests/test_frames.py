"""Tables come from the library that is loaded."""

import sys

import pandas
import polars

from labelsieve._utils.messages import frame_of

COLUMNS = {"feature": ["a", "b"], "score": [0.5, 0.25]}


def test_pandas_where_it_is_loaded():
    frame = frame_of(COLUMNS)
    assert isinstance(frame, pandas.DataFrame)
    assert frame.to_dict("list") == COLUMNS


def test_polars_where_only_polars_is_loaded(monkeypatch):
    monkeypatch.delitem(sys.modules, "pandas")
    frame = frame_of(COLUMNS)
    assert isinstance(frame, polars.DataFrame)
    assert frame.to_dict(as_series=False) == COLUMNS
