"""Folders, archives, compression and their limits."""

from __future__ import annotations

import gzip
import io
import zipfile

import pytest

from labelsieve.datasets import FormatError, load, save
from labelsieve.datasets._places import split_of, stem_of, suffix_of
from tests.datasets.helpers import assert_same
from tests.fuzz.seeds import MEKA, PLAIN, XML


def make_zip(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def plain(tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "plain.arff").write_bytes(PLAIN)
    (folder / "plain.xml").write_bytes(XML)
    return folder


def test_a_folder_a_file_and_compressed_ones_are_the_same(plain, tmp_path):
    expected = load(plain / "plain.arff")
    assert_same(load(plain), expected)
    assert_same(load(str(plain)), expected)
    members = {"in/plain.arff": PLAIN, "in/plain.xml": XML, "in/": b""}
    archive = make_zip(tmp_path / "packed.zip", members)
    assert_same(load(archive), expected)
    assert_same(load(archive / "in" / "plain.arff"), expected)
    (plain / "plain.arff").rename(plain / "plain.old")
    (plain / "plain.arff.gz").write_bytes(gzip.compress(PLAIN))
    assert_same(load(plain), expected)


def test_the_content_decides_not_the_suffix(tmp_path):
    for name in ("a.csv", "a.txt", "a.libsvm", "a"):
        (tmp_path / name).write_bytes(MEKA)
        assert load(tmp_path / name).label_names == ("x", "y")
        (tmp_path / name).unlink()
    (tmp_path / "gz.arff").write_bytes(gzip.compress(MEKA))
    assert load(tmp_path / "gz.arff").label_names == ("x", "y")
    archive = make_zip(tmp_path / "zip.arff", {"a.arff": MEKA})
    assert load(archive).label_names == ("x", "y")
    (tmp_path / "data").write_text("1,2 3:4\n")
    assert load(tmp_path / "data").label_names == ("label1", "label2")
    (tmp_path / "table").write_text("a\tb\n1\t0\n")
    assert load(tmp_path / "table", labels=["b"]).feature_names == ("a",)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"<labels/>", b"just words\n"])
def test_what_is_no_data_set_is_refused(tmp_path, content):
    (tmp_path / "data").write_bytes(content)
    with pytest.raises(FormatError):
        load(tmp_path / "data")


def test_only_a_split_is_joined_and_a_part_stays_a_part(plain, tmp_path):
    whole = load(plain)
    rows = PLAIN.index(b"@data\n") + 6
    lines = PLAIN[rows:].splitlines(keepends=True)
    for part, chosen in (("train", lines[:3]), ("test", lines[3:])):
        path = plain / f"plain-{part}.arff"
        path.write_bytes(PLAIN[:rows] + b"".join(chosen))
    assert_same(load(plain), whole)
    (plain / "plain.arff").unlink()
    assert_same(load(plain), whole)
    part = load(plain / "plain-test.arff")
    assert (part.name, part.X.shape[0]) == ("plain-test", 1)


def test_parts_that_do_not_fit_are_not_joined(plain):
    (plain / "plain.arff").rename(plain / "plain-train.arff")
    other = PLAIN.replace(b"@attribute a", b"@attribute other")
    (plain / "plain-test.arff").write_bytes(other)
    with pytest.raises(FormatError, match="feature names of -train and -test differ"):
        load(plain)


def test_a_folder_of_several_data_sets_is_refused_unless_one_bears_its_name(plain):
    (plain / "another.arff").write_bytes(MEKA)
    assert load(plain).name == "plain"
    (plain / "plain.arff").rename(plain / "third.arff")
    with pytest.raises(
        FormatError, match=r"name one of them: another.arff, third.arff"
    ):
        load(plain)


def test_nothing_there(tmp_path):
    with pytest.raises(FormatError, match="no data set here"):
        load(tmp_path)
    with pytest.raises(FileNotFoundError, match="find_dataset"):
        load(tmp_path / "missing.arff")
    archive = make_zip(tmp_path / "a.zip", {"a.arff": MEKA})
    with pytest.raises(FileNotFoundError, match="no such member"):
        load(archive / "b.arff")


