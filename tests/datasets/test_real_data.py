"""Every real data set loads and has the numbers of its data card."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.io import arff as scipy_arff

from labelsieve.datasets import describe, find_dataset, load
from tests.datasets.helpers import assert_same, dense
from tests.naive import datasets as naive

CARD = json.loads((Path(__file__).parents[1] / "golden/datacard.json").read_text())
DENSE = [name for name, row in CARD["sets"].items() if row["layout"] == "dense"]
SPARSE = [name for name, row in CARD["sets"].items() if row["layout"] == "sparse"]


@pytest.mark.parametrize("name", CARD["sets"])
def test_describe_reproduces_the_data_card(data_home, name):
    dataset = load(data_home / name)
    expected = dict(CARD["sets"][name])
    assert sparse.issparse(dataset.X) == (expected.pop("layout") == "sparse")
    row = describe(dataset)._asdict()
    assert row["name"] == name
    for field in ("cardinality", "density"):
        assert round(row[field], 4) == expected.pop(field)
    assert {field: row[field] for field in expected} == expected


@pytest.mark.parametrize("file", CARD["rows_of_files"])
def test_every_file_loads_with_the_rows_of_the_card(data_home, file):
    dataset = load(data_home / file)
    card = CARD["sets"][file.partition("/")[0]]
    assert dataset.X.shape == (CARD["rows_of_files"][file], card["features"])
    assert dataset.Y.shape[1] == card["labels"]


def read_text(folder: Path, file: str | None = None) -> str:
    path = folder / f"{file or folder.name}.arff"
    if path.is_file():
        return path.read_text()
    return gzip.decompress(path.with_suffix(".arff.gz").read_bytes()).decode()


def columns_of(dataset, names):
    """Return the values in the order of the file's columns."""
    both = np.hstack([dense(dataset.X), dense(dataset.Y)])
    order = [*dataset.feature_names, *dataset.label_names]
    place = {name: number for number, name in enumerate(order)}
    return both[:, [place[name] for name in names]]


@pytest.mark.parametrize("name", ["emotions", "yeast", "birds", "enron", "medical"])
def test_naive_reader_agrees_cell_by_cell(data_home, name):
    names, matrix = naive.read_arff(read_text(data_home / name))
    dataset = load(data_home / name)
    np.testing.assert_array_equal(columns_of(dataset, names), matrix)
    row = describe(dataset)
    assert (
        row.cardinality,
        row.density,
        row.distinct_label_sets,
        row.samples_without_label,
        row.samples_of_rarest_label,
    ) == pytest.approx(naive.describe(dense(dataset.Y)))


@pytest.mark.parametrize("name", DENSE)
def test_scipy_agrees_cell_by_cell(data_home, name):
    # scipy takes seconds for all of corel16k001
    file = "corel16k001-test" if name == "corel16k001" else name
    text = read_text(data_home / name, file)
    records, meta = scipy_arff.loadarff(io.StringIO(text))
    columns = [_codes(records[column], *meta[column]) for column in meta.names()]
    # scipy leaves the backslashes in the names of birds
    names = [column.replace("\\'", "'") for column in meta.names()]
    ours = columns_of(load(find_dataset(file)), names)
    np.testing.assert_array_equal(ours, np.column_stack(columns))


def _codes(values, kind, categories):
    if kind == "numeric":
        return values
    place = {text.encode(): code for code, text in enumerate(categories)}
    return np.array([place[value] for value in values], dtype=float)


@pytest.mark.parametrize("name", SPARSE)
def test_liac_arff_agrees_cell_by_cell(data_home, name):
    arff = pytest.importorskip("arff")
    content = arff.load(read_text(data_home / name), return_type=arff.LOD)
    names = [attribute for attribute, _ in content["attributes"]]
    rows, columns, values = [], [], []
    for number, row in enumerate(content["data"]):
        for column, value in row.items():
            rows.append(number)
            columns.append(column)
            values.append(float(value))
    shape = (len(content["data"]), len(names))
    theirs = sparse.coo_array((values, (rows, columns)), shape=shape).tocsc()
    dataset = load(data_home / name)
    both = sparse.hstack([dataset.X, dataset.Y.astype(float)], format="csc")
    order = {name: n for n, name in enumerate(dataset.feature_names)}
    order |= {name: n + len(order) for n, name in enumerate(dataset.label_names)}
    # Every nominal column of these files declares 0 first, so codes are values.
    assert (both[:, [order[name] for name in names]] != theirs).nnz == 0


def test_rows_at_once_and_by_themselves_agree(data_home, each_way):
    for name in ("birds", "medical"):
        dataset = load(data_home / name / f"{name}-test.arff")
        if each_way:
            test_rows_at_once_and_by_themselves_agree.seen[name] = dataset
        else:
            assert_same(dataset, test_rows_at_once_and_by_themselves_agree.seen[name])


test_rows_at_once_and_by_themselves_agree.seen = {}


def test_labels_are_matched_by_name_in_the_order_of_the_arff(data_home):
    yeast = load(data_home / "yeast")
    assert yeast.label_names == tuple(f"Class{n}" for n in range(1, 15))
    birds = load(data_home / "birds")
    assert "Swainson's Thrush" in birds.label_names
    delicious = load(data_home / "delicious")
    assert r"TAG_m\'usica" in delicious.label_names


def test_nominal_values_are_positions_in_the_declaration(data_home):
    genbase = load(data_home / "genbase")
    assert genbase.categories["PS00010"] == ("YES", "NO")
    assert len(genbase.categories["protein"]) == 662
    assert genbase.X[0, 0] == genbase.categories["protein"].index("O00060")


def test_train_and_test_are_the_whole(data_home, tmp_path):
    for part in ("train", "test"):
        name = f"scene-{part}.arff.gz"
        (tmp_path / name).symlink_to(data_home / "scene" / name)
    (tmp_path / "scene.xml").symlink_to(data_home / "scene" / "scene.xml")
    assert_same(load(tmp_path), load(data_home / "scene"))


def test_find_dataset_knows_real_names(data_home):
    assert find_dataset("emotions") == data_home / "emotions"
    assert find_dataset("scene-test").name == "scene-test.arff.gz"
    with pytest.raises(FileNotFoundError, match="did you mean 'emotions'"):
        find_dataset("emotion")
