import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from labelsieve.experiments import HoldOut, KFold, SampledTraining
from labelsieve.folds import stratified_parts

PROTOCOLS = [
    HoldOut(n_splits=4),
    HoldOut(n_splits=4, stratified=True),
    KFold(n_splits=4),
    KFold(n_splits=4, stratified=True),
    SampledTraining(n_splits=4, n_train=60, test_size=0.1),
    SampledTraining(n_splits=4, n_train=60, test_size=0.1, stratified=True),
]


@pytest.fixture
def labels(random):
    return (random.random((103, 5)) < [0.5, 0.3, 0.1, 0.05, 0.0]).astype(np.uint8)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda p: p.describe())
def test_parts_are_disjoint_sorted_and_repeatable(protocol, labels):
    for index in range(4):
        split = protocol.split(labels, 7, index)
        again = protocol.split(labels, 7, index)
        assert not set(split.train) & set(split.test)
        for part, repeated in ((split.train, again.train), (split.test, again.test)):
            np.testing.assert_array_equal(part, repeated)
            np.testing.assert_array_equal(part, np.unique(part))
            assert 0 <= part[0] <= part[-1] < 103


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda p: p.describe())
def test_seeds_and_numbers_give_other_splits(protocol, labels):
    tests = {
        tuple(protocol.split(labels, seed, index).test)
        for seed in (1, 2)
        for index in range(4)
    }
    assert len(tests) == 8


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda p: p.describe())
def test_fewer_splits_are_the_first_ones(protocol, labels):
    fewer = protocol.with_splits(2)
    assert fewer.n_splits == 2
    assert fewer.identity() == protocol.identity()
    np.testing.assert_array_equal(
        fewer.split(labels, 3, 1).test, protocol.split(labels, 3, 1).test
    )


def test_hold_out_sizes():
    split = HoldOut(test_size=0.3).split(np.zeros((2407, 1)), 0, 0)
    assert (split.train.size, split.test.size) == (1685, 722)
    tiny = HoldOut(test_size=0.01).split(np.zeros((3, 1)), 0, 0)
    assert (tiny.train.size, tiny.test.size) == (2, 1)


@pytest.mark.parametrize("stratified", [False, True])
def test_each_row_tests_once_in_folds(labels, stratified):
    folds = KFold(n_splits=10, stratified=stratified)
    splits = [folds.split(labels, 0, index) for index in range(10)]
    np.testing.assert_array_equal(
        np.sort(np.concatenate([split.test for split in splits])), np.arange(103)
    )
    assert {split.test.size for split in splits} == {10, 11}
    assert all(split.train.size + split.test.size == 103 for split in splits)


def test_labels_decide_only_stratified_splits(labels, random):
    other = random.permutation(labels)
    plain = HoldOut(n_splits=1)
    np.testing.assert_array_equal(
        plain.split(labels, 0, 0).test, plain.split(other, 0, 0).test
    )


def test_sampled_training_names_the_way_out():
    with pytest.raises(ValueError, match=r"1800 training and 190 test rows.*HoldOut"):
        SampledTraining(test_size=0.1).split(np.zeros((1900, 2)), 0, 0)


def test_too_few_rows_for_folds():
    with pytest.raises(ValueError, match="3 rows cannot be divided into 10 folds"):
        KFold().split(np.zeros((3, 2)), 0, 0)


def test_split_numbers_end():
    with pytest.raises(IndexError, match="0 to 2, got 3"):
        HoldOut(n_splits=3).split(np.zeros((9, 1)), 0, 3)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_stratified_parts_have_their_sizes(seed, n_parts):
    random = np.random.default_rng(seed)
    Y = random.random((40, 4)) < 0.3
    cuts = np.sort(random.choice(np.arange(1, 40), n_parts - 1, replace=False))
    sizes = np.diff([0, *cuts, 40]).tolist()
    parts = stratified_parts(Y, sizes, random)
    assert [part.size for part in parts] == sizes
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(40))


def test_stratified_parts_share_rare_labels(random):
    Y = np.zeros((200, 3), dtype=np.uint8)
    Y[:100, 0] = 1
    Y[:20, 1] = 1
    Y[100:104, 2] = 1
    Y = random.permutation(Y)
    for part in stratified_parts(sp.csr_array(Y), [50] * 4, random):
        np.testing.assert_allclose(Y[part].sum(axis=0), [25, 5, 1], atol=1)
