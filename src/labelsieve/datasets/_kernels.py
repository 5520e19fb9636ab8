"""Kernels that read rows of text: a byte buffer in, numbers out.

A kernel reads the usual rows only. At the first row that it does not understand
(quotes, weights, faults, numbers of more than 19 digits) it stops and returns where;
the careful reader takes that row, or says what is wrong with it. So both accept the
same files, and kernels need no errors of their own.

Decimal numbers are rounded correctly with one or two multiplications by a 128-bit
power of five (D. Lemire, Number parsing at a gigabyte per second, Software: Practice
and Experience 51(8), 2021, algorithm 1).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelsieve._compile import njit

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Byte = np.uint8
Word = np.uint64

_SMALLEST_POWER = -342
_LARGEST_POWER = 308

_TAB, _LF, _CR, _BLANK = np.uint8(9), np.uint8(10), np.uint8(13), np.uint8(32)
_PLUS, _MINUS, _DOT = np.uint8(43), np.uint8(45), np.uint8(46)
_ZERO, _NINE = np.uint8(48), np.uint8(57)
_UPPER_E, _LOWER_E = np.uint8(69), np.uint8(101)
_COMMA, _COLON, _QUESTION = np.uint8(44), np.uint8(58), np.uint8(63)
_PERCENT = np.uint8(37)
_OPEN, _CLOSE = np.uint8(123), np.uint8(125)

_NAN_BITS = np.uint64(0x7FF8000000000000)
_ONE_BITS = np.uint64(0x3FF0000000000000)
_ONE_BIT = np.uint64(1)
_SIGN_BIT = np.uint64(1 << 63)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)


@cache
def powers_of_five() -> Words:
    """Return the leading 128 bits of 5**q, q = -342..308, as (high, low) words.

    Negative powers are rounded up, positive ones down, as the algorithm's proof needs.
    """
    table = np.empty((_LARGEST_POWER - _SMALLEST_POWER + 1, 2), dtype=np.uint64)
    for row, power in enumerate(range(_SMALLEST_POWER, _LARGEST_POWER + 1)):
        bits = _leading_bits(power)
        table[row] = bits >> 64, bits & (2**64 - 1)
    return table


def _leading_bits(power: int) -> int:
    if power >= 0:
        exact = 5**power
        return exact << 128 >> exact.bit_length()
    exact = 5**-power
    if power >= -27:  # the quotient has 128 bits as it is
        return (1 << (exact.bit_length() + 127)) // exact + 1
    quotient = (1 << (2 * exact.bit_length() + 128)) // exact + 1
    return quotient >> (quotient.bit_length() - 128)


class Books(NamedTuple):
    """What the kernels know of a file's columns.

    A book holds the words of one nominal declaration, sorted by their bytes.
    """

    kinds: NDArray[np.int64]  # per column: its book, or -1 for numbers
    targets: NDArray[np.int64]  # per column: its feature, or ~ its label
    starts: NDArray[np.int64]  # the first word of each book
    words: NDArray[np.int64]  # where each word begins in letters
    letters: Bytes
    values: Words  # the bits of the float64 that each word stands for
    powers: Words


class Entries(NamedTuple):
    """Room for the entries of sparse rows."""

    x_counts: NDArray[np.int64]  # entries of each row
    x_columns: NDArray[np.int32]
    x_values: Words
    y_counts: NDArray[np.int64]
    y_columns: NDArray[np.int32]


@njit
def read_dense(
    text: Bytes,
    start: int,  # of the first line to read
    row: int,  # that the first line becomes
    marks: Bytes,  # separator, comment mark, 1 if an empty cell is a missing value
    books: Books,
    X: Words,  # float64 seen as bits, shape (rows, features)
    Y: Bytes,
) -> tuple[int, int]:
    """Read rows of separated values; return where reading stopped, and the next row."""
    separator, comment, empty_is_missing = marks[0], marks[1], marks[2] == 1
    kinds, targets, starts, words, letters, values, powers = books
    while start < len(text) and row < len(X):
        at = _skip_blanks(text, start, separator)
        if _at_line_end(text, at) or text[at] == comment:
            start = _next_line(text, at)
            continue
        for column in range(len(kinds)):
            if column > 0:
                if at >= len(text) or text[at] != separator:
                    return start, row
                at = _skip_blanks(text, at + 1, separator)
            bits, at = _read_value(
                text,
                at,
                kinds[column],
                separator,
                empty_is_missing,
                starts,
                words,
                letters,
                values,
                powers,
            )
            target = targets[column]
            if at < 0 or (target < 0 and bits != 0 and bits != _ONE_BITS):
                return start, row
            if target >= 0:
                X[row, target] = bits
            else:
                Y[row, ~target] = bits != 0
            at = _skip_blanks(text, at, separator)
        if not _at_line_end(text, at):
            return start, row
        start = _next_line(text, at)
        row += 1
    return start, row


@njit
def read_sparse(
    text: Bytes, start: int, books: Books, entries: Entries
) -> tuple[int, int, int, int]:
    """Read rows ``{index value, ...}`` whose indices ascend.

    Returns where reading stopped and how many rows, feature and label entries came.
    """
    row, x_total, y_total = 0, 0, 0
    while start < len(text):
        at = _skip_blanks(text, start, _COMMA)
        if _at_line_end(text, at) or text[at] == _PERCENT:
            start = _next_line(text, at)
            continue
        if text[at] != _OPEN:
            break
        at, x_end, y_end = _read_entries(text, at, x_total, y_total, books, entries)
        if at < 0 or not _at_line_end(text, at):
            break
        entries.x_counts[row] = x_end - x_total
        entries.y_counts[row] = y_end - y_total
        row, x_total, y_total = row + 1, x_end, y_end
        start = _next_line(text, at)
    return start, row, x_total, y_total


@njit
def read_libsvm(
    text: Bytes, start: int, powers: Words, entries: Entries
) -> tuple[int, int, int, int]:
    """Read rows ``label,label index:value ...`` in ascending order, values not 0.

    Returns what `read_sparse` returns; columns are the numbers that the file writes.
    """
    row, x_total, y_total = 0, 0, 0
    while start < len(text):
        at, y_end = _read_labels(text, start, y_total, entries)
        x_end, previous = x_total, -1
        while at >= 0 and not _at_line_end(text, at):
            index, at = _read_index(text, at, _COLON)
            if index <= previous:
                at = -1
                break
            previous = index
            bits, at = _read_number(text, at + 1, powers)
            if bits << _ONE_BIT == 0 or at < 0:
                at = -1
                break
            entries.x_columns[x_end] = index
            entries.x_values[x_end] = bits
            x_end += 1
            after = _skip_blanks(text, at, _COMMA)
            if after == at and not _at_line_end(text, at):
                after = -1
            at = after
        if at < 0:
            break
        entries.x_counts[row] = x_end - x_total
        entries.y_counts[row] = y_end - y_total
        row, x_total, y_total = row + 1, x_end, y_end
        start = _next_line(text, at)
    return start, row, x_total, y_total


@njit
def _read_labels(text: Bytes, at: int, y_end: int, entries: Entries) -> tuple[int, int]:
    """Read labels that ascend; return where the features start, -1 if unusual."""
    previous = -1
    while True:
        label, end = _read_index(text, at, _COMMA)
        if label < 0:
            label, end = _read_index(text, at, _BLANK)
        if label <= previous:
            return -1, y_end
        entries.y_columns[y_end] = label
        previous, y_end = label, y_end + 1
        at = end + 1
        if text[end] == _BLANK:
            return _skip_blanks(text, at, _COMMA), y_end


@njit
def _read_entries(
    text: Bytes, at: int, x_end: int, y_end: int, books: Books, entries: Entries
) -> tuple[int, int, int]:
    """Read one row from its opening brace; -1 where it is not a usual one."""
    kinds, targets, starts, words, letters, values, powers = books
    previous = -1
    at = _skip_blanks(text, at + 1, _COMMA)
    while at < len(text) and (text[at] != _CLOSE or previous >= 0):
        index, at = _read_index(text, at, _BLANK)
        if index <= previous or index >= len(kinds):
            return -1, x_end, y_end
        previous = index
        at = _skip_blanks(text, at, _COMMA)
        bits, at = _read_value(
            text,
            at,
            kinds[index],
            _CLOSE,
            False,
            starts,
            words,
            letters,
            values,
            powers,
        )
        if at < 0:
            return -1, x_end, y_end
        target = targets[index]
        if bits << _ONE_BIT == 0:  # 0 or -0
            pass
        elif target >= 0:
            entries.x_columns[x_end] = target
            entries.x_values[x_end] = bits
            x_end += 1
        elif bits == _ONE_BITS:
            entries.y_columns[y_end] = ~target
            y_end += 1
        else:
            return -1, x_end, y_end
        at = _skip_blanks(text, at, _COMMA)
        if at >= len(text) or text[at] != _COMMA:
            break
        at = _skip_blanks(text, at + 1, _COMMA)
    if at >= len(text) or text[at] != _CLOSE:
        return -1, x_end, y_end
    return _skip_blanks(text, at + 1, _COMMA), x_end, y_end


@njit
def _read_value(
    text: Bytes,
    at: int,
    book: int,
    stop: Byte,  # the byte that may follow the value, beside blanks and commas
    empty_is_missing: bool,
    starts: NDArray[np.int64],
    words: NDArray[np.int64],
    letters: Bytes,
    values: Words,
    powers: Words,
) -> tuple[Word, int]:
    """Return the bits of one value and where it ends, -1 if it is not a usual one."""
    if at >= len(text):
        return _NAN_BITS, at if empty_is_missing else -1
    if text[at] == _QUESTION:
        return _NAN_BITS, at + 1
    if empty_is_missing and (text[at] == stop or text[at] <= _CR):
        return _NAN_BITS, at
    if book < 0:
        return _read_number(text, at, powers)
    end = _word_end(text, at, stop)
    word = _find_word(text, at, end, starts[book], starts[book + 1], words, letters)
    if word < 0:
        return _NAN_BITS, -1
    return values[word], end


@njit
def _skip_blanks(text: Bytes, at: int, separator: Byte) -> int:
    while at < len(text) and (
        text[at] == _BLANK or (text[at] == _TAB and separator != _TAB)
    ):
        at += 1
    return at


@njit
def _at_line_end(text: Bytes, at: int) -> bool:
    if at >= len(text) or text[at] == _LF:
        return True
    return text[at] == _CR and (at + 1 == len(text) or text[at + 1] == _LF)


@njit
def _next_line(text: Bytes, at: int) -> int:
    while at < len(text) and text[at] != _LF:
        at += 1
    return at + 1


@njit
def _word_end(text: Bytes, at: int, stop: Byte) -> int:
    while at < len(text):
        byte = text[at]
        if byte <= _BLANK or byte in (stop, _COMMA):
            break
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
    while at < len(text) and _ZERO <= text[at] <= _NINE and at - begin < 9:
        index = index * 10 + (text[at] - _ZERO)
        at += 1
    if at == begin or at >= len(text) or text[at] != follower:
        return -1, at
    return index, at


@njit
def _read_number(text: Bytes, at: int, powers: Words) -> tuple[Word, int]:
    """Return the bits of a number and where it ends, -1 if it is not a usual one."""
    size = len(text)
    sign = np.uint64(0)
    if at < size and (text[at] == _MINUS or text[at] == _PLUS):
        if text[at] == _MINUS:
            sign = _SIGN_BIT
        at += 1
    digits = np.uint64(0)  # the number without point and exponent
    n_digits, n_seen, exponent = 0, 0, 0
    while at < size and _ZERO <= text[at] <= _NINE:
        digits = digits * np.uint64(10) + np.uint64(text[at] - _ZERO)
        n_digits += digits != 0
        n_seen += 1
        at += 1
    if at < size and text[at] == _DOT:
        at += 1
        while at < size and _ZERO <= text[at] <= _NINE:
            digits = digits * np.uint64(10) + np.uint64(text[at] - _ZERO)
            n_digits += digits != 0
            n_seen += 1
            exponent -= 1
            at += 1
    if n_seen == 0 or n_digits > 19:
        return sign, -1
    if at < size and (text[at] == _LOWER_E or text[at] == _UPPER_E):
        scale, at = _read_exponent(text, at + 1)
        if at < 0:
            return sign, -1
        exponent += scale
    if digits == 0:
        return sign, at
    bits = _round(digits, exponent, powers)
    if bits == _ALL_ONES:
        return sign, -1
    return sign | bits, at


@njit
def _read_exponent(text: Bytes, at: int) -> tuple[int, int]:
    negative = at < len(text) and text[at] == _MINUS
    if negative or (at < len(text) and text[at] == _PLUS):
        at += 1
    begin, exponent = at, 0
    while at < len(text) and _ZERO <= text[at] <= _NINE:
        if exponent < 100_000:
            exponent = exponent * 10 + (text[at] - _ZERO)
        at += 1
    if at == begin:
        return 0, -1
    return (-exponent if negative else exponent), at


@njit
def _round(digits: Word, exponent: int, powers: Words) -> Word:
    """Return the bits of the float64 nearest to digits * 10**exponent.

    All ones where this algorithm cannot tell, and for numbers that are too large or
    too small for a normal float64.
    """
    if exponent < _SMALLEST_POWER or exponent > _LARGEST_POWER:
        return _ALL_ONES
    zeros = _leading_zeros(digits)
    digits <<= np.uint64(zeros)
    high, low = _multiply(digits, powers[exponent - _SMALLEST_POWER, 0])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        # The first word may not decide the rounding: add the second one.
        more, _ = _multiply(digits, powers[exponent - _SMALLEST_POWER, 1])
        low += more
        if low < more:
            high += np.uint64(1)
        if low == _ALL_ONES and (exponent < -27 or exponent > 55):
            return _ALL_ONES
    top = high >> np.uint64(63)
    shift = top + np.uint64(9)
    mantissa = high >> shift
    # floor(exponent * log2(10)) + 1023, in fixed point
    binary = ((217706 * exponent) >> 16) + 1086 + np.int64(top) - zeros
    if binary <= 0:
        return _ALL_ONES
    halfway = low <= np.uint64(1) and exponent >= -4 and exponent <= 23
    if halfway and mantissa & np.uint64(3) == 1 and mantissa << shift == high:
        mantissa &= ~np.uint64(1)  # exactly between two: round to even
    mantissa += mantissa & np.uint64(1)
    mantissa >>= np.uint64(1)
    if mantissa >= np.uint64(1 << 53):
        mantissa = np.uint64(1 << 52)
        binary += 1
    if binary >= 2047:
        return _ALL_ONES
    return (mantissa & np.uint64((1 << 52) - 1)) | (np.uint64(binary) << np.uint64(52))


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
