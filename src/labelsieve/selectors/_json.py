"""Fitted selectors as JSON: readable anywhere, and no code runs when it is read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any, TypeGuard

import numpy as np
from sklearn.utils.validation import check_is_fitted

import labelsieve
from labelsieve._utils.texts import refuse_constant
from labelsieve.selectors._base import LabelSelector
from labelsieve.selectors._forced import ForcedFeatures
from labelsieve.selectors.transformations.problems import Transformation

# Counts up where a version could not read what a later one writes.
FORMAT_NUMBER = 1
FORMAT = f"labelsieve selector {FORMAT_NUMBER}"

_FITTED = re.compile(r"[A-Za-z][A-Za-z0-9_]*_|_n_exact|_unproven")
# Kinds of numbers of the arrays that every ranking has, one entry for each feature.
_PER_FEATURE = {
    "order_": "iu",
    "ranking_": "iu",
    "scores_": "f",
    "support_": "b",
    "feature_names_in_": "O",
}
# What arrays may hold, and what JSON has for it.
_DTYPE = re.compile(r"[<>|](?:b1|[iu][1248]|f[248]|U[0-9]{1,6}|O)")
_CELLS: dict[str, tuple[type, ...]] = {
    "b": (bool,),
    "i": (int,),
    "u": (int,),
    "f": (int, float),
    "U": (str,),
    "O": (str,),
}


def to_json(selector: LabelSelector) -> str:
    """Write a fitted selector: its class, parameters and what it found."""
    check_is_fitted(selector)
    fitted = {
        name: _encode(value, name)
        for name, value in sorted(vars(selector).items())
        if _FITTED.fullmatch(name)
    }
    content = {
        "format": FORMAT,
        "version": labelsieve.__version__,
        **_encode_made(selector),
        "fitted": fitted,
    }
    return json.dumps(content, allow_nan=False)


def from_json(text: str) -> LabelSelector:
    """Read what `to_json` wrote; nothing but the library's own selectors is made."""
    if not isinstance(text, str):
        raise TypeError(f"expected the text of to_json, got {type(text).__name__}.")
    try:
        content = json.loads(text, parse_constant=refuse_constant)
        _check_format(content)
        selector: LabelSelector = _decode_made(content)
        fitted = {
            name: _decode(value) for name, value in _entries(content, "fitted").items()
        }
        _check_fitted(fitted)
        for name, value in fitted.items():
            setattr(selector, name, value)
        selector._validate_params()
        ForcedFeatures.of(selector._by_group())
    except RecursionError:
        raise ValueError("not a selector written by to_json: nested deeply.") from None
    except (ValueError, AttributeError, TypeError) as error:
        told = str(error).rstrip(".")
        raise ValueError(f"not a selector written by to_json: {told}.") from None
    return selector


def _check_format(content: Any) -> None:
    found = content.get("format") if isinstance(content, dict) else None
    number = re.fullmatch(r"labelsieve selector ([0-9]{1,9})", str(found))
    if number is None:
        raise ValueError(f"expected {FORMAT!r}")
    if int(number[1]) > FORMAT_NUMBER:
        raise ValueError(
            f"it has format {number[1]}, and labelsieve {labelsieve.__version__} reads "
            f"formats up to {FORMAT_NUMBER}; update labelsieve (the file is of version "
            f"{str(content.get('version'))[:20]!r})"
        )


def _entries(content: dict[str, Any], key: str) -> dict[str, Any]:
    found = content.get(key)
    if not isinstance(found, dict):
        raise ValueError(f"expected an object {key!r}")
    return found


