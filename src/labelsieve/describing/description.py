"""The data doctor: looks at features, labels and rows, and says what it sees."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from labelsieve import sentences
from labelsieve._utils.messages import (
    Column,
    Table,
    frame_of,
    numbers,
    paragraphs,
    printable,
    table,
)
from labelsieve.datasets import Description
from labelsieve.describing import noticed
from labelsieve.describing.data import read_data
from labelsieve.describing.noticed import DataFinding
from labelsieve.registry import LOWEST_REGRET, selector_names

if TYPE_CHECKING:
    from labelsieve.plots import RankingDisplay

# A screen shows so many notes.
MOST_LINES = 15
# To choose from more than these is work.
MOST_METHODS = 3
# Numbers that mean nothing where all targets are numbers.
OF_LABELS = (
    "labels",
    "cardinality",
    "density",
    "distinct_label_sets",
    "samples_without_label",
    "samples_of_rarest_label",
    "mean_imbalance",
    "max_imbalance",
)


@dataclass(frozen=True, eq=False, repr=False)
class DataDescription:
    """What there is to know about data before anything is selected.

    Printing it gives text, a notebook shows it as a table.

    Attributes
    ----------
    numbers : Description
        What papers print: rows, features, labels, cardinality, imbalance ...
    types : dict of str to int
        How many features of each type there are.
    missing : dict of str to int
        How many cells of each feature are missing, where some are.
    label_rows : dict of str to int
        How many rows have each label.
    target_types : dict of str to str
        What each target is: ``"label"``, ``"class"`` or ``"number"``.
    findings : list of DataFinding
        What was noticed, and what labelsieve does about it.
    suited : list of str
        The names of the methods that take such data, best first: those that lose
        least on the leaderboard, then the others.
    unsuited : dict of str to list of str
        Those of the others, by the reason.

    Examples
    --------
    >>> from labelsieve import describe
    >>> X = [[i, i % 2, i % 2] for i in range(40)]
    >>> found = describe(X, [[i % 2, i < 5] for i in range(40)])
    >>> [one.kind for one in found.findings]
    ['copies', 'row numbers', 'leaks', 'rare labels', 'rows without a label']
    """

    numbers: Description
    types: dict[str, int]
    missing: dict[str, int]
    label_rows: dict[str, int]
    findings: list[DataFinding]
    suited: list[str]
    unsuited: dict[str, list[str]]
    target_types: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers, and the other attributes by their names."""
        names = ("types", "missing", "label_rows", "target_types")
        others = {name: vars(self)[name] for name in names}
        return {
            **self.numbers._asdict(),
            **others,
            "findings": [one.to_dict() for one in self.findings],
            "suited": self.suited,
            "unsuited": self.unsuited,
        }

    def to_json(self) -> str:
        """Return the same as JSON text, one object."""
        finite = {
            name: None if value != value else value
            for name, value in self.to_dict().items()
        }
        return json.dumps(finite, ensure_ascii=False, allow_nan=False)

    def to_frame(self) -> Any:
        """Return the labels and how many rows have each, the most frequent first.

        Returns
        -------
        frame : DataFrame
            Of pandas, or of polars where only polars is loaded: label, rows, share.
        """
        rows = self._frequent()
        shares = [many / max(self.numbers.instances, 1) for many in rows.values()]
        return frame_of({"label": [*rows], "rows": [*rows.values()], "share": shares})

    def plot(self, ax: Any = None) -> RankingDisplay:
        """Draw the rows of the 25 most frequent labels; return the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default into a new figure.
        """
        from labelsieve.plots import RankingDisplay

        rows = self._frequent()
        what = "rows with the label"
        return RankingDisplay([*rows], [*rows.values()], what=what).plot(ax)

    def _frequent(self) -> dict[str, int]:
        """The labels by their rows, the most frequent first."""
        return dict(sorted(self.label_rows.items(), key=lambda found: -found[1]))

    def __repr__(self) -> str:
        shape = self.numbers
        n_targets = len(self.target_types)
        noun = "label" if shape.labels == n_targets else "target"
        lines = [
            f"<DataDescription of {shape.instances:,} samples, {shape.features:,} "
            f"features and {sentences.many(n_targets, noun)}>",
            *(f"- {printable(note)}" for note in self.notes()[:MOST_LINES]),
        ]
        if len(self.notes()) > MOST_LINES:
            lines.append("... print() shows all")
        return "\n".join(lines)

    def notes(self) -> list[str]:
        """Return the features, what was noticed and what suits, as sentences."""
        types = ", ".join(f"{many:,} {kind}" for kind, many in self.types.items())
        told = {"features": types, **sentences.target_types(self.target_types)}
        lines = [f"{what}: {said}" for what, said in told.items()]
        lines += map(str, self.findings)
        others = len(self.suited) - MOST_METHODS
        more = f", and {sentences.many(others, 'other')}" if others > 0 else ""
        listed = ", ".join(self.suited[:MOST_METHODS])
        lines.append(f"methods that suit: {listed}{more}")
        lines += [f"not {', '.join(n)}: {why}" for why, n in self.unsuited.items()]
        return lines

    def __str__(self) -> str:
        notes = [f"- {printable(note)}" for note in self.notes()]
        return "\n".join([numbers_table([self.numbers]).to_text(), "", *notes])

    def _repr_html_(self) -> str:
        shape = replace(numbers_table([self.numbers]), title=self.numbers.name)
        return table(shape) + paragraphs(self.notes())