def test_a_gzip_bomb_is_refused(tmp_path):
    stream = io.BytesIO()
    with gzip.GzipFile(fileobj=stream, mode="wb") as packed:
        packed.write(MEKA)
        for _ in range(50):
            packed.write(b"%" * 1_000_000 + b"\n")
    (tmp_path / "bomb.arff.gz").write_bytes(stream.getvalue())
    with pytest.raises(FormatError, match="exceeds max_bytes=1000000"):
        load(tmp_path, max_bytes=1_000_000)
    assert load(tmp_path).X.shape == (2, 2)


def test_a_zip_bomb_is_refused_even_where_it_lies(tmp_path):
    archive = make_zip(tmp_path / "b.zip", {"b.arff": MEKA + b"%" * 10_000_000})
    with pytest.raises(FormatError, match="exceeds max_bytes"):
        load(archive, max_bytes=1_000_000)
    true_size = (len(MEKA) + 10_000_000).to_bytes(4, "little")
    lying = archive.read_bytes().replace(true_size, (100).to_bytes(4, "little"))
    archive.write_bytes(lying)
    with pytest.raises(FormatError):
        load(archive, max_bytes=1_000_000)


def test_plain_files_and_xml_have_the_same_limit(plain):
    with pytest.raises(FormatError, match="exceeds max_bytes"):
        load(plain, max_bytes=50)
    (plain / "plain.xml").write_bytes(XML + b" " * 10_000)
    with pytest.raises(FormatError, match=r"plain.xml: exceeds max_bytes"):
        load(plain, max_bytes=5_000)


@pytest.mark.parametrize("cut", [5, 30, 60])
def test_truncated_gzip(tmp_path, cut):
    packed = gzip.compress(MEKA)
    (tmp_path / "a.arff.gz").write_bytes(packed[:-cut])
    with pytest.raises(FormatError, match="truncated"):
        load(tmp_path)


def test_damaged_gzip_and_zip(tmp_path):
    packed = bytearray(gzip.compress(MEKA))
    packed[20] ^= 255
    (tmp_path / "a.arff.gz").write_bytes(packed)
    with pytest.raises(FormatError, match="gzip"):
        load(tmp_path / "a.arff.gz")
    archive = make_zip(tmp_path / "a.zip", {"a.arff": MEKA})
    damaged = bytearray(archive.read_bytes())
    damaged[50] ^= 255
    archive.write_bytes(damaged)
    with pytest.raises(FormatError, match="archive cannot be read"):
        load(archive)
    archive.write_bytes(b"PK\x03\x04 and nothing more")
    with pytest.raises(FormatError, match="archive cannot be read"):
        load(archive)


def test_members_that_leave_the_archive_are_ignored(tmp_path):
    members = {"../../evil.arff": MEKA, "/abs.arff": MEKA, "ok.arff": MEKA}
    archive = make_zip(tmp_path / "a.zip", members)
    assert load(archive).name == "ok"
    before = sorted(tmp_path.rglob("*"))
    load(archive)
    assert sorted(tmp_path.rglob("*")) == before
    only_evil = make_zip(tmp_path / "b.zip", {"../../evil.arff": MEKA})
    with pytest.raises(FormatError, match="no data set here"):
        load(only_evil)


def test_a_described_csv_inside_an_archive(tmp_path):
    data = load_meka(tmp_path)
    save(data, tmp_path / "x.csv")
    members = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.stem == "x"}
    assert_same(load(make_zip(tmp_path / "y.zip", members)), data)


def load_meka(folder):
    (folder / "m.arff").write_bytes(MEKA)
    return load(folder / "m.arff")


def test_what_file_names_say():
    assert stem_of("a/b.c.arff.gz") == "b.c"
    assert stem_of("folder.v2") == "folder.v2"
    assert suffix_of("X.CSV.GZ") == ".csv"
    assert split_of("scene-train") == ("scene", "train")
    assert split_of("corel16k001-test3") == ("corel16k001", "test")
    assert split_of("trained") == ("trained", None)


def test_no_pickle_is_read(tmp_path):
    import pickle

    for name in ("a.pkl", "a.csv", "a.parquet", "a.arff"):
        (tmp_path / name).write_bytes(pickle.dumps({"x": 1}))
        with pytest.raises(FormatError):
            load(tmp_path / name, labels=["x"])
