"""Targets of any type in files: labels, classes and numbers, partly known."""

import numpy as np
import pytest

from labelsieve.datasets import describe, load, save

N = 60
TARGETS = ["price", "smokes", "party", "visits", "rate"]
TYPES = ("number", "label", "class", "class", "number")


def rows():
    """The cells of each row as text, and what the targets mean, NaN where unknown."""
    cells, meant = [], np.empty((N, len(TARGETS)))
    for i in range(N):
        price, smokes = f"{i * 1.25}", "yes" if i % 3 else "no"
        known = [i * 1.25, i % 3 > 0, i % 4, i % 5, i]
        if i % 7 == 0:
            price, known[0] = "", np.nan
        if i % 8 == 0:
            smokes, known[1] = "", np.nan
        rate = "dunno" if i % 6 == 0 else str(i)
        known[4] = np.nan if i % 6 == 0 else i
        town = "xyz"[i % 3]
        cells.append([f"{i / 7:.3f}", town, price, smokes, "abcd"[i % 4], str(i % 5)])
        cells[-1].append(rate)
        meant[i] = known
    return cells, meant


@pytest.fixture
def files(tmp_path):
    names = ["size", "town", *TARGETS]
    cells, meant = rows()
    lines = [",".join(names), *(",".join(row) for row in cells)]
    (tmp_path / "survey.csv").write_text("\n".join(lines) + "\n")
    lines = ["\t".join(names), *("\t".join(row) for row in cells)]
    (tmp_path / "survey.tsv").write_text("\n".join(lines) + "\n")
    head = ["@relation survey", "@attribute size numeric", "@attribute town {x,y,z}"]
    head += ["@attribute price numeric", "@attribute smokes {yes,no}"]
    head += ["@attribute party string", "@attribute visits numeric"]
    head += ["@attribute rate string", "@data"]
    lines = [",".join(cell or "?" for cell in row) for row in cells]
    (tmp_path / "survey.arff").write_text("\n".join([*head, *lines]) + "\n")
    return tmp_path, meant


@pytest.mark.parametrize("suffix", ["csv", "tsv", "arff", "parquet"])
def test_any_format(files, suffix):
    folder, meant = files
    if suffix == "parquet":
        pandas = pytest.importorskip("pandas")
        frame = pandas.read_csv(folder / "survey.csv")
        frame.to_parquet(folder / "survey.parquet")
    data = load(folder / f"survey.{suffix}", targets=TARGETS, unknown="dunno")
    assert data.target_types == TYPES
    assert list(data.label_names) == TARGETS
    assert list(data.feature_names) == ["size", "town"]
    assert data.categories["party"] == ("a", "b", "c", "d")
    np.testing.assert_array_equal(data.Y, meant)
    assert repr(data) == "Dataset('survey', 60 samples, 2 features, 5 targets, dense)"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "csv.gz"])
def test_round_trip(files, suffix):
    folder, _ = files
    data = load(folder / "survey.csv", targets=TARGETS, unknown="dunno")
    save(data, folder / f"again.{suffix}")
    again = load(folder / f"again.{suffix}")
    assert again.target_types == data.target_types
    assert again.categories == data.categories
    np.testing.assert_array_equal(again.Y, data.Y)
    np.testing.assert_array_equal(again.X, data.X)


@pytest.mark.parametrize("suffix", ["arff", "libsvm"])
def test_formats_of_labels_refuse_others(files, suffix):
    folder, _ = files
    data = load(folder / "survey.csv", targets=TARGETS, unknown="dunno")
    with pytest.raises(ValueError, match="use csv, tsv or parquet"):
        save(data, folder / f"again.{suffix}")


def test_labels_alone_are_what_they_are_as_labels(tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text("x,y_a,y_b\n1,0,1\n2,1,\n3,1,0\n4,0,1\n")
    labels, targets = load(file, labels="y_"), load(file, targets="y_")
    assert targets.target_types == labels.target_types == ()
    np.testing.assert_array_equal(targets.Y, labels.Y)
    assert targets.Y.dtype == labels.Y.dtype


def test_types_may_be_given(files):
    folder, _ = files
    file = folder / "survey.csv"
    asked = {"visits": "number", "smokes": "class"}
    data = load(file, targets=["visits", "smokes"], target_types=asked)
    # In the order of the file, as labels are.
    assert dict(zip(data.label_names, data.target_types, strict=True)) == asked
    assert load(file, targets=["visits"]).target_types == ("class",)
    assert load(file, targets=["visits"], target_types="number").target_types == (
        "number",
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"targets": ["party"], "target_types": {"party": "number"}}, "'party' holds"),
        ({"targets": ["party"], "target_types": {"prty": "class"}}, "names 'prty'"),
        ({"targets": ["party"], "target_types": "text"}, "holds 'text'; expected"),
        ({"targets": ["visits"], "target_types": "label"}, "has 5 values"),
        ({"targets": ["party"], "labels": ["smokes"]}, "instead of labels="),
        ({"targets": ["party"], "separator": ";"}, "separator="),
        ({"labels": ["smokes"], "target_types": "class"}, "needs targets="),
        ({"targets": ["nothing"]}, "no column 'nothing' for a target"),
    ],
)
def test_what_cannot_be_is_refused(files, options, message):
    folder, _ = files
    with pytest.raises(ValueError, match=message):
        load(folder / "survey.csv", **options)


def test_libsvm_has_no_columns_of_targets(tmp_path):
    file = tmp_path / "data.libsvm"
    file.write_text("0 1:1\n1 2:1\n")
    with pytest.raises(ValueError, match="targets= is for columns"):
        load(file, targets=2)


def test_rare_labels_go_and_others_stay(files):
    folder, _ = files
    data = load(folder / "survey.csv", targets=TARGETS, unknown="dunno", min_rows=50)
    assert list(data.label_names) == ["price", "party", "visits", "rate"]
    assert data.target_types == ("number", "class", "class", "number")


def test_frames(files):
    pytest.importorskip("pandas")
    folder, meant = files
    data = load(folder / "survey.csv", targets=TARGETS, unknown="dunno", as_frame=True)
    np.testing.assert_array_equal(data.Y.to_numpy(), meant)
    assert data.target_types == TYPES


def test_numbers_count_labels_only(files):
    folder, meant = files
    data = load(folder / "survey.csv", targets=TARGETS, unknown="dunno")
    found = describe(data)
    assert (found.labels, found.nominal_features) == (1, 1)
    assert found.cardinality == np.nansum(meant[:, 1]) / N
