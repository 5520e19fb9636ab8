"""Tables that grow row by row while a file is read."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelsieve._plumbing.messages import reached
from labelsieve._plumbing.texts import amounts_in, dates_in, warn_amounts, warn_doubtful
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.datasets._columns import UNKNOWN, Plan, parse_label, parse_number
from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._errors import FormatError

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

    def __init__(self, plan: Plan, missing: Sequence[Collection[str]]) -> None:
        self.width = len(plan.columns)
        self.is_label = plan.is_label
        self.digits = Digits(plan)
        self.words: dict[int, Callable[[str], float]] = {}
        self.missing: set[str] = set()
        for index in range(self.width):
            decode = quick_decoder(plan, index, missing[index])
            if decode is None:
                self.missing.update(missing[index])
            else:
                self.words[index] = decode

    def read(self, rows: list[str], separator: str) -> FloatArray | None:
        """Return a row of numbers for each row of text; None if one is unusual."""
        if any(row.count(separator) + 1 != self.width for row in rows):
            return None
        text = separator.join(rows)
        values: FloatArray | None
        try:
            values = self._numbers(text.replace(separator, ","), len(rows))
        except ValueError:
            values = self._cells(text.split(separator) if rows else [])
        if values is None:
            return None
        labels = values[:, self.is_label]
        known = (labels == 0) | (labels == 1) | np.isnan(labels)
        return values if known.all() else None

    def _numbers(self, text: str, n_rows: int) -> FloatArray:
        """Rows of numbers, and of categories that are called by a digit."""
        numbers = plain_numbers(text, n_rows * self.width)
        columns = np.tile(np.arange(self.width), n_rows)
        values = self.digits.decode(columns, numbers, _lengths(text)[: numbers.size])
        return values.reshape(-1, self.width)

    def _cells(self, cells: list[str]) -> FloatArray | None:
        cells = [cell.strip(" \t") for cell in cells]
        words, holes = {}, []
        try:
            for index, decode in self.words.items():
                words[index] = list(map(decode, cells[index :: self.width]))
                cells[index :: self.width] = ["0"] * len(words[index])
            if not self.missing.isdisjoint(cells):
                holes = [at for at, cell in enumerate(cells) if cell in self.missing]
                for at in holes:
                    cells[at] = "0"
            numbers = plain_numbers(",".join(cells), len(cells))
        except (KeyError, ValueError):
            return None
        numbers[holes] = np.nan
        values = numbers.reshape(-1, self.width)
        for index, column in words.items():
            values[:, index] = column
        return values


class Digits:
    """Columns whose cells are numbers, or categories that are called by a digit."""

    def __init__(self, plan: Plan) -> None:
        self.codes = np.full((len(plan.columns), 10), -1, dtype=np.int8)
        self.is_number = np.zeros(len(plan.columns), dtype=bool)
        for index, column in enumerate(plan.columns):
            self.is_number[index] = plan.decoders[index] in (parse_number, parse_label)
            if column.categories is not None and plan.unknown is None:
                for text, code in plan.codes(index).items():
                    if len(text) == 1 and text in "0123456789" and code < 10:
                        self.codes[index, int(text)] = code

    def decode(
        self, columns: IntArray, numbers: FloatArray, lengths: IntArray
    ) -> FloatArray:
        """Return what numbers stand for, whose texts are so long, or ValueError."""
        nominal = np.flatnonzero(~self.is_number[columns])
        if (lengths[nominal] != 1).any():
            raise ValueError("a category that is no digit")
        found = self.codes[columns[nominal], numbers[nominal].astype(np.intp)]
        if (found < 0).any():
            raise ValueError("not among the declared values")
        numbers[nominal] = found
        return numbers


def quick_decoder(
    plan: Plan, index: int, missing: Collection[str]
) -> Callable[[str], float] | None:
    """What turns cells of a column into numbers, None where they are numbers."""
    decode = plan.decoders[index]
    if decode in (parse_number, parse_label):
        return None
    if plan.columns[index].categories is None or plan.unknown is not None:
        return lambda text: np.nan if text in missing else decode(text)
    codes = {**plan.codes(index), **dict.fromkeys(missing, np.nan)}
    return codes.__getitem__


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


def plain_pairs(text: str, between: str) -> tuple[IntArray, FloatArray, IntArray]:
    """Return whole numbers, what stands after each, and how long its text is.

    The pairs are separated by commas, the two by `between`. ValueError where they are
    not.
    """
    count = text.count(between)
    # Without digits nothing is left of the first number of each pair.
    mark = f",{between}".encode()
    rest = (b"," if text else b"") + text.encode().translate(None, b"0123456789")
    if rest.count(mark) != count or rest.translate(None, b"+-.eE") != mark * count:
        raise ValueError("not pairs of numbers")
    together = text.replace(between, ",")
    numbers = plain_numbers(together, 2 * count)
    lengths = _lengths(together)[: 2 * count]
    if (lengths[::2] > 9).any():
        raise ValueError("too large for a column")
    return numbers[::2].astype(np.int64), numbers[1::2], lengths[1::2]


def _lengths(text: str) -> IntArray:
    """How long the pieces of ASCII text between commas are."""
    (commas,) = np.nonzero(np.frombuffer(text.encode(), dtype=np.uint8) == ord(","))
    lengths: IntArray = np.diff(commas, prepend=-1, append=len(text)) - 1
    return lengths


class DenseTable:
    """Dense rows, written into arrays that are large enough from the start."""

    def __init__(self, plan: Plan, max_rows: int) -> None:
        self.plan = plan
        self.X = np.empty((max_rows, len(plan.feature_columns)), dtype=np.float64)
        self.Y = np.empty((max_rows, len(plan.label_columns)), dtype=np.uint8)
        self.rows = 0
        self.weights: dict[int, float] = {}

    def add(self, values: list[float], weight: float | None) -> None:
        """Append one row."""
        if weight is not None:
            self.weights[self.rows] = weight
        self.extend(np.array([values], dtype=np.float64))

    def extend(self, values: FloatArray) -> None:
        """Append many rows."""
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
        """Return what was read."""
        self.trim()
        return _dataset(self.plan, self.X, self.Y, name, self.weights)


# Row, column and value of entries.
Entries = tuple[IntArray, IntArray, FloatArray]


def _in_order(rows: IntArray, columns: IntArray, values: FloatArray) -> Entries | None:
    """The entries that are not 0, sorted; None where a row has a column twice."""
    same = rows[1:] == rows[:-1]
    if (same & (columns[1:] <= columns[:-1])).any():
        order = np.lexsort((columns, rows))
        rows, columns, values = rows[order], columns[order], values[order]
        if ((rows[1:] == rows[:-1]) & (columns[1:] == columns[:-1])).any():
            return None
    kept = values != 0
    return rows[kept], columns[kept], values[kept]


class SparseRows:
    """The entries of sparse rows, one row after the other."""

    def __init__(self) -> None:
        self.x_counts, self.y_counts = array("q"), array("q")
        self.x_columns, self.y_columns = array("i"), array("i")
        self.x_values = array("d")

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.x_counts)

    def append(self, features: dict[int, float], labels: list[int]) -> None:
        """Append one row: its values by feature, and its labels."""
        kept = sorted(column for column, value in features.items() if value != 0)
        self.x_columns.extend(kept)
        self.x_values.extend([features[column] for column in kept])
        self.x_counts.append(len(kept))
        self.y_columns.extend(sorted(labels))
        self.y_counts.append(len(labels))

    def extend(self, n_rows: int, x: Entries, y: Entries) -> bool:
        """Append many rows; nothing, and False, where one has a column twice."""
        features, labels = _in_order(*x), _in_order(*y)
        if features is None or labels is None:
            return False
        self.x_counts.frombytes(np.bincount(features[0], minlength=n_rows).tobytes())
        self.x_columns.frombytes(features[1].astype(np.int32).tobytes())
        self.x_values.frombytes(features[2].tobytes())
        self.y_counts.frombytes(np.bincount(labels[0], minlength=n_rows).tobytes())
        self.y_columns.frombytes(labels[1].astype(np.int32).tobytes())
        return True

    def matrices(self, n_features: int, n_labels: int) -> tuple[Any, Any]:
        """Return X and Y."""
        values = np.frombuffer(self.x_values, dtype=np.float64)
        ones = np.ones(len(self.y_columns), dtype=np.uint8)
        return (
            _csr(values, self.x_columns, self.x_counts, n_features),
            _csr(ones, self.y_columns, self.y_counts, n_labels),
        )


class SparseTable(SparseRows):
    """Sparse rows of declared columns."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan
        self.weights: dict[int, float] = {}
        self.unknown: list[tuple[int, int]] = []

    def add(self, values: dict[int, float], weight: float | None) -> None:
        """Append one row, given as value by column."""
        features, labels = {}, []
        for column, value in values.items():
            target = int(self.plan.targets[column])
            if target >= 0:
                features[target] = value
            elif np.isnan(value):
                self.unknown.append((self.rows, ~target))
            elif value != 0:
                labels.append(~target)
        if weight is not None:
            self.weights[self.rows] = weight
        self.append(features, labels)

    def extend_columns(
        self, counts: list[int], columns: IntArray, values: FloatArray
    ) -> bool:
        """Append many rows, given as number of entries, columns and values.

        Returns False, and appends nothing, where a row is not usual.
        """
        rows = np.repeat(np.arange(len(counts)), counts)
        targets = self.plan.targets[columns]
        features, labels = targets >= 0, targets < 0
        if not np.isin(values[labels], (0, 1)).all():
            return False
        return self.extend(
            len(counts),
            (rows[features], targets[features], values[features]),
            (rows[labels], ~targets[labels], values[labels]),
        )

    def finish(self, name: str) -> Dataset:
        """Return what was read."""
        plan = self.plan
        X, Y = self.matrices(len(plan.feature_columns), len(plan.label_columns))
        if plan.flipped:
            Y = _flip(Y, plan)
        if self.unknown:
            holes = np.full(len(self.unknown), np.nan)
            places = tuple(np.transpose(self.unknown))
            Y = Y.astype(np.float64) + sparse.csr_array((holes, places), Y.shape)
        return _dataset(plan, X, Y, name, self.weights)


