"""Numbers are rounded as Python rounds them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from labelsieve.datasets._columns import parse_number
from labelsieve.datasets._number_kernels import read_number


def read(text: str) -> tuple[float, int]:
    return read_number(np.frombuffer(f"{text}\n".encode(), dtype=np.uint8), 0)


def check(text: str) -> bool:
    """Compare with Python; return whether the kernel took the number at all."""
    value, end = read(text)
    if end == len(text):
        assert value == float(text)
        assert math.copysign(1, value) == math.copysign(1, float(text))
        assert value == parse_number(text)
    return end == len(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=300, deadline=None)
def test_every_float_is_read_back(value):
    taken = check(repr(value))
    assert taken or abs(value) < 1e-307 or abs(value) > 1e308


@given(st.integers(0, 10**19 - 1), st.integers(-400, 400))
@example(9007199254740993, 0)
@example(9007199254740992, -1)
@example(17976931348623157, 292)
@example(22250738585072014, -324)
@settings(max_examples=300, deadline=None)
def test_digits_and_exponents(digits, exponent):
    check(f"{digits}e{exponent}")
    check(f"-{digits}E{exponent:+d}")
    check(f"{digits / 1e19:.20f}"[:20])


@given(st.integers(2**52, 2**53 - 1), st.integers(0, 9))
@settings(max_examples=150, deadline=None)
def test_halfway_between_two_floats_goes_to_the_even_one(mantissa, shift):
    for offset in (-1, 0, 1):
        check(str(((2 * mantissa + 1) << shift) + offset))


@pytest.mark.parametrize(
    "text", ["0", "-0", "+1", "1.", ".5", "00012.50", "0" * 50 + "1"]
)
def test_forms_of_numbers(text):
    assert check(text)


@pytest.mark.parametrize("text", ["", "-", ".", "e5", "1e", "1e+", "nan", "--1", "x"])
def test_what_is_no_number_is_left_to_the_careful_reader(text):
    assert read(text)[1] != len(text) or text == ""
    with pytest.raises(ValueError, match="not a number"):
        parse_number(text)
