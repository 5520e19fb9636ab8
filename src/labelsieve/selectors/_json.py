"""Fitted selectors as JSON: readable anywhere, and no code runs when it is read."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import labelsieve
from labelsieve.selectors.transformations.problems import Transformation

if TYPE_CHECKING:
    from labelsieve.selectors._base import LabelSelector

FORMAT = "labelsieve selector 1"


def to_json(selector: LabelSelector) -> str:
    """Write a fitted selector: its class, parameters and what it found."""
    check_is_fitted(selector)
    fitted = {
        name: _encode(value, name)
        for name, value in sorted(vars(selector).items())
        if (name.endswith("_") and not name.startswith("_")) or name == "_n_exact"
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
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"not a selector written by to_json: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"not a selector written by to_json: expected {FORMAT!r}.")
    selector: LabelSelector = _decode_made(content)
    for name, value in content["fitted"].items():
        setattr(selector, name, _decode(value))
    return selector


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

    if content["class"] not in selectors.__all__:
        raise ValueError(f"unknown selector class {content['class']!r}.")
    parameters = {name: _decode(v) for name, v in content["parameters"].items()}
    return getattr(selectors, content["class"])(**parameters)


def _encode(value: Any, name: str) -> Any:
    if isinstance(value, np.ndarray):
        cells = [_encode(cell, name) for cell in value.ravel().tolist()]
        return {"array": cells, "dtype": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, Transformation):
        return _encode_made(value)
    if isinstance(value, np.generic):
        return _encode(value.item(), name)
    if isinstance(value, float) and not np.isfinite(value):
        return {"number": repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(
        f"{name} is {value!r}, which JSON cannot hold; use pickle for this selector."
    )


def _decode(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "array" in value:
        cells = [_decode(cell) for cell in value["array"]]
        return np.array(cells, dtype=np.dtype(value["dtype"])).reshape(value["shape"])
    if "number" in value:
        return float(value["number"])
    return _decode_made(value)
