from dataclasses import replace

import numpy as np
import pytest

from labelsieve.experiments import Method, ResultTables, statistics
from labelsieve.experiments.cells import Cell
from labelsieve.experiments.data import DataSource
from labelsieve.experiments.papers import Claim, Published
from labelsieve.experiments.runner import Plan
from labelsieve.experiments.spoken import against_reference, who_is_ahead
from labelsieve.experiments.summary import (
    MethodCurve,
    check_claims,
    collect,
    compare_over_datasets,
    compare_pairs,
    compare_published,
    count_verdicts,
    failures,
    summarize_costs,
    summarize_curves,
    summarize_scores,
    summarize_stability,
    verdict,
)

POINTS = [1, 2, 4]


def curve(method, losses, dataset="d", view="quantile", orders=None):
    """A curve with the given Hamming losses: one row per split."""
    made = MethodCurve(dataset, view, "mlnb", method)
    for split, row in enumerate(losses):
        made.records[split] = {
            "points": POINTS[: len(row)],
            "measures": {"hamming_loss": list(row), "macro_f1": [1 - x for x in row]},
            "order": [] if orders is None else orders[split],
            "n_features": 10,
            "n_train": 70,
            "n_test": 30,
            "cost": {
                "select_seconds": 1.0 + split,
                "select_cpu_seconds": 0.5,
                "select_peak_bytes": 2**20 * split,
                "judge_seconds": 0.1,
            },
        }
    return made


OURS = [[0.3, 0.2, 0.3], [0.5, 0.2, 0.1], [0.4, 0.3, 0.2]]
THEIRS = [[0.4, 0.4, 0.4], [0.5, 0.5, 0.4], [0.4, 0.35, 0.35]]


@pytest.fixture
def small(design):
    return replace(design, measures=("hamming_loss", "macro_f1"), reference="ours")


def test_the_best_point_follows_the_direction():
    made = curve("ours", OURS)
    assert made.best_point("hamming_loss") == 2
    assert made.best_point("macro_f1") == 2
    assert curve("flat", [[0.2, 0.2, 0.2]]).best_point("hamming_loss") == 0


def test_criteria():
    made = curve("ours", OURS)
    assert made.by_criterion("hamming_loss", 2) == {0: 0.2, 1: 0.2, 2: 0.3}
    assert made.by_criterion("hamming_loss", "best") == {0: 0.3, 1: 0.1, 2: 0.2}
    area = made.by_criterion("hamming_loss", "area")
    assert area[0] == pytest.approx((0.25 + 2 * 0.25) / 3)


def test_a_single_point_stands_for_all_sizes():
    made = curve("all", [[0.25], [0.35]])
    for criterion in (20, "best", "area"):
        assert made.by_criterion("hamming_loss", criterion) == {0: 0.25, 1: 0.35}


def test_scores_hold_what_the_statistics_say(small):
    (row, _) = summarize_scores([curve("ours", OURS)], small)
    expected = statistics.summarize([0.3, 0.1, 0.2])
    assert row["mean"] == round(expected.mean, 6)
    assert (row["low"], row["high"]) == (
        round(expected.low, 6),
        round(expected.high, 6),
    )
    assert (row["best"], row["best_at"]) == (0.2, 4)


def test_rounding_decides_no_first_place(small):
    # Neighbours among the floating-point numbers, with different sixth digits.
    ours, theirs = 0.1234565, np.nextafter(0.1234565, 1)
    assert round(ours, 6) != round(theirs, 6)
    curves = [curve("ours", [[ours]] * 2), curve("theirs", [[theirs]] * 2)]
    content = {
        "experiment": {"measures": small.measures},
        "scores": summarize_scores(curves, small),
        "curves": summarize_curves(curves, small),
        "tests": [],
    }
    tables = ResultTables(content)
    (by_measure,) = tables.scores()
    assert by_measure.to_markdown().count("**0.1235 ± 0.0000**") == 2
    (losses, f1) = tables.scores_of_methods().cells()
    assert [cell.tone for cell in losses] == ["", "", "best", "best"]
    assert [cell.tone for cell in f1] == ["", "", "best", "best"]


def test_curves_hold_mean_and_deviation(small):
    (row,) = summarize_curves([curve("ours", OURS)], small)
    np.testing.assert_allclose(
        row["measures"]["hamming_loss"]["mean"], np.mean(OURS, axis=0), atol=1e-6
    )
    np.testing.assert_allclose(
        row["measures"]["hamming_loss"]["sd"], np.std(OURS, axis=0, ddof=1), atol=1e-6
    )


def test_pairs_are_tested_on_the_same_splits(small):
    other = curve("theirs", THEIRS)
    del other.records[0]  # a split that failed
    (row, f1) = compare_pairs([curve("ours", OURS), other], small)
    assert (row["reference"], row["method"], row["n_splits"]) == ("ours", "theirs", 2)
    expected = statistics.corrected_t_test([0.1, 0.2], [0.4, 0.35], 30 / 70)
    assert row["p_corrected"] == round(expected.p, 6)
    assert row["win_tie_loss"] == f1["win_tie_loss"] == (2, 0, 0)


