"""Files with columns of tags, dates and texts: the same data set from every format."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from labelsieve.datasets import (
    Dataset,
    FormatError,
    load,
    make_words,
    names_of_rows_as_constants,
    open_lazy,
)
from labelsieve.reading import read_tags

TAGS = [["red", "rose"], [], ["green"], ["green", "red"]] * 3
DAYS = [f"2024-02-{day + 1:02}" for day in range(12)]
FRAME = pd.DataFrame(
    {
        "when": DAYS,
        "size": np.arange(12.0),
        "kind": ["a", "b", "c", "b"] * 3,
        "tags": [";".join(row) for row in TAGS],
    }
)
SECONDS = 1_706_745_600 + 86_400 * np.arange(12)
ARFF = "@relation r\n@attribute when {}\n@attribute size real\n@attribute kind string\n"


def write_csv(file, frame):
    frame.assign(tags=frame["tags"].str.replace(";", " ; ")).to_csv(file, index=False)


def write_arff(file, frame, dates="date yyyy-MM-dd"):
    lines = [f"{d},{s},{k},'{t}'" for d, s, k, t in frame.itertuples(index=False)]
    header = ARFF.format(dates) + "@attribute tags string\n@data\n"
    file.write_text(header + "\n".join(lines) + "\n")


def write_json_lines(file, frame):
    rows = frame.assign(tags=TAGS).to_dict("records")
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


WRITERS = {
    "posts.csv": write_csv,
    "posts.tsv": lambda file, frame: frame.to_csv(file, index=False, sep="\t"),
    "posts.arff": write_arff,
    "text.arff": lambda file, frame: write_arff(file, frame, "string"),
    "text.parquet": lambda file, frame: frame.to_parquet(file),
    "dates.parquet": lambda file, frame: frame.assign(
        when=pd.to_datetime(frame["when"])
    ).to_parquet(file),
    "lists.parquet": lambda file, frame: frame.assign(tags=TAGS).to_parquet(file),
    "posts.jsonl": write_json_lines,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_labels_and_dates(name, tmp_path):
    WRITERS[name](tmp_path / name, FRAME)
    has_lists = name.startswith("lists") or name.endswith("jsonl")
    found = load(tmp_path / name, labels=["tags"], separator=None if has_lists else ";")
    assert found.label_names == ("green", "red", "rose")
    np.testing.assert_array_equal(found.Y, read_tags(TAGS).table.toarray())
    assert found.feature_names == ("when", "size", "kind")
    np.testing.assert_array_equal(found.X[:, 0], SECONDS)
    np.testing.assert_array_equal(found.X[:, 1], np.arange(12))
    assert dict(found.categories) == {"kind": ("a", "b", "c")}


def test_labels_of_few_rows_are_left_out(tmp_path):
    write_csv(tmp_path / "posts.csv", FRAME)
    options = {"labels": "tags", "separator": ";"}
    found = load(tmp_path / "posts.csv", min_rows=6, **options)
    assert found.label_names == ("green", "red")
    with pytest.raises(FormatError, match="no label has 7 rows; the commonest has 6"):
        load(tmp_path / "posts.csv", min_rows=7, **options)


def test_tags_of_several_columns_and_of_numbers(tmp_path):
    text = "x,tag1,tag2\n0,7,a\n1,8,\n2,,b\n3,7,7\n"
    (tmp_path / "few.csv").write_text(text)
    found = load(tmp_path / "few.csv", labels="tag", separator=";")
    assert found.label_names == ("7", "8", "a", "b")
    assert found.Y.tolist() == [[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]]


@pytest.mark.parametrize("tags", [("5 %", "7 %"), ("2024-01-01", "2024-01-02")])
def test_tags_that_could_be_numbers_or_dates(tmp_path, tags):
    frame = pd.DataFrame({"x": range(4), "tags": [*tags, "", tags[0]]})
    frame.to_csv(tmp_path / "few.csv", index=False)
    frame.to_parquet(tmp_path / "few.parquet")
    rows = "\n".join(f"{x},'{text}'" for x, text in frame.itertuples(index=False))
    header = "@relation few\n@attribute x numeric\n@attribute tags string\n@data\n"
    (tmp_path / "few.arff").write_text(header + rows)
    for file in ("few.csv", "few.parquet", "few.arff"):
        found = load(tmp_path / file, labels=["tags"], separator=";")
        assert found.label_names == tags
        assert found.Y.tolist() == [[1, 0], [0, 1], [0, 0], [1, 0]]


def test_a_tag_that_is_the_name_of_a_feature(tmp_path):
    (tmp_path / "few.csv").write_text("x,tags\n0,x;y\n1,y\n2,\n")
    found = load(tmp_path / "few.csv", labels=["tags"], separator=";")
    assert found.label_names == ("tags:x", "y")


def test_what_does_not_go_together(tmp_path):
    write_csv(tmp_path / "posts.csv", FRAME)
    with pytest.raises(ValueError, match="separator= needs a text, and labels="):
        load(tmp_path / "posts.csv", separator=";")
    with pytest.raises(FormatError, match=r"'green'.*pass separator=.*what stands"):
        load(tmp_path / "posts.csv", labels=["tags"])
    FRAME.to_parquet(tmp_path / "posts.parquet")
    with pytest.raises(FormatError, match=r"the value 'red;rose'.*pass separator="):
        load(tmp_path / "posts.parquet", labels=["tags"])
    (tmp_path / "none.csv").write_text("x,tags\n0,\n1,\n")
    with pytest.raises(FormatError, match="there is no tag in 'tags'"):
        load(tmp_path / "none.csv", labels=["tags"], separator=";")
    (tmp_path / "bad.jsonl").write_text("[1\n")
    with pytest.raises(FormatError, match="no JSON lines"):
        load(tmp_path / "bad.jsonl", labels=["tags"])


def test_tags_of_files_that_stay_on_disk(tmp_path):
    expected = read_tags(TAGS).table.toarray()
    for separator in (None, ";"):
        folder = tmp_path / f"parts{separator}"
        folder.mkdir()
        for part in range(2):
            frame = FRAME if separator else FRAME.assign(tags=TAGS)
            frame[6 * part : 6 * part + 6].to_parquet(folder / f"{part}.parquet")
        X, Y = open_lazy(folder, labels=["tags"], separator=separator)
        np.testing.assert_array_equal(read_tags(Y.compute()).table.toarray(), expected)
        assert list(X.columns) == ["when", "size", "kind"]


BODIES = ("a red rose", "red door", "a rose garden", "")


def texts():
    X = np.array([[0, 0, 1], [1, 1, 2], [2, np.nan, 0], [3, 2, 1]], dtype=float)
    categories = {"body": BODIES, "kind": ("a", "b", "c")}
    names = ["body", "kind", "size"]
    return Dataset(X, [[1], [0], [1], [0]], names, ["rose"], "posts", categories)


def test_words():
    found = make_words(texts(), ["body"])
    assert found.feature_names == (
        *("kind=a", "kind=b", "kind=c", "size"),
        *("door", "garden", "red", "rose"),
    )
    assert found.label_names == ("label:rose",)
    assert found.X.toarray().tolist() == [
        [1, 0, 0, 1, 0, 0, 1, 1],
        [0, 1, 0, 2, 1, 0, 1, 0],
        [0, 0, 0, 0, 0, 1, 0, 1],
        [0, 0, 1, 1, 0, 0, 0, 0],
    ]


def test_words_of_several_columns_often_enough():
    data = texts()
    both = Dataset(
        data.X[:, [0, 0]],
        data.Y,
        ["title", "body"],
        ["rose"],
        categories={"title": BODIES, "body": BODIES},
    )
    found = make_words(both, ["title", "body"], min_df=2)
    assert found.feature_names == ("title:red", "title:rose", "body:red", "body:rose")
    assert found.label_names == ("rose",)
    pairs = make_words(data, ["body"], min_df=0.5, ngrams=2)
    assert pairs.feature_names[4:] == ("red", "rose")
    assert "red rose" in make_words(data, ["body"], ngrams=2).feature_names


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (["nope"], {}, "posts has no feature 'nope'"),
        (["size"], {}, "feature 'size' holds numbers"),
        (["kind"], {}, "feature 'kind': empty vocabulary"),
        (["body"], {"min_df": 3}, "no word is in 3 rows; the commonest is in 2"),
    ],
)
def test_what_has_no_words(columns, options, message):
    with pytest.raises(ValueError, match=message):
        make_words(texts(), columns, **options)


def test_names_of_rows_beside_words_are_constant():
    n = 12
    names = tuple(f"u{i}" for i in range(n))
    X = np.column_stack([np.arange(n), np.arange(n) % 2]).astype(float)
    X[3, 0] = np.nan
    categories = {"who": names, "body": ("red rose", "door")}
    data = Dataset(X, np.eye(n, 2), ["who", "body"], ["p", "q"], categories=categories)
    with pytest.warns(UserWarning, match="'who' have a value of their own"):
        found = make_words(data, ["body"])
    assert found.feature_names == ("who", "door", "red", "rose")
    assert found.X[:, [0]].nnz == 0
    for table in (X, sparse.csr_array(X)):
        with pytest.warns(UserWarning, match="'who' have a value of their own"):
            constant = names_of_rows_as_constants(replace(data, X=table)).X
        dense = constant.toarray() if sparse.issparse(constant) else constant
        np.testing.assert_array_equal(dense, np.where([True, False], 0, X))
