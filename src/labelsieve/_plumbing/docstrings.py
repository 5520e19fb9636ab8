"""Docstrings of classes: what a class does not describe, its bases do."""

from __future__ import annotations

import inspect
import re
from typing import Any

# "Parameters", underlined.
_TITLE = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
# "include, exclude : list of str", and the indented lines below.
_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : .*(?:\n[ ]+.*)*", re.MULTILINE)


def complete_docstring(kind: Any) -> None:
    """Add the parameters and attributes that only the bases of a class describe.

    Parameters come in the order of `__init__`, attributes in that of the bases.
    """
    if not kind.__doc__:  # none was written, or Python leaves them out with -OO
        return
    idea, sections = _sections(kind)
    bases = [_sections(base)[1] for base in reversed(kind.__mro__[1:])]
    for title in "Parameters", "Attributes":
        described: dict[str, str] = {}
        for told in [*bases, sections]:
            described |= _entries(told.get(title, ""))
        names = list(described)
        if title == "Parameters" and kind.__init__ is not object.__init__:
            names = list(inspect.signature(kind.__init__).parameters)
        entries = dict.fromkeys(described[name] for name in names if name in described)
        sections[title] = "\n".join(entries)
    first = {title: sections.pop(title) for title in ("Parameters", "Attributes")}
    parts = [
        f"{title}\n{'-' * len(title)}\n{body.rstrip()}"
        for title, body in [*first.items(), *sections.items()]
        if body
    ]
    kind.__doc__ = "\n\n".join([idea.rstrip(), *parts]) + "\n"


def _sections(kind: type) -> tuple[str, dict[str, str]]:
    """What a docstring says before its first section, and the sections by title."""
    idea, *rest = _TITLE.split(inspect.cleandoc(vars(kind).get("__doc__") or ""))
    return idea, dict(zip(rest[::2], rest[1::2], strict=True))


def _entries(body: str) -> dict[str, str]:
    """What a section says of each name; one entry may describe several."""
    return {
        name: match[0]
        for match in _ENTRY.finditer(body)
        for name in match[1].split(", ")
    }
