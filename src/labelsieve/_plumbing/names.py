"""Names that were mistyped: which one was meant."""

from __future__ import annotations

from collections.abc import Iterable


def unknown(kind: str, name: object, known: Iterable[str]) -> str:
    """Say that there is no such name, which one comes near, and which there are."""
    known = list(known)
    listed = f"xpected one of {', '.join(known)}."
    near = nearest(str(name), known)
    if near is None:
        return f"unknown {kind} {name!r}; e{listed}"
    return f"unknown {kind} {name!r}; did you mean {near!r}? E{listed}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like this one in any case, if any does."""
    from difflib import get_close_matches

    spelled = {word.lower(): word for word in known}
    found = get_close_matches(name.lower(), spelled, n=1)
    return spelled[found[0]] if found else None
