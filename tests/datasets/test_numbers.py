"""Numbers are rounded as Python rounds them, many at once and one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from labelsieve.datasets import FormatError, load
from labelsieve.datasets._columns import parse_number
from labelsieve.datasets._tables import plain_numbers
from tests.exploring import draws


def check(*texts):
    """Compare with Python, signs of zeros included."""
    expected = np.array(list(map(float, texts)))
    for found in (
        plain_numbers(",".join(texts), len(texts)),
        np.array(list(map(parse_number, texts))),
    ):
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
@settings(max_examples=draws(300), deadline=None)
def test_every_float_is_read_back(values):
    check(*map(repr, values))


@given(st.integers(0, 10**19 - 1), st.integers(-400, 288))
@example(9007199254740993, 0)
@example(9007199254740992, -1)
@example(17976931348623157, 292)
@example(22250738585072014, -324)
@settings(max_examples=draws(300), deadline=None)
def test_digits_and_exponents(digits, exponent):
    check(f"{digits}e{exponent}", f"-{digits}E{exponent:+d}")
    check(f"{digits / 1e19:.20f}"[:20])


@given(st.integers(2**52, 2**53 - 1), st.integers(0, 9))
@settings(max_examples=draws(150), deadline=None)
def test_halfway_between_two_floats_goes_to_the_even_one(mantissa, shift):
    check(*(str(((2 * mantissa + 1) << shift) + offset) for offset in (-1, 0, 1)))


@pytest.mark.parametrize(
    "text", ["0", "-0", "+1", "1.", ".5", "00012.50", "0" * 50 + "1"]
)
def test_forms_of_numbers(text):
    check(text)


@pytest.mark.parametrize(
    "text",
    ["-", ".", "e5", "1e", "1e+", "nanx", "--1", "x", "inf", "1_0", "1e999", "\u0663"],
)
def test_what_is_no_number_is_refused_with_its_place(tmp_path, text, each_way):
    with pytest.raises(ValueError, match=r"not a number|too large|convert"):
        plain_numbers(f"1,{text}", 2)
    path = tmp_path / "data.arff"
    head = "@relation r\n@attribute a real\n@attribute b real\n@attribute l {0,1}\n"
    path.write_text(f"{head}@data\n1,2,0\n1,{text},1\n", encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        load(path, labels=["l"])
    assert (caught.value.line, caught.value.column) == (7, 3)
