"""Corrected information from counts, against the same from arrays, and by chance."""

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
from tests.naive import corrections as naive
from tests.selectors.data import coded_data

each = pytest.mark.parametrize("correction", ["miller-madow", "chi2"])


def counts_of(X, Y):
    features = Features(X.astype(float))
    coded = code_features(features, find_cuts(features, 2, "none"))
    labels = code_labels(read_labels(Y, X))
    return Counts(coded, labels, choose_source(coded, labels, labels))


@each
@given(data=coded_data(max_codes=4), repeat=st.sampled_from([1, 5]))
def test_terms_equal_their_definitions(correction, data, repeat):
    X, Y = (np.tile(part, (repeat, 1)) for part in data)
    terms = Terms.of(counts_of(X, Y), correction)
    s = X.shape[1] - 1
    between = [naive.mutual_information(f, X[:, s], correction) for f in X.T]
    chosen = naive.with_chosen(X, Y, s, correction)
    for found, expected in (
        (terms.relevance(), naive.relevance(X, Y, correction)),
        (terms.label_pair_interaction(), naive.label_pairs(X, Y, correction)),
        (terms.shared_with(s), between),
        (terms.feature_pairs(0, X.shape[1])[s], between),
        (terms.chosen(s)[0], between),
        (terms.chosen(s)[1], chosen),
    ):
        np.testing.assert_allclose(found, expected, atol=1e-9)


@each
@given(data=coded_data(max_codes=3))
def test_measures_of_arrays_equal_their_definitions(correction, data):
    f, a = data[0][:, 0], data[1][:, 0]
    b = data[1][:, -1]
    shared = naive.mutual_information(f, a, correction)
    assert mutual_information(f, a, correction=correction) == pytest.approx(
        max(0.0, shared), abs=1e-12
    )
    found = interaction_information(f, a, b, correction=correction)
    expected = naive.interaction_information(f, b, a, correction)
    assert found == pytest.approx(expected, abs=1e-12)


@each
@given(data=coded_data(max_codes=3))
def test_selectors_equal_their_definitions(correction, data):
    X, Y = data
    n_picks = min(3, X.shape[1])
    picks, values = naive.pmu(X, Y, n_picks, correction)
    fitted = PMU(n_picks, binning="none", correction=correction).fit(X, Y)
    assert fitted.order_[:n_picks].tolist() == picks
    np.testing.assert_allclose(fitted.scores_[picks], values, atol=1e-9)
    all_labels = FIMF(1, binning="none", correction=correction, n_labels=Y.shape[1])
    expected = np.subtract(
        naive.relevance(X, Y, correction), naive.label_pairs(X, Y, correction)
    )
    np.testing.assert_allclose(all_labels.fit(X, Y).scores_, expected, atol=1e-9)


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
    from labelsieve.counting import pairs

    X, Y = random.integers(0, 2, (150, 9)), random.integers(0, 2, (150, 70))
    Y[:, 0] = X[:, 4]
    one = method(3, correction=correction).fit(X, Y)
    monkeypatch.setattr(pairs, "CELLS_WORTH_THREADS", 0)
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
