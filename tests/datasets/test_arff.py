"""ARFF: what is read, and the place of what is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelsieve.datasets import FormatError, _tables, load
from tests.datasets.helpers import assert_same, dense, write_mulan
from tests.exploring import draws
from tests.fuzz.mutate import mutate
from tests.fuzz.seeds import DENSE, PLAIN, SPARSE

HEADER = """@relation r
@attribute a numeric
@attribute c {x, 'y z', "w"}
@attribute l {0,1}
@attribute m {0, 1}
@data
"""


def read(folder, text, labels=("l", "m")):
    return load(write_mulan(folder, text, list(labels)))


def test_dense_file(tmp_path, each_way):
    data = read(tmp_path, HEADER + "1.5,x,0,1\n-2e3, 'y z' ,1,0\n?,w,0,0\n.5,?,1,1")
    nan = math.nan
    np.testing.assert_array_equal(data.X, [[1.5, 0], [-2000, 1], [nan, 2], [0.5, nan]])
    np.testing.assert_array_equal(data.Y, [[0, 1], [1, 0], [0, 0], [1, 1]])
    assert data.feature_names == ("a", "c")
    assert data.label_names == ("l", "m")
    assert data.categories == {"c": ("x", "y z", "w")}
    assert data.name == "data"
    assert data.weights is None


def test_sparse_file(tmp_path, each_way):
    data = read(tmp_path, HEADER + "{0 2,3 1}\n{ }\n{1 w, 2 1}\n{1 x,2 0}\n{3 1,0 ?}\n")
    expected = [[2, 0], [0, 0], [0, 2], [0, 0], [math.nan, 0]]
    np.testing.assert_array_equal(data.X.toarray(), expected)
    np.testing.assert_array_equal(
        data.Y.toarray(), [[0, 1], [0, 0], [1, 0], [0, 0], [0, 1]]
    )
    assert data.X.nnz == 3
    assert data.X.has_canonical_format


def test_labels_anywhere_and_in_the_order_of_the_arff(tmp_path, each_way):
    text = """@relation r
@attribute q {0,1}
@attribute a numeric
@attribute p {0,1}
@attribute b numeric
@data
1,5,0,6
"""
    data = read(tmp_path, text, ["p", "q"])
    assert data.label_names == ("q", "p")
    assert data.feature_names == ("a", "b")
    np.testing.assert_array_equal(data.X, [[5, 6]])
    np.testing.assert_array_equal(data.Y, [[1, 0]])


def test_byte_order_mark_windows_lines_tabs_and_comments(tmp_path, each_way):
    text = (HEADER + "% note\n1\tx\t0\t1\n\n \t\n 2 ,\tx,0 , 1 \n").replace(
        "\n", "\r\n"
    )
    text = text.replace("@attribute a numeric", "@ATTRIBUTE\ta\tREAL")
    data = read(tmp_path, b"\xef\xbb\xbf" + text.encode())
    np.testing.assert_array_equal(data.X, [[1, 0], [2, 0]])


def test_weights(tmp_path, each_way):
    data = read(tmp_path, HEADER + "1,x,0,1,{2.5}\n2,x,0,1\n3,x,0,1 , { 4 } \n")
    np.testing.assert_array_equal(data.weights, [2.5, 1, 4])
    data = read(tmp_path, HEADER + "{0 1}, {3}\n{0 1}{5}\n{}\n")
    np.testing.assert_array_equal(data.weights, [3, 5, 1])


def test_strings_are_categories_in_order_of_appearance(tmp_path):
    text = HEADER.replace("a numeric", "a string")
    data = read(tmp_path, text + "'b, c',x,0,1\nd,x,0,1\n\"b, c\",x,1,1\n?,x,0,0\n")
    np.testing.assert_array_equal(data.X[:, 0], [0, 1, 0, math.nan])
    assert data.categories["a"] == ("b, c", "d")


def test_a_text_left_out_of_a_sparse_row_is_empty(tmp_path):
    text = HEADER.replace("a numeric", "a string")
    data = read(tmp_path, text + "{0 word}\n{2 1}\n{0 other}\n")
    np.testing.assert_array_equal(dense(data.X)[:, 0], [1, 0, 2])
    assert data.categories["a"] == ("", "word", "other")


@pytest.mark.parametrize(
    ("pattern", "value", "seconds"),
    [
        ("", "'1970-01-02T00:00:01'", 86401),
        ("'yyyy-MM-dd'", "1970-01-03", 2 * 86400),
        ('"dd.MM.yyyy HH:mm"', "'01.01.1970 01:30'", 5400),
        ("\"yyyy-MM-dd'T'HH:mm:ss.SSS\"", "1970-01-01T00:00:00.250", 0.25),
        ("'HH:mm Z d MMM yyyy'", "'02:00 +0100 1 Jan 1970'", 3600),
    ],
)
def test_dates_are_seconds_since_1970(tmp_path, pattern, value, seconds):
    text = HEADER.replace("a numeric", f"a date {pattern}")
    data = read(tmp_path, text + f"{value},x,0,1\n?,x,0,1\n")
    np.testing.assert_array_equal(data.X[:, 0], [seconds, math.nan])


def test_escapes_are_undone_inside_quotes_only(tmp_path):
    text = r"""@relation 'it\'s'
