import errno
import lzma
import multiprocessing
import os
import sys

import pytest

from labelsieve.experiments import Store, StoreError
from labelsieve.experiments.store import key_of

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX file locks")
# Newer Pythons warn of forks where threads run; the children here use none.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results" / "cells.jsonl"


def test_what_is_appended_is_read(path):
    store = Store(path)
    assert store.read() == {}
    store.append([{"key": "a", "value": 0.1}, {"key": "b", "value": None}])
    store.append([{"key": "c", "value": [1, 2]}])
    expected = {
        "a": {"key": "a", "value": 0.1},
        "b": {"key": "b", "value": None},
        "c": {"key": "c", "value": [1, 2]},
    }
    assert store.read() == expected
    assert Store(path).read() == expected
    assert len(path.read_text().splitlines()) == 3


def test_a_key_is_written_once(path):
    Store(path).append([{"key": "a", "value": 1}])
    Store(path).append([{"key": "a", "value": 2}, {"key": "b", "value": 3}])
    assert len(path.read_text().splitlines()) == 2
    assert Store(path).read() == {
        "a": {"key": "a", "value": 1},
        "b": {"key": "b", "value": 3},
    }


def test_success_replaces_failure_and_not_the_other_way(path):
    store = Store(path)
    store.append([{"key": "a", "error": "no memory"}])
    store.append([{"key": "a", "value": 1}])
    store.append([{"key": "a", "error": "no memory"}])
    assert Store(path).read() == {"a": {"key": "a", "value": 1}}


@pytest.mark.parametrize("length", [1, 5, 17])
def test_a_torn_last_line_is_dropped_with_a_warning(path, length):
    Store(path).append([{"key": "a", "value": 1}, {"key": "b", "value": 2}])
    whole = path.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    path.write_bytes(whole[: len(whole) - length])
    if length >= len(last):
        pytest.skip("nothing of the last line is left")
    store = Store(path)
    with pytest.warns(UserWarning, match="last line is incomplete"):
        assert store.read().keys() == {"a"}
    store.append([{"key": "c", "value": 3}])
    assert Store(path).read().keys() == {"a", "c"}


def test_a_torn_line_longer_than_a_block_is_dropped(path):
    Store(path).append([{"key": "a"}])
    with open(path, "ab") as file:
        file.write(b"x" * 10_000)
    Store(path).append([{"key": "b"}])
    assert b"x" not in path.read_bytes()
    assert Store(path).read().keys() == {"a", "b"}


@pytest.mark.parametrize(
    "junk", [b"not json\n", b"[1]\n", b'{"no": "key"}\n', b"\xff\n"]
)
def test_a_line_that_is_no_result_is_left_out(path, junk):
    Store(path).append([{"key": "a"}])
    with open(path, "ab") as file:
        file.write(junk)
    with pytest.warns(UserWarning, match="1 lines are not as they were written"):
        Store(path).append([{"key": "b"}])
    with pytest.warns(UserWarning, match="1 lines are not as they were written"):
        assert Store(path).read().keys() == {"a", "b"}


def test_reading_goes_on_where_it_was(path):
    reader, writer = Store(path), Store(path)
    writer.append([{"key": "a"}])
    assert reader.read().keys() == {"a"}
    writer.append([{"key": "b"}])
    assert reader.read().keys() == {"a", "b"}


def test_a_full_disk_loses_nothing(path, monkeypatch):
    store = Store(path)
    store.append([{"key": "a", "value": "x" * 50}])
    before = path.read_bytes()
    write = os.write

    def full(file, data):
        if len(data) < 100:  # the second half does not fit
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data[: len(data) // 2])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match=r"No space left on device.*1 results.*kept"):
        store.append([{"key": "b", "value": "x" * 100}])
    monkeypatch.undo()
    assert path.read_bytes() == before
    store.append([{"key": "b"}])
    assert Store(path).read().keys() == {"a", "b"}


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot write results to .*cells\.jsonl"):
        Store(tmp_path / "file" / "cells.jsonl").append([{"key": "a"}])


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_folder_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="Permission denied"):
        Store(tmp_path / "cells.jsonl").append([{"key": "a"}])


RECORDS = [
    {"key": "a", "cell": {"x": {}, "y": [1, {"z": None}]}, "value": 0.1 + 0.2},
    {"key": "b", "error": "no memory"},
    {"value": -0.0, "key": "c", "cell": {"y": [], "x": {"u": 1e-300}}},
]


@pytest.fixture
def folded(path):
    """A store whose first results are in the compressed file."""
    Store(path).append([{"key": "old", "value": 1}])
    lines = path.read_bytes()
    path.write_bytes(b"")
    path.with_name("cells.jsonl.xz").write_bytes(lzma.compress(b""))
    path.write_bytes(lines)
    Store(path).fold()
    assert path.read_bytes() == b""
    return Store(path)


