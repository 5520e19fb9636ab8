"""Whether plain values, as read from JSON, have the form that is expected of them.

A form is a type, a list with the form of all entries, a dictionary with the form of
each required entry (or ``{str: form}`` for all of them), a set of allowed texts, a
function that says yes, or a tuple of forms of which one is enough. ``float`` means any
finite number.
"""

from __future__ import annotations

import json
from typing import Any

# A number beyond this is no measurement, and no picture can show it.
LARGEST = 1e15


def read_json(text: str | bytes) -> Any:
    """Read JSON; ValueError whatever the text is, NaN and infinity refused."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def misfit(value: Any, form: Any, place: str = "") -> str | None:
    """Return what does not have its form, as a sentence; None where all is well."""
    if isinstance(form, tuple):
        found = [misfit(value, one, place) for one in form]
        return None if None in found else found[0]
    if isinstance(form, list):
        if not isinstance(value, list):
            return f"{place or 'it'} is no list"
        return _first(misfit(v, form[0], f"{place}[{i}]") for i, v in enumerate(value))
    if isinstance(form, dict):
        return _dict_misfit(value, form, place)
    if isinstance(form, set):
        fits = isinstance(value, str) and value in form
        return None if fits else f"{place or 'it'} is not as expected"
    if _is_of(value, form):
        return None
    return f"{place or 'it'} is no {getattr(form, '__name__', form)}"


def _dict_misfit(value: Any, form: dict[Any, Any], place: str) -> str | None:
    if not isinstance(value, dict):
        return f"{place or 'it'} is no object"
    if str in form:
        return _first(misfit(v, form[str], f"{place}.{k}") for k, v in value.items())
    for key in form:
        if key not in value:
            return f"{place or 'it'} has no {key!r}"
    return _first(misfit(value[k], f, f"{place}.{k}") for k, f in form.items())


def _first(found: Any) -> str | None:
    return next((reason for reason in found if reason is not None), None)


def _is_of(value: Any, kind: Any) -> bool:
    if kind is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and abs(value) < LARGEST  # neither is NaN
    if kind is int:
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole and abs(value) < LARGEST
    if kind is None:
        return value is None
    return isinstance(value, kind) if isinstance(kind, type) else bool(kind(value))


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number")
