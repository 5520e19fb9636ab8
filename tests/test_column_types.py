"""What becomes of columns of a table that are no plain numbers."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from labelsieve import PMU
from labelsieve.reading.frames import frame_to_numbers

DAYS = [dt.date(2020, 1, 1), None, dt.date(1969, 12, 31)]
MOMENTS = [dt.datetime(2020, 1, 1, 12, 0, 0, 500_000), None, dt.datetime(1969, 12, 31)]
ZONED = [moment and moment.replace(tzinfo=dt.UTC) for moment in MOMENTS]
TIMES = [dt.time(1, 2, 3), None, dt.time(0)]
LENGTHS = [dt.timedelta(days=1), None, dt.timedelta(seconds=-1.5)]
BERLIN = "Europe/Berlin"
SECONDS = {
    "days": [1_577_836_800.0, np.nan, -86_400.0],
    "moments": [1_577_880_000.5, np.nan, -86_400.0],
    "times": [3723.0, np.nan, 0.0],
    "lengths": [86_400.0, np.nan, -1.5],
}
COLUMNS = {
    "pandas": ("moments", pd.Series(MOMENTS)),
    "pandas, milliseconds": ("moments", pd.Series(MOMENTS).astype("datetime64[ms]")),
    "pandas, zoned": ("moments", pd.Series(ZONED).dt.tz_convert(BERLIN)),
    "pandas, days of arrow": ("days", pd.Series(DAYS, dtype="date32[day][pyarrow]")),
    "pandas, arrow": ("moments", pd.Series(MOMENTS, dtype="timestamp[us][pyarrow]")),
    "pandas, times": ("times", pd.Series(TIMES, dtype="time64[us][pyarrow]")),
    "pandas, lengths": ("lengths", pd.Series(LENGTHS)),
    "polars": ("moments", pl.Series(MOMENTS)),
    "polars, zoned": ("moments", pl.Series(ZONED).dt.convert_time_zone(BERLIN)),
    "polars, days": ("days", pl.Series(DAYS)),
    "polars, times": ("times", pl.Series(TIMES)),
    "polars, lengths": ("lengths", pl.Series(LENGTHS)),
}


@pytest.mark.parametrize("form", COLUMNS)
def test_times_are_seconds(form):
    kind, column = COLUMNS[form]
    is_pandas = isinstance(column, pd.Series)
    frame = (pd if is_pandas else pl).DataFrame({"when": column})
    numbers, categories = frame_to_numbers(frame)
    np.testing.assert_array_equal(numbers[:, 0], SECONDS[kind])
    assert categories == {}


def test_a_date_that_tells_a_label(random):
    Y = random.integers(0, 2, (80, 2))
    when = pd.Timestamp("2024-02-28") + pd.to_timedelta(200 * Y[:, 0], unit="D")
    noise = random.normal(size=(80, 3))
    frame = pd.DataFrame(noise, columns=["a", "b", "c"]).assign(when=when)
    for table in (frame, pl.from_pandas(frame)):
        assert PMU(1).fit(table, Y).get_feature_names_out().tolist() == ["when"]
