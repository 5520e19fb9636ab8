"""Folders of Parquet, zarr and LibSVM files, and samples of their rows."""

import gzip

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import zarr

from labelsieve import FIMF
from labelsieve.datasets import Dataset, FormatError, save
from labelsieve.datasets._lazy import open_lazy, sample_rows
from tests.distributed.data import N_ROWS, equal_blocks, in_blocks, table

# Dask itself calls pandas in a way that pandas 3.1 calls old.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

X, Y = table()
X = np.where(np.abs(X) > 0.5, X, 0.0)
X[:, 0] += 10  # no row is empty: LibSVM files cannot hold such rows
FEATURES = [f"x{j}" for j in range(X.shape[1])]
LABELS = [f"y{j}" for j in range(Y.shape[1])]
EXPECTED = FIMF(3).fit(X, Y).scores_


def write_libsvm(folder, header, first=0):
    for number, rows in enumerate(np.split(np.arange(N_ROWS), [90, 250])):
        lines = [f"{rows.size} {X.shape[1]} {Y.shape[1]}"] if header else []
        for row in rows:
            labels = ",".join(map(str, np.flatnonzero(Y[row])))
            cells = [f"{j + first}:{X[row, j]}" for j in np.flatnonzero(X[row])]
            lines.append(" ".join([labels, *cells]))
        text = "\n".join([*lines, ""])
        if number == 0:
            (folder / "0.svm.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (folder / f"{number}.svm").write_text(text)


@pytest.mark.parametrize(
    ("header", "first", "options"),
    [
        (True, 0, {}),
        (False, 1, {"labels": 5}),
        (False, 0, {"labels": 5}),
        (False, 1, {"labels": 5, "n_features": 16}),
    ],
)
def test_libsvm_folder(tmp_path, header, first, options):
    write_libsvm(tmp_path, header, first)
    data = open_lazy(tmp_path, **options)
    assert data.X.numblocks == (3, 1)
    np.testing.assert_allclose(FIMF(3).fit(*data).scores_, EXPECTED, 1e-9, 1e-14)
    assert len(data.feature_names) == 16
    np.testing.assert_array_equal(data.X.compute().toarray(), X)


def test_libsvm_files_that_disagree(tmp_path):
    (tmp_path / "a.svm").write_text("1 3 2\n0 0:1\n")
    (tmp_path / "b.svm").write_text("1 4 2\n0 3:1\n")
    with pytest.raises(FormatError, match="as in the first file"):
        open_lazy(tmp_path).X.compute()


def test_libsvm_without_the_number_of_labels(tmp_path):
    (tmp_path / "a.svm").write_text("0 1:1\n")
    with pytest.raises(FormatError, match="pass labels="):
        open_lazy(tmp_path)


@pytest.mark.parametrize("labels", ["y", -5, LABELS])
def test_parquet_folder(tmp_path, labels):
    frame = pd.DataFrame(np.hstack([X, Y]), columns=[*FEATURES, *LABELS])
    for number, part in enumerate(np.split(np.arange(N_ROWS), [150])):
        frame.iloc[part].to_parquet(tmp_path / f"{number}.parquet")
    data = open_lazy(tmp_path, labels=labels)
    assert isinstance(data.X, dd.DataFrame)
    assert list(data.label_names) == LABELS
    np.testing.assert_array_equal(FIMF(3).fit(*data).scores_, EXPECTED)
    with pytest.raises(FormatError, match="labels"):
        open_lazy(tmp_path)


def test_parquet_that_describes_itself(tmp_path):
    save(Dataset(X, Y, FEATURES, LABELS), tmp_path / "data.parquet", format="parquet")
    data = open_lazy(tmp_path / "data.parquet")
    assert list(data.feature_names) == FEATURES
    np.testing.assert_array_equal(FIMF(3).fit(*data).scores_, EXPECTED)


def test_zarr_group(tmp_path):
    group = zarr.open_group(str(tmp_path / "data.zarr"), mode="w")
    group.create_array("X", data=X, chunks=(100, 6))
    with pytest.raises(FormatError, match="no array Y"):
        open_lazy(tmp_path / "data.zarr")
    group.create_array("Y", data=Y, chunks=(130, 5))
    group.attrs["label_names"] = LABELS
    data = open_lazy(tmp_path / "data.zarr")
    assert list(data.label_names) == LABELS
    np.testing.assert_array_equal(FIMF(3).fit(*data).scores_, EXPECTED)


def test_nothing_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        open_lazy(tmp_path / "missing")
    with pytest.raises(FormatError, match="no Parquet, zarr or LibSVM"):
        open_lazy(tmp_path)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_same_rows_are_drawn_from_any_blocks(sparse):
    number = np.arange(N_ROWS)[:, np.newaxis]
    drawn = []
    for n_blocks in (1, 7):
        lengths = equal_blocks(n_blocks)
        rows = in_blocks(number, lengths, sparse), in_blocks(Y, lengths, sparse)
        numbers, labels = sample_rows(*rows, 50, random_state=3)
        assert sp.issparse(numbers) == sparse
        numbers = numbers.toarray() if sparse else numbers
        labels = labels.toarray() if sparse else labels
        np.testing.assert_array_equal(labels, Y[numbers.ravel()])
        drawn.append(numbers.ravel())
    np.testing.assert_array_equal(*drawn)
    assert np.unique(drawn[0]).size == 50


def test_samples_of_frames_and_of_all_rows():
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=3)
    labels = dd.from_pandas(pd.DataFrame(Y), npartitions=3)
    rows, _ = sample_rows(frame, labels, 10**6)
    assert rows.shape == X.shape
    for chunks in ((N_ROWS, 5), (150, 5)):
        with pytest.raises(ValueError, match="rechunk"):
            sample_rows(frame, da.from_array(Y, chunks=chunks), 5)
