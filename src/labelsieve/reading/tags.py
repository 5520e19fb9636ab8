"""Labels as tags: a list, set or tuple of them for each row, or text to split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._utils.machine import paused_collector
from labelsieve._utils.matrices import refuse_others
from labelsieve._utils.messages import warn
from labelsieve.reading.frames import first_column, is_frame
from labelsieve.reading.missing import is_missing

COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)
# How the types of columns of lists, and of anything, begin in lower case.
LIST_TYPES = ("object", "list", "large_list", "fixed_size_list", "array")
SEPARATORS = ";|,"
# What a missing cell of tags may mean.
MEANINGS = ("warn", "unknown", "none")
PROBED_ROWS = 1_000
# Text that stands for the two values of a label, not for a tag.
TWO_VALUES = frozenset(("0", "1", "-1", "+1", "no", "yes", "false", "true"))


@dataclass(frozen=True)
class Tags:
    """Tags as labels: one column for each tag, in sorted order.

    Attributes
    ----------
    table : CSR of ones; a row that is not known holds NaN in every cell
    names : the tags as text
    """

    table: sp.csr_matrix
    names: list[str]


def split_tags(
    column: Iterable[Any],
    separator: str = ";",
    *,
    min_count: int = 1,
    missing: Literal["warn", "unknown", "none"] = "warn",
) -> list[list[Any] | None]:
    """Split text such as ``"red;green"`` into the tags of each row.

    Parameters
    ----------
    column : list, array, or Series of str
        The text of each row. A list, set or tuple of tags is taken as it is.
    separator : str, default=";"
        What stands between two tags. Blanks around a tag do not belong to it.
    min_count : int, default=1
        Tags of fewer rows are left out.
    missing : {"warn", "unknown", "none"}, default="warn"
        What a missing cell (NaN, None) means: that the tags of the row are not known,
        or that it has none. ``"warn"`` takes them as not known and says so, because
        ``pandas.read_csv`` makes NaN of empty text too.

    Returns
    -------
    tags : list
        A list of tags for each row, empty where the text is; None where the tags of
        the row are not known. Every `fit` takes it as y.

    Examples
    --------
    >>> from labelsieve import split_tags
    >>> split_tags(["red; green", "", "green"])
    [['red', 'green'], [], ['green']]
    """
    if not isinstance(separator, str):
        raise TypeError(
            f"separator is a {type(separator).__name__}; expected the text that stands "
            "between two tags."
        )
    if not separator:
        raise ValueError("separator is empty; expected what stands between two tags.")
    if missing not in MEANINGS:
        raise ValueError(f"missing is {missing!r}; expected one of {MEANINGS}.")
    refuse_others(column, "column")
    if sp.issparse(column):
        raise TypeError(
            "split_tags got a sparse matrix; expected the text of each row. A table "
            "with one column per label needs no splitting: pass it as y."
        )
    cells = rows_of_column(column)
    with paused_collector():
        rows = _stripped([_split(cell, separator) for cell in cells])
        if missing == "none":
            rows = [[] if row is None else row for row in rows]
    n_missing = rows.count(None)
    if n_missing and missing == "warn":
        warn(
            f"{n_missing} of {len(rows)} rows have no cell of tags (NaN, None): their "
            "tags are taken as not known. If these rows have no tags, as where "
            'pandas.read_csv has made NaN of empty text, pass missing="none" to '
            'split_tags, else missing="unknown".'
        )
    if min_count < 2:
        return rows
    counts = Counter(chain.from_iterable(set(row) for row in rows if row))
    return [
        None if row is None else [tag for tag in row if counts[tag] >= min_count]
        for row in rows
    ]


def _split(cell: Any, separator: str) -> list[Any] | None:
    if isinstance(cell, str):
        return cell.split(separator) if cell else []
    if isinstance(cell, COLLECTIONS):
        return list(cell)
    if is_missing(cell):
        return None
    raise TypeError(
        f"split_tags got a {type(cell).__name__} among its rows; expected text, or a "
        "list of tags."
    )


def _stripped(rows: list[list[Any] | None]) -> list[list[Any] | None]:
    """The same rows without blanks around tags, and without empty tags."""
    found = set(chain.from_iterable(row for row in rows if row))
    odd = {
        tag: tag.strip()
        for tag in found
        if isinstance(tag, str) and tag != (tag.strip() or None)
    }
    if not odd:
        return rows
    return [
        None if row is None else [t for tag in row if (t := odd.get(tag, tag)) != ""]
        for row in rows
    ]


def read_tags(y: Any) -> Tags | None:
    """Rows of tags as a table, None where y is anything else."""
    refuse_others(y, "y")
    rows = _rows_of(y)
    return None if rows is None else tag_table(rows)


def without_tags(y: Any) -> Any:
    """The same labels, with tags as a sparse table of zeros and ones."""
    tags = read_tags(y)
    return y if tags is None else tags.table


def tag_table(rows: Sequence[Any]) -> Tags:
    """Rows of tags as a table of all that occur.

    A row that is None, or missing in another way, is not known. Empty text is no tag.
    """
    known = [row for row in rows if isinstance(row, COLLECTIONS)]
    try:
        found = set(chain.from_iterable(known))
    except TypeError as error:
        raise ValueError(
            f"y holds tags that are no text and no numbers ({error}); expected a list "
            "of tags for each row, such as ['red', 'green']."
        ) from error
    if any(map(is_missing, found)):
        raise ValueError(
            "y holds a missing value among the tags of a row. Leave it out of the row; "
            "a row whose tags are not known is None."
        )
    names = [tag for tag in found if not _is_empty(tag)]
    try:
        names.sort()
    except TypeError:
        names.sort(key=lambda tag: (type(tag).__name__, str(tag)))
    place = {name: column for column, name in enumerate(names)}
    # Empty text shares a column, which is left out again.
    place |= dict.fromkeys(found - place.keys(), len(names))
    unknown = np.array([not isinstance(row, COLLECTIONS) for row in rows], dtype=bool)
    full = [names if gone else row for row, gone in zip(rows, unknown, strict=True)]
    lengths = np.fromiter(map(len, full), np.int64, len(full))
    cells = map(place.__getitem__, chain.from_iterable(full))
    index = np.fromiter(cells, np.int32, lengths.sum())
    ones = np.ones(index.size, dtype=np.float64 if unknown.any() else np.uint8)
    start = np.append(0, np.cumsum(lengths))
    table = sp.csr_matrix((ones, index, start), (len(full), len(names) + 1))
    table.sum_duplicates()
    table = table[:, :-1]
    table.data[:] = 1
    if unknown.any():
        table.data[np.repeat(unknown, np.diff(table.indptr))] = np.nan
    return Tags(table, [str(name) for name in names])


def _is_empty(tag: Any) -> bool:
    return isinstance(tag, str) and not tag.strip()


def rows_of_column(column: Any) -> list[Any]:
    """The cells of a column of any library."""
    if is_frame(column):
        column = first_column(column)
    with paused_collector():
        for name in ("to_pylist", "to_list", "tolist"):
            if hasattr(column, name):
                return list(getattr(column, name)())
        return list(column)


def warn_joined(values: Sequence[str]) -> None:
    """Whether distinct classes look like tags with a separator between them."""
    listed = [text for text in values if text[:1] in "[({" and text[-1:] in "])}"]
    if listed and 2 * len(listed) > len(values):
        warn(
            f"y holds text such as {str(listed[-1])!r}, and each different text is "
            "taken as one class. Lists that became text are lists again by "
            "[ast.literal_eval(text) for text in y]; Dask leaves them lists with "
            "dask.config.set({'dataframe.convert-string': False})."
        )
        return
    for separator in SEPARATORS:
        split = [{part.strip() for part in text.split(separator)} for text in values]
        counts = Counter(chain.from_iterable(split))
        for text, parts in zip(values, split, strict=True):
            if len(parts) > 1 and any(counts[part] > 1 for part in parts):
                warn(
                    f"y holds text such as {str(text)!r}, and each different text is "
                    f"taken as one class. If {separator!r} stands between tags, pass "
                    f"labelsieve.split_tags(y, {separator!r})."
                )
                return


def _rows_of(y: Any) -> Sequence[Any] | None:
    """The rows of y where they hold tags."""
    if isinstance(y, list | tuple):
        return _nested_rows(y)
    if is_frame(y):
        return _rows_of(first_column(y)) if y.shape[1] == 1 else None
    if isinstance(y, np.ndarray) and y.ndim != 1:
        return _text_rows(y)
    kind = str(getattr(y, "dtype", getattr(y, "type", ""))).lower()
    if not kind.startswith(LIST_TYPES):
        return None
    rows = rows_of_column(y)
    if not _hold_tags(rows):
        return None
    probed = [row for row in rows if isinstance(row, COLLECTIONS)][:PROBED_ROWS]
    n_tags = len(probed[0])
    as_long = n_tags > 1 and all(len(row) == n_tags for row in probed)
    if as_long and set(chain.from_iterable(probed)) <= {0, 1}:
        raise ValueError(
            f"y is one column with lists of {n_tags} numbers 0 and 1. Make it a table "
            "with one column per label: numpy.stack(y)."
        )
    return rows


def _nested_rows(y: Sequence[Any]) -> Sequence[Any] | None:
    """Rows of a nested list; lists of one length are a table, but for some of text."""
    if not _hold_tags(y):
        return None
    if not _all_of(y, (list, tuple, np.ndarray)) or len(set(map(len, y))) > 1:
        return y
    try:
        return _text_rows(np.asarray(y))
    except ValueError:  # what is in the rows is ragged
        return y


def _text_rows(table: NDArray[Any]) -> Sequence[Any] | None:
    """The rows of a table of text where they look like tags, without missing cells.

    They do if columns share values, as classes of different labels seldom do, and no
    row repeats a value, as rows of yes and no do.
    """
    if table.ndim != 2 or table.dtype.kind not in "USO":
        return None
    rows = [[cell for cell in row if _is_there(cell)] for row in table.tolist()]
    if not _all_of(chain.from_iterable(rows), str):
        return None
    n_columns = table.shape[1]
    columns = [{cell for cell in c if _is_there(cell)} for c in table.T.tolist()]
    distinct = set().union(*columns)
    if len(distinct) == sum(map(len, columns)) or distinct <= TWO_VALUES:
        return None
    repeats = any(len(set(row)) < len(row) for row in rows)
    if not repeats:
        up_to = "" if min(map(len, rows)) == n_columns else "up to "
        warn(
            f"y is a table of text in which {n_columns} columns share values: it is "
            f"read as {up_to}{n_columns} tags for each row, whose order means nothing. "
            "If each column is a label of its own, pass a DataFrame; if they are tags, "
            "pass sets."
        )
        return rows
    if len(distinct) > 2:  # two values are those of labels
        warn(
            f"y is a table of text in which {n_columns} columns share values, and some "
            "row holds a value twice: each column is read as a label of its own. If "
            "these are tags, pass sets; if not, a DataFrame says so."
        )
    return None


def _is_there(cell: Any) -> bool:
    return not is_missing(cell) and not _is_empty(cell)


def _all_of(items: Iterable[Any], kinds: Any) -> bool:
    return all(issubclass(kind, kinds) for kind in set(map(type, items)))


def _hold_tags(rows: Sequence[Any]) -> bool:
    """Whether rows are collections, some of them perhaps missing."""
    kinds = set(map(type, rows))
    if any(issubclass(kind, Mapping) for kind in kinds):
        raise ValueError(
            "y holds dictionaries; expected one 0/1 column per label, or a list of "
            "tags for each row."
        )
    if not any(issubclass(kind, COLLECTIONS) for kind in kinds):
        return False
    for row in rows:
        if not isinstance(row, COLLECTIONS) and not is_missing(row):
            raise ValueError(
                f"y holds lists of tags in some rows and {row!r} in another; "
                "expected a list of tags in every row."
            )
    return True
