"""Kernels that read rows of text: a byte buffer in, numbers out.

A kernel reads the usual rows only. At the first row that it does not understand
(quotes, weights, faults, numbers of more than 19 digits) it stops and returns where;
the careful reader takes that row, or says what is wrong with it. So both accept the
same files, and kernels need no errors of their own. The text ends with a line feed,
which every loop over its bytes stops at.

text: uint8[bytes]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import ByteArray, FloatArray, Int32Array, IntArray
from labelsieve.datasets._columns import UNKNOWN
from labelsieve.datasets._number_kernels import digit_at, read_number

Byte = np.uint8

_TAB, _LF, _CR, _BLANK = np.uint8(9), np.uint8(10), np.uint8(13), np.uint8(32)
_PERCENT, _COMMA, _COLON = np.uint8(37), np.uint8(44), np.uint8(58)
_QUESTION, _OPEN, _CLOSE = np.uint8(63), np.uint8(123), np.uint8(125)


class Books(NamedTuple):
    """What the kernels know of a file's columns.

    A book holds the words of one nominal declaration, sorted by their bytes.
    """

    kinds: IntArray  # [columns] the book of each, or -1 for numbers
    targets: IntArray  # [columns] the feature of each, or ~ its label
    digits: FloatArray  # [10 x books] the number each digit stands for, or -1
    starts: IntArray  # [books + 1] the first word of each book
    words: IntArray  # [words + 1] where each word begins in letters
    letters: ByteArray  # [bytes of all words]
    values: FloatArray  # [words] the number that each word stands for


class Entries(NamedTuple):
    """Room for the entries of sparse rows."""

    x_counts: IntArray  # [rows] feature entries of each row
    x_columns: Int32Array  # [feature entries]
    x_values: FloatArray  # [feature entries]
    y_counts: IntArray  # [rows] label entries of each row
    y_columns: Int32Array  # [label entries]


@njit
def read_dense(
    text: ByteArray,
    start: int,
    row: int,
    marks: ByteArray,
    books: Books,
    X: FloatArray,
    Y: ByteArray,
) -> tuple[int, int]:
    """Read rows of separated values; return where reading stopped, and the next row.

    The first line to read begins at `start` and becomes the row `row`.

    marks: uint8[3], separator, comment mark, 1 if an empty cell is a missing value
    X: float64[rows, features], filled in
    Y: uint8[rows, labels], filled in
    """
    separator, comment, empty_is_missing = marks[0], marks[1], marks[2] == 1
    kinds, targets, digits = books.kinds, books.targets, books.digits
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
            book, target = kinds[column], targets[column]
            if empty_is_missing and (text[at] == separator or text[at] <= _CR):
                value = np.nan
            elif book < 0:
                value, at = _read_number(text, at)
            elif _is_digit(text, at, separator):
                # Most nominal values are 0 or 1: no call with many arguments.
                value = digits[10 * book + digit_at(text, at)]
                at = at + 1 if value >= 0.0 else -1
            else:
                value, at = _read_word(text, at, separator, book, books)
            if at < 0:
                return start, row
            if target >= 0:
                X[row, target] = value
            elif value == 0.0 or value == 1.0:
                Y[row, ~target] = np.uint8(value)
            elif np.isnan(value):
                Y[row, ~target] = np.uint8(UNKNOWN)
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
    text: ByteArray, start: int, end: int, books: Books, entries: Entries
) -> tuple[int, int, int, int]:
    """Read rows ``{index value, ...}`` whose indices ascend.

    Returns where reading stopped and how many rows, feature and label entries came.
    """
    kinds, targets, digits = books.kinds, books.targets, books.digits
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
            book, target = kinds[index], targets[index]
            if book < 0:
                value, at = _read_number(text, at)
            elif _is_digit(text, at, _CLOSE):
                # Most nominal values are 0 or 1: no call with many arguments.
                value = digits[10 * book + digit_at(text, at)]
                at = at + 1 if value >= 0.0 else -1
            else:
                value, at = _read_word(text, at, _CLOSE, book, books)
            if at < 0:
                break
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
    text: ByteArray, start: int, end: int, entries: Entries
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
            value, at = read_number(text, at + 1)
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
    text: ByteArray, at: int, y_end: int, y_columns: Int32Array
) -> tuple[int, int]:
    """Read labels that ascend; return where the features start, -1 if unusual.

    y_columns: int32[room for entries], filled in from `y_end` on
    """
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
def _read_number(text: ByteArray, at: int) -> tuple[float, int]:
    """Return a number, or NaN for a question mark, and where it ends."""
    if text[at] == _QUESTION:
        return np.nan, at + 1
    return read_number(text, at)


@njit
def _read_word(
    text: ByteArray, at: int, stop: Byte, book: int, books: Books
) -> tuple[float, int]:
    """Return what a word of a book stands for and where it ends, -1 if unknown."""
    if text[at] == _QUESTION:
        return np.nan, at + 1
    end = _word_end(text, at, stop)
    word = _find_word(text, at, end, book, books)
    if word < 0:
        return np.nan, -1
    return books.values[word], end


@njit
def _skip_blanks(text: ByteArray, at: int, separator: Byte) -> int:
    """Where the blanks end that stand at a place."""
    while text[at] == _BLANK or (text[at] == _TAB and separator != _TAB):
        at += 1
    return at


@njit
def _at_line_end(text: ByteArray, at: int) -> bool:
    """Whether a line ends here."""
    return text[at] == _LF or (text[at] == _CR and text[at + 1] == _LF)


@njit
def _next_line(text: ByteArray, at: int) -> int:
    """Where the next line begins."""
    while text[at] != _LF:
        at += 1
    return at + 1


@njit
def _is_digit(text: ByteArray, at: int, stop: Byte) -> bool:
    """Return whether a digit is all of a word."""
    after = text[at + 1]
    whole = after <= _BLANK or after in (stop, _COMMA)
    return whole and 0 <= digit_at(text, at) <= 9


@njit
def _word_end(text: ByteArray, at: int, stop: Byte) -> int:
    """Where a word ends."""
    while text[at] > _BLANK and text[at] != stop and text[at] != _COMMA:
        at += 1
    return at


@njit
def _find_word(text: ByteArray, start: int, end: int, book: int, books: Books) -> int:
    """Return the number of a word of one book, or -1: binary search over bytes."""
    words, letters = books.words, books.letters
    low, high = books.starts[book], books.starts[book + 1]
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
def _read_index(text: ByteArray, at: int, follower: Byte) -> tuple[int, int]:
    """Read up to nine digits and what must follow; -1 where there are none."""
    begin, index = at, 0
    digit = digit_at(text, at)
    while 0 <= digit <= 9 and at - begin < 9:
        index = index * 10 + digit
        at += 1
        digit = digit_at(text, at)
    if at == begin or text[at] != follower:
        return -1, at
    return index, at