def test_what_is_not_testable_is_said(small):
    curves = [
        curve("ours", OURS),
        curve("theirs", [[x + 0.125 for x in o] for o in OURS]),
    ]
    tests = compare_pairs(curves, small)
    losses = tests[0]
    assert losses["p_corrected"] is None
    assert losses["p_paired"] is None
    scores = summarize_scores(curves, small)
    experiment = {
        "measures": small.measures,
        "reference_method": "ours",
        "criterion": small.criterion,
    }
    content = {"experiment": experiment, "scores": scores, "tests": tests, "ranks": []}
    content["curves"] = summarize_curves(curves, small)
    tables = ResultTables(content)
    assert "not testable" in tables.tests().to_text()
    assert "significantly" not in tables.scores()[0].to_markdown()
    (said,) = who_is_ahead(content)
    assert "Its difference from theirs is not testable" in said
    assert {row["verdict"] for row in against_reference(content)} == {"inconclusive"}


def test_ranks_take_binary_data_into_every_view(small):
    curves = [
        curve(method, losses, dataset, view)
        for method, losses in (("ours", OURS), ("theirs", THEIRS))
        for dataset, view in (("d", "quantile"), ("binary", "none"))
    ]
    rows = compare_over_datasets(curves, small)
    assert {row["n_datasets"] for row in rows} == {2}
    assert all(row["average_ranks"] == [1.0, 2.0] for row in rows)


def test_methods_missing_on_a_data_set_are_not_ranked(small):
    curves = [
        curve("ours", OURS, "d"),
        curve("ours", OURS, "e"),
        curve("theirs", THEIRS, "d"),
    ]
    assert compare_over_datasets(curves, small) == []


def test_stability_of_the_first_features():
    orders = [[1, 2, 3], [2, 1, 4], [1, 2, 5]]
    rows = summarize_stability([curve("ours", OURS, orders=orders)], (2, 3, 20))
    assert [row["size"] for row in rows] == [2, 3]
    assert rows[0]["stability"] == 1.0
    assert rows[1]["stability"] < 1.0


def test_costs_are_medians_and_the_largest_memory():
    (row,) = summarize_costs([curve("ours", OURS)])
    assert (row["select_seconds"], row["select_peak_mib"]) == (2.0, 2.0)


def test_failed_cells_are_told_and_left_out(design):
    source = DataSource("d", "/nowhere")
    cells = [
        Cell(
            source, "sum", design.protocol, 0, split, "quantile", Method("fimf"),
            Method("mlnb"), design.sizes, contest="mlnb", method="fimf",
        )
        for split in range(3)
    ]  # fmt: skip
    good = curve("fimf", OURS).records[0]
    records = [{"error": "MemoryError: 9 GiB"}, good, {"error": "MemoryError: 8 GiB"}]
    curves = collect(Plan(design, tuple(cells), (source,), ()), records)
    (row,) = failures(curves)
    assert row["n_failed"] == 2
    assert row["reason"] == "split 0: MemoryError: 9 GiB"
    assert curves[0].splits == [1]


def published(value, measure="hamming_loss", at=2, remark=""):
    return Published("d", "mlnb", "ours", measure, value, at, "Table 1", remark)


def summary(mean, sd=0.0, low=None, high=None, n=30):
    low, high = (mean if end is None else end for end in (low, high))
    return statistics.Summary(mean, sd, low, high, n)


@pytest.mark.parametrize(
    ("value", "found", "expected"),
    [
        (published(0.20), summary(0.2099), "reproduced"),
        (published(0.20), summary(0.2101), "close"),
        (published(0.20), summary(0.23), "not reproduced"),
        (published(0.20), summary(0.23, 0.02, 0.22, 0.24), "close"),
        (published(0.20), summary(0.23, 0.1, 0.19, 0.27), "reproduced"),
        (published(0.20), summary(0.23, 0.1, 0.0, 0.9, n=2), "close"),
        (published(2.0, "coverage"), summary(2.005), "close"),
        (published(2.0, "coverage"), summary(2.05, 0.1, 1.99, 2.11), "reproduced"),
        (published(2.0, "coverage"), summary(2.2), "not reproduced"),
    ],
)
def test_verdicts(value, found, expected):
    assert verdict(value, found) == expected


def test_rows_of_printed_values():
    curves = [curve("ours", OURS), curve("theirs", THEIRS)]
    table = compare_published(
        [
            published(0.23),
            published(0.2, at="best"),
            published(0.9, remark="a misprint"),
        ],
        curves,
    )
    assert [row["verdict"] for row in table] == [
        "reproduced",
        "reproduced",
        "not compared",
    ]
    assert table[0]["ours"] == pytest.approx(0.7 / 3, abs=1e-6)
    assert table[0]["difference"] == pytest.approx(0.7 / 3 - 0.23, abs=1e-6)
    assert table[1]["best_at"] == 4
    assert count_verdicts(table) == {
        "quantile": {
            "reproduced": 2,
            "close": 0,
            "not reproduced": 0,
            "not compared": 1,
        }
    }


@pytest.mark.parametrize(
    ("claim", "expected", "better"),
    [
        (Claim("ours wins", "here", "ours", ("theirs",)), "holds", 2),
        (Claim("theirs wins", "here", "theirs", ("ours",)), "does not hold", 0),
        (Claim("alike", "here", "ours", ("ours too",), similar=True), "holds", 0),
        (Claim("elsewhere", "here", "ours", ("theirs",), ("e",)), "no data", 0),
    ],
)
def test_claims(claim, expected, better, small):
    curves = [curve("ours", OURS), curve("theirs", THEIRS), curve("ours too", OURS)]
    (row,) = check_claims([claim], curves, replace(small, criterion="best"))
    assert (row["verdict"], row["better"]) == (expected, better)
