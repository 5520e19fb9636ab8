"""What there is to notice: in the features, in the labels, in the rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from labelsieve.describing.data import Data
from labelsieve.describing.equal import cells_of, columns_as_rows, equal_rows
from labelsieve.describing.findings import Finding, finding
from labelsieve.describing.leaks import FEWEST_ROWS, Lists, find_leaks, find_nested
from labelsieve.reading import groups_rare


def in_features(data: Data) -> Iterator[Finding]:
    """What is to be said about columns of X."""
    n_features, constant = len(data.feature_names), data.features.constant
    of_all = f"of {n_features:,} features"
    if missing := data.missing:
        most_first = sorted(missing.items(), key=lambda item: -item[1])
        cells = [{"feature": name, "cells": many} for name, many in most_first]
        yield finding("missing cells", of_all, cells)
    identifiers = data.identifiers
    if data.n_constant:
        yield finding("constant features", of_all, data.constants(), data.n_constant)
    (varying,) = np.nonzero(~constant)
    if copies := equal_rows(data.by_column, varying.tolist()):
        groups = [[data.feature(place) for place in group] for group in copies]
        yield finding("copies", "group(s) of equal features", groups)
    if identifiers:
        yield finding("identifiers", of_all, [data.feature(j) for j in identifiers])
    categories = data.features.categories
    if many := [j for j in categories if groups_rare(categories[j])]:
        names = [data.feature(j) for j in many if j not in identifiers]
        if names:
            yield finding("many categories", of_all, names)
    if counting := _row_numbers(data, varying.tolist()):
        yield finding("row numbers", of_all, [data.feature(j) for j in counting])
    looked_at = np.setdiff1d(varying, identifiers).tolist()
    nominal = data.features.categories.keys()
    leaks = find_leaks(data.by_column, looked_at, nominal, _of_two_values(data))
    if leaks:
        pairs = [
            {"feature": data.feature(column), "label": data.label(label)}
            for column, label in leaks
        ]
        noun = "pair(s) of a feature and a label that it determines"
        yield finding("leaks", noun, pairs)


def in_labels(data: Data) -> Iterator[Finding]:
    """What is to be said about labels."""
    n_known, n_with = data.lists.n_known, data.lists.n_rows
    of_all, constant = f"of {n_with.size:,} labels", data.labels.constant
    if data.labels.n_unknown is not None:
        found = [
            {"label": data.label(j), "rows": int(data.labels.n_unknown[j])}
            for j in np.flatnonzero(data.labels.n_unknown).tolist()
        ]
        yield finding("unknown labels", f"{of_all} (in so many rows)", found)
    if constant.any():
        names = [data.label(j) for j in np.flatnonzero(constant).tolist()]
        yield finding("constant labels", of_all, names)
    several = np.flatnonzero(data.labels.n_values > 2)
    if several.size:
        found = [
            {"label": data.label(j), "values": int(data.labels.n_values[j])}
            for j in several.tolist()
        ]
        yield finding("labels with several values", of_all, found)
    rarer = np.minimum(n_with, n_known - n_with)
    rare = np.flatnonzero(~constant & (rarer < FEWEST_ROWS))
    if rare.size:
        found = [
            {"label": data.label(j), "rows": int(n_with[j])} for j in rare.tolist()
        ]
        yield finding("rare labels", f"{of_all} (fewer than {FEWEST_ROWS} rows)", found)
    (varying,) = np.nonzero(~constant)
    if equal := equal_rows(columns_as_rows(data.labels.codes), varying.tolist()):
        groups = [[data.label(place) for place in group] for group in equal]
        yield finding("equal labels", "group(s) of labels", groups)
    if nested := find_nested(data.lists):
        pairs = [{"label": data.label(a), "of": data.label(b)} for a, b in nested]
        noun = "pair(s) of a label and one that always comes with it"
        yield finding("nested labels", noun, pairs)


def in_rows(data: Data) -> Iterator[Finding]:
    """What is to be said about rows; they are counted from 0."""
    n_rows = data.values.shape[0]
    of_all = f"of {n_rows:,} rows"
    n_here = np.diff(data.has_label.indptr)
    n_unknown = data.n_unknown
    (without,) = np.nonzero(n_here + n_unknown == 0)
    if without.size:
        yield finding("rows without a label", of_all, without.tolist())
    (nothing,) = np.nonzero(n_unknown == len(data.label_names) * np.ones_like(n_here))
    if nothing.size:
        yield finding("rows of which no label is known", of_all, nothing.tolist())
    groups = equal_rows(data.values, range(n_rows))
    if not groups:
        return
    yield finding("equal rows", "group(s) of rows with the same features", groups)
    rows = [row for group in groups for row in group]
    labels = dict(zip(rows, cells_of(data.labels.codes, rows), strict=True))
    differing = [group for group in groups if len({labels[row] for row in group}) > 1]
    if data.unknown is not None:
        differing = [group for group in differing if _differ(data, group)]
    if differing:
        yield finding("equal rows with different labels", "group(s) of rows", differing)


def _differ(data: Data, rows: list[int]) -> bool:
    """Whether some label has two values in these rows where it is known."""
    codes = data.labels.codes[rows]
    codes = (codes.toarray() if sp.issparse(codes) else codes).astype(np.int64)
    unknown = codes == data.labels.unknown_code
    least = np.where(unknown, np.iinfo(np.int64).max, codes).min(axis=0)
    return bool((np.where(unknown, -1, codes).max(axis=0) > least).any())


def _row_numbers(data: Data, varying: list[int]) -> list[int]:
    """Columns of numbers that grow by 1 from row to row."""
    if sp.issparse(data.values) or len(data.values) < FEWEST_ROWS:
        return []
    numeric = np.setdiff1d(varying, [*data.features.categories]).astype(np.int64)
    for n_rows in (FEWEST_ROWS, None):  # of most it is seen at once
        values = data.values[:n_rows, numeric]
        numeric = numeric[(values[1:] == values[:-1] + 1).all(axis=0)]
    return [int(column) for column in numeric]


def _of_two_values(data: Data) -> Lists:
    """Which rows have which label, without labels of several values."""
    several = np.flatnonzero(data.labels.n_values > 2)
    if not several.size:
        return data.lists
    found = data.has_label.tocoo()
    kept = ~np.isin(found.col, several)
    cells = found.data[kept], (found.row[kept], found.col[kept])
    return Lists(sp.coo_array(cells, shape=found.shape).tocsr())