def _check_fitted(fitted: dict[str, Any]) -> None:
    """Refuse a ranking that contradicts itself."""
    for name in fitted:
        if not _FITTED.fullmatch(name):
            raise ValueError(f"{name!r} is not an attribute of a fitted selector")
    n_features = fitted.get("n_features_in_")
    if not _is_count(n_features):
        raise ValueError("the number of features is missing")
    n_exact = fitted.get("_n_exact", -1)
    if n_exact is not None and not (_is_count(n_exact) and n_exact <= n_features):
        raise ValueError("_n_exact, how far order_ can be cut, is missing")
    for name, kind in _PER_FEATURE.items():
        values = fitted.get(name)
        if name == "feature_names_in_" and values is None:
            continue
        if not isinstance(values, np.ndarray) or values.shape != (n_features,):
            raise ValueError(f"{name} does not have one entry for each feature")
        if values.dtype.kind not in kind:
            raise ValueError(f"{name} holds {values.dtype}")
    order, ranking = fitted["order_"], fitted["ranking_"]
    places = np.arange(n_features)
    if not np.array_equal(np.sort(order), places):
        raise ValueError("order_ is not an order of the features")
    if not np.array_equal(ranking[order], places + 1):
        raise ValueError("ranking_ is not that of order_")


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _encode_made(made: LabelSelector | Transformation) -> dict[str, Any]:
    """What makes the same again: its class and parameters."""
    if isinstance(made, Transformation):
        parameters = asdict(made)
    else:
        parameters = made.get_params(deep=False)
    return {
        "class": type(made).__name__,
        "parameters": {name: _encode(v, name) for name, v in parameters.items()},
    }


def _decode_made(content: dict[str, Any]) -> Any:
    from labelsieve import selectors

    name = content.get("class")
    if not isinstance(name, str) or name not in selectors.__all__:
        raise ValueError(f"unknown selector class {name!r}")
    parameters = {
        key: _decode(value) for key, value in _entries(content, "parameters").items()
    }
    try:
        return getattr(selectors, name)(**parameters)
    except TypeError as error:
        raise ValueError(f"{name} has other parameters: {error}") from None


def _encode(value: Any, name: str) -> Any:
    if isinstance(value, np.ndarray):
        cells = [_encode(cell, name) for cell in value.ravel().tolist()]
        return {"array": cells, "dtype": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, Transformation | LabelSelector):
        return _encode_made(value)
    if isinstance(value, np.generic):
        return _encode(value.item(), name)
    if isinstance(value, float) and not np.isfinite(value):
        return {"number": repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _encode(item, name) for key, item in value.items()}}
    if isinstance(value, Collection) and not isinstance(value, Mapping):
        return {"list": [_encode(item, name) for item in value]}
    raise TypeError(
        f"{name} is {value!r}, which JSON cannot hold; use pickle for this selector."
    )


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        raise ValueError("a list that is not an array")
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return _decode_array(value)
    if "dict" in value:
        return {key: _decode(item) for key, item in _entries(value, "dict").items()}
    if "list" in value:
        items = value["list"]
        if not isinstance(items, list) or {*map(type, items)} - {str, int, float}:
            raise ValueError("a list with something other than names or numbers")
        return items
    if "number" in value:
        if value["number"] not in ("inf", "-inf", "nan"):
            raise ValueError(f"{value['number']!r} is not a number")
        return float(value["number"])
    return _decode_made(value)


def _decode_array(value: dict[str, Any]) -> Any:
    cells, dtype, shape = (value.get(key) for key in ("array", "dtype", "shape"))
    if not isinstance(dtype, str) or not _DTYPE.fullmatch(dtype):
        raise ValueError(f"unknown type {dtype!r} of an array")
    if not isinstance(cells, list) or not isinstance(shape, list):
        raise ValueError("an array without cells or shape")
    if not all(map(_is_count, shape)) or math.prod(shape) != len(cells):
        raise ValueError(f"{len(cells)} cells for an array of the shape {shape}")
    cells = [_decode(cell) for cell in cells]
    kind = np.dtype(dtype)
    if not all(type(cell) in _CELLS[kind.kind] for cell in cells):
        raise ValueError(f"an array of {kind} holds something else")
    longest = max((len(cell) for cell in cells if isinstance(cell, str)), default=0)
    if kind.kind == "U" and kind.itemsize > 4 * max(longest, 1):
        raise ValueError(f"an array of {kind} holds only shorter texts")
    try:
        return np.array(cells, dtype=kind).reshape(shape)
    except OverflowError as error:
        raise ValueError(f"an array of {kind}: {error}") from None
