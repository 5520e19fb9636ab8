"""Folders, pipes, odd Parquet files, damaged zarr groups: one error names the file."""

import contextlib
import json
import os
import pickle
import shutil
import sys
import threading
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zarr

from labelsieve.cli import main
from labelsieve.datasets import FormatError, _zarr_blocks, load, open_lazy

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
# Dask itself calls pandas in a way that pandas 3.1 calls old.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

X = np.arange(24.0).reshape(6, 4)
Y = (X[:, :2] % 3 == 0).astype(np.uint8)


def compute(path, **arguments):
    return [part.compute() for part in open_lazy(path, **arguments)]


@pytest.mark.parametrize("suffix", [".svm", ".arff", ".csv", ".parquet", ".zip"])
def test_a_folder_with_the_name_of_a_file(tmp_path, suffix, capsys):
    folder = tmp_path / f"x{suffix}"
    folder.mkdir()
    with pytest.raises(FormatError, match="no data set here"):
        load(folder)
    with pytest.raises(FormatError, match="no Parquet, zarr or LibSVM"):
        open_lazy(folder)
    with pytest.raises(FormatError, match="no Parquet, zarr or LibSVM"):
        open_lazy(tmp_path)
    assert main(["describe", str(folder)]) == 2
    assert main(["select", str(folder), "--engine", "dask", "-m", "fimf"]) == 2
    assert capsys.readouterr().err.count("\n") == 2


@posix
@pytest.mark.parametrize("name", ["pipe.arff", "pipe.svm", "pipe.parquet", "pipe"])
def test_a_pipe_is_refused_at_once(tmp_path, name):
    pipe = tmp_path / name
    os.mkfifo(pipe)
    for read in (load, open_lazy):
        with pytest.raises(FormatError, match="a pipe or a device"):
            read(pipe)
    with pytest.raises(FormatError, match="a pipe or a device"):
        load("/dev/zero")
    # Pipes in a folder are not looked at.
    with pytest.raises(FormatError):
        load(tmp_path)
    with pytest.raises(FormatError):
        open_lazy(tmp_path)


@posix
def test_a_pipe_beside_a_file_is_not_read(tmp_path):
    (tmp_path / "data.svm").write_text("1 3 2\n0 0:1\n")
    os.mkfifo(tmp_path / "data.json")
    assert load(tmp_path / "data.svm").X.shape == (1, 3)
    assert open_lazy(tmp_path).X.shape[1] == 3
    assert threading.active_count() >= 1


def parquet(path, table, **options):
    pq.write_table(table, path, **options)
    return path


ODD_COLUMNS = {
    "list": pa.array([[1], [2, 3], None]),
    "struct": pa.array([{"a": 1}, {"a": 2}, None]),
    "map": pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int64())),
    "bytes": pa.array([b"a", b"\xff", None]),
}


@pytest.mark.parametrize("column", ODD_COLUMNS)
def test_columns_that_are_no_values(tmp_path, column):
    labels = {"label": pa.array([0, 1, 1], pa.int8())}
    file = parquet(
        tmp_path / "a.parquet", pa.table({"c": ODD_COLUMNS[column]} | labels)
    )
    for read in (load, compute):
        with pytest.raises(FormatError, match=r"a\.parquet: column 'c'"):
            read(file, labels=["label"])


@pytest.mark.parametrize("n_groups", [0, 2])
def test_parquet_files_without_rows(tmp_path, n_groups):
    schema = pa.schema({"a": pa.float64(), "b": pa.int8()})
    groups = [schema.empty_table()] * n_groups
    file = tmp_path / "a.parquet"
    with pq.ParquetWriter(file, schema) as writer:
        for group in groups:
            writer.write_table(group)
    assert pq.read_metadata(file).num_row_groups == n_groups
    for read in (load, compute):
        with pytest.raises(FormatError, match="there is no row"):
            read(file, labels=1)


