"""Fixtures that all tests share: golden values, real data where it is, seeds."""

import gc
import json
import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

from labelsieve.datasets import find_dataset, load

GOLDEN = Path(__file__).parent / "golden"

# A contract of import-linter, which only `make lint` needs.
collect_ignore = [] if find_spec("importlinter") else ["import_contract.py"]

settings.register_profile(
    "labelsieve",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    # The same examples in every run; `make fuzz` looks at many new ones.
    derandomize=True,
    max_examples=50,
)
settings.register_profile(
    "explore", settings.get_profile("labelsieve"), derandomize=False, max_examples=500
)
settings.load_profile("labelsieve")

# Small tables wait longer for threads of BLAS than they compute, and other processes
# test beside this one. A test of the contract of selectors lets it use two.
import_module("scipy.linalg")
threadpool_limits(1)


# Thousands of tests are collected: looking for garbage among them takes seconds.
gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def toy():
    """Brute-force values of an 8 x 6 x 4 data set."""
    return json.loads((GOLDEN / "toy.json").read_text())


@pytest.fixture(scope="session")
def toy_data(toy):
    return np.array(toy["X_continuous"]), np.array(toy["Y"])


@pytest.fixture(scope="session")
def real():
    """Brute-force values of emotions and yeast."""
    return json.loads((GOLDEN / "real.json").read_text())


@pytest.fixture(scope="session")
def real_data():
    """Load a real data set by name, or skip where there is none."""

    def read(name):
        if not os.environ.get("LABELSIEVE_DATA"):
            pytest.skip("LABELSIEVE_DATA does not name a folder of data sets")
        return load(find_dataset(name))

    return read


@pytest.fixture(params=[0, 1, 2])
def random(request):
    return np.random.default_rng(request.param)
