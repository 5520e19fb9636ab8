"""PMU: golden values, the naive oracle, its identities, progress and interruption."""

import _thread
import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from labelsieve import FIMF, PMU
from tests.naive import information as naive
from tests.selectors.data import coded_data


@pytest.mark.parametrize("pairs", ["unordered", "ordered"])
def test_golden_toy(pairs, toy, toy_data):
    golden = toy[f"pmu_{pairs}"]
    pmu = PMU(6, binning="uniform", label_pairs=pairs).fit(*toy_data)
    assert pmu.order_.tolist() == golden["order"]
    np.testing.assert_allclose(
        pmu.scores_[pmu.order_], golden["J_of_selected"], atol=1e-9
    )


def test_degenerate_labels_contribute_nothing(toy, toy_data):
    golden = toy["degenerate_labels"]
    with pytest.warns(UserWarning, match="2 of 4 labels"):
        pmu = PMU(5, binning="uniform").fit(toy_data[0], golden["Y"])
    # The constant feature 4 is last here, whatever its criterion says.
    assert pmu.order_.tolist() == [3, 1, 2, 0, 5, 4]
    np.testing.assert_allclose(
        pmu.scores_[pmu.order_[:4]], golden["pmu_J_of_selected"][:4], atol=1e-9
    )


def test_golden_emotions_and_yeast(real_case):
    X, Y, golden = real_case
    cases = [
        (PMU(20, binning="uniform"), golden["pmu"]["order"], golden["pmu"]["J"]),
        (
            PMU(20, binning="uniform", label_pairs="ordered"),
            golden["pmu_ordered_pairs_variant"]["order"],
            golden["pmu_ordered_pairs_variant"]["J"],
        ),
        (
            PMU(20),
            golden["equal_frequency_2_bins"]["pmu_order"],
            golden["equal_frequency_2_bins"]["pmu_J"],
        ),
    ]
    for pmu, order, J in cases:
        pmu.fit(X, Y)
        assert pmu.order_[:20].tolist() == order
        np.testing.assert_allclose(pmu.scores_[order], J, atol=1e-9)


@given(coded_data(), st.booleans())
def test_equals_the_naive_version(data, sparse):
    X, Y = data
    n_picks = X.shape[1] // 2 + 1
    picks, values, rest = naive.pmu(X, Y, n_picks)
    given_X = sp.csr_matrix(X.astype(float)) if sparse else X
    pmu = PMU(n_picks, binning="none").fit(given_X, Y)
    np.testing.assert_allclose(pmu.scores_[pmu.order_[:n_picks]], values, atol=1e-9)
    if pmu.order_[:n_picks].tolist() == picks:  # else a tie up to rounding
        others = np.setdiff1d(np.arange(X.shape[1]), picks)
        np.testing.assert_allclose(pmu.scores_[others], rest[others], atol=1e-9)


def test_first_pick_maximises_the_full_fimf_score(toy_data):
    X, Y = toy_data
    fimf = FIMF(n_labels=4, binning="uniform").fit(X, Y)
    pmu = PMU(1, binning="uniform").fit(X, Y)
    assert pmu.order_[0] == fimf.order_[0]
    assert pmu.scores_[pmu.order_[0]] == pytest.approx(fimf.scores_[fimf.order_[0]])


def test_a_longer_run_begins_with_the_shorter_one(random):
    X, Y = random.integers(0, 2, (80, 12)), random.integers(0, 2, (80, 4))
    long, short = PMU(9).fit(X, Y), PMU(4).fit(X, Y)
    np.testing.assert_array_equal(long.order_[:4], short.order_[:4])
    np.testing.assert_array_equal(long.at(4).support_, short.support_)


def test_at_refuses_sizes_beyond_the_picks(random):
    pmu = PMU(3).fit(random.integers(0, 2, (50, 8)), random.integers(0, 2, (50, 2)))
    with pytest.raises(ValueError, match="Fit with n_features_to_select=5 or more"):
        pmu.at(5)


def test_verbose_reports_on_standard_error(random, capsys):
    X, Y = random.integers(0, 2, (50, 8)), random.integers(0, 2, (50, 2))
    PMU(3, verbose=True).fit(X, Y)
    captured = capsys.readouterr()
    assert "PMU: 3 of 3" in captured.err
    assert captured.out == ""
    assert "\x1b" not in captured.err


@pytest.mark.skipif(
    not hasattr(signal, "pthread_kill"), reason="needs POSIX signals to interrupt"
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupting_leaves_the_process_sane(n_jobs, random):
    X = (random.random((3000, 2000)) < 0.1).astype(float)
    Y = (random.random((3000, 150)) < 0.1).astype(int)
    PMU(2, n_jobs=n_jobs).fit(X, Y)  # all kernels are loaded by now
    pmu = PMU(2000, n_jobs=n_jobs)
    n_threads = _thread._count()
    main = threading.main_thread().ident
    timer = threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT))
    # A shell that runs the tests in the background has them ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            pmu.fit(X, Y)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert not hasattr(pmu, "order_")
    end = time.monotonic() + 5
    while _thread._count() > n_threads and time.monotonic() < end:
        time.sleep(0.01)
    assert _thread._count() <= n_threads
    PMU(2, n_jobs=n_jobs).fit(X[:, :20], Y[:, :5])
