"""Real data with golden values, from the data folder or from an installed package."""

import csv
import gzip
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(params=["emotions", "yeast", "yeast of river"])
def real_case(request, real, real_data):
    """X, Y and the golden values of a real data set."""
    name, *other = request.param.split(" of ")
    X, Y = _river_yeast() if other else real_data(name)
    return X, Y, real[name]


def _river_yeast():
    found = find_spec("river")
    if found is None or found.origin is None:
        pytest.skip("the package river, which carries the yeast data, is not installed")
    path = Path(found.origin).parent / "datasets" / "yeast.csv.gz"
    with gzip.open(path, "rt", newline="") as lines:
        rows = list(csv.reader(lines))
    names = np.array(rows[0])
    table = np.array(rows[1:])
    labels = np.char.startswith(names, "Class")
    return table[:, ~labels].astype(float), table[:, labels].astype(int)
