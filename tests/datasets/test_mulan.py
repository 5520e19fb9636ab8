"""The XML file of Mulan data sets, honest and hostile, and MEKA's relation names."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from labelsieve.datasets import FormatError, load
from labelsieve.datasets._arff import read_label_names

ARFF = """@relation {}
@attribute x {{0,1}}
@attribute y {{0,1}}
@attribute a numeric
@data
1,0,5
"""


def names_of(text: str | bytes) -> list[str]:
    data = text if isinstance(text, bytes) else text.encode()
    return read_label_names(bytearray(data), "labels.xml")


def test_names_nested_escaped_and_in_other_encodings():
    assert names_of("<labels><label name='a'><label name='b'/></label></labels>") == [
        "a",
        "b",
    ]
    assert names_of('<labels><label name="a &amp; &#39;b&#39;"/></labels>') == [
        "a & 'b'"
    ]
    text = (
        '<?xml version="1.0" encoding="iso-8859-1"?><labels><label name="é"/></labels>'
    )
    assert names_of(text.encode("latin-1")) == ["é"]
    assert names_of(text.replace("iso-8859-1", "utf-16").encode("utf-16")) == ["é"]


LAUGHS = (
    "<!DOCTYPE labels [<!ENTITY a 'ha'>"
    + "".join(f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in pairwise("abcdefghi"))
    + "]><labels><label name='&i;'/></labels>"
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LAUGHS, "DOCTYPE and entities are refused"),
        ("<!DOCTYPE l [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><labels/>", "refused"),
        ("<!DOCTYPE l SYSTEM 'http://localhost:9/x.dtd'><labels/>", "refused"),
        ("<!DOCTYPE l [<!ENTITY % p 'x'> %p;]><labels/>", "refused"),
        ("<labels><label name='&unknown;'/></labels>", "undefined entity"),
        (
            "<labels>" + "".join(f"<label name='{n}'>" for n in range(200_000)),
            "nested more than 64 deep",
        ),
        ("<labels><label name='a'/><label name='a'/></labels>", "'a' is named twice"),
        ("<labels><label/></labels>", "no name"),
        ("<labels></labels>", "names no label"),
        ("<tags/>", "expected the element labels"),
        ("<labels><tag name='a'/></labels>", "expected the element label"),
        ("<labels><label name='a'>", "damaged XML"),
        ("", "damaged XML"),
        ("<?xml version='1.0' encoding='klingon'?><labels/>", "encoding"),
        ("<?xml version='1.0' encoding='utf-7'?><labels/>", "encoding"),
    ],
)
def test_faults(text, reason):
    with pytest.raises(FormatError, match=reason):
        names_of(text)


def test_a_label_that_is_no_attribute_is_named(tmp_path):
    (tmp_path / "d.arff").write_text(ARFF.format("r"))
    (tmp_path / "d.xml").write_text("<labels><label name='z'/></labels>")
    with pytest.raises(FormatError, match="there is no column 'z'") as caught:
        load(tmp_path)
    assert caught.value.path.endswith("d.xml")


def test_labels_by_argument_come_before_all_others(tmp_path):
    path = tmp_path / "d.arff"
    path.write_text(ARFF.format("'r: -C 1'"))
    other = tmp_path / "other.xml"
    other.write_text("<labels><label name='y'/></labels>")
    assert load(path).label_names == ("x",)
    assert load(path, labels=other).label_names == ("y",)
    assert load(path, labels=["y", "x"]).label_names == ("x", "y")
    assert load(path, labels="y").label_names == ("y",)
    assert load(path, labels=2).label_names == ("x", "y")
    (tmp_path / "d.xml").write_text("<labels><label name='y'/></labels>")
    assert load(path).label_names == ("y",)


@pytest.mark.parametrize(
    ("relation", "labels"),
    [
        ("'r: -C 2'", ("x", "y")),
        ("'r: -C 1 -split-percentage 50'", ("x",)),
        ('"r:-C 2"', ("x", "y")),
    ],
)
def test_meka_labels_come_first(tmp_path, relation, labels):
    (tmp_path / "d.arff").write_text(ARFF.format(relation))
    assert load(tmp_path).label_names == labels


def test_meka_counts_from_the_end_where_negative(tmp_path):
    text = "@relation 'r: -C -1'\n@attribute a real\n@attribute l {0,1}\n@data\n5,1\n"
    (tmp_path / "d.arff").write_text(text)
    data = load(tmp_path)
    assert data.label_names == ("l",)
    np.testing.assert_array_equal(data.X, [[5]])


@pytest.mark.parametrize("count", ["0", "3", "-3", "99999999999"])
def test_meka_counts_that_do_not_fit(tmp_path, count):
    (tmp_path / "d.arff").write_text(ARFF.format(f"'r: -C {count}'"))
    with pytest.raises(FormatError, match=r"columns asked for|all columns"):
        load(tmp_path)


def test_without_labels_the_user_is_asked(tmp_path):
    (tmp_path / "d.arff").write_text(ARFF.format("plain"))
    with pytest.raises(FormatError, match="pass labels="):
        load(tmp_path)


@pytest.mark.parametrize("labels", [0, 4, -4, 3, [], ["x", "x"], ["q"], "q", ""])
def test_labels_that_cannot_be_meant(tmp_path, labels):
    (tmp_path / "d.arff").write_text(ARFF.format("plain"))
    with pytest.raises(FormatError):
        load(tmp_path, labels=labels)


def test_labels_of_the_wrong_type(tmp_path):
    (tmp_path / "d.arff").write_text(ARFF.format("plain"))
    with pytest.raises(TypeError, match="labels must be"):
        load(tmp_path, labels=True)