def numbers_table(listed: Sequence[Description]) -> Table:
    """The numbers of data sets, a column for each; two may have one name."""
    by_place = {str(place): one._asdict() for place, one in enumerate(listed)}
    left_out = {"name"} if any(one.labels for one in listed) else {"name", *OF_LABELS}
    rows = [
        {"what": what.replace("_", " "), **{k: n[what] for k, n in by_place.items()}}
        for what in Description._fields
        if what not in left_out
    ]
    columns = [numbers(n.name, str(k), _shown) for k, n in enumerate(listed)]
    return Table("", [Column("", "what"), *columns], rows)


def _shown(value: Any) -> str:
    return f"{value:,.3f}" if isinstance(value, float) else f"{value:,}"


def describe(X: Any, Y: Any = None) -> DataDescription:
    """Look at data as a careful colleague would, and say what there is to notice.

    Parameters
    ----------
    X : array, sparse matrix, DataFrame or Dataset
        The features, in any form that selectors take; or a data set, whose labels are
        taken. Dask collections are read into memory.
    Y : array, sparse matrix, DataFrame or Series, optional
        The labels, in any form that selectors take.

    Returns
    -------
    description : DataDescription
        Shape, types, missing cells, constants, copies, identifiers, features that
        contain a label; frequencies of labels, rare, constant, equal and nested ones;
        rows without a label, equal rows with different labels; what labelsieve does
        about each, and which methods suit.

    Examples
    --------
    >>> from labelsieve import describe
    >>> found = describe([[0, 1], [1, 1], [0, 1], [1, 1]], [0, 1, 0, 1])
    >>> found.numbers.constant_features
    1
    >>> print(found.findings[0])
    constant features: 1 of 2 features: x1. They get the last places.
    """
    data = read_data(X, Y)
    unsuited = noticed.unsuited_methods(data)
    return DataDescription(
        numbers=data.numbers,
        types=data.types,
        missing=data.missing,
        label_rows={
            data.label(j): int(many)
            for j, many in enumerate(data.lists.n_rows)
            if data.is_label[j]
        },
        findings=[
            *noticed.in_features(data),
            *noticed.in_labels(data),
            *noticed.in_rows(data),
        ],
        # Those that lose least on the leaderboard first.
        suited=[
            name
            for name in dict.fromkeys([*LOWEST_REGRET, *selector_names()])
            if not any(name in names for names in unsuited.values())
        ],
        unsuited=unsuited,
        target_types={data.label(j): kind for j, kind in enumerate(data.labels.types)},
    )
