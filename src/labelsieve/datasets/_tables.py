"""Tables that grow row by row while a file is read."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelsieve._utils.messages import reached
from labelsieve._utils.texts import amounts_in, dates_in, warn_amounts, warn_doubtful
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.datasets._columns import UNKNOWN, ReadPlan, parse_label, parse_number
from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._places import fault

# How many bytes of rows are read at once, where they are usual. With 0 each row is read
# by itself: what is slow and says what is wrong with it.
AT_ONCE = 1 << 16


def read_lines(
    data: bytearray,
    start: int,
    number: int,
    read_usual: Callable[[list[str]], bool],
    add: Callable[[str, int], None],
    part: tuple[float, float] = (0.0, 1.0),
) -> None:
    """Read lines from a byte offset, which is the start of line `number`.

    `read_usual` reads many lines, or returns False if one of them is unusual; then
    `add` takes the text and the number of each. `part` is what this is of all the
    reading.
    """
    while start < len(data):
        end = data.find(b"\n", start + AT_ONCE) + 1 or len(data)
        lines = data[start:end].decode().removesuffix("\n").split("\n")
        if not AT_ONCE or not read_usual(lines):
            for offset, line in enumerate(lines):
                add(line.rstrip("\r"), number + offset)
        start, number = end, number + len(lines)
        reached(part[0] + (part[1] - part[0]) * start / len(data))


class CellReader:
    """Reads the cells of many dense rows at once."""

    def __init__(self, plan: ReadPlan, missing: Sequence[Collection[str]]) -> None:
        self.width = len(plan.columns)
        self.is_label = plan.is_label
        self.words: dict[int, Decoded] = {}
        self.missing: set[str] = set()  # among numbers
        for index, decode in enumerate(plan.decoders):
            if decode in (parse_number, parse_label):
                self.missing.update(missing[index])
            else:
                self.words[index] = Decoded(decode, missing[index])

    def read(self, rows: list[str], separator: str) -> FloatArray | None:
        """Return a row of numbers for each row of text; None if one is unusual."""
        if any(row.count(separator) + 1 != self.width for row in rows):
            return None
        cells = separator.join(rows).split(separator) if rows else []
        cells = [cell.strip(" \t") for cell in cells]
        words, holes = {}, []
        try:
            for index, decoded in self.words.items():
                column = cells[index :: self.width]
                words[index] = list(map(decoded.__getitem__, column))
                cells[index :: self.width] = ["0"] * len(column)
            if not self.missing.isdisjoint(cells):
                holes = [at for at, cell in enumerate(cells) if cell in self.missing]
                for at in holes:
                    cells[at] = "0"
            numbers = plain_numbers(",".join(cells), len(cells))
        except (KeyError, ValueError):
            return None
        numbers[holes] = np.nan
        values = numbers.reshape(-1, self.width)
        for index, found in words.items():
            values[:, index] = found
        labels = values[:, self.is_label]
        known = (labels == 0) | (labels == 1) | np.isnan(labels)
        return values if known.all() else None


class Decoded(dict[str, float]):
    """The numbers of texts, each decoded once."""

    def __init__(self, decode: Callable[[str], float], missing: Collection[str]):
        super().__init__(dict.fromkeys(missing, np.nan))
        self.decode = decode

    def __missing__(self, text: str) -> float:
        self[text] = self.decode(text)
        return self[text]


def plain_numbers(text: str, count: int) -> FloatArray:
    """Return so many numbers between commas, or raise ValueError.

    As strict as `parse_number`, where numpy takes "nan" and blanks, too.
    """
    if text.encode().translate(None, b"0123456789+-.eE,"):
        raise ValueError("not a number")
    if not text:
        return np.empty(0)
    numbers = np.loadtxt([text], delimiter=",", comments=None, ndmin=1)
    if numbers.size != count or not np.isfinite(numbers).all():
        raise ValueError("too large for a 64-bit number")
    return numbers


def plain_pairs(text: str, between: str) -> tuple[IntArray, FloatArray]:
    """Return whole numbers, and the number that stands after each.

    The pairs are separated by commas, the two by `between`. ValueError where they are
    not.
    """
    count = text.count(between)
    # Without digits nothing is left of the first number of each pair.
    mark = f",{between}".encode()
    rest = (b"," if text else b"") + text.encode().translate(None, b"0123456789")
    if rest.count(mark) != count or rest.translate(None, b"+-.eE") != mark * count:
        raise ValueError("not pairs of numbers")
    numbers = plain_numbers(text.replace(between, ","), 2 * count)
    if (numbers[::2] >= 10**9).any():
        raise ValueError("too large for a column")
    return numbers[::2].astype(np.int64), numbers[1::2]


class DenseTable:
    """Dense rows, written into arrays that are large enough from the start."""

    def __init__(self, plan: ReadPlan, data: bytearray, start: int) -> None:
        self.plan = plan
        lines = data.count(b"\n", start) + 1
        # Even a row of empty cells takes a character for each.
        max_rows = min(lines, (len(data) - start + 1) // len(plan.columns))
        self.X = np.empty((max_rows, len(plan.feature_columns)), dtype=np.float64)
        self.Y = np.empty((max_rows, len(plan.label_columns)), dtype=np.uint8)
        self.rows = 0
        self.weights: dict[int, float] = {}

    def add(self, values: list[float], weight: float | None) -> None:
        if weight is not None:
            self.weights[self.rows] = weight
        self.extend(np.array([values], dtype=np.float64))

    def extend(self, values: FloatArray) -> None:
        new = slice(self.rows, self.rows + len(values))
        self.X[new] = values[:, self.plan.feature_columns]
        labels = values[:, self.plan.label_columns]
        self.Y[new] = np.where(np.isnan(labels), UNKNOWN, labels)
        self.rows = new.stop

    def trim(self) -> None:
        """Give unused rows back in place, where a slice would keep them."""
        for part in (self.X, self.Y):
            part.resize((self.rows, part.shape[1]), refcheck=False)
        if (self.Y == UNKNOWN).any():
            self.Y = np.where(self.Y == UNKNOWN, np.nan, self.Y)

    def finish(self, name: str) -> Dataset:
        self.trim()
        return _dataset(self.plan, self.X, self.Y, name, self.weights)


class SparseRows:
    """The cells of sparse rows that are not 0, one row after the other."""

    def __init__(self) -> None:
        self.counts, self.columns, self.values = array("q"), array("i"), array("d")

    def append(self, cells: Mapping[int, float]) -> None:
        """Append one row: its values by column."""
        kept = sorted(column for column, value in cells.items() if value != 0)
        self.columns.extend(kept)
        self.values.extend([cells[column] for column in kept])
        self.counts.append(len(kept))

    def extend(
        self, n_rows: int, rows: IntArray, columns: IntArray, values: FloatArray
    ) -> None:
        """Append many rows, given as row, column and value of sorted cells."""
        kept = values != 0
        self.counts.frombytes(np.bincount(rows[kept], minlength=n_rows).tobytes())
        self.columns.frombytes(columns[kept].astype(np.int32).tobytes())
        self.values.frombytes(values[kept].tobytes())

    def matrix(self, width: int) -> Any:
        ends = np.append(0, np.cumsum(np.frombuffer(self.counts, dtype=np.int64)))
        if ends[-1] < np.iinfo(np.int32).max:
            ends = ends.astype(np.int32)
        indices = np.frombuffer(self.columns, dtype=np.int32)
        cells = np.frombuffer(self.values, dtype=np.float64), indices, ends
        return sparse.csr_array(cells, shape=(len(self.counts), width))


def in_order(
    rows: IntArray, columns: IntArray, values: FloatArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """The same cells sorted; ValueError where a row has a column twice."""
    same = rows[1:] == rows[:-1]
    if (same & (columns[1:] <= columns[:-1])).any():
        order = np.lexsort((columns, rows))
        rows, columns, values = rows[order], columns[order], values[order]
        if ((rows[1:] == rows[:-1]) & (columns[1:] == columns[:-1])).any():
            raise ValueError("a row has a column twice")
    return rows, columns, values


class SparseTable(SparseRows):
    """Sparse rows of declared columns."""

    def __init__(self, plan: ReadPlan) -> None:
        super().__init__()
        self.plan = plan
        self.weights: dict[int, float] = {}

    @property
    def rows(self) -> int:
        return len(self.counts)

    def add(self, values: dict[int, float], weight: float | None) -> None:
        if weight is not None:
            self.weights[self.rows] = weight
        self.append(values)

    def finish(self, name: str) -> Dataset:
        plan, table = self.plan, self.matrix(len(self.plan.columns))
        X, Y = table[:, plan.feature_columns], table[:, plan.label_columns]
        if plan.flipped:
            Y = _flip(Y, plan)
        return _dataset(plan, X, Y, name, self.weights)


# Rows times labels that a file of a few bytes may ask to fill with ones.
_MAX_FLIPPED = 1 << 25


def _flip(Y: Any, plan: ReadPlan) -> Any:
    """Exchange 0 and 1 of labels whose first declared value, which sparse rows leave
    out, is 1.
    """
    rows = Y.shape[0]
    if rows * len(plan.flipped) > _MAX_FLIPPED:
        reason = (
            "too many labels of this sparse file declare 1 first, so that every row "
            "which leaves them out carries them; declare them {0,1}"
        )
        raise fault(plan.path, reason)
    columns = np.tile(np.array(plan.flipped, dtype=np.int32), rows)
    ends = np.arange(rows + 1) * len(plan.flipped)
    ones = np.ones(len(columns), dtype=np.float32)  # beside NaN, where not known
    full = sparse.csr_array((ones, columns, ends), shape=Y.shape)
    return abs(full - Y.astype(np.float32))


def _dataset(
    plan: ReadPlan, X: Any, Y: Any, name: str, weights: dict[int, float]
) -> Dataset:
    X, dates = _texts_as_numbers(plan, X)
    row_weights = None
    if weights:
        row_weights = np.ones(X.shape[0])
        row_weights[list(weights)] = list(weights.values())
    return Dataset(
        X,
        Y,
        [plan.columns[index].name for index in plan.feature_columns],
        [plan.columns[index].name for index in plan.label_columns],
        name,
        plan.categories(),
        row_weights,
        dates,
    )


def _texts_as_numbers(plan: ReadPlan, X: Any) -> tuple[Any, list[str]]:
    """Turn columns of text in which every cell is a date or a number into numbers.

    Dates are seconds since 1970. Returns the names of all columns of dates, too.
    """
    columns = [plan.columns[index] for index in plan.feature_columns]
    names = [column.name for column in columns if column.parse_date is not None]
    if sparse.issparse(X):  # what is left out of a row is the empty text
        return X, names
    amounts: dict[str, Mapping[str, float]] = {}
    for index, texts in plan.texts.items():
        if plan.columns[index].holds_tags:
            continue
        name = plan.columns[index].name
        place = int(np.searchsorted(plan.feature_columns, index))
        read = read_texts(name, texts, amounts)
        if read is None:
            continue
        if name not in amounts:
            names.append(name)
        X[:, place] = numbers_of(X[:, place], read)
        texts.clear()
    warn_amounts(amounts)
    return X, names


def read_texts(
    name: str, texts: Collection[str], amounts: dict[str, Mapping[str, float]]
) -> dict[str, float] | None:
    """The seconds or the number of each text, None unless all are dates or numbers.

    Numbers are noted among the amounts; ambiguous dates give a warning.
    """
    read = dates_in(texts)
    if read is not None:
        return read
    read = amounts_in(texts)
    if read is None:
        warn_doubtful(name, texts)
    else:
        amounts[name] = read
    return read


def numbers_of(codes: FloatArray, read: Mapping[str, float]) -> FloatArray:
    """The numbers of the texts that codes stand for, NaN where they are missing."""
    numbers = np.array([*read.values(), np.nan])
    return numbers[np.where(np.isnan(codes), -1, codes).astype(np.intp)]
