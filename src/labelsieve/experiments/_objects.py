"""Classifiers given as objects, as plain values that a result file can hold."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

PLAIN = (bool, int, float, str, type(None))
# Keys of the plain forms of an object and of a tuple.
CLASS, PARAMETERS, TUPLE = "class", "parameters", "tuple"


def class_name(estimator: Any) -> str:
    """Return the full name by which other processes find the class of an object."""
    kind = type(estimator)
    name = f"{kind.__module__}.{kind.__qualname__}"
    try:
        found = class_of(name)
    except (ImportError, AttributeError):
        found = None
    if found is not kind or kind.__module__ == "__main__":
        raise TypeError(
            f"a classifier must be of a class that other processes can import; "
            f"{kind.__qualname__} of {kind.__module__} is not. Put it into a module."
        )
    return name


def class_of(name: str) -> Any:
    """Return the class with a full name, such as sklearn.svm.LinearSVC."""
    home, _, kind = name.rpartition(".")
    return getattr(importlib.import_module(home), kind)


def parameters_of(estimator: Any) -> dict[str, Any]:
    """Return the parameters that differ from the defaults of the class, plain."""
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(type(estimator)).parameters.items()
    }
    return {
        name: plain(value, name)
        for name, value in estimator.get_params(deep=False).items()
        if not _same(value, defaults.get(name, inspect.Parameter.empty))
    }


def plain(value: Any, name: str) -> Any:
    """Return a parameter as what JSON can hold; TypeError where that cannot be."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, list):
        return [plain(one, name) for one in value]
    if isinstance(value, tuple):
        return {TUPLE: [plain(one, name) for one in value]}
    if hasattr(value, "get_params") and not isinstance(value, type):
        return {CLASS: class_name(value), PARAMETERS: parameters_of(value)}
    raise TypeError(
        f"the parameter {name} of a classifier must be a number, a text, a list, None "
        f"or another estimator, to be kept with the results; got {value!r}."
    )


def restored(value: Any) -> Any:
    """Return the parameter that a plain form stands for."""
    if isinstance(value, list):
        return [restored(one) for one in value]
    if isinstance(value, Mapping) and TUPLE in value:
        return tuple(restored(one) for one in value[TUPLE])
    if isinstance(value, Mapping):
        return make(value[CLASS], value[PARAMETERS])
    return value


def make(name: str, parameters: Mapping[str, Any]) -> Any:
    """Return an object of a class by its full name, with plain parameters."""
    known = {key: restored(value) for key, value in parameters.items()}
    return class_of(name)(**known)


def shown(value: Any) -> str:
    """Return a plain form as tables show it."""
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, Mapping) and TUPLE in value:
        return f"({', '.join(map(shown, value[TUPLE]))})"
    if isinstance(value, Mapping):
        return label(value[CLASS], value[PARAMETERS])
    return str(value)


def label(name: str, parameters: Mapping[str, Any]) -> str:
    """Return a name without its home, and the parameters that are set."""
    short = name.rpartition(".")[2]
    settings = ", ".join(f"{k}={shown(v)}" for k, v in sorted(parameters.items()))
    return f"{short}({settings})" if settings else short


def _same(value: Any, default: Any) -> bool:
    alike = isinstance(value, PLAIN) and type(value) is type(default)
    return value is default or (alike and value == default)
