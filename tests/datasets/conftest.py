"""Real data for tests, where LABELSIEVE_DATA says that there is some."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labelsieve.datasets import _tables


@pytest.fixture(scope="session")
def data_home() -> Path:
    home = os.environ.get("LABELSIEVE_DATA")
    if not home:
        pytest.skip("LABELSIEVE_DATA is not set: no real data sets to read")
    return Path(home)


@pytest.fixture(params=[True, False], ids=["at once", "careful"])
def each_way(request, monkeypatch) -> bool:
    """Read once many rows at once, and once row by row."""
    if not request.param:
        monkeypatch.setattr(_tables, "AT_ONCE", 0)
    return request.param
