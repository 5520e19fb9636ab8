"""Kernels that read one decimal number and round it correctly.

Rounding takes one or two multiplications by a 128-bit power of five (D. Lemire, Number
parsing at a gigabyte per second, Software: Practice and Experience 51(8), 2021,
algorithm 1). The text ends with a line feed, so no loop runs past its end.

text: uint8[bytes]
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import ByteArray

Word = np.uint64

_PLUS, _MINUS, _DOT = np.uint8(43), np.uint8(45), np.uint8(46)
_ZERO = np.uint8(48)
_UPPER_E, _LOWER_E = np.uint8(69), np.uint8(101)
_NINE, _TEN, _ASCII_ZERO = np.uint64(9), np.uint64(10), np.uint64(48)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)

_SMALLEST_POWER = -342
_LARGEST_POWER = 308


def _leading_bits(power: int) -> int:
    """Return the leading 128 bits of a power of five.

    Negative powers are rounded up, positive ones down, as the algorithm's proof needs.
    """
    if power >= 0:
        exact = 5**power
        return exact << 128 >> exact.bit_length()
    exact = 5**-power
    if power >= -27:  # the quotient has 128 bits as it is
        return (1 << (exact.bit_length() + 127)) // exact + 1
    quotient = (1 << (2 * exact.bit_length() + 128)) // exact + 1
    return quotient >> (quotient.bit_length() - 128)


_BITS = [_leading_bits(q) for q in range(_SMALLEST_POWER, _LARGEST_POWER + 1)]
_HIGH = np.array([bits >> 64 for bits in _BITS], dtype=np.uint64)
_LOW = np.array([bits & (2**64 - 1) for bits in _BITS], dtype=np.uint64)
# 2.0 ** (e - 1075) for the exponents e = 0..2046 that a float64 stores.
_POWERS_OF_TWO = np.ldexp(1.0, np.arange(-1075, 972))


@njit
def read_number(text: ByteArray, at: int) -> tuple[float, int]:
    """Return a number and where it ends, -1 if it is not a usual one."""
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    number = np.uint64(0)  # without point and exponent
    begin = at
    digit = np.uint64(text[at]) - _ASCII_ZERO
    while digit <= _NINE:  # what is below 0 wraps
        number = number * _TEN + digit
        at += 1
        digit = np.uint64(text[at]) - _ASCII_ZERO
    n_digits, exponent = at - begin, 0
    if text[at] == _DOT:
        at += 1
        point = at
        digit = np.uint64(text[at]) - _ASCII_ZERO
        while digit <= _NINE:
            number = number * _TEN + digit
            at += 1
            digit = np.uint64(text[at]) - _ASCII_ZERO
        exponent = point - at
        n_digits += at - point
    if n_digits == 0:
        return 0.0, -1
    if n_digits > 19:
        # Zeros in front do not count, but more digits overflow.
        while text[begin] == _ZERO or text[begin] == _DOT:
            n_digits -= text[begin] == _ZERO
            begin += 1
        if n_digits > 19:
            return 0.0, -1
    if text[at] == _LOWER_E or text[at] == _UPPER_E:
        scale, at = _read_exponent(text, at + 1)
        exponent += scale
    value = _round(number, exponent)
    if value < 0.0:
        return 0.0, -1
    return (-value if negative else value), at


@njit
def _read_exponent(text: ByteArray, at: int) -> tuple[int, int]:
    """Return an exponent and where it ends, -1 if there are no digits."""
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    begin, exponent = at, 0
    digit = digit_at(text, at)
    while 0 <= digit <= 9:
        if exponent < 100_000:
            exponent = exponent * 10 + digit
        at += 1
        digit = digit_at(text, at)
    if at == begin:
        return exponent, -1
    return (-exponent if negative else exponent), at


@njit
def _round(number: Word, exponent: int) -> float:
    """Return the float64 nearest to number * 10**exponent.

    -1 where this algorithm cannot tell, and for numbers that are too large or too
    small for a normal float64.
    """
    if number == 0:
        return 0.0
    if exponent < _SMALLEST_POWER or exponent > _LARGEST_POWER:
        return -1.0
    zeros = _leading_zeros(number)
    number <<= np.uint64(zeros)
    high, low = _multiply(number, _HIGH[exponent - _SMALLEST_POWER])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        # The first word may not decide the rounding: add the second one.
        more, _ = _multiply(number, _LOW[exponent - _SMALLEST_POWER])
        low += more
        if low < more:
            high += np.uint64(1)
        if low == _ALL_ONES and (exponent < -27 or exponent > 55):
            return -1.0
    top = high >> np.uint64(63)
    shift = top + np.uint64(9)
    mantissa = high >> shift
    # floor(exponent * log2(10)) + 1086, in fixed point
    binary = ((217706 * exponent) >> 16) + 1086 + np.int64(top) - zeros
    halfway = low <= np.uint64(1) and exponent >= -4 and exponent <= 23
    if halfway and mantissa & np.uint64(3) == 1 and mantissa << shift == high:
        mantissa &= ~np.uint64(1)  # exactly between two: round to even
    mantissa += mantissa & np.uint64(1)
    mantissa >>= np.uint64(1)
    # A carry into bit 53 needs no care: the product below is exact.
    if binary <= 0 or binary >= 2046:
        return -1.0
    return np.float64(mantissa) * _POWERS_OF_TWO[binary]


@njit
def _leading_zeros(word: Word) -> int:
    count = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word >> np.uint64(64 - step) == 0:
            word <<= np.uint64(step)
            count += step
    return count


@njit
def _multiply(a: Word, b: Word) -> tuple[Word, Word]:
    """Return the high and the low word of the 128-bit product."""
    half = np.uint64(32)
    a_high, a_low = a >> half, a & _LOW_HALF
    b_high, b_low = b >> half, b & _LOW_HALF
    middle = a_high * b_low + (a_low * b_low >> half)
    cross = (middle & _LOW_HALF) + a_low * b_high
    return a_high * b_high + (middle >> half) + (cross >> half), a * b


@njit
def digit_at(text: ByteArray, at: int) -> int:
    """Return the digit at a place as a signed number; other bytes are not in 0..9."""
    return np.int64(text[at]) - 48  # type: ignore[return-value]  # numba's int
