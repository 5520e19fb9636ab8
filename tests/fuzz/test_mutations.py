"""A few damaged files of each format with each run; `make fuzz` reads many."""

from __future__ import annotations

import pytest

from labelsieve.datasets import _tables
from tests.fuzz.answers import REFUSED, RESULT
from tests.fuzz.cases import CORPUS, FORMATS, answer, read_kept, seeds_of
from tests.fuzz.limits import FAILURE, run

# Dask itself calls pandas in a way that pandas 3.1 calls old.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

# Damage that is likely to be noticed needs fewer cases; slow formats get fewer.
COUNTS = {"arff": 500, "csv": 500, "libsvm": 500, "xml": 300, "selector": 300}
FEWER = 100


@pytest.fixture(autouse=True)
def _restore(monkeypatch):
    monkeypatch.setattr(_tables, "AT_ONCE", _tables.AT_ONCE)


@pytest.mark.parametrize("name", FORMATS)
def test_seeds_are_valid(tmp_path, name):
    found = {answer(name, tmp_path, seed, 1) for seed in seeds_of(name)}
    found |= {answer(name, tmp_path, seed) for seed in seeds_of(name)}
    # Odd Parquet files are refused whole.
    assert found == ({RESULT, REFUSED} if name == "parquet" else {RESULT})


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_give_a_result_or_a_clear_error(name):
    outcomes = run(name, 0, range(1, COUNTS.get(name, FEWER) + 1))
    assert outcomes[FAILURE] == 0
    assert outcomes[RESULT] > 0
    assert outcomes[REFUSED] > 0


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.json")), ids=lambda p: p.stem)
@pytest.mark.parametrize("number", [0, 1], ids=["at once", "careful"])
def test_what_was_found_once_stays_mended(tmp_path, path, number):
    name, case = read_kept(path)
    assert answer(name, tmp_path, case, number) in (RESULT, REFUSED)
