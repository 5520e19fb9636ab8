"""Laws and values of the public information measures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from labelsieve.information import (
    conditional_mutual_information,
    entropy,
    interaction_information,
    mutual_information,
)
from tests.naive import information as naive

CLOSE = {"rel": 1e-12, "abs": 1e-12}


@st.composite
def columns(draw, n_columns):
    n = draw(st.integers(1, 60))
    codes = st.integers(0, draw(st.integers(1, 4)))
    return [draw(arrays(np.int64, n, elements=codes)) for _ in range(n_columns)]


@given(columns(3))
def test_equals_the_naive_versions(abc):
    a, b, c = abc
    assert entropy(a, b, c) == pytest.approx(naive.entropy(a, b, c), **CLOSE)
    assert mutual_information(a, b) == pytest.approx(
        naive.mutual_information(a, b), **CLOSE
    )
    assert interaction_information(a, b, c) == pytest.approx(
        naive.interaction_information(a, b, c), **CLOSE
    )
    assert conditional_mutual_information(a, b, c) == pytest.approx(
        naive.conditional_mutual_information(a, b, c), **CLOSE
    )


@given(columns(1))
def test_entropy_lies_between_zero_and_log_of_the_values(a):
    assert 0 <= entropy(a[0]) <= np.log(len(set(a[0].tolist()))) + 1e-12
    assert mutual_information(a[0], a[0]) == pytest.approx(entropy(a[0]), **CLOSE)


@given(columns(2))
def test_mutual_information_is_symmetric_and_bounded(ab):
    a, b = ab
    value = mutual_information(a, b)
    assert value >= 0
    assert value == pytest.approx(mutual_information(b, a), **CLOSE)
    assert value <= min(entropy(a), entropy(b)) + 1e-12


@given(columns(3))
def test_chain_rule(abc):
    a, b, c = abc
    together = entropy(a, b) + entropy(c) - entropy(a, b, c)
    chained = mutual_information(a, c) + conditional_mutual_information(b, c, a)
    assert together == pytest.approx(chained, **CLOSE)


@given(columns(3))
def test_interaction_is_bounded_by_the_smallest_entropy(abc):
    smallest = min(entropy(column) for column in abc)
    assert abs(interaction_information(*abc)) <= smallest + 1e-12


@given(columns(2), st.randoms())
def test_renaming_codes_permuting_and_repeating_rows_change_nothing(ab, shuffler):
    a, b = ab
    value = mutual_information(a, b)
    names = dict(zip(range(5), ["x", "q", "zz", "a", "b"], strict=True))
    renamed = [names[v] for v in a.tolist()]
    assert mutual_information(renamed, b) == pytest.approx(value, **CLOSE)
    order = list(range(len(a)))
    shuffler.shuffle(order)
    assert mutual_information(a[order], b[order]) == pytest.approx(value, **CLOSE)
    assert mutual_information(np.tile(a, 3), np.tile(b, 3)) == pytest.approx(
        value, **CLOSE
    )


@given(columns(2))
def test_processing_a_column_never_adds_information(ab):
    a, b = ab
    assert mutual_information(a // 2, b) <= mutual_information(a, b) + 1e-12


def test_conditioning_on_an_independent_column_changes_nothing():
    a = np.repeat([0, 0, 1, 1], 2)
    b = np.repeat([0, 1, 1, 1], 2)
    coin = np.tile([0, 1], 4)
    assert conditional_mutual_information(a, b, coin) == pytest.approx(
        mutual_information(a, b)
    )


def test_golden_values(toy):
    codes, Y = np.array(toy["X_discrete"]), np.array(toy["Y"])
    for i, f in enumerate(codes.T):
        assert entropy(f) == pytest.approx(toy["entropy_features_nat"][i], abs=1e-9)
        for j, label in enumerate(Y.T):
            assert mutual_information(f, label) == pytest.approx(
                toy["mi_feature_label_nat"][i][j], abs=1e-9
            )
        for pair, value in toy["interaction_f_l_l_nat"][str(i)].items():
            a, b = (Y[:, int(j)] for j in pair.split(","))
            assert interaction_information(f, a, b) == pytest.approx(value, abs=1e-9)
    for label, bits in zip(Y.T, toy["entropy_labels_bits"], strict=True):
        assert entropy(label, base=2) == pytest.approx(bits, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: entropy(), "at least one column"),
        (lambda: entropy([]), "at least one row"),
        (lambda: entropy([[1, 2]]), "1-D columns"),
        (lambda: mutual_information([1, 2], [1, 2, 3]), "same length"),
        (lambda: entropy([0.0, float("nan")]), "NaN"),
        (lambda: entropy([0, 1], base=1), "base must be positive"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("values", [[0, 0, 1, 1], [0.0, 0.5, 1.0, 1.0], list("aabb")])
def test_masked_cells_are_missing(values):
    column = np.ma.masked_array(values, mask=[False, True, False, False])
    other = [0, 1, 0, 1]
    with pytest.raises(ValueError, match="contains NaN: 1 of its cells are masked"):
        entropy(column)
    with pytest.raises(ValueError, match="contains NaN"):
        mutual_information(other, column)
    with pytest.raises(ValueError, match="contains NaN"):
        conditional_mutual_information(other, other, column)
    with pytest.raises(ValueError, match="contains NaN"):
        interaction_information(column, other, other)
    whole = np.ma.masked_array(values, mask=False)
    assert entropy(whole) == entropy(values)
