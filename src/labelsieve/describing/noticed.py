"""What there is to notice in features, labels and rows, and which methods suit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags

from labelsieve.describing.data import Data
from labelsieve.describing.leaks import (
    FEWEST_ROWS,
    Lists,
    cells_of,
    columns_as_rows,
    equal_rows,
    find_leaks,
    find_nested,
)
from labelsieve.reading import groups_rare
from labelsieve.registry import LOWEST_REGRET, make_selector, selector_names
from labelsieve.selectors import takes_unknown_labels

SHOWN = 5
# Methods that compare each row with all others take minutes from here on.
MANY_ROWS = 20_000
# Methods with a table of all pairs of features take minutes from here on.
MANY_FEATURES = 10_000


@dataclass(frozen=True)
class Finding:
    """Something that was noticed about data.

    Attributes
    ----------
    kind : str
        What it is, in a word or two.
    found : str
        What was seen, with the first names.
    done : str
        What labelsieve does about it, and the way out.
    items : list
        All that it is about: names, or lists of names that belong together.
    """

    kind: str
    found: str
    done: str
    items: list[Any]

    def to_dict(self) -> dict[str, Any]:
        """Return it as a plain dictionary.

        Returns
        -------
        finding : dict
            With the keys ``kind``, ``found``, ``done`` and ``items``.
        """
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.kind}: {self.found} {self.done}"


# What labelsieve does about each kind, and what its reader can do.
DONE = {
    "missing cells": "Methods made of counts take a missing cell as a code of its own; "
    "the others refuse it: impute first, for example with SimpleImputer.",
    "constant features": "They get the score 0 and the last places.",
    "copies": "Greedy methods (sieve) choose one of each group; rankings put them side "
    "by side.",
    "identifiers": "They tell everything about these rows and nothing about others, "
    "and come last: leave them out.",
    "many categories": "The most frequent keep codes of their own, and the others are "
    "taken together as one, with a warning.",
    "row numbers": "They say where a row stands in the table; unless that means "
    "something, leave them out (exclude=, --exclude).",
    "leaks": "They will come first. What is known only once the label is known must "
    "not help to predict it: leave it out (exclude=, --exclude).",
    "constant labels": "They carry no information and are left out, with a warning.",
    "labels with several values": "Methods that need two values refuse them.",
    "unknown labels": "Methods made of counts take each label where it is known; the "
    "others refuse: leave such rows out, or fill the cells (0 says absent).",
    "rare labels": "They have little entropy: sums over labels hardly see them.",
    "equal labels": "Each of them counts: what they mean counts several times.",
    "nested labels": "What tells one tells a part of the other; nothing is done.",
    "rows without a label": "They count as rows that have none of the labels. If "
    "nobody looked at them, leave them out.",
    "rows of which no label is known": "They tell of no label and are left out.",
    "equal rows": "Each of them counts. Equal rows on both sides of a split flatter "
    "every measure.",
    "equal rows with different labels": "No method can tell them apart: they limit "
    "what any classifier can reach.",
}


def finding(
    kind: str, noun: str, items: Sequence[Any], count: int | None = None
) -> Finding:
    """Make a finding about some items, of which there may be more than are listed."""
    count = len(items) if count is None else count
    listed = ", ".join(_item(item) for item in items[:SHOWN])
    more = ", ..." if count > SHOWN else ""
    found = f"{count:,} {noun}: {listed}{more}."
    return Finding(kind, found, DONE[kind], list(items))


def _item(item: Any) -> str:
    if isinstance(item, dict):
        name, *facts = item.values()
        return f"{name} ({', '.join(map(_item, facts))})"
    if isinstance(item, list):
        more = ["..."] if len(item) > SHOWN else []
        return " = ".join([*map(str, item[:SHOWN]), *more])
    return f"{item:,}" if isinstance(item, int) else str(item)


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


def suited_methods(unsuited: dict[str, list[str]]) -> list[str]:
    """All other methods, those that lose least on the leaderboard first."""
    left_out = {name for names in unsuited.values() for name in names}
    names = dict.fromkeys([*LOWEST_REGRET, *selector_names()])
    return [name for name in names if name not in left_out]


def unsuited_methods(data: Data) -> dict[str, list[str]]:
    """The names of methods that do not suit, by the reason."""
    n_rows, n_features = data.values.shape[0], len(data.feature_names)
    reasons: dict[str, Callable[[Any], bool]] = {}
    if data.missing:
        reasons["cells are missing, impute first"] = _needs_cells
    if data.labels.n_unknown is not None:
        reasons["labels are not known in every row"] = _needs_labels
    if (data.labels.n_values > 2).any():
        reasons["labels need two values"] = _needs_two_values
    if n_rows > MANY_ROWS:
        why = f"they compare {n_rows:,} rows with each other, use n_anchors or a sample"
        reasons[why] = _compares_rows
    if n_features > MANY_FEATURES:
        why = f"they compare {n_features:,} features with each other"
        reasons[why] = _compares_features
    found: dict[str, list[str]] = {why: [] for why in reasons}
    for name in selector_names() if reasons else ():
        selector = make_selector(name)
        why_not = next((why for why, holds in reasons.items() if holds(selector)), None)
        if why_not is not None:
            found[why_not].append(name)
    return {why: names for why, names in found.items() if names}


def _needs_cells(selector: Any) -> bool:
    return not get_tags(selector).input_tags.allow_nan


def _needs_labels(selector: Any) -> bool:
    return not takes_unknown_labels(selector)


def _needs_two_values(selector: Any) -> bool:
    tags = get_tags(selector).classifier_tags
    return tags is not None and not tags.multi_class


def _compares_rows(selector: Any) -> bool:
    parameters = selector.get_params(deep=False)
    uses_neighbors = parameters.get("score_func", "relieff") == "relieff"
    return "n_anchors" in parameters or ("n_neighbors" in parameters and uses_neighbors)


def _compares_features(selector: Any) -> bool:
    return getattr(selector, "_counts_feature_pairs", False)
