"""A few mutations with each run; `python -m tests.fuzz.mutate 200000` makes many."""

from __future__ import annotations

import pytest

from labelsieve.datasets import _arff, _csv, _libsvm
from tests.fuzz.mutate import answer, run, use_kernels
from tests.fuzz.seeds import make_seeds


@pytest.fixture(autouse=True)
def _restore_kernels(monkeypatch):
    for module in (_arff, _csv, _libsvm):
        monkeypatch.setattr(module, "WORTHWHILE_BYTES", module.WORTHWHILE_BYTES)


@pytest.mark.parametrize("kernels", [True, False])
def test_seeds_are_valid(tmp_path, kernels):
    use_kernels(kernels)
    for seed in make_seeds():
        assert answer(tmp_path, seed.files, seed.arguments) == "data set"


@pytest.mark.parametrize("seed", range(2))
def test_every_mutation_is_a_data_set_or_a_format_error(seed):
    outcomes = run(1000, seed)
    assert outcomes["FAILURE"] == 0
    assert outcomes["data set"] > 0
    assert outcomes["FormatError"] > 0
