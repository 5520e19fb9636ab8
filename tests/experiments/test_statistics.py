import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from labelsieve.experiments import stability
from labelsieve.experiments.statistics import (
    compare_ranks,
    corrected_interval,
    corrected_t_test,
    critical_difference,
    curve_area,
    holm,
    summarize,
    wilcoxon_test,
    win_tie_loss,
)
from labelsieve.metrics import best_place, same, tied
from tests.naive import experiments as naive

TENTHS = st.integers(0, 9)


@pytest.fixture
def pair(random):
    first = random.normal(size=30)
    return first, first + random.normal(0.2, 0.5, size=30)


def test_interval_is_scipys(random):
    sample = random.normal(size=12)
    summary = summarize(sample)
    low, high = stats.t.interval(0.95, 11, sample.mean(), stats.sem(sample))
    assert summary.n == 12
    np.testing.assert_allclose(
        [summary.mean, summary.sd, summary.low, summary.high],
        [sample.mean(), sample.std(ddof=1), low, high],
    )


def test_interval_of_one_value_has_no_length():
    summary = summarize([0.3])
    assert (summary.low, summary.high, summary.sd) == (0.3, 0.3, 0.0)


def test_t_without_correction_is_scipys(pair):
    expected = stats.ttest_rel(*pair)
    found = corrected_t_test(*pair, 0.0)
    np.testing.assert_allclose([found.statistic, found.p], list(expected))


def test_corrected_t_is_the_formula(pair):
    t = naive.corrected_t(*pair, 3 / 7)
    found = corrected_t_test(*pair, 3 / 7)
    np.testing.assert_allclose(found.statistic, t)
    np.testing.assert_allclose(found.p, 2 * stats.t.sf(abs(t), 29))


def test_wilcoxon_is_scipys(pair):
    expected = stats.wilcoxon(*pair)
    found = wilcoxon_test(*pair)
    np.testing.assert_allclose(
        [found.statistic, found.p], [expected.statistic, expected.pvalue]
    )


def test_rounding_breaks_no_tie_of_wilcoxon():
    first, second = [0.8, 0.5, 0.8, 0.2, 0.6], [0.6, 0.7, 0.6, 0.4, 0.6]
    assert wilcoxon_test(first, second).p == 1.0


@pytest.mark.parametrize("scale", [1, 100, 10_000])
@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=1, max_size=7))
def test_differences_are_those_of_decimal_fractions(scale, pairs):
    first, second = ([row[i] / 10 + scale for row in pairs] for i in (0, 1))
    exact = naive.exact_differences(first, second)
    found = wilcoxon_test(first, second)
    assert (found.statistic, found.p) == naive.wilcoxon(exact)
    wins, losses = (sum(sign * d > 0 for d in exact) for sign in (1, -1))
    ties = len(pairs) - wins - losses
    assert win_tie_loss(first, second, smaller_is_better=False) == (wins, ties, losses)


def test_rounding_breaks_no_tie_of_ranks(random):
    tenths = random.integers(0, 5, size=(60, 4))
    # The same tenths, rounded in different ways.
    ways = (lambda n: n / 10, lambda n: n * 0.1, lambda n: 0.7 + n / 10 - 0.7)
    noisy = np.column_stack([ways[i % 3](tenths[:, i]) for i in range(4)])
    assert np.unique(noisy).size > 5
    expected = np.mean([naive.mid_ranks(row) for row in tenths.tolist()], axis=0)
    found = compare_ranks(noisy, smaller_is_better=True)
    np.testing.assert_allclose(found.average_ranks, expected.astype(float))


def test_the_first_of_the_best_is_found_despite_rounding():
    assert best_place([0.2, 0.3, 0.1 + 0.2], smaller_is_better=False) == 1
    assert best_place([0.1 + 0.2, 0.3, 0.4], smaller_is_better=True) == 0
    assert best_place([5.0], smaller_is_better=True) == 0


def test_what_is_the_same_and_what_is_not():
    assert same(0.1 + 0.2, 0.3)
    assert same(1e6 + 1e-7, 1e6)
    assert not same(0.3, 0.3 + 1e-9)
    np.testing.assert_array_equal(
        tied([0.3, 0.1 + 0.2, 0.1, 0.3 - 1e-9]), [0.3, 0.3, 0.1, 0.3 - 1e-9]
    )
    np.testing.assert_array_equal(tied([np.inf, 1.0, np.nan]), [np.inf, 1.0, np.nan])
    assert tied([]).size == 0


def test_many_differences_have_the_p_of_scipy(random):
    first, second = random.integers(0, 9, size=(2, 90)) / 8
    expected = stats.wilcoxon(first, second)
    assert wilcoxon_test(first, second).p == pytest.approx(expected.pvalue)


def test_identical_vectors_have_p_one():
    values = [0.1, 0.2, 0.3]
    assert wilcoxon_test(values, values).p == 1.0
    assert corrected_t_test(values, values, 0.0).p == 1.0
    assert corrected_t_test(values, values, 0.5).p == 1.0


def test_one_split_proves_nothing():
    assert wilcoxon_test([0.3], [0.1]).p == 1.0
    assert np.isnan(corrected_t_test([0.3], [0.1], 0.0).p)
    assert np.isnan(corrected_t_test([0.3], [0.1], 0.5).p)