def test_folded_results_are_read_as_they_were(folded, path):
    folded.append(RECORDS)
    before = Store(path).read()
    folded.fold()
    assert path.read_bytes() == b""
    path.unlink()  # as in a new copy of a repository
    found = Store(path).read()
    assert sorted(map(repr, found.values())) == sorted(map(repr, before.values()))
    assert found.keys() == {"old", "a", "b", "c"}
    compressed = folded.folded.read_bytes()
    Store(path).fold()
    assert folded.folded.read_bytes() == compressed


def test_folded_bytes_do_not_depend_on_the_order_of_the_cells(tmp_path):
    cells = [{"classifier": {"name": c}, "split": i} for c in "ab" for i in range(3)]
    records = [{"key": key_of(cell), "cell": cell, "value": 1} for cell in cells]
    found = []
    for part, order in enumerate((records, records[::-1])):
        store = Store(tmp_path / f"{part}" / "cells.jsonl")
        store.path.parent.mkdir()
        store.folded.write_bytes(lzma.compress(b""))
        store.append(order)
        store.fold()
        found.append(store.folded.read_bytes())
        assert Store(store.path).read() == {r["key"]: r for r in records}
    assert found[0] == found[1]
    # What follows from the cell is not written down.
    assert records[0]["key"].encode() not in lzma.decompress(found[0])


def test_without_a_compressed_file_nothing_is_folded(path):
    Store(path).append(RECORDS)
    before = path.read_bytes()
    Store(path).fold()
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["cells.jsonl"]


def test_other_processes_notice_that_lines_were_folded(folded, path):
    reader, writer = Store(path), Store(path)
    writer.append([{"key": "long", "value": "x" * 500}])
    assert reader.read().keys() == {"old", "long"}
    assert Store(path, reader.position).read() == {}
    writer.fold()
    Store(path).append([{"key": "new"}, {"key": "long"}])
    assert reader.read().keys() == {"old", "long", "new"}
    reader.append([{"key": "last"}])
    assert Store(path).read().keys() == {"old", "long", "new", "last"}


def test_what_is_computed_anew_replaces_folded_results(folded, path):
    folded.read()
    folded.forget("old")
    other = Store(path)
    other.append([{"key": "other"}])
    other.fold()
    folded.append([{"key": "old", "value": 2}])
    assert Store(path).read()["old"]["value"] == 2
    folded.fold()
    assert Store(path).read()["old"]["value"] == 2


def test_a_torn_line_is_not_folded(folded, path):
    folded.append([{"key": "a"}])
    with open(path, "ab") as file:
        file.write(b'{"key":"b"')
    with pytest.warns(UserWarning, match="last line is incomplete"):
        assert Store(path).read().keys() == {"old", "a"}
    Store(path).fold()
    assert Store(path).read().keys() == {"old", "a"}


def test_folding_that_ends_early_loses_nothing(folded, path, monkeypatch):
    folded.append(RECORDS)
    before = folded.folded.read_bytes()

    def end(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "ftruncate", end)
        with pytest.raises(KeyboardInterrupt):
            folded.fold()
    assert folded.folded.read_bytes() != before
    assert path.stat().st_size > 0
    assert Store(path).read().keys() == {"old", "a", "b", "c"}
    Store(path).fold()
    assert Store(path).read().keys() == {"old", "a", "b", "c"}
    assert path.stat().st_size == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"junk",
        lzma.compress(b"not json"),
        lzma.compress(b"[1]"),
        lzma.compress(b'{"value":1}'),
        lzma.compress(b'{"key":"old"}\n{"key":"to'),
    ],
)
def test_a_damaged_compressed_file_is_refused_and_kept(folded, path, content):
    folded.append([{"key": "a"}])
    lines = path.read_bytes()
    folded.folded.write_bytes(content)
    for use in (Store.read, Store.fold, lambda store: store.append([{"key": "b"}])):
        with pytest.raises(StoreError, match=r"^cannot read results from .*\.xz: "):
            use(Store(path))
    assert folded.folded.read_bytes() == content
    assert path.read_bytes() == lines


@posix
def test_claims_hold_until_released(path):
    store = Store(path)
    assert store.claim("a")
    assert not _in_another_process(_claim, path, "a")
    assert _in_another_process(_claim, path, "b")
    store.release("a")
    assert _in_another_process(_claim, path, "a")


@posix
def test_claims_end_with_their_process(path):
    assert _in_another_process(_claim, path, "a")
    assert Store(path).claim("a")


@posix
def test_two_writers_at_a_time_keep_all_lines_whole(path):
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write, args=(path, n)) for n in ("x", "y")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    records = Store(path).read()
    assert len(records) == len(path.read_bytes().splitlines()) == 80
    assert all(record["value"] == key * 500 for key, record in records.items())


@posix
def test_two_writers_and_one_that_folds_keep_all(folded, path):
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write, args=(path, n)) for n in ("x", "y")]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        Store(path).fold()
    records = Store(path).read()
    assert len(records) == 81
    assert all(r["value"] == key * 500 for key, r in records.items() if key != "old")


def _in_another_process(function, *arguments):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(function, arguments)


def _claim(path, key):
    return Store(path).claim(key)


def _write(path, name):
    store = Store(path)
    for i in range(40):
        key = f"{name}{i}"
        store.append([{"key": key, "value": key * 500}])
