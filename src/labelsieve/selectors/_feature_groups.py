"""Groups of features that are selected as a whole: several columns become one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._utils.messages import warn
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray, Matrix, Weights
from labelsieve.discretization import Cuts, code_dense, find_cuts
from labelsieve.reading import MISSING, MOST_CATEGORIES, Features
from labelsieve.selectors._forced import place_of

PREFIX = "prefix"


@dataclass(frozen=True, eq=False)
class FeatureGroups:
    """Which columns are one group; a column that is in none is a group of its own.

    Attributes
    ----------
    names : (G,) names of the groups, by the place of their first columns
    group : (D,) the group of each column
    """

    names: NDArray[Any]
    group: IntArray

    @classmethod
    def of(cls, given: Any, seen: Any, values: Matrix) -> FeatureGroups:
        """What `feature_groups` says of the columns that an estimator has seen."""
        n_features = seen.n_features_in_
        if given is None:
            return cls(np.arange(n_features), np.arange(n_features))
        own = getattr(seen, "feature_names_in_", None)
        names = [f"x{j}" for j in range(n_features)] if own is None else own.tolist()
        # A group is known by more than its name: a column may be called the same.
        keys: list[Any] = [(name, "") for name in names]
        if isinstance(given, str):
            separator = given.removeprefix(PREFIX)
            if own is None or separator in (given, ""):
                raise ValueError(
                    f"feature_groups={given!r} fits no column; expected 'prefix' and "
                    "what stands behind it in names of columns, such as 'prefix=' or "
                    "'prefix_', and X with such names."
                )
            for j in np.flatnonzero(_of_zero_and_one(values)).tolist():
                prefix, found, _ = names[j].partition(separator)
                keys[j] = (prefix, separator) if found else keys[j]
            if not any(mark for _, mark in keys):
                warn(
                    f"feature_groups={given!r} groups nothing: no column of 0 and 1 "
                    f"has {separator!r} in its name."
                )
        elif isinstance(given, Mapping):
            for name, which in given.items():
                some = [which] if isinstance(which, str | int) else list(which)
                for j in (place_of(column, "feature_groups", seen) for column in some):
                    if keys[j][1]:
                        raise ValueError(f"feature_groups names {names[j]!r} twice.")
                    keys[j] = (str(name), " ")
        else:
            labels = list(given)
            if len(labels) != n_features:
                raise ValueError(
                    f"feature_groups has {len(labels)} entries for {n_features} "
                    "columns of X; expected the group of each, a dict of name and "
                    "columns, or 'prefix='."
                )
            keys = [(str(label), " ") for label in labels]
        place = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        times = Counter(name for name, _ in place)
        called = [name + mark * (times[name] > 1) for name, mark in place]
        return cls(np.array(called, dtype=object), np.array([place[k] for k in keys]))

    def groups_of(self, columns: IntArray) -> IntArray:
        """The groups of some columns, in the order of these, each once."""
        groups = self.group[columns]
        return groups[np.sort(np.unique(groups, return_index=True)[1])]

    def columns_of(self, groups: IntArray) -> IntArray:
        """The columns of all groups, in the order of these."""
        return np.argsort(np.argsort(groups)[self.group], kind="stable")

    def combine(self, features: Features, n_bins: int, binning: str) -> Features:
        """One column for each group: the combination of the levels of its columns.

        Of groups with numbers, `blocks` say which these are.
        """
        X = features.values
        first = np.unique(self.group, return_index=True)[1]
        known = features.take_columns(first)
        categories, blocks, combined = dict(known.categories), {}, {}
        cuts = find_cuts(features, n_bins, binning)
        times = np.ones(X.shape[0]) if features.weight is None else features.weight
        total = times.sum()
        table = X.tocsc() if sp.issparse(X) else X
        sizes, nominal = np.bincount(self.group), [*features.categories]
        listed = np.split(np.argsort(self.group, kind="stable"), np.cumsum(sizes)[:-1])
        for g in np.flatnonzero(sizes > 1).tolist():
            rows, cells = _stored(table, columns := listed[g])
            own = Cuts.from_columns([cuts.of(int(column)) for column in columns])
            count = np.append(times[rows], total - times[rows].sum())
            codes = _combined(code_dense(cells, own), own.n_codes, count[: len(cells)])
            names = [str(code) for code in range(int(codes.max()) + 1)]
            categories[g] = np.array(names, dtype=object)
            if len(cells) > rows.size:  # what is zero everywhere is zero here
                zero, codes = codes[-1], codes[:-1]
                codes = np.where(codes == zero, 0, np.where(codes == 0, zero, codes))
            combined[g] = rows, codes.astype(X.dtype)
            own_numbers = cells.T[~np.isin(columns, nominal)]
            if any(np.unique(x[x != MISSING]).size > 2 for x in own_numbers):
                blocks[g] = columns
        n_missing = known.n_missing
        if n_missing is not None:  # elsewhere they are part of the combination
            n_missing = np.where(sizes > 1, 0, n_missing)
        values = _replaced(known.values, combined) if combined else known.values
        return replace(
            known,
            values=values,
            categories=categories,
            n_jobs=features.n_jobs,
            n_missing=n_missing,
            blocks=blocks,
            members=features,
        )


def _of_zero_and_one(values: Matrix) -> BoolArray:
    """Which columns hold nothing else, as those of a one-hot encoding."""
    if not sp.issparse(values):
        return ((values == 0) | (values == 1) | (values == MISSING)).all(axis=0)
    others = (values.data != 1) & (values.data != MISSING)
    return np.bincount(values.indices[others], minlength=values.shape[1]) == 0


def _stored(table: Matrix, columns: IntArray) -> tuple[IntArray, FloatArray]:
    """Rows and cells of some columns; of sparse ones those stored, and one of zeros."""
    if not sp.issparse(table):
        return np.arange(len(table)), table[:, columns].astype(np.float64)
    part = table[:, columns]
    rows, place = np.unique(part.indices, return_inverse=True)
    cells = np.zeros((min(rows.size + 1, part.shape[0]), columns.size))
    cells[place, np.repeat(np.arange(columns.size), np.diff(part.indptr))] = part.data
    return rows, cells


def _combined(codes: NDArray[Any], n_codes: IntArray, count: Weights) -> IntArray:
    """The combination of the codes of each row: 0, 1, ... as the first ones fall.

    Columns of 0 and 1 for sorted categories so become the places of these. Of many
    combinations the rarest are one; a row counts so often.
    """
    found = np.zeros(len(codes), dtype=np.int64)
    for column, size in zip(codes.T.astype(np.int64), n_codes.tolist(), strict=True):
        _, found = np.unique(found * size + size - 1 - column, return_inverse=True)
    times = np.bincount(found, count)
    if times.size <= MOST_CATEGORIES:
        return found
    kept = np.sort(np.argsort(-times, kind="stable")[: MOST_CATEGORIES - 1])
    name = np.full(times.size, kept.size)
    name[kept] = np.arange(kept.size)
    return name[found]


def _replaced(
    values: Matrix, columns: dict[int, tuple[IntArray, NDArray[Any]]]
) -> Matrix:
    """A table with other numbers in some columns, of which the rows are told."""
    if not sp.issparse(values):
        for place, (_, column) in columns.items():
            values[:, place] = column
        return values
    others = np.setdiff1d(np.arange(values.shape[1]), [*columns])
    start = np.cumsum([0, *(rows.size for rows, _ in columns.values())])
    rows, cells = (
        np.concatenate(parts) for parts in zip(*columns.values(), strict=True)
    )
    new = sp.csc_matrix((cells, rows, start), shape=(values.shape[0], len(columns)))
    order = np.argsort(np.concatenate([others, [*columns]]), kind="stable")
    table = sp.hstack([values[:, others], new], format="csr")[:, order]
    table.eliminate_zeros()
    table.sort_indices()
    return table
