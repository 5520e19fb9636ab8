"""evaluate_selection: verdicts follow from figures, and the budget is kept."""

import math
from dataclasses import replace
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from labelsieve import (
    FIMF,
    Sieve,
    SizeCV,
    StabilitySelection,
    evaluate,
    sentences,
)
from labelsieve.choosing import _evaluation, evaluate_selection
from labelsieve.datasets import make_multilabel
from labelsieve.registry import make_selector
from tests.naive.quality import verdicts


@pytest.fixture(scope="module")
def planted():
    X, Y, _ = make_multilabel(160, 3, n_relevant=4, n_noise=8, random_state=1)
    return X, Y


@pytest.fixture(scope="module")
def quality(planted):
    return evaluate_selection(FIMF(4), *planted, n_splits=4)


def test_two_judges_that_differ_in_kind_and_all_measures(quality):
    assert quality.classifiers == ["MLkNN", "BRLogistic"]
    measures = set(evaluate(Y := np.eye(3, dtype=int), Y, Y.astype(float)))
    assert set(quality.measures) == measures
    assert len(quality.findings) == 2 * len(measures) * 3
    assert {found.against for found in quality.findings} == {"all", "random", "simpler"}
    assert quality.n_splits == 4
    assert quality.test_share == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("against", "test_to_train", "shared"),
    [("all", 3 / 7, 1.0), ("all", 4.0, 4.0), ("random", 3 / 7, 3 / 7)],
)
@pytest.mark.parametrize("seed", range(20))
def test_verdicts_as_defined(quality, seed, against, test_to_train, shared):
    """Random values around each other, some of them far apart.

    Two splits share half of the variance or more; with new random features in each,
    as much as their test rows.
    """
    random = np.random.default_rng(seed)
    shifts = random.choice([0.0, 0.02, -0.05, 0.3], 2)
    values = {}
    for judge, shift in zip(quality.classifiers, shifts, strict=True):
        other = random.normal(0.5, 0.05, 6)
        chosen = other + shift + random.normal(0, random.choice([0.001, 0.03]), 6)
        for which, found in (("chosen", chosen), ("all", other), (against, other)):
            values[judge, which] = dict.fromkeys(quality.measures, found)
    made = replace(quality, values=values, test_to_train=test_to_train)
    pairs = [
        (values[judge, "chosen"]["micro_f1"], values[judge, against]["micro_f1"])
        for judge in quality.classifiers
    ]
    expected = verdicts(pairs, shared, quality.tolerance)
    assert [found.verdict for found in made.about("micro_f1", against)] == expected
    # For a loss the same numbers mean the contrary.
    turned = {"better": "worse", "worse": "better"}
    losses = [found.verdict for found in made.about("hamming_loss", against)]
    for loss, verdict in zip(losses, expected, strict=True):
        assert loss == turned.get(verdict, loss)


def test_all_features_kept(planted):
    X, Y = planted
    found = evaluate_selection(FIMF(1.0), X, Y, n_splits=2)
    assert found.findings == []
    said = str(found)
    assert said.startswith(f"All {X.shape[1]} features are kept")
    assert "lost" not in said
    assert "better" not in said
    assert list(found.to_frame().columns)


def test_one_label_and_one_feature(planted):
    X, Y = planted
    found = evaluate_selection(FIMF(1), X[:, :1], Y[:, :1], n_splits=2)
    assert str(found).startswith("The only feature is kept")
    assert evaluate_selection(FIMF(2), X, Y[:, :1], n_splits=2).n_labels == 1


@pytest.mark.parametrize(
    "chooser",
    [
        SizeCV(FIMF(), sizes=[2, 5], cv=2, random_state=0),
        StabilitySelection(FIMF(3), n_subsamples=4, random_state=0),
        SizeCV(sizes=[2, 5], cv=2, rule="one_standard_error"),
        Sieve("auto"),
    ],
    ids=lambda chooser: type(chooser).__name__,
)
def test_whatever_chooses_columns(chooser, planted):
    found = evaluate_selection(chooser, *planted, n_splits=2)
    assert found.about("micro_f1", "all")
    assert found.n_chosen >= 1


def test_fitted_or_not(planted, quality):
    again = evaluate_selection(FIMF(4).fit(*planted), *planted, n_splits=4)
    assert str(again) == str(quality)


def test_any_classifier_is_a_further_judge(planted):
    further = [LogisticRegression(), RandomForestClassifier(5, random_state=0)]
    found = evaluate_selection(FIMF(3), *planted, classifiers=further, n_splits=2)
    assert found.classifiers[2:] == ["LogisticRegression", "RandomForestClassifier"]
    assert len(found.about("micro_f1", "all")) == 4


def test_the_simpler_method_is_not_compared_with_itself(planted):
    simple = make_selector("br+mi", n_features_to_select=3)
    assert not evaluate_selection(simple, *planted, n_splits=2).about(
        "micro_f1", "simpler"
    )


