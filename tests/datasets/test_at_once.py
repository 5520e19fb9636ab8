"""Rows that are read many at once are as strict as rows read by themselves."""

from __future__ import annotations

import random
import warnings

import pytest

from labelsieve.datasets import FormatError, _tables, load
from tests.datasets.helpers import assert_same

CSV = "a,b,c,l,m\n1.5,2,red,0,1\n-3e2,,green one,1,0\n0.25,7,NA,1,1\n4,nan,red,0,0\n"
TSV = "a\tb\tl\n1.5\t2\t0\n-3\t\t1\n0.25\t7\t1\n"
LIBSVM = "1,4 3:0.5 7:1\n 2:1 9:-2e3\n4 1:0 3:1.25\n0,2 5:7\n"
PIECES = [
    *("1", "0", "-1", "9", "e", "E", "+", "-", ".", "_", "nan", "inf", "NA", "?", "x"),
    *(
        ",",
        ":",
        " ",
        "  ",
        "\t",
        "\n",
        "\r",
        "\r\n",
        '"',
        "#",
        "\x0c",
        "\u0663",
        "1e999",
    ),
    *("", "", "0.5", "3:1", ",,", "1 ", " 1", "\n\n", "1234567890"),
]


def damaged(text, rng):
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(PIECES) + text[at + rng.randint(0, 2) :]
    return text


def answer(path, arguments):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load(path, **arguments)
    except FormatError as error:
        return str(error)


@pytest.mark.parametrize(
    ("name", "text", "arguments"),
    [
        ("a.csv", CSV, {"labels": ["l", "m"]}),
        ("a.csv", CSV, {"labels": ["l", "m"], "unknown": 0}),
        ("a.csv", CSV, {"labels": ["c"], "separator": " "}),
        ("a.tsv", TSV, {"labels": -1}),
        ("a.libsvm", LIBSVM, {}),
        ("a.libsvm", LIBSVM, {"labels": 5}),
    ],
)
def test_damaged_files_have_the_same_answer(tmp_path, name, text, arguments):
    path = tmp_path / name
    rng = random.Random(0)
    outcomes = set()
    for _ in range(400):
        path.write_bytes(damaged(text, rng).encode())
        answers = []
        for size in (1 << 16, 0):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(_tables, "AT_ONCE", size)
                answers.append(answer(path, arguments))
        outcomes.add(isinstance(answers[0], str))
        if isinstance(answers[0], str) or isinstance(answers[1], str):
            assert answers[0] == answers[1], path.read_bytes()
        else:
            assert_same(*answers)
    assert outcomes == {True, False}
