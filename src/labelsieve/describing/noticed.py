"""What there is to notice in features, labels and rows, and which methods suit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags

from labelsieve.describing import leaks
from labelsieve.describing.data import Data
from labelsieve.describing.leaks import FEWEST_ROWS, equal_rows
from labelsieve.reading import MISSING, groups_rare
from labelsieve.registry import make_selector, selector_names
from labelsieve.selectors import can

SHOWN = 5
# Methods that compare each row with all others take minutes from here on.
MANY_ROWS = 20_000
# Methods with a table of all pairs of features take minutes from here on.
MANY_FEATURES = 10_000
# Names of columns that say whom or what a row is about.
IDENTIFIES = re.compile(
    r"(?i:(^|[\W_])(id|patient|subject|person|participant|user|customer|animal|household)"
    r"(no|nr|number)?([\W_]|$))|[a-z]I[Dd]$"
)


@dataclass(frozen=True)
class DataFinding:
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
        """Return ``kind``, ``found``, ``done`` and ``items`` by their names."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.kind}: {self.found} {self.done}"


# What labelsieve does about each kind, and what its reader can do.
DONE = {
    "missing cells": "Methods based on counts take a missing cell as a level of its "
    "own; the others refuse it: impute first, for example with SimpleImputer.",
    "constant features": "They get the last places.",
    "copies": "Greedy methods (sieve) choose one of each group; rankings put them side "
    "by side.",
    "identifiers": "They identify rows and say nothing about new ones, so they come "
    "last: leave them out.",
    "repeated identifiers": "Rows of the same one are no independent samples. If it "
    "names whom or what a row is about, pass it as groups= (--groups) and leave it out "
    "of the features.",
    "many categories": "The most frequent keep levels of their own, and the others "
    "are merged into one, with a warning.",
    "row numbers": "They say where a row stands in the table; unless that means "
    "something, leave them out (exclude=, --exclude).",
    "leaks": "They will come first. What is known only once the label is known must "
    "not help to predict it: leave it out (exclude=, --exclude).",
    "constant labels": "They carry no information and are left out, with a warning.",
    "targets with several values": "Methods that need two values refuse them.",
    "unknown labels": "Methods based on counts use each label where it is known; the "
    "others refuse: leave such rows out, or fill the cells (0 says absent).",
    "unknown targets": "Methods that suit use each target where it is known; the "
    "others refuse: leave such rows out.",
    "rare labels": "They have little entropy: sums over labels hardly see them.",
    "equal labels": "Each of them counts: what they mean counts several times.",
    "nested labels": "What is relevant for one is relevant for the other; nothing is "
    "done.",
    "rows without a label": "They count as rows that have none of the labels. If "
    "nobody looked at them, leave them out.",
    "rows of which no label is known": "They are left out.",
    "equal rows": "Each of them counts. Equal rows on both sides of a split flatter "
    "every measure.",
    "equal rows with different labels": "No method can separate them: they limit "
    "what any model can reach.",
}


def finding(
    kind: str, noun: str, items: Sequence[Any], count: int | None = None
) -> Iterator[DataFinding]:
    """A finding about some items, of which there may be more; none without any."""
    count = len(items) if count is None else count
    listed = ", ".join(_item(item) for item in items[:SHOWN])
    more = ", ..." if count > SHOWN else ""
    if count:
        found = f"{count:,} {noun}: {listed}{more}."
        done = DONE.get(kind) or DONE[kind.replace("target", "label")]
        yield DataFinding(kind, found, done, list(items))


def _item(item: Any) -> str:
    if isinstance(item, dict):
        name, *facts = item.values()
        return f"{name} ({', '.join(map(_item, facts))})"
    if isinstance(item, list):
        more = ["..."] if len(item) > SHOWN else []
        return " = ".join([*map(str, item[:SHOWN]), *more])
    return f"{item:,}" if isinstance(item, int) else str(item)


def in_features(data: Data) -> Iterator[DataFinding]:
    """What is to be said about columns of X."""
    of_all = f"of {len(data.feature_names):,} features"
    varying = np.flatnonzero(~data.features.constant).tolist()
    categories, identifiers = data.features.categories, data.identifiers

    def named(places: Iterable[int]) -> list[str]:
        return [data.feature(place) for place in places]

    most_first = sorted(data.missing.items(), key=lambda item: -item[1])
    cells = [{"feature": name, "cells": many} for name, many in most_first]
    yield from finding("missing cells", of_all, cells)
    constants = data.constants() if data.n_constant else []
    yield from finding("constant features", of_all, constants, data.n_constant)
    copies = list(map(named, equal_rows(data.by_column, varying)))
    yield from finding("copies", "group(s) of equal features", copies)
    yield from finding("identifiers", of_all, named(identifiers))
    yield from finding("repeated identifiers", of_all, named(_repeated(data, varying)))
    many = [
        place
        for place, values in categories.items()
        if groups_rare(values) and place not in identifiers
    ]
    yield from finding("many categories", of_all, named(many))
    yield from finding("row numbers", of_all, named(_row_numbers(data, varying)))
    asked = np.setdiff1d(varying, identifiers).tolist()
    found = leaks.find_leaks(data.by_column, asked, categories, data.lists)
    pairs = [
        {"feature": data.feature(column), "label": data.label(label)}
        for column, label in found
    ]
    noun = "pair(s) of a feature and a label that it determines"
    yield from finding("leaks", noun, pairs)


