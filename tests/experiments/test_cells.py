import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from labelsieve import metrics
from labelsieve.classifiers import MLNB, BRkNN, path_scores
from labelsieve.discretization import Discretizer
from labelsieve.experiments import Method, Sizes
from labelsieve.experiments import cells as cells_module
from labelsieve.experiments.cells import run_cells
from labelsieve.experiments.data import read
from labelsieve.experiments.methods import make_classifier
from labelsieve.registry import make_selector
from tests.naive.experiments import curve_by_refitting

ALL_SELECTORS = [
    Method("pmu"),
    Method("mlqpfs"),
    Method("gmba"),
    Method("mlfs"),
    Method("lp+relieff"),
    Method("ppt+mi"),
    Method("random"),
]


@pytest.fixture
def cell(plan):
    return next(
        cell for cell in plan.cells if cell.method == "fimf" and cell.contest == "mlnb"
    )


def test_a_cell_is_what_refitting_at_every_size_gives(cell):
    (record,) = run_cells([cell])
    data = read(cell.source)
    split = cell.protocol.split(data.Y, cell.seed, cell.split)
    X, Y = data.X[split.train], data.Y[split.train]
    order = make_selector("fimf", n_features_to_select=10).fit(X, Y).order_
    bins = Discretizer().fit(X)
    expected = curve_by_refitting(
        MLNB(kind="categorical"),
        bins.transform(X),
        Y,
        bins.transform(data.X[split.test]),
        data.Y[split.test],
        order,
        [1, 2, 5, 10],
        metrics.hamming_loss,
    )
    np.testing.assert_allclose(record["measures"]["hamming_loss"], expected)
    assert record["order"] == order[:10].tolist()
    assert record["sizes"] == record["points"] == [1, 2, 5, 10]


def test_scaled_views_are_fitted_on_training_rows(cell):
    scaled = replace(cell, view="standard", classifier=Method("brknn"))
    (record,) = run_cells([scaled])
    data = read(cell.source)
    split = cell.protocol.split(data.Y, cell.seed, cell.split)
    X, X_test = data.X[split.train], data.X[split.test]
    mean, sd = X.mean(axis=0), X.std(axis=0)
    expected = curve_by_refitting(
        BRkNN(),
        (X - mean) / sd,
        data.Y[split.train],
        (X_test - mean) / sd,
        data.Y[split.test],
        record["order"],
        [1, 2, 5, 10],
        metrics.hamming_loss,
    )
    np.testing.assert_allclose(record["measures"]["hamming_loss"], expected)


@pytest.mark.parametrize("view", ["quantile", "uniform", "standard", "minmax"])
@pytest.mark.parametrize("selector", ALL_SELECTORS, ids=lambda m: m.name)
def test_shuffling_test_rows_changes_no_selection(cell, monkeypatch, selector, view):
    changed = replace(cell, selector=selector, view=view)
    (before,) = run_cells([changed])
    _spoil_test_rows(changed, monkeypatch)
    (after,) = run_cells([changed])
    assert before["order"] == after["order"]
    assert before["measures"] != after["measures"]


def _spoil_test_rows(cell, monkeypatch):
    """Let test rows have other labels and other, larger values."""
    data = read(cell.source)
    test = cell.protocol.split(data.Y, cell.seed, cell.split).test
    X, Y = data.X.copy(), data.Y.copy()
    random = np.random.default_rng(5)
    Y[test] = 1 - random.permutation(Y[test])
    X[test] = 100 * random.normal(size=X[test].shape)
    monkeypatch.setattr(cells_module, "read", lambda source: replace(data, X=X, Y=Y))


def test_all_features_have_one_point(cell):
    (record,) = run_cells([replace(cell, selector=Method("all"))])
    n_features = read(cell.source).X.shape[1]
    assert record["points"] == record["sizes"] == [n_features]
    assert len(record["measures"]["hamming_loss"]) == 1


def test_fractions_are_of_varying_features(cell, monkeypatch):
    data = read(cell.source)
    X = data.X.copy()
    X[:, 3:] = 1.0
    monkeypatch.setattr(cells_module, "read", lambda source: replace(data, X=X))
    fractions = Sizes(fractions=(0.1, 0.7, 1.0))
    (record,) = run_cells([replace(cell, sizes=fractions)])
    assert record["points"] == [0.1, 0.7, 1.0]
    assert record["sizes"] == [1, 2, 3]
    assert set(record["order"]) == {0, 1, 2}


