"""Kernels that read rows of text: a byte buffer in, numbers out.

A kernel reads the usual rows only. At the first row that it does not understand
(quotes, weights, faults, numbers of more than 19 digits) it stops and returns where;
the careful reader takes that row, or says what is wrong with it. So both accept the
same files, and kernels need no errors of their own. The text ends with a line feed,
which every loop over its bytes stops at.

Decimal numbers are rounded correctly with one or two multiplications by a 128-bit
power of five (D. Lemire, Number parsing at a gigabyte per second, Software: Practice
and Experience 51(8), 2021, algorithm 1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelsieve._compile import njit

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Byte = np.uint8
Word = np.uint64

_TAB, _LF, _CR, _BLANK = np.uint8(9), np.uint8(10), np.uint8(13), np.uint8(32)
_PLUS, _MINUS, _DOT = np.uint8(43), np.uint8(45), np.uint8(46)
_ZERO = np.uint8(48)
_UPPER_E, _LOWER_E = np.uint8(69), np.uint8(101)
_PERCENT, _COMMA, _COLON = np.uint8(37), np.uint8(44), np.uint8(58)
_QUESTION, _OPEN, _CLOSE = np.uint8(63), np.uint8(123), np.uint8(125)

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


class Books(NamedTuple):
    """What the kernels know of a file's columns.

    A book holds the words of one nominal declaration, sorted by their bytes.
    """

    kinds: NDArray[np.int64]  # per column: its book, or -1 for numbers
    targets: NDArray[np.int64]  # per column: its feature, or ~ its label
    digits: NDArray[np.int64]  # per book and digit: the word that is this digit, or -1
    starts: NDArray[np.int64]  # the first word of each book
    words: NDArray[np.int64]  # where each word begins in letters
    letters: Bytes
    values: Floats  # the number that each word stands for


class Entries(NamedTuple):
    """Room for the entries of sparse rows."""

    x_counts: NDArray[np.int64]  # entries of each row
    x_columns: NDArray[np.int32]
    x_values: Floats
    y_counts: NDArray[np.int64]
    y_columns: NDArray[np.int32]


@njit
def read_dense(
    text: Bytes,
    start: int,  # of the first line to read
    row: int,  # that the first line becomes
    marks: Bytes,  # separator, comment mark, 1 if an empty cell is a missing value
    books: Books,
    X: Floats,
    Y: Bytes,
) -> tuple[int, int]:
    """Read rows of separated values; return where reading stopped, and the next row."""
    separator, comment, empty_is_missing = marks[0], marks[1], marks[2] == 1
    kinds, targets, digits, starts, words, letters, values = books
    while start < len(text) and row < len(X):
        at = _skip_blanks(text, start, separator)
        if _at_line_end(text, at) or text[at] == comment:
            start = _next_line(text, at)
            continue
        for column in range(len(kinds)):
            if column > 0:
                if text[at] != separator:
                    return start, row
                at = _skip_blanks(text, at + 1, separator)
            book, value = kinds[column], np.nan
            if text[at] == _QUESTION:
                at += 1
            elif empty_is_missing and (text[at] == separator or text[at] <= _CR):
                pass
            elif book < 0:
                value, at = _read_number(text, at)
            else:
                word, at = _single_digit(text, at, separator)
                if word >= 0:
                    word = digits[10 * book + word]
                else:
                    begin, at = at, _word_end(text, at, separator)
                    first, last = starts[book], starts[book + 1]
                    word = _find_word(text, begin, at, first, last, words, letters)
                if word < 0:
                    return start, row
                value = values[word]
            target = targets[column]
            if at < 0:
                return start, row
            if target >= 0:
                X[row, target] = value
            elif value == 0.0 or value == 1.0:
                Y[row, ~target] = np.uint8(value)
            else:
                return start, row
            at = _skip_blanks(text, at, separator)
        if not _at_line_end(text, at):
            return start, row
        start = _next_line(text, at)
        row += 1
    return start, row


@njit
def read_sparse(
    text: Bytes, start: int, end: int, books: Books, entries: Entries
) -> tuple[int, int, int, int]:
    """Read rows ``{index value, ...}`` whose indices ascend.

    Returns where reading stopped and how many rows, feature and label entries came.
    """
    kinds, targets, digits, starts, words, letters, values = books
    x_counts, x_columns, x_values, y_counts, y_columns = entries
    row, x_total, y_total = 0, 0, 0
    while start < end:
        at = _skip_blanks(text, start, _COMMA)
        if _at_line_end(text, at) or text[at] == _PERCENT:
            start = _next_line(text, at)
            continue
        if text[at] != _OPEN:
            break
        x_end, y_end, previous = x_total, y_total, -1
        at = _skip_blanks(text, at + 1, _COMMA)
        usual = text[at] == _CLOSE
        while not usual:
            index, at = _read_index(text, at, _BLANK)
            if index <= previous or index >= len(kinds):
                break
            previous = index
            at = _skip_blanks(text, at, _COMMA)
            book, value = kinds[index], np.nan
            if text[at] == _QUESTION:
                at += 1
            elif book < 0:
                value, at = _read_number(text, at)
                if at < 0:
                    break
            else:
                word, at = _single_digit(text, at, _CLOSE)
                if word >= 0:
                    word = digits[10 * book + word]
                else:
                    begin, at = at, _word_end(text, at, _CLOSE)
                    first, last = starts[book], starts[book + 1]
                    word = _find_word(text, begin, at, first, last, words, letters)
                if word < 0:
                    break
                value = values[word]
            target = targets[index]
            if value == 0.0:
                pass
            elif target >= 0:
                x_columns[x_end] = target
                x_values[x_end] = value
                x_end += 1
            elif value == 1.0:
                y_columns[y_end] = ~target
                y_end += 1
            else:
                break
            at = _skip_blanks(text, at, _COMMA)
            usual = text[at] == _CLOSE
            if text[at] == _COMMA:
                at = _skip_blanks(text, at + 1, _COMMA)
            elif not usual:
                break
        if not usual:
            break
        at = _skip_blanks(text, at + 1, _COMMA)
        if not _at_line_end(text, at):
            break
        x_counts[row] = x_end - x_total
        y_counts[row] = y_end - y_total
        row, x_total, y_total = row + 1, x_end, y_end
        start = _next_line(text, at)
    return start, row, x_total, y_total


@njit
def read_libsvm(
    text: Bytes, start: int, end: int, entries: Entries
) -> tuple[int, int, int, int]:
    """Read rows ``label,label index:value ...`` in ascending order, values not 0.

    Returns what `read_sparse` returns; columns are the numbers that the file writes.
    """
    x_counts, x_columns, x_values, y_counts, y_columns = entries
    row, x_total, y_total = 0, 0, 0
    while start < end:
        at, y_end = _read_labels(text, start, y_total, y_columns)
        x_end, previous = x_total, -1
        while at >= 0 and not _at_line_end(text, at):
            index, at = _read_index(text, at, _COLON)
            if index <= previous:
                at = -1
                break
            previous = index
            value, at = _read_number(text, at + 1)
            if at < 0 or value == 0.0:
                at = -1
                break
            x_columns[x_end] = index
            x_values[x_end] = value
            x_end += 1
            if text[at] != _BLANK and not _at_line_end(text, at):
                at = -1
                break
            at = _skip_blanks(text, at, _COMMA)
        if at < 0:
            break
        x_counts[row] = x_end - x_total
        y_counts[row] = y_end - y_total
        row, x_total, y_total = row + 1, x_end, y_end
        start = _next_line(text, at)
    return start, row, x_total, y_total


@njit
def _read_labels(
    text: Bytes, at: int, y_end: int, y_columns: NDArray[np.int32]
) -> tuple[int, int]:
    """Read labels that ascend; return where the features start, -1 if unusual."""
    previous = -1
    while True:
        label, end = _read_index(text, at, _COMMA)
        if label < 0:
            label, end = _read_index(text, at, _BLANK)
        if label <= previous:
            return -1, y_end
        y_columns[y_end] = label
        previous, y_end = label, y_end + 1
        at = end + 1
        if text[end] == _BLANK:
            return _skip_blanks(text, at, _COMMA), y_end


@njit
def _skip_blanks(text: Bytes, at: int, separator: Byte) -> int:
    while text[at] == _BLANK or (text[at] == _TAB and separator != _TAB):
        at += 1
    return at


@njit
def _at_line_end(text: Bytes, at: int) -> bool:
    return text[at] == _LF or (text[at] == _CR and text[at + 1] == _LF)


@njit
def _next_line(text: Bytes, at: int) -> int:
    while text[at] != _LF:
        at += 1
    return at + 1


@njit
def _digit(text: Bytes, at: int) -> int:
    """Return the digit at a place as a signed number; other bytes are not in 0..9."""
    return np.int64(text[at]) - 48  # type: ignore[return-value]  # numba's int


@njit
def _single_digit(text: Bytes, at: int, stop: Byte) -> tuple[int, int]:
    """Return the digit that is all of a word, and where it ends; -1 if it is not."""
    digit = _digit(text, at)
    if digit < 0 or digit > 9:
        return -1, at
    after = text[at + 1]
    if after <= _BLANK or after in (stop, _COMMA):
        return digit, at + 1
    return -1, at


@njit
def _word_end(text: Bytes, at: int, stop: Byte) -> int:
    while text[at] > _BLANK and text[at] != stop and text[at] != _COMMA:
        at += 1
    return at


@njit
def _find_word(
    text: Bytes,
    start: int,
    end: int,
    low: int,
    high: int,
    words: NDArray[np.int64],
    letters: Bytes,
) -> int:
    """Return the number of a word of one book, or -1: binary search over bytes."""
    while low < high:
        middle = (low + high) >> 1
        at, begin, stop = start, words[middle], words[middle + 1]
        while at < end and begin < stop and text[at] == letters[begin]:
            at += 1
            begin += 1
        if at == end and begin == stop:
            return middle
        if begin == stop or (at < end and text[at] > letters[begin]):
            low = middle + 1
        else:
            high = middle
    return -1


@njit
def _read_index(text: Bytes, at: int, follower: Byte) -> tuple[int, int]:
    """Read up to nine digits and what must follow; -1 where there are none."""
    begin, index = at, 0
    digit = _digit(text, at)
    while 0 <= digit <= 9 and at - begin < 9:
        index = index * 10 + digit
        at += 1
        digit = _digit(text, at)
    if at == begin or text[at] != follower:
        return -1, at
    return index, at


@njit
def _read_number(text: Bytes, at: int) -> tuple[float, int]:
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
def _read_exponent(text: Bytes, at: int) -> tuple[int, int]:
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    begin, exponent = at, 0
    digit = _digit(text, at)
    while 0 <= digit <= 9:
        if exponent < 100_000:
            exponent = exponent * 10 + digit
        at += 1
        digit = _digit(text, at)
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
