"""Real data with golden values, and one table in all forms that selectors take."""

import csv
import gzip
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.selectors.data import data
from tests.selectors.forms import CONTAINERS, LABELS


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


@pytest.fixture(scope="session")
def containers(tmp_path_factory):
    """The features of `data` by the name of their container."""
    X, _ = data()
    return {name: make(X, tmp_path_factory) for name, make in CONTAINERS.items()}


@pytest.fixture(scope="session")
def label_forms():
    """The labels of `data` by the name of their form."""
    _, Y = data()
    return {name: make(Y) for name, make in LABELS.items()}