def test_more_words_than_codes(tmp_path):
    """Row groups with dictionaries that do not fit into one of 8-bit codes."""
    words = pa.dictionary(pa.int8(), pa.string())
    schema = pa.schema({"a": words, "b": pa.int8()})
    file = tmp_path / "a.parquet"
    with pq.ParquetWriter(file, schema) as writer:
        for start in (0, 100):
            named = pa.array([f"w{i}" for i in range(start, start + 100)])
            codes = pa.array(range(100), pa.int8())
            column = pa.DictionaryArray.from_arrays(codes, named)
            labels = pa.array([0, 1] * 50, pa.int8())
            writer.write_table(pa.table([column, labels], schema))
    for read in (load, compute):
        with contextlib.suppress(FormatError):
            X, _ = read(file, labels=-1)
            assert len(X) == 200


def test_parquet_files_that_disagree(tmp_path):
    parquet(tmp_path / "a.parquet", pa.table({"a": [1.0], "b": [1]}))
    parquet(tmp_path / "b.parquet", pa.table({"a": [1.0], "c": [1]}))
    with pytest.raises(FormatError, match=r"b\.parquet: the columns are not those of"):
        open_lazy(tmp_path, labels=-1)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.7, 0.95])
@pytest.mark.parametrize("kind", ["cut", "overwritten"])
def test_damaged_parquet_files_that_stay_on_disk(tmp_path, share, kind):
    table = pa.table({"a": np.arange(500.0), "b": np.arange(500) % 2})
    file = parquet(tmp_path / "a.parquet", table, compression="gzip")
    data = bytearray(file.read_bytes())
    at = int(share * len(data))
    if kind == "cut":
        del data[at:]
    else:
        data[at : at + 40] = b"\xff" * 40
    file.write_bytes(data)
    with pytest.raises(FormatError, match=r"a\.parquet"):
        compute(file, labels=-1)


@pytest.fixture(params=[2, 3])
def group(request, tmp_path):
    folder = tmp_path / "data.zarr"
    group = zarr.open_group(str(folder), mode="w", zarr_format=request.param)
    group.create_array("X", data=X, chunks=(4, 4))
    group.create_array("Y", data=Y, chunks=(4, 2))
    group.attrs["label_names"] = ["u", "v"]
    return folder


def test_a_group_is_read(group):
    data = open_lazy(group)
    np.testing.assert_array_equal(data.X.compute(), X)
    np.testing.assert_array_equal(data.Y.compute(), Y)
    assert data.label_names == ["u", "v"]


def edit(group, part, **entries):
    """Change what an array says of itself."""
    file = group / part / ("zarr.json" if (group / "zarr.json").exists() else ".zarray")
    content = json.loads(file.read_text())
    if file.name == "zarr.json" and "chunks" in entries:
        chunks = entries.pop("chunks")
        content["chunk_grid"]["configuration"]["chunk_shape"] = chunks
    file.write_text(json.dumps({**content, **entries}))


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ({"shape": [5, 4]}, "as many rows"),
        ({"shape": [0, 4]}, "nothing in it"),
        ({"shape": [10**12, 4]}, "rows in .* bytes"),
        ({"shape": [6, 10**9]}, "columns in .* bytes"),
        ({"shape": [6]}, r"data\.zarr"),
        ({"shape": "six"}, r"data\.zarr"),
        ({"chunks": [10**9, 10**9]}, r"larger than the memory|data\.zarr"),
        ({"chunks": [0, 4]}, r"data\.zarr"),
        ({"zarr_format": 9}, r"data\.zarr"),
    ],
)
def test_groups_with_wrong_numbers(group, entries, reason):
    edit(group, "X", **entries)
    with pytest.raises(FormatError, match=reason):
        compute(group)


def test_groups_without_an_array_or_with_a_damaged_block(group):
    for block in sorted(path for path in (group / "X").rglob("*") if path.is_file()):
        if "zarr" not in block.name and not block.name.startswith("."):
            block.write_bytes(b"\xff" * 7)
    refused = r"data\.zarr/X: (a block cannot be read|the block \d\.0 is damaged)"
    with pytest.raises(FormatError, match=refused):
        compute(group)
    shutil.rmtree(group / "X")
    with pytest.raises(FormatError, match="no array X"):
        open_lazy(group)


def test_blocks_that_are_not_stored_hold_the_fill_value(group):
    shutil.rmtree(group / "Y" / "c", ignore_errors=True)
    (group / "Y" / "0.0").unlink(missing_ok=True)
    (group / "Y" / "1.0").unlink(missing_ok=True)
    assert not open_lazy(group).Y.compute().any()


class Touch:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (type(self.path).touch, (self.path,))


