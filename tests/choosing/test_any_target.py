"""What is lost, and how many features, for targets of any kind, partly known."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, f1_score, r2_score
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import MinMaxScaler

from labelsieve import (
    FIMF,
    BRLogistic,
    LabelFolds,
    MLkNN,
    Sieve,
    SizeCV,
    StabilitySelection,
    evaluate,
    evaluate_selection,
    permutation_p_values,
    sentences,
    write_report,
)
from labelsieve.choosing import Finding
from labelsieve.metrics import class_accuracy, class_f1, r2, rank_correlation
from labelsieve.reading import targets_in
from labelsieve.selectors import LabelSelector

NAN = np.nan
KINDS = {"labels": slice(0, 2), "classes": slice(2, 4), "numbers": slice(4, 6)}
OF_CLASSES, OF_NUMBERS = ["class_accuracy", "class_f1"], ["r2", "rank_correlation"]


class Given(LabelSelector):
    """Features in the order in which they stand, whatever is asked of them."""

    _capabilities = replace(
        LabelSelector._capabilities, takes_numbers=True, takes_unknown=True
    )

    def __init__(self, n_features_to_select=3, target_types="auto", exclude=None):
        self.n_features_to_select = n_features_to_select
        self.target_types = target_types
        self.exclude = exclude

    def fit(self, X, y):
        targets_in(y, X, self.target_types)
        self.n_features_in_ = n = X.shape[1]
        self.order_ = np.arange(n)
        self.ranking_, self.scores_ = 1 + self.order_, -self.order_.astype(float)
        self.support_ = self.order_ < self.n_features_to_select
        return self


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 8))
    signal = X[:, [0, 1, 2, 0, 1, 2]] + 0.7 * random.normal(size=(150, 6))
    labels = (signal[:, :2] > 0.5).astype(float)
    classes = np.digitize(signal[:, 2:4], [-0.5, 0.5])
    return X, np.hstack([labels, classes, signal[:, 4:]])


@pytest.fixture(scope="module")
def partly(data):
    X, Y = data
    hidden = np.random.default_rng(1).random(Y.shape) < 0.3
    return X, np.where(hidden, NAN, Y)


def measured(Y, X, **options):
    return evaluate_selection(Given(), X, Y, n_splits=3, budget=np.inf, **options)


@pytest.mark.parametrize("known", [True, False], ids=["known", "partly"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_mixture_is_judged_as_if_each_kind_stood_alone(kind, known, data, partly):
    X, Y = data if known else partly
    mixture, alone = measured(Y, X), measured(Y[:, KINDS[kind]], X)
    assert set(alone.measures) < set(mixture.measures)
    for (classifier, which), values in alone.values.items():
        same = mixture.classifiers[alone.classifiers.index(classifier)]
        if which == "simpler":  # which takes no numbers
            continue
        for name in alone.measures:
            found = mixture.values[same, which][name]
            np.testing.assert_allclose(found, values[name], atol=1e-9)


@pytest.mark.parametrize("known", [True, False], ids=["known", "partly"])
def test_figures_straight_from_their_definition(known, data, partly):
    """One split: models are fitted to each target where it is known."""
    X, Y = data if known else partly
    cv = KFold(3)
    quality = measured(Y, X, cv=cv)
    for split, (train, test) in enumerate(cv.split(X)):
        scaler = MinMaxScaler().fit(X[train][:, :3])
        inputs, unseen = (scaler.transform(X[part][:, :3]) for part in (train, test))
        for place, models in enumerate(
            [(MLkNN(), KNeighborsRegressor(10)), (BRLogistic(max_iter=6), Ridge())]
        ):
            found = quality.values[quality.classifiers[place], "chosen"]
            said, scores = naive_labels(models[0], inputs, Y[train, :2], unseen)
            expected = evaluate(Y[test, :2], said, scores)
            naive_classes_and_numbers(models, inputs, unseen, Y, train, test, expected)
            for name, value in expected.items():
                assert found[name][split] == pytest.approx(value, abs=1e-9), name


def naive_labels(model, inputs, Y, unseen):
    said, scores = [], []
    for y in Y.T:
        rows = ~np.isnan(y)
        pair = np.column_stack([y, 1 - y])[rows]  # two labels: no column of classes
        scores.append(model.fit(inputs[rows], pair).label_scores(unseen)[:, 0])
        said.append(model.predict(unseen)[:, 0])
    return np.column_stack(said), np.column_stack(scores)


def naive_classes_and_numbers(models, inputs, unseen, Y, train, test, expected):
    right, f1, shares = [], [], []
    for column in (2, 3):
        y, truth = Y[train, column], Y[test, column]
        rows, known = ~np.isnan(y), ~np.isnan(truth)
        indicator = (y[rows][:, None] == np.arange(3)).astype(int)
        scores = models[0].fit(inputs[rows], indicator).label_scores(unseen)
        said = scores.argmax(axis=1)
        right += list(said[known] == truth[known])
        f1.append(f1_score(truth[known], said[known], average="macro"))
    for column in (4, 5):
        y, truth = Y[train, column], Y[test, column]
        rows, known = ~np.isnan(y), ~np.isnan(truth)
        said = models[1].fit(inputs[rows], y[rows]).predict(unseen)
        shares.append(r2_score(truth[known], said[known]))
    expected["class_accuracy"] = np.mean(right)
    expected["class_f1"], expected["r2"] = np.mean(f1), np.mean(shares)


def test_what_is_known_everywhere_does_not_depend_on_its_form(data):
    X, Y = data
    labels = Y[:, :2]
    expected = measured(labels.astype(np.uint8), X)
    forms = labels, pd.DataFrame(labels, dtype="Int8"), np.where(labels == 1, "a", "b")
    for form in forms[:2]:
        found = measured(form, X)
        for key, values in expected.values.items():
            for name, value in values.items():
                np.testing.assert_array_equal(found.values[key][name], value)
    assert measured(forms[2], X).n_known_cells == labels.size


def test_measures_count_known_cells(data, partly):
    (_, Y), (_, holes) = data, partly
    numbers, said = holes[:, 4:], data[0][:, :2]
    known = ~np.isnan(numbers)
    each = [r2_score(Y[k, 4 + j], said[k, j]) for j, k in enumerate(known.T)]
    assert r2(numbers, said) == pytest.approx(np.mean(each))
    frame = pd.DataFrame(numbers).corrwith(pd.DataFrame(said), method="spearman")
    assert rank_correlation(numbers, said) == pytest.approx(frame.mean())
    classes, other = holes[:, 2:4], np.roll(Y[:, 2:4], 1, axis=0)
    known = ~np.isnan(classes)
    expected = accuracy_score(classes[known], other[known])
    assert class_accuracy(classes, other) == pytest.approx(expected)
    each = [
        f1_score(classes[k, j], other[k, j], average="macro")
        for j, k in enumerate(known.T)
    ]
    assert class_f1(classes, other) == pytest.approx(np.mean(each))


def test_measures_where_nothing_is_known():
    nothing = np.full((4, 2), NAN)
    said = np.zeros((4, 2))
    for measure in (r2, rank_correlation, class_accuracy, class_f1):
        assert np.isnan(measure(nothing, said))
    assert np.isnan(r2(np.ones((4, 1)), said[:, :1]))
    assert rank_correlation(np.arange(4.0)[:, None], said[:, :1]) == 0
    with pytest.raises(ValueError, match="expected the same samples and targets"):
        r2(nothing, said[:3])


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (slice(0, 6), ["micro_f1", "class_accuracy", "r2"]),
        (slice(4, 6), ["r2"]),
        (slice(2, 4), ["class_accuracy"]),
    ],
    ids=["mixture", "numbers", "classes"],
)
def test_sentences_and_tables(columns, expected, partly):
    X, Y = partly
    quality = measured(Y[:, columns], X)
    assert quality.main_measures == expected
    said = " ".join(quality.sentences())
    for measure in expected:
        name = sentences.measure_name(measure)
        assert said.lower().count(name.lower()) >= 3
        assert len(quality.about(measure, "all")) == 2
    assert ("of the variance of the numbers" in said) == ("r2" in expected)
    assert ("classes predicted by" in said) == ("class_accuracy" in expected)
    assert ("ridge regression" in said.lower()) == ("r2" in expected)
    table = quality.table().rows
    of_numbers = {x["classifier"] for x in table if x["measure"] == "r2"}
    assert of_numbers <= {"nearest neighbours", "ridge regression"}
    assert "neighbours predicts" not in said
    assert quality.n_known_cells == np.count_nonzero(~np.isnan(Y[:, columns]))
    assert f"{quality.n_cells:,} cells of Y" in sentences.how_evaluated(quality)
    frame = quality.to_frame()
    assert set(expected) <= set(frame["measure"])
    assert set(quality.to_dict()["classifiers"]) == set(quality.classifiers)
    assert quality.plot() is not None
    assert "r2" not in expected or "R2" in quality._repr_html_()


def test_sentences_about_numbers_are_tested_as_others():
    same = Finding("BRLogistic", "r2", "all", 0.50, 0.50, -0.004, 0.004, 1.0, 0.025)
    assert sentences.conclusion([same], 0.05) == (
        "R2 drops by less than 5\N{NO-BREAK SPACE}% of its value with all features for "
        "every model."
    )
    lost = Finding("BRLogistic", "r2", "all", 0.30, 0.41, -0.13, -0.09, 0.001, 0.02)
    assert sentences.conclusion([lost], 0.05) == "R2 gets worse for ridge regression."
    assert sentences.against_all(lost, 3, 8).startswith("Ridge regression: R2 0.300")


def test_a_number_may_lose_more_than_all_of_its_range():
    random = np.random.default_rng(3)
    X = random.normal(size=(60, 3))
    y = 50 * X[:, 2] + random.normal(size=60)
    (ridge,) = [
        found
        for found in evaluate_selection(Given(1), X, y, n_splits=4).about("r2", "all")
        if found.classifier == "Ridge"
    ]
    assert ridge.verdict == "worse"
    assert ridge.low < -1 < ridge.high < 0


def test_further_models(partly):
    X, Y = partly[0][:60], partly[1][:60, [0, 2, 4]]
    models = ["forest", LogisticRegression(), RandomForestClassifier(5), Ridge(10.0)]
    options = {"n_splits": 1, "budget": np.inf}
    quality = evaluate_selection(Given(), X, Y, classifiers=models, **options)
    assert quality.classifiers[2:] == [
        *("forest", "LogisticRegression", "RandomForestClassifier", "Ridge")
    ]
    judged = {
        name: {f.classifier for f in quality.findings if f.measure == name}
        for name in ("micro_f1", "class_f1", "r2")
    }
    both = {"MLkNN", "BRLogistic", "forest"}
    assert judged["r2"] == {*both, "Ridge"}
    of_classes = {*both, "LogisticRegression", "RandomForestClassifier"}
    assert judged["micro_f1"] == judged["class_f1"] == of_classes
    assert len(" ".join(quality.sentences())) > 0
    numbers, trees = Y[:, 2], [ExtraTreesRegressor(5)]
    assert (
        measured(numbers, X, classifiers=trees).classifiers[0] == "KNeighborsRegressor"
    )
    with pytest.raises(ValueError, match="LogisticRegression predicts label and class"):
        measured(numbers, X, classifiers=[LogisticRegression()])
    with pytest.raises(
        ValueError, match=r"'trees'; expected estimators .* or 'forest'"
    ):
        measured(numbers, X, classifiers=["trees"])


def test_types_are_those_of_the_selector(data):
    X, Y = data
    grades = Y[:, 2:4]
    quality = evaluate_selection(Given(3, "number"), X, grades, n_splits=2)
    assert set(quality.measures) == set(OF_NUMBERS)
    search = SizeCV(Given(3, "number"), sizes=[1, 3], cv=2).fit(X, grades)
    assert search.measure_ == "r2"
    assert SizeCV(Given(), sizes=[1, 3], cv=2).fit(X, grades).measure_ == (
        "class_accuracy"
    )


@pytest.mark.parametrize("stratified", [False, True])
def test_stratified_and_grouped_splits(partly, stratified):
    X, Y = partly
    groups = np.arange(150) // 3
    quality = measured(Y, X, stratified=stratified, groups=groups)
    assert quality.n_splits == 3
    folds = measured(Y, X, cv=LabelFolds(3, random_state=0))
    assert np.isfinite(folds.mean("r2", "chosen"))


def test_a_label_that_is_hardly_known(partly):
    """No known cell in some test parts, none in some training parts."""
    X, Y = partly
    Y = Y.copy()
    Y[:, 0], Y[:, 4] = NAN, NAN
    Y[[3, 70, 90], 0], Y[[3, 70, 90], 4] = [0, 1, 1], [0.5, 1.5, 2.5]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        alone = measured(Y[:, [0, 4]], X)
        assert len(alone.sentences()) > 0
        assert "R2" in " ".join(measured(Y, X).sentences())


def test_a_sample_of_many_targets(partly, monkeypatch):
    from labelsieve.choosing import quality as module

    monkeypatch.setattr(module, "MOST_LABELS", 4)
    X, Y = partly
    found = evaluate_selection(Given(), X, Y, n_splits=2, budget=100.0)
    assert (found.n_labels, found.n_all_labels) == (4, 6)


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_of_each_kind(kind, partly):
    X, Y = partly
    names = {"labels": "average_precision", "classes": "class_accuracy"}
    search = SizeCV(Given(), sizes=[1, 3, 8], random_state=0).fit(X, Y[:, KINDS[kind]])
    assert search.measure_ == names.get(kind, "r2")
    assert np.isfinite(search.values_).all()
    assert search.n_features_ in (3, 8)
    assert sentences.measure_name(search.measure_) in search._repr_html_()


def test_sizes_of_a_mixture_are_the_mean_over_targets(partly):
    X, Y = partly
    folds = KFold(3)
    values = [
        SizeCV(Given(), sizes=[1, 3], cv=folds).fit(X, Y[:, which]).values_
        for which in KINDS.values()
    ]
    search = SizeCV(Given(), sizes=[1, 3], cv=folds).fit(X, Y)
    assert search.measure_ == "mixed"
    np.testing.assert_allclose(search.values_, np.mean(values, axis=0))
    found = SizeCV(Given(), measure="r2", sizes=[1, 3], cv=folds).fit(X, Y)
    np.testing.assert_allclose(found.values_, values[2])


def test_sizes_with_a_regressor_or_a_classifier(partly):
    X, Y = partly
    for model in (Ridge(), ExtraTreesRegressor(5, random_state=0)):
        search = SizeCV(Given(), model, sizes=[1, 3], cv=2).fit(X, Y[:, 4:])
        assert search.classifier_ is model
    search = SizeCV(Given(), LogisticRegression(), sizes=[1, 3], cv=2).fit(X, Y[:, :4])
    assert isinstance(search.classifier_, LogisticRegression)
    for model, columns in ((Ridge(), slice(4)), (LogisticRegression(), slice(4, 6))):
        with pytest.raises(
            ValueError, match=r"predicts .*, and y has .* targets: pass"
        ):
            SizeCV(Given(), model).fit(X, Y[:, columns])
    with pytest.raises(
        ValueError, match="'r2' is for a number, and y holds only label"
    ):
        SizeCV(Given(), measure="r2").fit(X, Y[:, :2])


@pytest.mark.parametrize("selector", [Sieve(3), FIMF(3)], ids=str)
def test_partly_known_labels_everywhere(selector, partly):
    X, Y = partly
    labels = Y[:, :2]
    quality = evaluate_selection(selector, X, labels, n_splits=2)
    assert quality.about("micro_f1", "simpler")
    assert SizeCV(selector, sizes=[1, 3], cv=2).fit(X, labels).support_.sum() in (1, 3)
    StabilitySelection(selector, n_subsamples=3).fit(X, labels)
    assert permutation_p_values(selector, X, labels, n_permutations=2).p.size == 8


def test_sieve_with_targets_of_any_kind(partly):
    X, Y = partly
    quality = evaluate_selection(Sieve(3), X, Y, n_splits=2, budget=np.inf)
    assert quality.main_measures == ["micro_f1", "class_accuracy", "r2"]
    # The first three features make all targets.
    assert quality.mean("r2", "chosen") > quality.mean("r2", "random") + 0.1
    search = SizeCV(Sieve(), sizes=[1, 3], cv=2, random_state=0).fit(X, Y)
    assert search.n_features_ == 3
    assert sorted(search.order_[:3]) == [0, 1, 2]


def test_a_page_about_a_mixture_speaks_of_targets(partly, tmp_path):
    X, Y = partly
    page = write_report(Sieve(3), X, Y, tmp_path / "page.html", budget=1.0)
    text = page.read_text("utf-8")
    for words in (
        "targets covered",
        "Which targets suffer?",
        "Targets: click",
        "R2 at ",
    ):
        assert words in text
    assert "Which labels" not in text
    data = text.split('id="explore-data">')[1].split("</script>")[0]
    targets = json.loads(data)["labels"]
    kinds = [one["k"] for one in targets]
    assert kinds == [*[""] * 2, *["class"] * 2, *["number"] * 2]
    assert [one["n"] for one in targets][:2] == ["target 0", "target 1"]
    known = np.count_nonzero(~np.isnan(Y), axis=0)
    for place, one in enumerate(targets):
        assert one["p"] == (known[place] if one["k"] else np.nansum(Y[:, place]))
        assert ("f" in one) == (not one["k"])


def test_a_page_about_numbers(partly, tmp_path):
    X, Y = partly
    page = write_report(Sieve(3), X, Y[:, 4:], tmp_path / "page.html", budget=1.0)
    text = page.read_text("utf-8")
    assert "R2" in text
    assert "of the variance of the numbers" in text
