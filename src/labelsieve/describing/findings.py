"""What was noticed: each with the names it is about and what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

SHOWN = 5


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
    listed = ", ".join(_shown(item) for item in items[:SHOWN])
    more = ", ..." if count > SHOWN else ""
    found = f"{count:,} {noun}: {listed}{more}."
    return Finding(kind, found, DONE[kind], list(items))


def _shown(item: Any) -> str:
    if isinstance(item, dict):
        name, *facts = item.values()
        return f"{name} ({', '.join(map(_shown, facts))})"
    if isinstance(item, list):
        more = ["..."] if len(item) > SHOWN else []
        return " = ".join([*map(str, item[:SHOWN]), *more])
    return f"{item:,}" if isinstance(item, int) else str(item)
