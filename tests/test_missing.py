"""Missing cells of X: selectors, transform, explanations and what is around them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

from labelsieve import FIMF, MLFS, PMU, Discretizer, Sieve
from labelsieve.choosing import (
    SizeCV,
    StabilitySelection,
    evaluate_selection,
    permutation_p_values,
)
from labelsieve.information import mutual_information
from labelsieve.registry import make_selector
from labelsieve.report import selection_page
from tests.exploring import draws
from tests.naive.discretization import code_with_missing

NAN = np.nan
cells = st.one_of(st.just(NAN), st.integers(-2, 2).map(float), st.floats(-9, 9))


@pytest.fixture
def data(random):
    """Whether a cell of column 0 is missing tells label 1."""
    Y = random.integers(0, 2, (120, 3))
    X = random.normal(size=(120, 6)) + Y[:, [0, 0, 1, 1, 2, 2]]
    X[random.random(X.shape) < 0.08] = NAN
    X[:, 0] = np.where(Y[:, 1] == 1, NAN, random.normal(size=120))
    return X, Y


@settings(max_examples=draws(30))
@given(
    arrays(np.float64, (30, 4), elements=cells),
    arrays(np.int8, (30, 2), elements=st.integers(0, 1)),
    st.integers(2, 4),
    st.sampled_from(["quantile", "uniform", "none"]),
    st.sampled_from(["pmu", "fimf", "br+mi"]),
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_missing_cell_is_like_any_other_code(X, Y, n_bins, binning, name):
    codes = np.column_stack([code_with_missing(c, n_bins, binning) for c in X.T])
    expected = make_selector(name, n_features_to_select=2, binning="none")
    expected.fit(codes, Y)
    for table in (X, sp.csr_matrix(X)):
        found = make_selector(
            name, n_features_to_select=2, n_bins=n_bins, binning=binning
        ).fit(table, Y)
        np.testing.assert_array_equal(found.scores_, expected.scores_)
        np.testing.assert_array_equal(found.order_, expected.order_)


def test_the_table_of_the_user_stays_as_it_is(data):
    X, Y = data
    for table in (X.copy(), sp.csr_matrix(X), np.asfortranarray(X)):
        before = table.copy()
        Sieve(2).fit(table, Y).explain(table, Y)
        same = [t.data if sp.issparse(t) else t for t in (table, before)]
        np.testing.assert_array_equal(*same)


def test_columns_without_any_cell_are_constant(data):
    X, Y = data
    X[:, 4] = NAN
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(
        e=pd.Categorical([None] * 120, categories=["x", "y"])
    )
    null = pl.DataFrame(X).with_columns(pl.lit(None, dtype=pl.String).alias("column_4"))
    for table in (X, sp.csr_matrix(X), frame, null):
        fitted = Sieve(2).fit(table, Y)
        assert fitted.order_[-1] == 4
        assert fitted.scores_[4] == fitted.scores_.min()


def test_categories_with_missing_cells(random):
    words = random.choice(["low", "high", "mid"], 90).astype(object)
    words[::7] = None
    flags = pd.array(random.integers(0, 2, 90), dtype="boolean")
    flags[::5] = pd.NA
    Y = random.integers(0, 2, (90, 2))
    filled = [word or "none of these, after all others" for word in words]
    codes = [np.unique(filled, return_inverse=True)[1]]
    codes.append(flags.to_numpy(dtype=float, na_value=2))
    expected = PMU(1, binning="none").fit(np.column_stack(codes), Y).scores_
    frame = pd.DataFrame({"a": words, "b": flags})
    tables = (frame, frame.astype({"a": "category"}), pl.from_pandas(frame))
    for table in tables:
        np.testing.assert_array_equal(PMU(1).fit(table, Y).scores_, expected)


def test_transform_passes_missing_cells_through(data):
    X, Y = data
    fitted = Sieve(2).fit(X, Y)
    kept = X[:, fitted.support_]
    np.testing.assert_array_equal(fitted.transform(X), kept)
    np.testing.assert_array_equal(fitted.transform(sp.csr_matrix(X)).toarray(), kept)
    masked = np.ma.masked_invalid(X)
    np.testing.assert_array_equal(fitted.transform(masked), kept)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    named = Sieve(2).set_output(transform="pandas").fit(frame, Y)
    pd.testing.assert_frame_equal(named.transform(frame), frame.loc[:, named.support_])


def test_explanations_say_what_missing_cells_tell(data):
    X, Y = data
    fitted = Sieve(3).fit(X, Y)
    for table in (X, sp.csr_matrix(X)):
        found = fitted.explain(table, Y)
        np.testing.assert_array_equal(
            found.n_missing, np.isnan(X[:, found.features]).sum(axis=0)
        )
        for place, feature in enumerate(found.features):
            holes = np.isnan(X[:, feature]).astype(int)
            expected = [mutual_information(holes, label) for label in Y.T]
            told = found.missing_information[place]
            np.testing.assert_allclose(told, expected, atol=1e-12)
    place = found.features.tolist().index(0)
    missing = found.to_dict()[place]["missing"]
    assert missing["cells"] == Y[:, 1].sum()
    assert missing["labels"][0]["label"] == "1"
    assert missing["labels"][0]["share"] == pytest.approx(1.0)
    said = (
        f"{missing['cells']} values missing, missingness relevant for label 1 (100 %)"
    )
    assert said in " ".join(str(found).split())


def test_explanations_of_whole_tables_do_not_speak_of_it(data):
    X, Y = np.nan_to_num(data[0]), data[1]
    found = Sieve(3).fit(X, Y).explain(X, Y)
    assert "missing" not in str(found)
    assert all("missing" not in feature for feature in found.to_dict())


def test_values_that_are_needed_can_be_imputed(data):
    pipeline = make_pipeline(SimpleImputer(), MLFS(2)).fit(*data)
    assert pipeline.transform(data[0]).shape == (120, 2)


def test_choosing_takes_them_where_the_selector_does(data):
    X, Y = data
    codes = Discretizer().fit_transform(X)
    coded = StabilitySelection(FIMF(2, binning="none"), n_subsamples=5, random_state=0)
    stable = StabilitySelection(FIMF(2), n_subsamples=5, random_state=0).fit(X, Y)
    expected = coded.fit(codes, Y).frequencies_
    np.testing.assert_array_equal(stable.frequencies_, expected)
    search = SizeCV(FIMF(), cv=2, random_state=0).fit(X, Y)
    assert search.transform(X).shape == (120, search.n_features_)
    assert permutation_p_values(FIMF(2), X, Y, n_permutations=3).p.shape == (6,)
    others = SizeCV(MLFS(), cv=2), StabilitySelection(MLFS(), n_subsamples=2)
    for needs_values in (*others, StabilitySelection(make_selector("br+relieff"))):
        with pytest.raises(ValueError, match="Input X contains NaN"):
            needs_values.fit(X, Y)


def test_the_page_counts_them(data):
    X, Y = data
    selector = Sieve(3).fit(X, Y)
    content = selection_page(
        selector.explain(X, Y),
        evaluate_selection(Sieve(3), X, Y, n_splits=2),
        method="sieve",
        description={"name": "holes", "instances": 120, "features": 6, "labels": 3},
        settings={},
        command="labelsieve select",
    )
    text = str(content["sections"])
    assert "missing ones became the median" in text
    assert "missing cells" in text
    assert "missingness relevant for" in text
