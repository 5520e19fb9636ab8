"""Tables that do not fit are refused beforehand, with the estimate and a way out."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelsieve import TransformationSelector
from labelsieve._utils import machine
from labelsieve.engines import columns
from labelsieve.registry import make_selector
from labelsieve.selectors import BinaryRelevance

REFUSED = {
    "pmu": "FIMF",
    "lrfs": "FIMF",
    "mlqpfs": "FIMF",
    "grro": "FIMF",
    "fimf, miller-madow": "fewer labels",
    "br+chi2, max": "aggregate=",
}


def make(name):
    name, _, how = name.partition(", ")
    if how == "max":
        return TransformationSelector(
            3, transformation=BinaryRelevance(), aggregate="max"
        )
    options = {"correction": how} if how else {}
    return make_selector(name, n_features_to_select=3, **options)


@pytest.fixture
def words():
    random = np.random.default_rng(0)
    return sp.csr_matrix(random.random((100, 80)) < 0.06, dtype=float)


@pytest.mark.parametrize("name", REFUSED)
def test_refused_before_anything_is_counted(name, words, monkeypatch):
    monkeypatch.setattr(machine, "ALWAYS_TRIED", 0)
    monkeypatch.setattr(machine, "available_memory", lambda: 6_000)
    with pytest.raises(MemoryError, match=REFUSED[name]) as refused:
        make(name).fit(words[:, :50], words[:, 50:])
    assert "GiB" in str(refused.value)


@pytest.mark.parametrize(
    "name", ["fimf", "scls", "d2f", "mdmr", "br+chi2", "br+mi", "pmu", "lrfs"]
)
def test_listed_cells_need_no_table(name, words, monkeypatch):
    monkeypatch.setattr(columns, "FEW_CELLS", 0)
    monkeypatch.setattr("labelsieve.engines.sparse_terms.LISTED_SHARE", np.inf)
    monkeypatch.setattr(machine, "ALWAYS_TRIED", 0)
    monkeypatch.setattr(machine, "available_memory", lambda: 5_900)
    options = {"n_labels": 0} if name == "fimf" else {}
    selector = make_selector(name, n_features_to_select=3, **options)
    assert selector.fit(words[:, :50], words[:, 50:]).scores_.any()


def test_a_container_may_take_less(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "CONTROL_GROUP", str(tmp_path))
    free = machine.available_memory()
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("4000\n")
    (tmp_path / "memory.stat").write_text("anon 3000\ninactive_file 700\n")
    assert machine.available_memory() in (1_700, free)
    assert machine._left_in_group(10**9) == 1_700
    (tmp_path / "memory.max").write_text("max\n")
    assert machine._left_in_group(10**9) == 10**9