PICKLE = {"id": "pickle", "protocol": 5}
SHARDS = {"chunk_shape": [4, 4], "codecs": [{"name": "bytes"}], "index_codecs": ["x"]}


@pytest.mark.parametrize(
    ("version", "entries", "named"),
    [
        (2, {"compressor": PICKLE}, "pickle"),
        (2, {"filters": [PICKLE]}, "pickle"),
        (2, {"filters": [{"id": "vlen-utf8"}, PICKLE], "dtype": "|O"}, "vlen-utf8"),
        (2, {"filters": [{"id": "delta"}, {"id": "msgpack2"}]}, "msgpack2"),
        (3, {"codecs": [{"name": "numcodecs.pickle"}]}, "numcodecs.pickle"),
        (3, {"codecs": ["json2"]}, "json2"),
        (
            3,
            {"codecs": [{"name": "sharding_indexed", "configuration": SHARDS}]},
            "'x'",
        ),
    ],
)
@pytest.mark.parametrize("consolidated", [False, True])
def test_codecs_that_could_run_code(version, entries, named, consolidated, tmp_path):
    folder, ran = tmp_path / "data.zarr", tmp_path / "ran"
    made = zarr.open_group(str(folder), mode="w", zarr_format=version)
    for name, data in (("X", X), ("Y", Y)):
        made.create_array(name, data=data, chunks=data.shape, compressors=None)
    if consolidated:
        consolidate(folder, version, entries)
    else:
        edit(folder, "X", **entries)
    for block in ("0.0", "c/0/0"):
        if (folder / "X" / block).exists():
            (folder / "X" / block).write_bytes(pickle.dumps(Touch(ran)))
    with pytest.raises(FormatError, match=f"codec .*{named}.* is not known to be safe"):
        compute(folder)
    assert not ran.exists()


def consolidate(folder, version, entries):
    """Write what the arrays say of themselves into the description of the group."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.consolidate_metadata(str(folder))
    file = folder / (".zmetadata" if version == 2 else "zarr.json")
    content = json.loads(file.read_text())
    known = content if version == 2 else content["consolidated_metadata"]
    known["metadata"]["X/.zarray" if version == 2 else "X"].update(entries)
    file.write_text(json.dumps(content))


@pytest.mark.parametrize("version", [2, 3])
def test_what_looks_like_codecs_among_the_attributes(version, tmp_path):
    folder = tmp_path / "data.zarr"
    made = zarr.open_group(str(folder), mode="w", zarr_format=version)
    made.attrs["filters"] = ["low-pass"]
    for name, data in (("X", X), ("Y", Y)):
        made.create_array(name, data=data, chunks=data.shape)
        made[name].attrs["codecs"] = [{"id": "pickle"}]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.consolidate_metadata(str(folder))
    np.testing.assert_array_equal(open_lazy(folder).X.compute(), X)


@pytest.mark.parametrize("names", [["u"], ["u", "u"], "uv", [1, 2], {"u": 1}])
def test_names_that_do_not_fit(group, names):
    zarr.open_group(str(group), mode="a").attrs["label_names"] = names
    with pytest.raises(FormatError, match="label_names must be a list of 2"):
        open_lazy(group)


@pytest.mark.parametrize("kind", ["<U3", "complex128"])
def test_arrays_of_other_things(tmp_path, kind):
    group = zarr.open_group(str(tmp_path / "data.zarr"), mode="w", zarr_format=2)
    group.create_array("X", data=X.astype(kind))
    group.create_array("Y", data=Y)
    with pytest.raises(FormatError, match=r"X: holds .*, expected numbers"):
        open_lazy(tmp_path / "data.zarr")


def test_groups_whose_mark_is_no_json(group):
    for mark in ("zarr.json", ".zgroup"):
        if (group / mark).exists():
            (group / mark).write_text("{")
    with pytest.raises(FormatError, match="damaged zarr group"):
        open_lazy(group)


def test_headers_of_libsvm_folders_are_not_believed(tmp_path):
    (tmp_path / "a.svm").write_text("1 999999999 2\n0 0:1\n")
    with pytest.raises(FormatError, match="999,999,999 features"):
        open_lazy(tmp_path)
    assert _zarr_blocks.ALWAYS_PLAUSIBLE < 10**9
