"""Labels say the same, whatever their type and layout."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelsieve import FIMF, PMU
from labelsieve.reading import read_labels

TYPES = ["?", "i1", "u1", "i4", ">i4", "i8", "u8", "f2", "f4", "f8", ">f8"]


@pytest.mark.parametrize("kind", TYPES)
def test_types_and_layouts_are_read_alike(kind, random):
    table = (random.random((60, 50)) < 0.05).astype(kind)
    table[:, 3], table[:, 4] = 0, 1
    gaps = np.repeat(np.repeat(table, 2, axis=0), 2, axis=1)[::2, ::2]
    for form in (table, np.asfortranarray(table), gaps, table[::-1, ::-1][::-1, ::-1]):
        labels = read_labels(form, table)
        codes = table.astype(np.uint8)
        np.testing.assert_array_equal(labels.codes, codes)
        np.testing.assert_array_equal(labels.constant, np.ptp(codes, axis=0) == 0)


@pytest.mark.parametrize("selector", [FIMF(5), PMU(5)])
def test_scores_are_those_of_any_layout(selector, random):
    X, Y = random.random((80, 12)), (random.random((80, 40)) < 0.1).astype(int)
    expected = selector.fit(X, Y).scores_
    for form in (np.asfortranarray(Y), Y.astype(float), sp.csc_matrix(Y)):
        np.testing.assert_array_equal(selector.fit(X, form).scores_, expected)