def in_labels(data: Data) -> Iterator[DataFinding]:
    """What is to be said about labels."""
    n_known, n_with, labels = data.lists.n_known, data.lists.n_rows, data.labels
    what = f"{data.labels.noun}s"
    of_all = f"of {n_with.size:,} {what}"

    def with_counts(which: Any, what: str, counts: Any) -> list[dict[str, Any]]:
        return [
            {"label": data.label(j), what: int(counts[j])}
            for j in np.flatnonzero(which).tolist()
        ]

    if labels.n_unknown is not None:
        found = with_counts(labels.n_unknown, "rows", labels.n_unknown)
        yield from finding(f"unknown {what}", f"{of_all} (in so many rows)", found)
    names = [data.label(j) for j in np.flatnonzero(labels.constant).tolist()]
    yield from finding(f"constant {what}", of_all, names)
    several = with_counts(labels.n_values > 2, "values", labels.n_values)
    yield from finding("targets with several values", of_all, several)
    is_rare = np.minimum(n_with, n_known - n_with) < FEWEST_ROWS
    is_rare &= ~labels.constant & data.is_label
    rare = with_counts(is_rare, "rows", n_with)
    yield from finding("rare labels", f"{of_all} (fewer than {FEWEST_ROWS} rows)", rare)
    varying = np.setdiff1d(np.flatnonzero(~labels.constant), list(labels.scores))
    equal = equal_rows(leaks.columns_as_rows(labels.codes), varying.tolist())
    groups = [[data.label(place) for place in group] for group in equal]
    yield from finding(f"equal {what}", f"group(s) of {what}", groups)
    nested = leaks.find_nested(data.lists)
    pairs = [{"label": data.label(a), "of": data.label(b)} for a, b in nested]
    noun = "pair(s) of a label and one that always comes with it"
    yield from finding("nested labels", noun, pairs)


def in_rows(data: Data) -> Iterator[DataFinding]:
    """What is to be said about rows; they are counted from 0."""
    n_rows, n_labels = data.values.shape[0], len(data.label_names)
    of_all, n_here = f"of {n_rows:,} rows", np.diff(data.has_label.indptr)
    n_unknown = data.n_unknown + np.zeros_like(n_here)
    has_none = (n_here + n_unknown == 0) & data.is_label.all()
    without = np.flatnonzero(has_none).tolist()
    yield from finding("rows without a label", of_all, without)
    nothing = np.flatnonzero(n_unknown == n_labels).tolist()
    kind = f"rows of which no {data.labels.noun} is known"
    yield from finding(kind, of_all, nothing)
    groups = equal_rows(data.values, range(n_rows))
    yield from finding("equal rows", "group(s) of rows with the same features", groups)
    rows = [row for group in groups for row in group]
    labels = dict(zip(rows, leaks.cells_of(data.labels.codes, rows), strict=True))
    differing = [
        group
        for group in groups
        if len({labels[row] for row in group}) > 1 and _differ(data, group)
    ]
    kind = f"equal rows with different {data.labels.noun}s"
    yield from finding(kind, "group(s) of rows", differing)


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


def _repeated(data: Data, varying: list[int]) -> list[int]:
    """Columns that seem to name whom rows are about, each in two rows or more."""
    if sp.issparse(data.values) or len(data.values) < FEWEST_ROWS:
        return []
    found, categories = [], data.features.categories
    for place in varying:
        is_rare = place in categories and groups_rare(categories[place])
        if is_rare or IDENTIFIES.search(data.feature(place)):
            cells = data.values[:, place]
            there = cells[cells != MISSING]
            is_whole = place in categories or (there == np.round(there)).all()
            n_values = np.unique(there).size
            if is_whole and FEWEST_ROWS <= n_values <= there.size / 2:
                found.append(place)
    return found


def unsuited_methods(data: Data) -> dict[str, list[str]]:
    """The names of methods that do not suit, by the reason."""
    found: dict[str, list[str]] = {}
    for name in selector_names():
        if why := _why_not(make_selector(name), data):
            found.setdefault(why, []).append(name)
    return found


def _why_not(selector: Any, data: Data) -> str:
    """Why a method does not suit; nothing where it does."""
    tags, parameters = get_tags(selector), selector.get_params(deep=False)
    n_samples, n_features = data.values.shape[0], len(data.feature_names)
    of_two = tags.classifier_tags is not None and not tags.classifier_tags.multi_class
    relieff = parameters.get("score_func", "relieff") == "relieff"
    if data.missing and not tags.input_tags.allow_nan:
        return "cells are missing, impute first"
    if data.labels.n_unknown is not None and not can(selector, "takes_unknown"):
        return f"{data.labels.noun}s are not known in every row"
    if of_two and (data.labels.n_values > 2).any():
        return "targets need two values"
    if data.labels.scores and "target_types" not in parameters:
        return "some targets are numbers"
    mixed = {"class", "number"} <= {*data.labels.types}
    if mixed and not can(selector, "takes_mixtures"):
        return "targets are numbers and classes"
    near, many = "n_neighbors" in parameters and relieff, f"{n_samples:,} rows"
    if n_samples > MANY_ROWS and (near or "n_anchors" in parameters):
        return f"they compare {many} with each other, use n_anchors or a sample"
    if n_features > MANY_FEATURES and getattr(selector, "_counts_feature_pairs", False):
        return f"they compare {n_features:,} features with each other"
    return ""