@pytest.mark.parametrize("n", [2, 3, 10])
def test_the_same_difference_everywhere_is_not_testable(n):
    second = np.linspace(0.1, 0.7, n)
    for first in (second + 0.1, second - 0.1):
        assert np.isnan(corrected_t_test(first, second, 0.0).p)
        assert np.isnan(corrected_t_test(first, second, 3 / 7).p)
        found = corrected_interval(first - second, 3 / 7)
        assert (found.low, found.high) == (-np.inf, np.inf)


def test_what_is_not_testable_is_no_test_for_holm():
    np.testing.assert_allclose(
        holm([0.01, np.nan, 0.04, 0.03]), [0.03, np.nan, 0.06, 0.06]
    )
    assert np.isnan(holm([np.nan])).all()


def test_pairs_need_the_same_splits():
    with pytest.raises(ValueError, match="3 and 2 values"):
        corrected_t_test([1, 2, 3], [1, 2], 0.0)


def test_win_tie_loss_follows_the_direction():
    ours, theirs = [0.1, 0.2, 0.3, 0.3], [0.2, 0.2, 0.1, 0.1]
    assert win_tie_loss(ours, theirs, smaller_is_better=True) == (1, 1, 2)
    assert win_tie_loss(ours, theirs, smaller_is_better=False) == (2, 1, 1)


@pytest.fixture
def losses(random):
    table = random.normal(size=(9, 5)) + np.arange(5) * 0.4
    table[0, 0] = table[0, 1]  # a tie
    return table


def test_friedman_is_scipys(losses):
    expected = stats.friedmanchisquare(*losses.T)
    found = compare_ranks(losses, smaller_is_better=True)
    np.testing.assert_allclose([found.statistic, found.p], list(expected))


def test_nemenyi_is_scikit_posthocs(losses):
    posthocs = pytest.importorskip("scikit_posthocs")
    expected = posthocs.posthoc_nemenyi_friedman(losses).to_numpy()
    found = compare_ranks(losses, smaller_is_better=True).pairwise_p
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_ranks_are_autoranks(losses, capsys):
    autorank = pytest.importorskip("autorank")
    pandas = pytest.importorskip("pandas")
    expected = autorank.autorank(
        pandas.DataFrame(losses), order="ascending", force_mode="nonparametric"
    )
    found = compare_ranks(losses, smaller_is_better=True)
    np.testing.assert_allclose(found.p, expected.pvalue)
    np.testing.assert_allclose(found.critical_difference, expected.cd, rtol=1e-4)
    ranks = expected.rankdf.meanrank.sort_index()
    np.testing.assert_allclose(found.average_ranks, ranks)


# Demsar, JMLR 7, 2006, table 5: q at 0.05 for 2 to 10 classifiers.
DEMSAR = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]


@pytest.mark.parametrize(("n_methods", "q"), zip(range(2, 11), DEMSAR, strict=True))
def test_critical_difference_is_the_printed_table(n_methods, q):
    expected = q * np.sqrt(n_methods * (n_methods + 1) / (6 * 14))
    np.testing.assert_allclose(critical_difference(n_methods, 14), expected, rtol=0.002)


def test_equal_methods_have_p_one():
    found = compare_ranks(np.full((4, 3), 0.2), smaller_is_better=True)
    assert found.p == 1.0
    np.testing.assert_array_equal(found.average_ranks, 2.0)
    np.testing.assert_array_equal(found.pairwise_p, 1.0)


def test_ranks_turn_round_with_the_direction(losses):
    up = compare_ranks(losses, smaller_is_better=True)
    down = compare_ranks(losses, smaller_is_better=False)
    np.testing.assert_allclose(up.average_ranks, 6 - down.average_ranks)
    np.testing.assert_allclose(up.p, down.p)


def test_ranks_need_two_data_sets():
    with pytest.raises(ValueError, match=r"\(1, 3\)"):
        compare_ranks([[1.0, 2.0, 3.0]], smaller_is_better=True)


def test_area_of_a_straight_curve_is_its_middle():
    assert curve_area([1, 2, 3, 10], [1.0, 2.0, 3.0, 10.0]) == pytest.approx(5.5)
    assert curve_area([7], [0.25]) == 0.25


@given(
    st.lists(
        st.sets(st.integers(0, 11), min_size=1, max_size=11), min_size=2, max_size=6
    )
)
def test_stability_is_the_definition(selections):
    chosen = [sorted(s) for s in selections]
    assert stability(chosen, 12).value == pytest.approx(naive.nogueira(chosen, 12))


def test_stability_of_one_size_is_kunchevas(random):
    chosen = [random.choice(20, 6, replace=False) for _ in range(5)]
    expected = naive.mean_kuncheva(chosen, 20)
    assert stability(chosen, 20).value == pytest.approx(expected)


def test_stability_at_its_ends(random):
    same = stability([[1, 2]] * 4, 10)
    assert (same.value, same.low, same.high) == (1.0, 1.0, 1.0)
    assert stability([range(5)] * 3, 5).value == 1.0  # everything, every time
    draws = [random.choice(100, 10, replace=False) for _ in range(60)]
    chance = stability(draws, 100)
    assert chance.low < 0 < chance.high
    assert abs(chance.value) < 0.02


def test_stability_needs_two_selections():
    with pytest.raises(ValueError, match="at least 2 selections, got 1"):
        stability([[1]], 3)
