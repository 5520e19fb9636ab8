"""Reading back what was written gives the same data set."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from labelsieve.datasets import Dataset, load, save
from tests.datasets.helpers import assert_same
from tests.exploring import draws

FORMATS = {
    "mulan": "data.arff",
    "meka": "data.arff",
    "csv": "data.csv",
    "tsv": "data.tsv",
    "libsvm": "data.libsvm",
    "parquet": "data.parquet",
}

# Every character that has a meaning somewhere, and some that look like blanks.
HOSTILE = "'\"\\,;{}%@?<>&#:| \t\n\r\x0b\x1c\x85\xa0\u2028\ufeff\U0001f600aé0-_."
words = st.one_of(
    st.text(HOSTILE, max_size=6),
    st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=4),
)
NOT_XML = {*map(chr, range(32)), "\ufffe", "\uffff"} - set("\t\n\r")
# XML cannot hold control characters; the Mulan writer says so.
xml_words = words.filter(lambda word: not NOT_XML & set(word))
numbers = st.one_of(
    st.just(0.0),
    st.just(float("nan")),
    st.integers(-5, 5).map(float),
    st.floats(allow_nan=False, allow_infinity=False),
)


@st.composite
def datasets(draw, names=words):
    n_features, n_labels = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    size = n_features + n_labels
    both = draw(st.lists(names, min_size=size, max_size=size, unique=True))
    rows = draw(st.integers(1, 4))
    categories = {}
    columns = []
    for name in both[:n_features]:
        values = numbers
        if draw(st.booleans()):
            texts = draw(st.lists(words, min_size=1, max_size=3, unique=True))
            categories[name] = tuple(texts)
            codes = [*map(float, range(len(texts))), float("nan")]
            values = st.sampled_from(codes)
        columns.append(draw(st.lists(values, min_size=rows, max_size=rows)))
    X = np.array(columns).T
    Y = draw(
        st.lists(
            st.lists(st.integers(0, 1), min_size=n_labels, max_size=n_labels),
            min_size=rows,
            max_size=rows,
        )
    )
    weights = draw(st.none() | st.just(np.linspace(0.5, 2, rows)))
    if draw(st.booleans()):
        X = sparse.csr_array(X)
    return Dataset(
        X, Y, both[:n_features], both[n_features:], draw(words), categories, weights
    )


def read_back(dataset: Dataset, format: str, suffix: str = "") -> Dataset:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (FORMATS[format] + suffix)
        save(dataset, path, format=format)
        return load(path)


PERCENT = Dataset(
    [[1.0, 0.0]], [[1]], ["%", "?"], ["@data"], "%", {"?": ("?", "", " a ", "NA")}
)


@pytest.mark.parametrize("format", ["meka", "csv", "tsv", "libsvm", "parquet"])
@given(dataset=datasets())
@example(dataset=PERCENT)
@settings(max_examples=draws(60), deadline=None)
def test_every_writer_is_undone_by_its_reader(format, dataset):
    assert_same(read_back(dataset, format), dataset)


@given(dataset=datasets(names=xml_words))
@example(dataset=PERCENT)
@settings(max_examples=draws(60), deadline=None)
def test_mulan_files_and_their_xml_are_read_back(dataset):
    assert_same(read_back(dataset, "mulan"), dataset)


@pytest.mark.parametrize("format", FORMATS)
def test_gzip_is_written_and_read(format):
    assert_same(read_back(PERCENT, format, ".gz"), PERCENT)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("as_sparse", [False, True])
def test_large_files_come_back(format, as_sparse, each_way):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 7)) * 10.0 ** rng.integers(-300, 300, size=(60, 7))
    X[:, 6] = rng.integers(0, 12, size=60)
    X[rng.random(X.shape) < 0.3] = 0
    words = (*(f"v{i}" for i in range(10)), "10", "a b")
    dataset = Dataset(
        sparse.csr_array(X) if as_sparse else X,
        rng.random((60, 4)) < 0.3,
        [f"f{i}" for i in range(7)],
        list("wxyz"),
        "large",
        {"f6": words},
    )
    assert_same(read_back(dataset, format), dataset)


def test_names_that_xml_cannot_hold_are_refused_with_the_way_out(tmp_path):
    dataset = Dataset([[1.0]], [[1]], ["a"], ["b\x01"])
    with pytest.raises(ValueError, match="format='meka'"):
        save(dataset, tmp_path / "data.arff")
    assert list(tmp_path.iterdir()) == []


def test_nul_is_written_where_it_can_be(tmp_path):
    dataset = Dataset([[1.0]], [[1]], ["a\0"], ["b"])
    with pytest.raises(ValueError, match="CSV cannot hold the NUL"):
        save(dataset, tmp_path / "data.csv")
    for format in ("mulan", "meka", "libsvm", "parquet"):
        again = read_back(dataset, format)
        assert again.feature_names == ("a\0",)


def test_unknown_suffix_and_format_are_refused(tmp_path):
    for name, format in (("data.xyz", None), ("data", None), ("data.arff", "weka")):
        with pytest.raises(ValueError, match="cannot infer the format"):
            save(PERCENT, tmp_path / name, format=format)


def test_a_value_that_is_no_category_is_refused(tmp_path):
    dataset = Dataset([[2.0]], [[1]], ["a"], ["b"], categories={"a": ("x", "y")})
    with pytest.raises(ValueError, match="no position among its 2 categories"):
        save(dataset, tmp_path / "data.csv")


def test_saving_replaces_a_file_in_one_step(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("old")
    save(PERCENT, path)
    assert_same(load(path), PERCENT)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", "data.json"]


def test_frames_are_saved_like_arrays(tmp_path):
    pytest.importorskip("pandas")
    save(PERCENT, tmp_path / "data.parquet")
    frames = load(tmp_path / "data.parquet", as_frame=True)
    save(frames, tmp_path / "again.csv")
    assert_same(load(tmp_path / "again.csv"), PERCENT)