def test_groups_stay_together(planted, monkeypatch):
    X, Y = planted
    groups = np.repeat(np.arange(16), 10)
    seen = []

    def watched(self, split, random):
        seen.append(split)
        return evaluate_split(self, split, random)

    evaluate_split = _evaluation.EvaluationSetup.evaluate_split
    monkeypatch.setattr(_evaluation.EvaluationSetup, "evaluate_split", watched)
    evaluate_selection(FIMF(2), X, Y, groups=groups, n_splits=2)
    evaluate_selection(FIMF(2), X, Y, groups=groups, stratified=True, n_splits=2)
    evaluate_selection(FIMF(2), X, Y, groups=groups, cv=GroupKFold(3))
    # A first split more is judged each time, which is not counted.
    assert len(seen) == 3 + 3 + 4
    for train, test in seen:
        assert not set(groups[train]) & set(groups[test])
    with pytest.raises(ValueError, match="one entry for each of the 160 rows"):
        evaluate_selection(FIMF(2), X, Y, groups=groups[1:])
    with pytest.raises(ValueError, match="all samples are in one group"):
        evaluate_selection(FIMF(2), X, Y, groups=np.zeros(160))


def test_shares_of_labels_are_kept(planted, monkeypatch):
    X = planted[0]
    rare = np.zeros((160, 1), dtype=int)
    rare[:10] = 1
    seen = []

    def watched(self, split, random):
        seen.append(split)
        return evaluate_split(self, split, random)

    evaluate_split = _evaluation.EvaluationSetup.evaluate_split
    monkeypatch.setattr(_evaluation.EvaluationSetup, "evaluate_split", watched)
    evaluate_selection(FIMF(2), X, rare, stratified=True, n_splits=5)
    assert {int(rare[test].sum()) for _, test in seen} == {3}
    seen.clear()
    evaluate_selection(FIMF(2), X, rare, n_splits=5)
    assert len({int(rare[test].sum()) for _, test in seen}) > 1


class Clock:
    """Computing time that a split takes, by its rows."""

    def __init__(self, per_row):
        self.now, self.per_row = 0.0, per_row

    def working_seconds(self):
        return self.now


class Simulated:
    """A setup whose splits take time by rows and labels, and a fixed time."""

    def __init__(self, clock, n_labels=10, power=1.0, fixed=0.0):
        self.clock, self.labels = clock, np.zeros((4100, n_labels))
        self.columns = np.arange(n_labels)
        self.power, self.fixed = power, fixed

    def of_labels(self, many, seed):
        return Simulated(self.clock, many, self.power, self.fixed)

    def evaluate_split(self, split, random):
        rows = sum(map(len, split)) ** self.power
        share = self.labels.shape[1] / 10
        self.clock.now += self.fixed + self.clock.per_row * rows * share
        return {("a", "chosen"): {"micro_f1": np.zeros(1)}}


def make_splits(rows):
    return [(rows[10:], rows[:10])] * 10


@pytest.mark.parametrize(
    ("per_row", "n_rows", "n_splits"),
    [
        (1e-6, 4100, 10),
        (1.8e-4, 4100, 10),
        (1e-3, 500, 10),
        (2e-3, 500, 9),
        (1, 500, 5),
    ],
)
def test_rows_are_sampled_to_stay_within_the_budget(
    monkeypatch, per_row, n_rows, n_splits
):
    clock = Clock(per_row)
    monkeypatch.setattr(_evaluation, "working_seconds", clock.working_seconds)
    run = _evaluation.run_within(Simulated(clock), make_splits, 4100, 10.0, 0, False)
    assert run.n_rows == n_rows
    assert len(run.splits) == n_splits
    if n_splits == 10:
        assert run.seconds == pytest.approx(run.estimate)
    if per_row < 1:
        assert run.seconds <= 10.0


