"""Sieve where effects are not monotone, and where samples come in groups."""

import warnings

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from labelsieve import Sieve
from tests.naive import significance as naive_significance
from tests.naive.sieve import Criterion


def u_shapes(random, n=600, n_shapes=5, n_noise=15):
    """Each label where the absolute value of a number of its own is above 1."""
    X = random.normal(size=(n, n_shapes + n_noise))
    return X, (np.abs(X[:, :n_shapes]) > 1).astype(int)


@pytest.mark.parametrize("k", [5, "auto"])
def test_effects_that_are_not_monotone_are_found(k, random):
    X, Y = u_shapes(random)
    assert Sieve(k).fit(X, Y).get_support(indices=True).tolist() == [0, 1, 2, 3, 4]


def test_monotone_effects_get_no_square(random):
    """Squares would change scores: they are those of a slow look without."""
    X = random.normal(size=(300, 5))
    Y = (X[:, :2] + random.normal(size=(300, 2)) > 0).astype(int)
    fitted = Sieve(3).fit(X, Y)
    order, scores = Criterion(X, Y, numbers=range(5)).order(3)
    assert_array_equal(fitted.order_, order)
    np.testing.assert_allclose(fitted.scores_[order], scores, rtol=1e-9)


@pytest.mark.parametrize("k", [6, "auto"])
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("in_memory", [False, True])
def test_squares_are_the_same_from_any_container(
    k, holes, in_memory, random, monkeypatch
):
    from labelsieve.discretization import _block_codes

    monkeypatch.setattr(_block_codes.CodedBlocks, "fits_in_memory", in_memory)
    X, Y = u_shapes(random)
    X[random.random(X.shape) < 0.3] = 0.0
    X[:, 6:9] = np.abs(X[:, 6:9]) > 1
    Y = np.where(random.random(Y.shape) < 0.1, 1 - Y, Y).astype(float)
    if holes:
        X[random.random(X.shape) < 0.05] = np.nan
        Y[random.random(Y.shape) < 0.05] = np.nan
    dense = Sieve(k).fit(X, Y)
    assert dense.support_[:5].sum() >= 4
    for form in (sp.csr_matrix(X), da.from_array(X, chunks=(250, -1))):
        y = da.from_array(Y, chunks=(250, -1)) if isinstance(form, da.Array) else Y
        other = Sieve(k).fit(form, y)
        assert_array_equal(other.order_, dense.order_)
        assert_array_equal(other.support_, dense.support_)
        np.testing.assert_allclose(other.scores_, dense.scores_, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:no feature is significant")
@pytest.mark.parametrize(
    ("error", "alpha"), [("fwer", None), ("fdr", None), ("fwer", 0.2), ("fdr", 0.01)]
)
@pytest.mark.parametrize("kind", ["numbers", "words", "both"])
@pytest.mark.parametrize("seed", range(4))
def test_auto_picks_what_a_slow_look_picks(seed, kind, error, alpha):
    """With the errors divided between scores and squares, of both kinds of errors."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(160, 10))
    numbers = {"numbers": range(10), "words": [], "both": range(0, 10, 2)}[kind]
    words = [f for f in range(10) if f not in numbers]
    signal = X[:, :4] + X[:, 4:8]
    signal[:, 2] = np.abs(signal[:, 2]) - 1
    Y = (signal[:, :3] + 0.7 * random.normal(size=(160, 3)) > 0.3).astype(int)
    X[:, words] = X[:, words] > 0.7
    squared = [
        f for f in numbers if naive_significance.has_square(X[:, f], Y * 1.0, 10)
    ]
    found = Criterion(X, Y, numbers=numbers, squared=squared)
    expected = naive_significance.auto(found, error, alpha)
    fitted = Sieve("auto", error_rate=error, alpha=alpha).fit(X, Y)
    if expected:
        assert fitted.order_[: fitted.support_.sum()].tolist() == expected
    else:
        assert fitted.support_.sum() == 1


def repeated_samples(seed, n_patients=60, n_samples=8, n_features=20):
    """Samples of patients, whose two labels two features explain."""
    random = np.random.default_rng(seed)
    patients = np.repeat(np.arange(n_patients), n_samples)
    own = random.normal(size=(n_patients, n_features))
    Y = (own[:, :2] + 0.3 * random.normal(size=(n_patients, 2)) > 0)[patients]
    X = own[patients] + 0.5 * random.normal(size=(patients.size, n_features))
    return X, Y.astype(int), patients


def n_false(*data, **groups):
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        support = Sieve("auto").fit(*data, **groups).support_
    assert support[:2].all()
    return support[2:].sum()


def test_samples_of_a_group_count_as_fewer():
    """Rates are measured by the benchmarks; here that groups are what matters."""
    drawn = [repeated_samples(seed) for seed in range(8)]
    with_groups = [n_false(X, Y, groups=patients) for X, Y, patients in drawn]
    without = [n_false(X, Y) for X, Y, _ in drawn]
    assert sum(with_groups) <= 1
    assert min(without) >= 3


@pytest.mark.filterwarnings("ignore:no feature is significant")
def test_copies_of_samples_count_once():
    same = []
    for seed in range(30):
        random = np.random.default_rng(seed)
        X = random.normal(size=(60, 8))
        Y = X[:, :3] * [0.6, 0.8, 1.0] + random.normal(size=(60, 3)) > 0
        copies = np.repeat(np.arange(60), 5)
        once = Sieve("auto").fit(X, Y)
        grouped = Sieve("auto").fit(X[copies], Y[copies], groups=copies)
        same.append((once.support_ == grouped.support_).all())
    # The bias that is taken off is that of all samples: J of a weak feature differs.
    assert sum(same) >= 28


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kind", ["numbers", "words", "unknown"])
def test_groups_of_one_sample_are_no_groups(kind, form, random):
    X, Y, patients = repeated_samples(3)
    Y = Y.astype(float)
    if kind == "words":
        X = (X > 0.8).astype(float)
    if kind == "unknown":
        Y[random.random(Y.shape) < 0.3] = np.nan
        Y[5] = np.nan
    plain = Sieve("auto").fit(form(X), Y)
    alone = Sieve("auto").fit(form(X), Y, groups=random.permutation(len(X)))
    assert_array_equal(alone.order_, plain.order_)
    assert_array_equal(alone.support_, plain.support_)
    grouped = Sieve("auto").fit(form(X), Y, groups=patients)
    assert 1 < grouped.support_.sum() < plain.support_.sum()
    names = np.array([f"patient {p}" for p in patients])
    shuffled = random.permutation(len(X))
    again = Sieve("auto").fit(form(X)[shuffled], Y[shuffled], groups=names[shuffled])
    assert_array_equal(again.support_, grouped.support_)


def test_groups_that_do_not_fit_are_refused(random):
    X, Y, patients = repeated_samples(0)
    with pytest.raises(ValueError, match="one entry for each of the 480 rows"):
        Sieve("auto").fit(X, Y, groups=patients[:-1])
    lazy = (da.from_array(table, chunks=(100, -1)) for table in (X, Y))
    with pytest.raises(TypeError, match="groups are for samples in memory"):
        Sieve("auto").fit(*lazy, groups=patients)


def test_groups_are_routed_through_a_pipeline():
    X, Y, patients = repeated_samples(1)
    direct = Sieve("auto").fit(X, Y, groups=patients)
    with sklearn.config_context(enable_metadata_routing=True):
        sieve = Sieve("auto").set_fit_request(groups=True)
        pipeline = make_pipeline(sieve, LogisticRegression())
        pipeline.fit(X, Y[:, 0], groups=patients)
        routed = make_pipeline(sieve).fit(X, Y, groups=patients)[0]
    assert_array_equal(routed.support_, direct.support_)
    assert pipeline[0].support_.sum() < Sieve("auto").fit(X, Y[:, 0]).support_.sum()


def test_samples_that_repeat_exactly_are_noticed(random):
    X, Y, patients = repeated_samples(2)
    twice = np.tile(np.arange(len(X)), 2)
    for form in (np.asarray, sp.csr_matrix):
        with pytest.warns(UserWarning, match="480 samples repeat others exactly"):
            Sieve("auto").fit(form(X[twice]), Y[twice])
    Sieve("auto").fit(X[twice], Y[twice], groups=patients[twice])  # warns of nothing
    Sieve(3).fit(X[twice], Y[twice])
    Sieve("auto").fit((X[twice] > 1) * 1, Y[twice])  # words may be equal by chance


@pytest.mark.parametrize(
    ("n_numbers", "n_repeated", "is_said"),
    [(4, 11, True), (4, 10, False), (3, 50, False)],
)
def test_few_samples_may_repeat_and_few_numbers(n_numbers, n_repeated, is_said, random):
    """Of 200 samples 10 may be copies; three numbers may be equal by chance."""
    X = random.normal(size=(200, n_numbers))
    X[:n_repeated] = X[-n_repeated:]
    Y = X[:, :1] > 0
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        Sieve("auto").fit(X, Y)
    assert any("repeat others exactly" in str(one.message) for one in said) == is_said
