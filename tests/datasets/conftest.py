"""Real data for tests, where LABELSIEVE_DATA says that there is some."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labelsieve.datasets import _arff, _csv, _libsvm


@pytest.fixture(scope="session")
def data_home() -> Path:
    home = os.environ.get("LABELSIEVE_DATA")
    if not home:
        pytest.skip("LABELSIEVE_DATA is not set: no real data sets to read")
    return Path(home)


@pytest.fixture(params=[True, False], ids=["kernels", "careful"])
def each_way(request, monkeypatch) -> bool:
    """Read once by the kernels, however small the file, and once without them."""
    for module in (_arff, _csv, _libsvm):
        monkeypatch.setattr(module, "WORTHWHILE_BYTES", 0 if request.param else 1 << 60)
    return request.param
