"""Targets of any kind: labels, classes and numbers, one column of Y each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.utils.validation import check_consistent_length

from labelsieve._utils.matrices import (
    as_dense,
    merge_repeats,
    open_sparse,
    refuse_others,
)
from labelsieve._utils.typing import BoolArray, FloatArray, Matrix, Weights
from labelsieve.reading.frames import is_frame, without_index
from labelsieve.reading.labels import (
    MOST_NUMBERS,
    UNIT,
    Labels,
    as_matrix,
    check_labels,
    from_dense,
    is_positive,
    label_names,
    read_labels,
)
from labelsieve.reading.missing import fill_masked, unknown_cells
from labelsieve.reading.tags import without_tags

LABEL, CLASS, NUMBER = "label", "class", "number"
KINDS = (LABEL, CLASS, NUMBER)
AUTO = "auto"
# Numbers are shared among folds as so many classes with equally many samples.
STRATA = 5
# Normal scores of n ranks, once for all targets of a table.
scores_without_ties = lru_cache(maxsize=1)(lambda n: ndtri((np.arange(n) + 0.5) / n))


@dataclass(frozen=True)
class Targets:
    """Targets of any kind, with what is known of them.

    Attributes
    ----------
    codes : (n, T) array of float64 with NaN where a target is not known: labels as 0
        and 1, classes as 0, 1, ..., numbers as they are; or, where all are labels,
        their small codes with 2 where they are not known, as array or CSR
    kinds : (T,) "label", "class" or "number"
    names : (T,) how to call each target
    """

    codes: Matrix
    kinds: Sequence[str]
    names: Sequence[Any]

    @property
    def n_known(self) -> int:
        """How many cells are known."""
        cells = self.codes.data if sp.issparse(self.codes) else self.codes
        unknown = np.isnan(cells) if cells.dtype.kind == "f" else cells == 2
        return int(np.prod(self.codes.shape)) - int(np.count_nonzero(unknown))

    def dense(self, columns: Any = slice(None)) -> NDArray[Any]:
        """Some targets as an array with NaN, or of uint8 where all are known labels."""
        codes = as_dense(self.codes[:, columns])
        if codes.dtype.kind == "f":
            return codes
        if (unknown := codes == 2).any():
            return np.where(unknown, np.nan, codes)
        return np.ascontiguousarray(codes, dtype=np.uint8)


def targets_in(
    Y: Any, X: Any, given: Any = AUTO, names: Sequence[Any] | None = None
) -> Targets:
    """Read targets of any kind and check them against the samples of X."""
    kinds = target_types(Y, given, names)
    opened = _opened(Y)
    if set(kinds) == {LABEL} and _holds_labels(opened):
        labels = read_labels(Y, X)
        return Targets(labels.codes, kinds, labels.names)
    columns = [column for column, _ in _columns(opened)]
    if not columns:
        raise ValueError("Found 0 targets in y while a minimum of 1 is required.")
    check_consistent_length(X, columns[0])
    codes = np.column_stack(list(map(_coded, columns, kinds)))
    if np.isnan(codes).all():
        raise ValueError("Input y contains NaN: no target is known in any sample.")
    if set(kinds) == {LABEL}:
        codes = np.nan_to_num(codes, nan=2).astype(np.uint8)
    return Targets(codes, kinds, names or label_names(Y) or range(len(kinds)))


def _coded(column: NDArray[Any], kind: str) -> FloatArray:
    if kind == NUMBER:
        return column.astype(np.float64, copy=False)
    unknown = unknown_cells(column)
    known = np.ones(column.size, dtype=bool) if unknown is None else ~unknown
    codes = np.full(column.size, np.nan)
    values, codes[known] = np.unique(column[known], return_inverse=True)
    if values.size == 1:
        codes[known] = is_positive(values)
    return codes


def strata(values: Matrix, kinds: Sequence[str] = ()) -> Matrix:
    """What folds should share fairly: true labels, classes, quantiles of numbers.

    Of labels that are partly known, those that are false where they are known as well.
    Without kinds all are labels.
    """
    if values.dtype.kind != "f":
        return values > 0
    found: list[BoolArray] = []
    for column, kind in zip(values.T, kinds or [LABEL] * values.shape[1], strict=True):
        known = ~np.isnan(column)
        if kind == NUMBER:
            place = np.argsort(np.argsort(column, kind="stable"), kind="stable")
            column = np.where(known, place * STRATA // max(known.sum(), 1), np.nan)
        several = kind != LABEL or not known.all()
        wanted = np.unique(column[known]) if several else [1.0]
        found.append(column[:, np.newaxis] == wanted)
    return np.hstack(found)


def target_types(
    Y: Any, given: Any = AUTO, names: Sequence[Any] | None = None
) -> list[str]:
    """Return what each column of Y is: ``"label"``, ``"class"`` or ``"number"``.

    A column of two values is a label. One of text, of categories, or of at most 20
    different whole numbers is a class; other numbers, and all with fractions, are
    numbers. Cells that are not known do not count. The types that are `given`, one for
    all, one for each or some by name, do not follow from the values; `names` are those
    of targets of which Y has none.
    """
    columns = None if _holds_labels(Y := _opened(Y)) else list(_columns(Y))
    n_targets = Y.shape[1] if columns is None else len(columns)
    names = names or label_names(Y) or range(n_targets)
    asked = _asked(given, list(names))
    if columns is None:
        return [LABEL if kind == AUTO else kind for kind in asked]
    return [
        _kind(column, nominal, kind, name)
        for (column, nominal), kind, name in zip(columns, asked, names, strict=True)
    ]


def _opened(Y: Any) -> Any:
    refuse_others(Y, "y")
    if hasattr(Y, "__dask_graph__"):
        Y = Y.compute()
    Y = fill_masked(without_tags(without_index(Y)))
    if sp.issparse(Y):
        return merge_repeats(open_sparse(Y, "y"))
    if is_frame(Y):
        return Y
    if isinstance(Y, list | tuple) and np.asarray(Y).dtype.kind == "U":
        return np.asarray(Y, dtype=object)  # numbers beside text stay numbers
    return Y if hasattr(Y, "shape") else np.asarray(Y)


def _holds_labels(Y: Any) -> bool:
    """Whether all cells are 0, 1 or unknown, as far as that is seen at once."""
    cells = Y.data if sp.issparse(Y) else Y
    if not isinstance(cells, np.ndarray) or cells.dtype.kind not in "biuf":
        return False
    is_table = sp.issparse(Y) or Y.ndim == 2
    return is_table and bool(((cells == 0) | (cells == 1) | (cells != cells)).all())


def _columns(Y: Any) -> Iterator[tuple[NDArray[Any], bool]]:
    """Each column, NaN where it is unknown, and whether its values are names."""
    if is_frame(Y):
        import narwhals.stable.v2 as nw

        table = nw.from_native(Y, eager_only=True)
        for place, kind in enumerate(table.schema.values()):
            cells = np.asarray(table[:, place].to_numpy())
            words = kind in (nw.String, nw.Categorical, nw.Enum) or _has_text(cells)
            yield as_matrix(cells)[:, 0], words
        return
    table = np.asarray(as_dense(Y))
    if table.dtype != object or not table.ndim:
        table = as_matrix(table)
    for cells in table.reshape(len(table), math.prod(table.shape[1:])).T:
        yield as_matrix(cells)[:, 0], _has_text(cells)


def _has_text(cells: NDArray[Any]) -> bool:
    if cells.dtype == object:
        return any(isinstance(cell, str) for cell in cells)
    return cells.dtype.kind in "US"


def _asked(given: Any, names: list[Any]) -> list[str]:
    """The type that is asked for each target, by whatever way it is given."""
    if isinstance(given, str):
        asked = [given] * len(names)
    elif isinstance(given, Mapping):
        if absent := [name for name in given if name not in names]:
            raise ValueError(
                f"target_types names {absent[0]!r}, which is no target; these are "
                f"{', '.join(map(repr, names[:5]))}{', ...' if len(names) > 5 else ''}."
            )
        asked = [given.get(name, AUTO) for name in names]
    else:
        asked = list(given)
    if len(asked) != len(names):
        raise ValueError(
            f"target_types has {len(asked)} entries for {len(names)} columns of y; "
            "expected one for each, or a dict of some by name."
        )
    for kind in asked:
        if kind not in (*KINDS, AUTO):
            raise ValueError(
                f"target_types holds {kind!r}; expected {', '.join(map(repr, KINDS))} "
                f"or {AUTO!r}."
            )
    return asked


def _kind(column: NDArray[Any], nominal: bool, asked: str, name: Any) -> str:
    unknown = unknown_cells(column)
    known = column if unknown is None else column[~unknown]
    if known.dtype.kind == "f" and not np.isfinite(known).all():
        raise ValueError(f"Input y contains infinity in column {name!r}.")
    n_values = np.unique(known).size if asked in (LABEL, AUTO) else 0
    if asked == LABEL and n_values > 2:
        raise ValueError(
            f"target {name!r} has {n_values} values, and a label has two. Make it a "
            f"{CLASS!r}{'' if nominal else f' or a {NUMBER!r}'} in target_types."
        )
    if asked == NUMBER and nominal:
        raise ValueError(
            f"target {name!r} holds text or categories, and cannot be a {NUMBER!r}. "
            f"Make it a {CLASS!r} in target_types, or convert it first."
        )
    if asked != AUTO:
        return asked
    if n_values <= 2:
        return LABEL
    if nominal:
        return CLASS
    has_fractions = known.dtype.kind == "f" and bool((known != np.floor(known)).any())
    return NUMBER if has_fractions or n_values > MOST_NUMBERS else CLASS


def read_scored_targets(
    y: Any,
    X: Any,
    types: Any = AUTO,
    scores: str = "rank",
    n_bins: int | None = None,
    weight: FloatArray | None = None,
) -> Labels:
    """Read targets of any type for selectors: numbers as scores, others as codes.

    Parameters
    ----------
    types : what they are, as in `target_types`
    scores : whether numbers count by normal scores of their ranks, or their "value"
    n_bins : makes numbers classes, of about as many samples each
    weight : how often each sample counts, if not once
    """

    def of_any_type(table: Any) -> Labels:
        targets = targets_in(table, X, types)
        are_text = any(text for _, text in _columns(table))
        if NUMBER not in targets.kinds and are_text:
            return from_dense(table)
        codes, found = targets.dense().astype(np.float64, copy=False), {}
        for place in np.flatnonzero(np.array(targets.kinds) == NUMBER).tolist():
            known: Any = ~np.isnan(codes[:, place])
            if not known.any():
                continue
            known = slice(None) if known.all() else known
            values, which, times = np.unique(codes[known, place], False, True, True)
            times = times if weight is None else np.bincount(which, weight[known])
            codes[known, place] = _bins(values, times, n_bins or 2)[which]
            if n_bins is None:
                found[place] = np.zeros(len(codes), dtype=np.int64)
                found[place][known] = _scores(values, times, scores)[which]
        read = replace(from_dense(codes), names=targets.names, scores=found)
        return replace(read, are_text=are_text)

    if isinstance(types, str) and types == AUTO:
        return read_labels(y, X, of_any_type)
    return check_labels(of_any_type(_opened(y)), X)


def _scores(values: FloatArray, times: Weights, how: str) -> NDArray[np.int64]:
    """Whole numbers, so that sums of products are exact in any order."""
    total = times.sum()
    if how == "rank" and (times == 1).all():
        z = scores_without_ties(times.size)
    elif how == "rank":  # the mean rank of those that tie, less a half
        z = ndtri((np.cumsum(times) - 0.5 * times) / total)
    else:
        centred = values - times @ values / total
        z = centred / (np.sqrt(times @ centred**2 / total) or 1.0)
    return np.rint(UNIT * z).astype(np.int64)


def _bins(values: FloatArray, times: Weights, n_bins: int) -> NDArray[np.int64]:
    """Quantile bins of sorted values, of which two are never empty where these differ.

    Each value is there so many times: the value at floor((n - 1) k / b) ends a bin.
    """
    up_to = np.cumsum(times)
    at = np.floor((up_to[-1] - 1.0) * (np.arange(1, n_bins) / n_bins))
    edges = values[np.searchsorted(up_to, at, side="right")]
    edges = edges[edges < values[-1]]
    if not edges.size:  # most have the largest value
        edges = values[-2:-1]
    return np.searchsorted(np.unique(edges) if edges.size > 1 else edges, values)
