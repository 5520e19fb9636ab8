"""Corrected information from counts, against the same from arrays, and by chance."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelsieve.counting import Counts, choose_source
from labelsieve.discretization import code_features, code_labels, find_cuts
from labelsieve.information import (
    Terms,
    conditional_mutual_information,
    entropy,
    interaction_information,
    mutual_information,
)
from labelsieve.reading.features import Features
from labelsieve.reading.labels import read_labels
from labelsieve.selectors import D2F, FIMF, LRFS, MDMR, MLQPFS, PMU, SCLS
from tests.selectors.data import coded_data

each = pytest.mark.parametrize("correction", ["miller-madow", "chi2"])


def counts_of(X, Y):
    features = Features(X.astype(float))
    coded = code_features(features, find_cuts(features, 2, "none"))
    labels = code_labels(read_labels(Y, X))
    return Counts(coded, labels, choose_source(coded, labels, labels))


def shared(a, b, correction):
    """Mutual information that may fall below zero."""
    if correction == "chi2":
        return mutual_information(a, b, correction="chi2")
    parts = [entropy(*c, correction=correction) for c in ((a,), (b,), (a, b))]
    return parts[0] + parts[1] - parts[2]


@each
@given(data=coded_data(max_codes=4), repeat=st.sampled_from([1, 5]))
def test_terms_equal_those_of_arrays(correction, data, repeat):
    X, Y = (np.tile(part, (repeat, 1)) for part in data)
    terms = Terms.of(counts_of(X, Y), correction)
    s = X.shape[1] - 1
    relevant = [sum(shared(f, y, correction) for y in Y.T) for f in X.T]
    np.testing.assert_allclose(terms.relevance(), relevant, atol=1e-9)
    pairs = [
        sum(
            interaction_information(f, a, b, correction=correction)
            for a, b in combinations(Y.T, 2)
        )
        for f in X.T
    ]
    with_chosen = [
        sum(interaction_information(f, X[:, s], y, correction=correction) for y in Y.T)
        for f in X.T
    ]
    between = [shared(f, X[:, s], correction) for f in X.T]
    np.testing.assert_allclose(terms.shared_with(s), between, atol=1e-9)
    np.testing.assert_allclose(
        terms.feature_pairs(0, X.shape[1])[s], between, atol=1e-9
    )
    if correction == "miller-madow":
        np.testing.assert_allclose(terms.label_pair_interaction(), pairs, atol=1e-9)
        np.testing.assert_allclose(terms.chosen(s)[1], with_chosen, atol=1e-9)
    np.testing.assert_allclose(terms.chosen(s)[0], between, atol=1e-9)


def test_insignificant_interactions_count_as_zero(random):
    X, Y = random.integers(0, 2, (400, 20)), random.integers(0, 2, (400, 6))
    plain, corrected = (Terms.of(counts_of(X, Y), c) for c in (None, "chi2"))
    small = np.abs(corrected.label_pair_interaction())
    assert small.mean() < np.abs(plain.label_pair_interaction()).mean()
    f, a, b = X[:, 0], X[:, 1], X[:, 2]
    n_zero = sum(
        interaction_information(x, a, b, correction="chi2") == 0 for x in X.T[3:]
    )
    assert n_zero >= 14
    assert interaction_information(f, a, f ^ a, correction="chi2") < -0.5


def test_correction_removes_the_bias_of_interactions():
    random = np.random.default_rng(0)
    X, Y = random.integers(0, 2, (200, 100)), random.integers(0, 2, (200, 12))
    plain = Terms.of(counts_of(X, Y), None).label_pair_interaction() / 66
    corrected = Terms.of(counts_of(X, Y), "miller-madow").label_pair_interaction() / 66
    assert plain.mean() == pytest.approx(-1 / 400, rel=0.2)
    assert abs(corrected.mean()) < 0.1 / 400


@each
@pytest.mark.parametrize("method", [PMU, FIMF, D2F, MDMR, SCLS, LRFS, MLQPFS])
def test_every_method_takes_corrections_on_threads(
    method, correction, random, monkeypatch
):
    from labelsieve.counting import counts

    X, Y = random.integers(0, 2, (150, 9)), random.integers(0, 2, (150, 70))
    Y[:, 0] = X[:, 4]
    one = method(3, correction=correction).fit(X, Y)
    monkeypatch.setattr(counts, "CELLS_WORTH_THREADS", 0)
    two = method(3, correction=correction, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(one.scores_, two.scores_)
    if method is not PMU:  # a twentieth of its 2415 pairs is significant by chance
        assert one.order_[0] == 4


@pytest.mark.parametrize(
    "measure", [mutual_information, conditional_mutual_information, entropy]
)
def test_unknown_corrections_are_refused(measure):
    columns = [[0, 1, 0, 1]] * (3 if "conditional" in measure.__name__ else 2)
    with pytest.raises(ValueError, match="correction must be None or one of"):
        measure(*columns, correction="bonferroni")


def test_conditional_information_of_chance_is_corrected(random):
    a, b, c = random.integers(0, 2, (3, 60))
    plain = conditional_mutual_information(a, b, c)
    corrected = conditional_mutual_information(a, b, c, correction="miller-madow")
    assert corrected == pytest.approx(max(0.0, plain - 2 / 120))
    by_test = conditional_mutual_information(a, b, c, correction="chi2")
    assert by_test in (0.0, pytest.approx(plain))
