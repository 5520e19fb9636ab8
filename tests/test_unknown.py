"""Labels that are not known: selectors, blocks, classifiers, measures and files."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from labelsieve import (
    EMCFS,
    FIMF,
    GRRO,
    LIFT,
    LRFS,
    MLNB,
    PMU,
    BRkNN,
    BRLogistic,
    Dataset,
    MLkNN,
    Sieve,
    evaluate,
    load,
    path_scores,
    save,
    with_unknown,
    write_report,
)
from labelsieve.experiments import HoldOut, Sizes, compare
from labelsieve.metrics import ndcg_at, precision_at, psp_at
from labelsieve.registry import make_selector
from tests.exploring import draws
from tests.naive import unknown as naive

NAN = np.nan
labels = st.one_of(st.just(NAN), st.sampled_from([0.0, 1.0]))
several = st.one_of(st.just(NAN), st.sampled_from([0.0, 1.0, 2.0]))
corrections = st.sampled_from([None, "miller-madow", "chi2"])


def columns_that_vary(X, Y):
    """As selectors see them: no unlabelled rows, no constant columns."""
    rows = ~np.isnan(Y).all(axis=1)
    X, Y = X[rows], Y[rows]
    X = X[:, [np.unique(f).size > 1 for f in X.T]]
    Y = Y[:, [np.unique(y[~np.isnan(y)]).size > 1 for y in Y.T]]
    assume(X.shape[1] > 1 and Y.shape[1] > 0 and len(Y) > 1)
    return X, Y


def sparse(Y):
    """Ones and NaN stored."""
    return sp.csr_matrix(Y)


@settings(max_examples=draws(40), deadline=None)
@given(
    arrays(np.float64, (24, 4), elements=st.sampled_from([0.0, 0.0, 1.0])),
    arrays(np.float64, (24, 4), elements=labels),
    corrections,
)
@pytest.mark.filterwarnings("ignore:.*(labels|targets)")
def test_two_values_like_the_naive_version(X, Y, correction):
    compare_with_naive(X, Y, correction, (Y, sparse(Y)))


@settings(max_examples=draws(30), deadline=None)
@given(
    arrays(np.float64, (20, 3), elements=st.sampled_from([0.0, 1.0, 2.0])),
    arrays(np.float64, (20, 3), elements=several),
    corrections,
)
@pytest.mark.filterwarnings("ignore:.*(labels|targets)")
def test_any_values_like_the_naive_version(X, Y, correction):
    compare_with_naive(X, Y, correction, (Y,))


def compare_with_naive(X, Y, correction, forms):
    seen, known = columns_that_vary(X, Y)
    given_X = X[:, [np.unique(f[~np.isnan(Y).all(axis=1)]).size > 1 for f in X.T]]
    how = {"binning": "none", "correction": correction}
    expected = naive.fimf(seen, known, 3, correction)
    picks, values, J = naive.pmu(seen, known, 2, correction)
    J[picks] = values
    for form in forms:
        fimf = FIMF(1, n_labels=3, **how).fit(given_X, form)
        np.testing.assert_allclose(fimf.scores_, expected, atol=1e-10)
        pmu = PMU(2, **how).fit(given_X, form)
        assert pmu.order_[:2].tolist() == picks
        np.testing.assert_allclose(pmu.scores_, J, atol=1e-10)


@settings(max_examples=draws(30), deadline=None)
@given(
    arrays(np.float64, (36, 5), elements=st.sampled_from([0.0, 1.0])),
    arrays(np.float64, (36, 3), elements=st.one_of(labels, labels.filter(bool))),
)
@pytest.mark.filterwarnings("ignore:.*(labels|targets)")
def test_sieve_like_the_naive_version(X, Y):
    X[:, :3] = np.where(np.isnan(Y) | (X[:, 3:4] > 0), X[:, :3], Y)
    seen, known = columns_that_vary(X, Y)
    assume(np.unique(seen, axis=1).shape[1] == seen.shape[1])
    assume(not np.isnan(known).all(axis=1).any())  # such rows are left out
    rank = np.linalg.matrix_rank(seen - seen.mean(axis=0))
    assume(rank == seen.shape[1])
    fitted, expected = Sieve(2).fit(seen, known), np.inf
    for place, feature in enumerate(fitted.order_[:2]):
        if fitted.scores_[feature] > 0:
            gain = naive.sieve(seen, known, feature, fitted.order_[:place].tolist())
            expected = min(gain, expected)  # scores never rise along the order
            assert fitted.scores_[feature] == pytest.approx(expected, abs=1e-9)


@pytest.fixture
def data(random):
    Y = (random.random((150, 4)) < 0.4).astype(float)
    X = (random.random((150, 7)) < 0.3).astype(float)
    X[:, :4] = np.where(random.random(Y.shape) < 0.8, Y, X[:, :4])
    Y[random.random(Y.shape) < 0.15] = NAN
    return X, Y


@pytest.mark.parametrize("selector", [FIMF(3), PMU(3), Sieve(3), PMU(3, n_jobs=2)])
def test_arrays_and_lists_of_samples_give_the_same(selector, data, monkeypatch):
    from labelsieve.engines import sparse_terms

    X, Y = data
    expected = selector.fit(X, Y).scores_
    for is_dense in (True, False):
        monkeypatch.setattr(
            sparse_terms, "is_dense", lambda X, is_dense=is_dense: is_dense
        )
        for form in (X, sp.csr_matrix(X)):
            np.testing.assert_allclose(selector.fit(form, Y).scores_, expected, 1e-9)


def test_what_is_known_everywhere_stays_as_it_was(data):
    """A label with unknown cells changes nothing about the others."""
    X, Y = data[0], np.nan_to_num(data[1])
    expected = FIMF(2, n_labels=0).fit(X, Y[:, :1]).scores_
    for column in (np.full(150, NAN), np.where(np.arange(150) < 9, 1.0, NAN)):
        with pytest.warns(UserWarning, match="1 of 2 labels"):
            found = FIMF(2, n_labels=0).fit(X, np.column_stack([Y[:, 0], column]))
        np.testing.assert_allclose(found.scores_, expected, atol=1e-12)


def test_labels_that_are_never_known_together_do_not_interact(data):
    X, Y = data[0], np.nan_to_num(data[1])[:, :2]
    halves = Y.copy()
    halves[:75, 0] = halves[75:, 1] = NAN
    alone = [FIMF(1).fit(X[r], Y[r, j]).scores_ for j, r in enumerate(slices(75))]
    found = FIMF(1).fit(X, halves)
    np.testing.assert_allclose(found.scores_, sum(alone), atol=1e-12)
    # Without interaction, given another label means what it means alone.
    lrfs = LRFS(1).fit(X, halves)
    (pick,) = lrfs.get_support(indices=True)
    assert lrfs.scores_[pick] == pytest.approx(sum(alone)[pick])


def slices(half):
    return slice(half, None), slice(None, half)


def test_a_label_that_is_known_nowhere_is_named_and_left_out(data):
    X, Y = data
    more = pd.DataFrame(np.column_stack([Y, np.full(150, NAN)]), columns=list("abcde"))
    for selector in (FIMF(2), PMU(2), Sieve(2), GRRO(2), make_selector("br+mi")):
        expected = selector.fit(X, Y).scores_
        with pytest.warns(UserWarning, match="1 of 5 labels are known in no row.*'e'"):
            np.testing.assert_array_equal(selector.fit(X, more).scores_, expected)
    with pytest.raises(ValueError, match="known in 1 row only"):
        FIMF(1).fit(X, np.where(np.arange(150) == 3, 1.0, NAN))


def test_text_with_unknown_cells(data):
    X, Y = data
    words = np.where(np.isnan(Y), None, np.where(Y == 1, "yes", "no"))
    expected = PMU(2).fit(X, Y).scores_
    for table in (words, pd.DataFrame(words), pl.DataFrame(words, schema=list("abcd"))):
        np.testing.assert_array_equal(PMU(2).fit(X, table).scores_, expected)


def test_mutual_information_of_each_label_over_its_rows(data):
    X, Y = data
    explained = FIMF(3).fit(X, Y).explain(X, Y)
    expected = [
        [naive.mutual_information(X[:, f], y) for y in Y.T] for f in explained.features
    ]
    np.testing.assert_allclose(explained.information, expected, atol=1e-12)
    np.testing.assert_allclose(explained.label_entropies, naive.label_entropies(Y))


def test_grro_compares_two_labels_where_both_are_known(data):
    from labelsieve.reading import read_labels
    from labelsieve.selectors.grro import label_distance

    X, Y = data
    expected = np.zeros((4, 4))
    for a in range(4):
        for b in range(4):
            first, second = Y[naive.known(Y[:, a], Y[:, b])][:, [a, b]].T
            length = np.linalg.norm(first) * np.linalg.norm(second)
            expected[a, b] = 1 - first @ second / length
    for form in (Y, sparse(Y)):
        found = label_distance(read_labels(form, X))
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("name", ["br+chi2", "br+mi"])
def test_binary_relevance_takes_each_label_where_it_is_known(name, data):
    X, Y = data
    selector = make_selector(name, n_features_to_select=2)
    each = [selector.fit(X[naive.known(y)], y[naive.known(y)]).scores_ for y in Y.T]
    for form in (Y, sparse(Y)):
        found = selector.fit(X, form).scores_
        np.testing.assert_allclose(found, np.mean(each, 0), rtol=1e-12)


CLASSIFIERS = [
    MLNB(),
    MLNB(kind="gaussian"),
    EMCFS(),
    EMCFS(mode="count"),
    MLkNN(),
    BRLogistic(),
]


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)
def test_classifiers_learn_each_label_where_it_is_known(classifier, data):
    X, Y = data
    found = classifier.fit(X, Y).label_scores(X)
    assert set(np.unique(classifier.predict(X))) <= {0, 1}
    for j, y in enumerate(Y.T):
        rows = naive.known(y)
        pair = np.column_stack([y, 1 - y])[rows]  # two labels: no column of classes
        expected = classifier.fit(X[rows], pair).label_scores(X)[:, 0]
        np.testing.assert_allclose(found[:, j], expected, atol=1e-9)


@pytest.mark.parametrize("classifier", [MLkNN(), MLkNN(3), BRLogistic()])
def test_paths_learn_each_label_where_it_is_known(classifier, random):
    """Labels that are known nearly everywhere, in half, rarely, once and never."""
    X = random.normal(size=(120, 6)).round(1)
    Y = (X[:, [0, 1, 2, 3, 4]] + random.normal(size=(120, 5)) > 0.5).astype(float)
    shares = np.array([0.9, 0.5, 0.15, 0.0, 0.0])
    Y[:90][random.random((90, 5)) >= shares] = NAN
    Y[3, 3] = 1.0
    order, sizes = np.array([5, 0, 1, 2, 3, 4]), np.array([1, 3, 6])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        train = X[:90], Y[:90]
        path = path_scores(classifier, *train, X[90:], order, sizes)
        for place, size in enumerate(sizes):
            columns = order[:size]
            fitted = classifier.fit(train[0][:, columns], train[1])
            found = fitted.label_scores(X[90:, columns])
            np.testing.assert_allclose(path.scores[place], found, atol=1e-9)
            for j in range(3):
                rows = naive.known(Y[:90, j])
                pair = np.column_stack([Y[:90, j], 1 - Y[:90, j]])[rows]
                alone = classifier.fit(X[:90][rows][:, columns], pair)
                expected = alone.label_scores(X[90:, columns])[:, 0]
                np.testing.assert_allclose(found[:, j], expected, atol=1e-9)
        once = path_scores(classifier, *(X[:90], Y[:90, [3]]), X[90:], order, sizes)
    assert not path.predictions[:, :, 4].any()
    assert np.isfinite(once.scores).all()


def test_other_classifiers(data):
    X, Y = data
    assert LIFT(random_state=0).fit(X, Y).predict(X).shape == Y.shape
    told = r"unknown cell\(s\) in 4 of 4 .* BRkNN needs every label .* MLkNN or MLNB"
    with pytest.raises(ValueError, match=told):
        BRkNN().fit(X, Y)
    with pytest.warns(UserWarning, match="1 of 5 labels are absent"):
        MLNB().fit(X, np.column_stack([Y, np.full(150, NAN)]))


@settings(max_examples=draws(40), deadline=None)
@given(
    arrays(np.float64, (6, 4), elements=labels),
    arrays(np.float64, (6, 4), elements=st.sampled_from([0.0, 1.0])),
    arrays(np.float64, (6, 4), elements=st.integers(0, 3).map(float)),
)
def test_measures_skip_what_is_not_known(Y, predicted, scores):
    assume(not np.isnan(Y).all())
    expected = naive.measures(Y, predicted, scores)
    forms = Y, sparse(Y), np.where(np.isnan(Y), None, Y), pd.DataFrame(Y)
    for form in forms:
        found = evaluate(form, predicted, scores)
        for name, value in expected.items():
            assert found[name] == pytest.approx(value), name


@settings(max_examples=draws(40), deadline=None)
@given(
    arrays(np.float64, (6, 4), elements=labels),
    arrays(np.float64, (6, 4), elements=st.integers(0, 3).map(float)),
)
def test_labels_on_top_are_known_ones(Y, scores):
    assume(not np.isnan(Y).all())
    expected = naive.measures(Y, np.zeros_like(Y), scores)
    likely = np.array([0.2, 0.5, 0.7, 1.0])
    whole = evaluate(Y, np.zeros_like(Y), scores, propensities=likely)
    for k in (1, 3, 5):
        precision, gain = precision_at(Y, scores, k), ndcg_at(Y, scores, k)
        assert precision == pytest.approx(expected[f"precision_at_{k}"])
        assert gain == pytest.approx(expected[f"ndcg_at_{k}"])
        weighted = pytest.approx(naive.psp_at(Y, scores, likely, k), nan_ok=True)
        assert psp_at(Y, scores, likely, k) == weighted
        assert whole[f"psp_at_{k}"] == weighted


def test_a_true_label_is_on_top_once():
    found = evaluate([[1, 0, NAN]], [[1, 0, 0]], [[0.39, 0.13, 0.04]])
    assert found["ndcg_at_3"] == 1.0
    assert found["precision_at_3"] == pytest.approx(1 / 3)
    # The label that is not known has the best score: it is not in the ranking.
    assert psp_at([[NAN, 1, 0]], [[0.9, 0.5, 0.1]], [0.1, 0.5, 1.0], 1) == 1.0


@pytest.mark.parametrize("form", ["csv", "mulan", "meka", "parquet"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_files_hold_unknown_labels(form, is_sparse, data, tmp_path):
    X, Y = data
    Z = (sp.csr_array(X), sp.csr_array(Y)) if is_sparse else (X, Y)
    dataset = Dataset(*Z, [f"f{i}" for i in range(7)], list("abcd"))
    suffix = {"mulan": "arff", "meka": "arff"}.get(form, form)
    save(dataset, tmp_path / f"data.{suffix}", format=form)
    found = load(tmp_path / f"data.{suffix}").Y
    np.testing.assert_array_equal(found.toarray() if is_sparse else found, Y)
    with pytest.raises(ValueError, match="LibSVM cannot hold labels"):
        save(dataset, tmp_path / "data.txt", format="libsvm")


def test_unknown_cells_of_a_table_that_somebody_typed(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("x,l_1,l_2\n1,0,\n2,yes,?\n3,NA,1\n4,1,0\n", encoding="utf-8")
    expected = [[0, NAN], [1, NAN], [NAN, 1], [1, 0]]
    np.testing.assert_array_equal(load(path, labels="l_").Y, expected)


def test_a_large_file_of_numbers(tmp_path):
    lines = [
        f"{i},{'' if i % 7 == 0 else i % 2},{i % 3 and '?'}" for i in range(30_000)
    ]
    path = tmp_path / "large.csv"
    path.write_text("\n".join(["x,l_1,l_2", *lines]), encoding="utf-8")
    Y = load(path, labels="l_").Y
    rows = np.arange(30_000)
    np.testing.assert_array_equal(np.isnan(Y[:, 0]), rows % 7 == 0)
    np.testing.assert_array_equal(np.isnan(Y[:, 1]), rows % 3 > 0)


def test_other_marks_become_nan():
    Y = np.array([[1, -1], [0, 1]])
    expected = np.array([[1, NAN], [0, 1]])
    np.testing.assert_array_equal(with_unknown(Y.tolist(), -1), expected)
    np.testing.assert_array_equal(with_unknown(sp.csr_array(Y), -1).toarray(), expected)
    polars = with_unknown(pl.DataFrame(Y, schema=["a", "b"]), -1)
    assert polars.null_count().row(0) == (0, 1)
    words = with_unknown([["a", "?"], ["b", "a"]], "?")
    assert words.tolist() == [["a", None], ["b", "a"]]
    with pytest.warns(UserWarning, match="same value"):
        assert FIMF(1).fit([[0, 1], [1, 0]], with_unknown(Y, -1)).order_[0] == 0


def test_comparisons_take_labels_that_are_not_known(data, tmp_path, capsys):
    from labelsieve.cli import main

    X, Y = data
    file = tmp_path / "some.csv"
    save(Dataset(X, Y, [f"f{i}" for i in range(7)], list("abcd")), file)
    words = ["compare", str(file), "-m", "fimf", "--splits", "1", "-o", str(tmp_path)]
    assert main(words) == 0
    assert "fimf" in capsys.readouterr().out


@pytest.mark.parametrize("stratified", [False, True])
def test_comparisons_count_known_cells(data, tmp_path, stratified):
    X, Y = data
    protocol = HoldOut(n_splits=2, stratified=stratified)
    found = compare(
        *(X, Y, ["fimf", "gmba"]),
        classifiers=["mlknn"],
        protocol=protocol,
        sizes=Sizes(counts=(2,)),
        view="raw",
        out=tmp_path,
    )
    # GMBA needs labels that are all known, and the results say what it got.
    said = "gmba: selected with the more frequent value in place of unknown labels."
    assert found.content["experiment"]["notes"] == [said]
    assert said in found.to_markdown()
    assert not found.content["failed"]
    (curve,) = [r for r in found.content["curves"] if r["method"] == "fimf"]
    values = []
    for index in range(2):
        split = protocol.split(Y, 0, index)
        train, test = split.train, split.test
        chosen = FIMF(2).fit(X[train], Y[train]).order_[:2]
        model = MLkNN().fit(X[train][:, chosen], Y[train])
        inputs = X[test][:, chosen]
        measured = evaluate(Y[test], model.predict(inputs), model.label_scores(inputs))
        values.append(measured["micro_f1"])
    means = curve["measures"]["micro_f1"]["mean"]
    assert means == pytest.approx([np.mean(values)])


@settings(max_examples=draws(25), deadline=None)
@given(
    arrays(np.float64, (30, 3), elements=st.sampled_from([0.0, 1.0])),
    arrays(np.float64, (30, 3), elements=st.sampled_from([0.0, 1.0])),
    arrays(np.bool_, 30, elements=st.booleans()),
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_unknown_rows_of_a_label_are_left_out_for_it(X, Y, hidden):
    assume((~hidden).sum() > 1)
    holes = Y.copy()
    holes[hidden, 0] = NAN
    alone = {"n_labels": 0, "binning": "none"}
    first = FIMF(1, **alone).fit(X[~hidden], Y[~hidden, 0]).scores_
    others = FIMF(1, **alone).fit(X, Y[:, 1:]).scores_
    found = FIMF(1, **alone).fit(X, holes).scores_
    np.testing.assert_allclose(found, first + others, atol=1e-12)


@pytest.mark.parametrize("selector", [FIMF(2), PMU(3), Sieve(3), GRRO(2), LRFS(2)])
def test_floats_that_are_all_known_give_the_bits_of_whole_numbers(selector, data):
    X, Y = data[0], np.nan_to_num(data[1])
    expected = selector.fit(X, Y.astype(np.uint8)).scores_
    for form in (Y, sparse(Y), np.ma.masked_invalid(Y), pd.DataFrame(Y, dtype="Int8")):
        np.testing.assert_array_equal(selector.fit(X, form).scores_, expected)


def test_a_page_says_how_much_is_known(data, tmp_path, capsys):
    from labelsieve.cli import main

    X, Y = data
    file, page = tmp_path / "some.csv", tmp_path / "page.html"
    save(Dataset(X, Y, [f"f{i}" for i in range(7)], list("abcd")), file)
    words = ["select", str(file), "-k", "2", "--splits", "2", "--budget", "inf"]
    assert main([*words, "--report", str(page)]) == 0
    assert f"Of 600 cells of Y, {np.isfinite(Y).sum()} are known" in page.read_text()
    assert "micro-F1" in capsys.readouterr().out
    assert main(["describe", str(file)]) == 0
    assert "unknown labels: 4 of 4 labels" in capsys.readouterr().out


def test_a_page_is_written_where_quality_cannot_be_measured(data, tmp_path, capsys):
    from labelsieve.cli import main

    X, Y = data
    hidden = Y.copy()
    hidden[2:] = NAN  # two samples are too few to measure anything
    file, page = tmp_path / "some.csv", tmp_path / "page.html"
    rows = np.flatnonzero(np.isfinite(hidden).any(axis=1))
    save(
        Dataset(X[rows], hidden[rows], [f"f{i}" for i in range(7)], list("abcd")), file
    )
    words = ["select", str(file), "-k", "2", "--report", str(page)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert main(words) == 2
        assert "could not be measured: " in page.read_text()
        written = write_report(FIMF(2), X[rows], hidden[rows], tmp_path / "other.html")
    assert "could not be measured: " in written.read_text()
    assert "a minimum of 3 is required" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_tables_are_read_alike_in_any_layout(kind, random):
    from labelsieve.reading import read_labels

    Y = (random.random((1_000, 120)) < 0.05).astype(kind)
    Y[random.random(Y.shape) < 0.05] = NAN
    Y[:, 7] = NAN
    Y[:, 8] = np.where(np.isnan(Y[:, 8]), NAN, 1)
    expected = read_labels(Y, Y)
    for form in (np.asfortranarray(Y), sparse(Y)):
        labels = read_labels(form, Y)
        codes = labels.codes.toarray() if sp.issparse(labels.codes) else labels.codes
        np.testing.assert_array_equal(codes, expected.codes)
        np.testing.assert_array_equal(labels.n_values, expected.n_values)
        np.testing.assert_array_equal(labels.n_unknown, expected.n_unknown)
