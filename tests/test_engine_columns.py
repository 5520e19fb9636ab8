"""Columns that engines multiply: the same from arrays and from sparse tables."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelsieve.discretization import (
    code_features,
    code_labels,
    cut_into_ranks,
    find_cuts,
    indicator_columns,
    score_columns,
)
from labelsieve.reading import MISSING, Features, read_labels


def cells(columns):
    values = columns.values
    return (values.toarray() if columns.is_sparse else values) + columns.absent


@pytest.fixture
def table(random):
    X = np.round(random.standard_normal((200, 9)), 1)
    X[:, 3:6] = random.integers(0, 4, (200, 3))
    X[:, 6] = X[:, 0] > 0
    X[:, 7] = 5
    X[random.random(X.shape) < 0.1] = 0
    return X


@pytest.mark.parametrize("n_bins", [2, 3, 5])
def test_indicators_are_those_of_all_levels_but_the_most_frequent(n_bins, table):
    forms = []
    for X in (table, sp.csr_matrix(table)):
        coded = code_features(Features(X), find_cuts(Features(X), n_bins, "quantile"))
        forms.append(indicator_columns(coded))
        codes = coded.dense()
        for block, owner in enumerate(forms[-1].owner):
            level = block - forms[-1].start[owner] + 1
            is_level = codes[:, owner] == level
            np.testing.assert_array_equal(cells(forms[-1])[:, block], is_level)
    np.testing.assert_array_equal(*map(cells, forms))


def test_the_last_column_of_a_label_marks_where_it_is_not_known(random):
    Y = (random.random((60, 3)) < 0.4).astype(float)
    hidden = random.random(60) < 0.2
    Y[hidden, 1] = np.nan
    columns = indicator_columns(code_labels(read_labels(Y, Y)))
    assert columns.unknown.tolist() == [False, True, False]
    last = columns.start[2] - 1
    np.testing.assert_array_equal(cells(columns)[:, last], hidden)


@pytest.mark.parametrize("gaps", [False, True])
def test_scores_of_numbers_are_the_same_from_sparse_tables(gaps, table):
    n_missing = None
    if gaps:
        table[::7, 1] = MISSING
        n_missing = (table == MISSING).sum(axis=0)
    forms = []
    for X in (table, sp.csr_matrix(table)):
        features = Features(X, n_missing=n_missing)
        cuts, ranks = cut_into_ranks(features)
        forms.append(score_columns(X, ranks, code_features(features, cuts)))
    assert forms[0].is_score.any()
    np.testing.assert_array_equal(*map(cells, forms))
    np.testing.assert_array_equal(*(columns.start for columns in forms))
    np.testing.assert_array_equal(*(columns.totals for columns in forms))
    if gaps:
        start = forms[0].start[1]
        is_missing = table[:, 1] == MISSING
        np.testing.assert_array_equal(cells(forms[0])[:, start + 1], is_missing)