@pytest.mark.parametrize("power", [0.8, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("fixed", [0.0, 0.1])
def test_what_is_said_before_is_near_what_it_takes(monkeypatch, power, fixed):
    clock = Clock(1.5 / 4100**power)
    monkeypatch.setattr(_evaluation, "working_seconds", clock.working_seconds)
    setup = Simulated(clock, 10, power, fixed)
    run = _evaluation.run_within(setup, make_splits, 4100, 10.0, 0, False)
    assert 500 < run.n_rows <= 4100
    assert 0.5 < run.seconds / run.estimate < 2
    assert run.seconds <= 12


def test_labels_are_sampled_before_rows_are(monkeypatch):
    clock = Clock(6e-5)
    monkeypatch.setattr(_evaluation, "working_seconds", clock.working_seconds)
    setup = Simulated(clock, n_labels=100)
    run = _evaluation.run_within(setup, make_splits, 4100, 10.0, 0, False)
    assert (run.n_rows, run.n_labels) == (4100, _evaluation.FEWEST_LABELS)
    whole = _evaluation.run_within(setup, make_splits, 4100, math.inf, 0, False)
    assert (whole.n_rows, whole.n_labels) == (4100, 100)
    assert len(whole.splits) == 10


def test_many_labels_are_sampled(planted):
    X = planted[0]
    Y = np.random.default_rng(0).integers(0, 2, (160, 130))
    found = evaluate_selection(FIMF(2), X, Y, n_splits=2)
    assert found.n_all_labels == 130
    assert found.n_labels <= 100
    said = [*found.sentences(), sentences.how_evaluated(found)]
    assert not said[0].startswith("Micro-F1 drops")
    assert f"Of the 130 labels, {found.n_labels} drawn at random" in said[-1]
    everything = evaluate_selection(FIMF(2), X, Y, n_splits=2, budget=math.inf)
    assert everything.n_labels == 130


def test_a_sample_is_said(quality):
    part = replace(quality, n_rows=100, n_all_rows=160)
    assert "nothing" not in str(part).lower()


def test_tables_and_notebooks(quality):
    frame = quality.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == len(quality.findings)
    assert {"classifier", "measure", "verdict", "p", "gain_low"} <= set(frame.columns)
    assert len(repr(quality).splitlines()) < 25
    hostile = {("<b>", which): v for (_, which), v in quality.values.items()}
    html = replace(quality, classifiers=["<b>"], values=hostile)._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    plain = quality.to_dict()
    assert plain["classifiers"]["MLkNN"]["micro_f1"].keys() >= {"chosen", "all"}
    assert math.isfinite(plain["seconds"])


def test_too_few_rows():
    with pytest.raises(ValueError, match="minimum of 3"):
        evaluate_selection(FIMF(1), np.eye(2), np.eye(2))


def nine_of_sixty(n_rows, seed=0):
    """Nine features make the labels, 51 are noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 60))
    weights = np.zeros((60, 3))
    weights[np.arange(9), np.arange(9) % 3] = 1.5
    Y = X @ weights + random.normal(size=(n_rows, 3)) > 1.8
    return X, Y.astype(int)


@pytest.fixture
def steady(monkeypatch):
    """A machine that takes 160 microseconds for each sample and label of a split."""
    spent, evaluate = [0.0], _evaluation.EvaluationSetup.evaluate_split

    def evaluate_split(self, split, random):
        spent[0] += 1.6e-4 * sum(map(len, split)) * self.labels.shape[1]
        return evaluate(self, split, random)

    monkeypatch.setattr(_evaluation.EvaluationSetup, "evaluate_split", evaluate_split)
    for module in (_evaluation, import_module("labelsieve.choosing.quality")):
        monkeypatch.setattr(module, "working_seconds", lambda: spent[0])


@pytest.mark.parametrize("n_rows", [1000, 60_000])
def test_many_rows_say_no_less_within_the_same_budget(n_rows, steady):
    found = evaluate_selection(FIMF(9), *nine_of_sixty(n_rows), budget=9.0)
    assert found.n_splits == found.n_all_splits == 10
    assert found.seconds <= 9.0
    assert found.estimate == pytest.approx(found.seconds)
    assert found.n_rows == 1000 if n_rows == 1000 else 1000 < found.n_rows < n_rows
    for one in found.about("micro_f1", "random"):
        assert one.verdict == "better"
        assert 0.2 < one.low < one.high < 0.95


@pytest.mark.parametrize("n_splits", [1, 2, 3])
def test_no_interval_is_wider_than_the_measure(quality, n_splits):
    random = np.random.default_rng(0)
    values = {
        key: {name: random.random(n_splits) for name in found}
        for key, found in quality.values.items()
    }
    made = replace(quality, values=values)
    for one in made.findings:
        reach = quality.n_labels if one.measure.startswith("coverage") else 1.0
        assert -reach <= one.low <= one.high <= reach


def test_the_same_gain_in_every_split_is_not_testable(quality):
    other = np.linspace(0.1, 0.4, 4)
    values = {
        key: dict.fromkeys(found, other + 0.25 * (key[1] == "chosen"))
        for key, found in quality.values.items()
    }
    made = replace(quality, values=values)
    assert {one.verdict for one in made.findings} == {"inconclusive"}
    assert "not testable" in str(made)
    assert made.to_frame()["p"].isna().all()


def test_a_size_that_is_known_is_not_looked_for_again(planted, monkeypatch):
    """With a budget, not even a selection from all rows."""
    fitted_on = []
    fit = FIMF.fit

    def watched(self, X, *rest):
        fitted_on.append(len(X))
        return fit(self, X, *rest)

    monkeypatch.setattr(FIMF, "fit", watched)
    found = evaluate_selection(FIMF(4), *planted, n_splits=2, budget=60)
    assert found.n_chosen == 4
    assert max(fitted_on) < len(planted[0])