@attribute 'a\'b' numeric
@attribute a\'b numeric
@attribute "say \"no\"\\\t\u0041" {'\'', "\"", a\b}
@attribute 'l %1' {0,1}
@data
1,2,'\'',1
1,2,"\"",0
1,2,a\b,0
"""
    data = read(tmp_path, text, ["l %1"])
    assert data.feature_names == ("a'b", r"a\'b", 'say "no"\\\tA')
    assert data.categories['say "no"\\\tA'] == ("'", '"', r"a\b")
    np.testing.assert_array_equal(data.X[:, 2], [0, 1, 2])


@pytest.mark.parametrize(
    "values", ["{1,0}", "{FALSE, TRUE}", "{yes,no}", "{-1,+1}", "numeric", "{1}"]
)
def test_labels_are_read_by_their_meaning(tmp_path, values, each_way):
    present = {"{F": "TRUE", "{y": "yes", "{-": "+1"}.get(values[:2], "1")
    text = HEADER.replace("l {0,1}", f"l {values}")
    data = read(tmp_path, text + f"1,x,{present},0\n")
    np.testing.assert_array_equal(data.Y, [[1, 0]])


def test_a_sparse_label_that_declares_1_first_is_carried_where_left_out(
    tmp_path, each_way
):
    text = HEADER.replace("l {0,1}", "l {1,0}")
    data = read(tmp_path, text + "{0 1}\n{2 0}\n{2 1,3 1}\n")
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0], [0, 0], [1, 1]])


FAULTS = [
    # header
    ("", None, None, "empty"),
    ("@relation r\n@attribute a numeric\n", None, None, "no @data"),
    ("@attribute a numeric\n@data\n1\n", 2, 1, "no @relation before"),
    ("@relation r\n@data\n1\n", 2, 1, "no @attribute before"),
    ("@relation r\n@relation s\n", 2, 1, "expected @relation"),
    ("@relation r\nhello\n", 2, 1, "got 'hello'"),
    ("@relation 'r\n", 1, 11, "not closed"),
    ("@relation r\n@attribute a\n", 2, 13, "unknown type ''"),
    ("@relation r\n@attribute a complex\n", 2, 14, "unknown type 'complex'"),
    ("@relation r\n@attribute a relational\n", 2, 14, "unknown type"),
    ("@relation r\n@attribute a numeric [0,1]\n", 2, 14, "unknown type"),
    ("@relation r\n@attribute a {x,y\n", 2, 18, "not closed"),
    ("@relation r\n@attribute a {x,,y}\n", 2, 17, "is empty"),
    ("@relation r\n@attribute a {x y}\n", 2, 17, "expected a comma"),
    ("@relation r\n@attribute a {x,x}\n", 2, 17, "declared twice"),
    ("@relation r\n@attribute a {x} {2}\n", 2, 18, "after the values"),
    ("@relation r\n@attribute a real\n@attribute 'a' real\n", 3, 12, "declared twice"),
    ("@relation r\n@attribute a date 'qq'\n", 2, 19, "unknown 'qq'"),
    ('@relation r\n@attribute a date "yyyy\'"\n', 2, 19, "open quote"),
    ("@relation r\n@attribute a date 'yyyy yyyy'\n", 2, 19, "twice"),
    (HEADER, 7, None, "no row"),
    (
        HEADER.replace("l {0,1}", "l {0,1,2}") + "1,x,0,1\n",
        4,
        None,
        "has the value '2'",
    ),
    (HEADER.replace("l {0,1}", "l string") + "1,x,0,1\n", 4, None, "holds text"),
    # dense rows
    (HEADER + "1,x,0\n", 7, 6, "3 values, expected 4"),
    (HEADER + "1,x,0,1,1\n", 7, 9, "more than the 4"),
    (HEADER + "1,x,0,1,\n", 7, 9, "more than the 4"),
    (HEADER + "1,x,,1\n", 7, 5, "expected a value"),
    (HEADER + "1,x,0,1\n1,v,0,1\n", 8, 3, "'v' in column 'c': not among"),
    (HEADER + "1,x,0,2\n", 7, 7, "'2' in column 'm'"),
    (HEADER + "1,x z,0,1\n", 7, 5, "expected a comma"),
    (HEADER + "1,'y z,0,1\n", 7, 3, "not closed"),
    (HEADER + "one,x,0,1\n", 7, 1, "not a number"),
    (HEADER + "1_0,x,0,1\n", 7, 1, "not a number"),
    (HEADER + "nan,x,0,1\n", 7, 1, "not a number"),
    (HEADER + "inf,x,0,1\n", 7, 1, "not a number"),
    (HEADER + "0x1,x,0,1\n", 7, 1, "not a number"),
    (HEADER + "1e,x,0,1\n", 7, 1, "not a number"),
    (HEADER + "٣,x,0,1\n", 7, 1, "not a number"),
    (HEADER + "1e999,x,0,1\n", 7, 1, "too large"),
    (HEADER + "1,x,0,1 {x}\n", 7, 10, "weight 'x'"),
    (HEADER + "1,x,0,1\n{0 1}\n", 8, 1, "expected a value"),
    # sparse rows
    (HEADER + "{4 1}\n", 7, 2, "index 4, but there are only 4"),
    (HEADER + "{-1 1}\n", 7, 2, "expected the index"),
    (HEADER + "{0 1,0 2}\n", 7, 6, "index 0 occurs twice"),
    (HEADER + "{3 1,3 1}\n", 7, 6, "index 3 occurs twice"),
    (HEADER + "{1 v}\n", 7, 4, "not among"),
    (HEADER + "{0 1\n", 7, 5, "expected a comma or a brace"),
    (HEADER + "{0 1,}\n", 7, 6, "expected the index"),
    (HEADER + "{0}\n", 7, 3, "no value"),
    (HEADER + "{0 1} x\n", 7, 7, "after the row"),
    (HEADER + "{0 1}\n1,x,0,1\n", 8, 1, "without braces"),
    (HEADER + "{99999999999999999999 1}\n", 7, 2, "expected the index"),
    # bytes
    (HEADER + "1,x,0,\0\n", 7, 7, "NUL"),
    (HEADER.encode() + b"1,x,0,1\n1,\xff,0,1\n", 8, 3, "not UTF-8"),
    (HEADER.encode("utf-16"), 1, 1, "UTF-16"),
]


@pytest.mark.parametrize(("text", "line", "column", "reason"), FAULTS)
def test_faults_are_located(tmp_path, text, line, column, reason, each_way):
    with pytest.raises(FormatError) as caught:
        read(tmp_path, text)
    error = caught.value
    assert reason in error.reason
    assert (error.line, error.column) == (line, column) or "empty" in reason
    assert error.path == str(tmp_path / "data.arff")
    assert str(error).startswith(error.path)


def test_a_line_of_ten_megabytes_is_answered(tmp_path):
    for line in ("1," * 5_000_000, "1" * 10_000_000, "'" + "\\'" * 5_000_000):
        with pytest.raises(FormatError):
            read(tmp_path, HEADER + line + "\n")


def test_a_header_of_many_columns_cannot_ask_for_memory(tmp_path, each_way):
    header = "@relation r\n" + "".join(f"@attribute a{i} real\n" for i in range(5000))
    text = header + "@attribute l {0,1}\n@data\n" + "\n" * 300_000
    with pytest.raises(FormatError, match="no row"):
        read(tmp_path, text, ["l"])


@pytest.mark.parametrize("seed", [DENSE, PLAIN, SPARSE])
@given(random=st.randoms(use_true_random=False))
@settings(max_examples=draws(120), deadline=None)
def test_rows_at_once_are_as_strict_as_the_careful_reader(
    tmp_path_factory, seed, random
):
    folder = tmp_path_factory.mktemp("arff")
    path = write_mulan(folder, mutate(seed, random), ["red", "it's green"])
    answers = []
    for size in (1 << 16, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_tables, "AT_ONCE", size)
            try:
                answers.append(load(path))
            except FormatError as error:
                answers.append(str(error))
    if isinstance(answers[0], str) or isinstance(answers[1], str):
        assert answers[0] == answers[1]
    else:
        assert_same(*answers)