def test_random_features_differ_between_splits_only(cell):
    control = replace(cell, selector=Method("random"))
    (first,), (again,), (other,) = (
        run_cells([c])
        for c in (
            control,
            replace(control, classifier=Method("brknn")),
            replace(control, split=1),
        )
    )
    assert first["order"] == again["order"] != other["order"]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_random_features_vary_like_those_of_selectors(cell, monkeypatch, form):
    data = read(cell.source)
    X = np.where(np.isin(np.arange(data.X.shape[1]), [2, 7, 11]), data.X, 0.0)
    monkeypatch.setattr(cells_module, "read", lambda source: replace(data, X=form(X)))
    control = replace(cell, selector=Method("random"), view="raw")
    (record,) = run_cells([replace(control, sizes=Sizes(counts=(1, 3)))])
    assert sorted(record["order"]) == [2, 7, 11]


def test_results_do_not_depend_on_how_many_scores_fit_in_memory(cell, monkeypatch):
    (whole,) = run_cells([cell])
    monkeypatch.setattr(cells_module, "MOST_SCORE_BYTES", 1)
    (pieces,) = run_cells([cell])
    assert whole["measures"] == pieces["measures"]


def test_a_failing_selection_fails_all_its_cells(cell):
    bad = replace(cell, selector=Method("fimf", {"n_bins": -3}))
    records = list(run_cells([bad, replace(bad, classifier=Method("brknn"))]))
    assert [record["key"] for record in records] == [
        bad.key,
        replace(bad, classifier=Method("brknn")).key,
    ]
    for record in records:
        assert "InvalidParameterError" in record["error"]
        assert "measures" not in record


def test_a_failing_classifier_fails_its_cell_only(cell):
    bad = replace(cell, classifier=Method("nobody"))
    good, failed = run_cells([cell, bad])
    assert "measures" in good
    assert failed["error"].startswith("ValueError: unknown classifier 'nobody'")


def test_an_interrupt_in_disguise_is_no_failure(cell, monkeypatch):
    def load(*_):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise ImportError("initialization failed") from error

    monkeypatch.setattr(cells_module, "_select", load)
    with pytest.raises(KeyboardInterrupt):
        list(run_cells([cell]))


@pytest.mark.parametrize(
    "change",
    [
        {"checksum": "other"},
        {"seed": 1},
        {"split": 3},
        {"view": "uniform"},
        {"selector": Method("pmu")},
        {"selector": Method("fimf", {"n_bins": 3})},
        {"classifier": Method("mlknn")},
        {"sizes": Sizes(counts=(1, 2))},
    ],
    ids=lambda change: "-".join(change),
)
def test_all_that_matters_is_in_the_key(cell, change):
    assert replace(cell, **change).key != cell.key


def test_the_version_of_results_is_in_the_key_and_the_path_is_not(cell, monkeypatch):
    moved = replace(cell, source=replace(cell.source, path="/elsewhere"))
    assert moved.key == cell.key
    before = cell.key
    monkeypatch.setattr("labelsieve.experiments.cells.RESULTS_VERSION", "9.9")
    assert cell.key != before


def test_more_splits_keep_the_keys_of_the_first(cell):
    assert replace(cell, protocol=cell.protocol.with_splits(2)).key == cell.key


def test_costs_are_recorded(cell):
    (record,) = run_cells([cell])
    cost = record["cost"]
    assert cost["select_seconds"] >= 0
    assert cost["judge_seconds"] > 0
    assert cost["select_peak_bytes"] is None or cost["select_peak_bytes"] >= 0


@pytest.mark.parametrize("name", ["logistic", "forest"])
def test_judges_of_scikit_learn_take_labels_that_never_vary(name, random):
    X = random.normal(size=(40, 4))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, np.zeros(40)]).astype(np.uint8)
    judge = make_classifier(Method(name), "minmax", [3, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        path = path_scores(judge, X, Y, X, [0, 1, 2], [1, 3])
    assert path.scores.shape == (2, 40, 3)
    assert not path.predictions[:, :, 2].any()
    assert (path.predictions[1] == Y).mean() > 0.9
