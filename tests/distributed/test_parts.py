"""The parts: cut points over blocks, partial tables, spilled objects."""

from itertools import pairwise
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import labelsieve.discretization._cuts as dask_cuts
from labelsieve.blocks import load, spill
from labelsieve.blocks.columns import merge_columns, survey_columns
from labelsieve.blocks.engine import value
from labelsieve.discretization import code_labels, find_cuts
from labelsieve.discretization._cuts import cut_surveyed
from labelsieve.reading.features import Features
from labelsieve.reading.labels import read_labels
from tests.distributed.data import table

numbers = st.sampled_from([-3.0, -1.5, -0.0, 0.0, 5e-324, 1.0, 1.5, 2.0, 1e300])


def block_cuts(X, edges, n_bins, binning):
    blocks = [X[low:high] for low, high in pairwise(edges)]
    surveys = [survey_columns(Features(b), n_bins, binning) for b in blocks]
    survey = merge_columns(surveys)
    values = [value(block) for block in blocks]
    search = dask_cuts.block_quantiles(survey, values)
    return cut_surveyed(survey, n_bins, binning, search), survey


@pytest.mark.parametrize("gathered", [1, 10**6])
@given(
    arrays(float, st.tuples(st.integers(2, 40), st.just(3)), elements=numbers),
    st.integers(2, 4),
    st.sampled_from(["quantile", "uniform", "none"]),
    st.booleans(),
)
def test_cuts_of_blocks_equal_cuts_of_all_rows(gathered, X, n_bins, binning, sparse):
    if sparse:
        X = sp.csr_matrix(X)
        X.eliminate_zeros()
    n = X.shape[0]
    edges = [0, n // 3, n // 3, n // 2, n]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dask_cuts, "GATHERED_VALUES", gathered)
        found, survey = block_cuts(X, edges, n_bins, binning)
    expected = find_cuts(Features(X), n_bins, binning)
    np.testing.assert_array_equal(found.start, expected.start)
    np.testing.assert_array_equal(found.points, expected.points)
    np.testing.assert_array_equal(survey.constant, Features(X).constant)


@pytest.mark.parametrize("gathered", [1, 500, 10**6])
def test_cuts_of_many_different_values(gathered, monkeypatch):
    monkeypatch.setattr(dask_cuts, "GATHERED_VALUES", gathered)
    X, _ = table()
    for rows in (X, sp.csr_matrix(X)):
        found, _ = block_cuts(rows, [0, 100, 400], 3, "quantile")
        expected = find_cuts(Features(rows), 3, "quantile")
        np.testing.assert_array_equal(found.points, expected.points)


def test_words_are_surveyed_by_one_cell_each():
    X = sp.random(50, 8, 0.2, format="csr", random_state=0)
    for word in (1.0, -2.0):
        X.data[:] = word
        found, survey = block_cuts(X, [0, 20, 50], 2, "quantile")
        np.testing.assert_array_equal(
            found.points, find_cuts(Features(X), 2, "quantile").points
        )
        stored = np.bincount(X.indices, minlength=8)
        assert survey.n_entries == X.nnz
        counts = survey.n_positive if word > 0 else survey.n_negative
        np.testing.assert_array_equal(counts, stored)


def test_spilled_objects_come_back_and_leave_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    content = {"a": np.arange(7.0), "b": sp.csr_matrix(np.eye(3)), "c": np.empty(0)}
    assert spill(content, None) is content
    folder = TemporaryDirectory()
    spilled = spill(content, folder.name)
    found = load(spilled)
    np.testing.assert_array_equal(found["a"], content["a"])
    np.testing.assert_array_equal(found["b"].toarray(), np.eye(3))
    assert found["c"].size == 0
    found["a"][0] = 99.0  # private pages: kernels may write, the file stays
    assert load(spilled)["a"][0] == 0.0
    assert load(spill({"empty": np.empty(0)}, folder.name))["empty"].size == 0
    folder.cleanup()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_a_label_of_all_rows_does_not_disturb_its_neighbours(layout):
    labels = read_labels(layout([[1, 1], [1, 1], [1, 1], [1, 0]]), np.zeros((4, 1)))
    coded = code_labels(labels)
    assert coded.kept.tolist() == [1]
    assert np.count_nonzero(coded.dense()) == 1  # the rows that lack the frequent label