# Rows times labels that a file of a few bytes may ask to fill with ones.
_MAX_FLIPPED = 1 << 25


def _csr(values: Any, columns: array[int], counts: array[int], width: int) -> Any:
    ends = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(np.frombuffer(counts, dtype=np.int64), out=ends[1:])
    if ends[-1] < np.iinfo(np.int32).max:
        ends = ends.astype(np.int32)
    indices = np.frombuffer(columns, dtype=np.int32)
    return sparse.csr_array((values, indices, ends), shape=(len(counts), width))


def _flip(Y: Any, plan: Plan) -> Any:
    """Exchange 0 and 1 of labels whose first declared value, which sparse rows leave
    out, is 1.
    """
    rows = Y.shape[0]
    if rows * len(plan.flipped) > _MAX_FLIPPED:
        reason = (
            "too many labels of this sparse file declare 1 first, so that every row "
            "which leaves them out carries them; declare them {0,1}"
        )
        raise FormatError(plan.path, None, None, reason)
    columns = np.tile(np.array(plan.flipped, dtype=np.int32), rows)
    ends = np.arange(rows + 1) * len(plan.flipped)
    ones = np.ones(len(columns), dtype=np.int8)
    full = sparse.csr_array((ones, columns, ends), shape=Y.shape)
    return abs(full - Y.astype(np.int8))


def _dataset(
    plan: Plan, X: Any, Y: Any, name: str, weights: dict[int, float]
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


def _texts_as_numbers(plan: Plan, X: Any) -> tuple[Any, list[str]]:
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
        name, place = plan.columns[index].name, int(plan.targets[index])
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

    Numbers are noted among the amounts; dates that are in doubt are told.
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
