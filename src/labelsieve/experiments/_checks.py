"""Result files that were edited or damaged are noticed before anything uses them."""

from __future__ import annotations

import json
from typing import Any

from labelsieve.metrics import BY_PREDICTIONS, BY_PROPENSITIES, BY_SCORES

# A number beyond this is no measurement, and no picture can show it.
LARGEST = 1e15


def read_json(text: str | bytes) -> Any:
    """Read JSON; ValueError whatever the text is, NaN and infinity refused."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def misfit(value: Any, form: Any, place: str = "") -> str | None:
    """Return what does not have its form, as a sentence; None where all is well.

    A form is a type, a list with the form of all entries, a dictionary with the form
    of each required entry (or ``{str: form}`` for all of them), a set of allowed
    texts, a function that says yes, or a tuple of forms of which one is enough.
    ``float`` means any finite number.
    """
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


MEASURES = {*BY_PREDICTIONS, *BY_SCORES, *BY_PROPENSITIES}
# What stores of earlier versions do not hold.
LATER = {"macro_auc"}

_PLACE = {"dataset": str, "view": str, "contest": str}
_METHOD = {**_PLACE, "method": str}
_JUDGED = {**_METHOD, "measure": MEASURES}
_INTERVAL = {"low": float, "high": float}

_EXPERIMENT = {
    "name": str,
    "title": str,
    "reference": (str, None),
    "reference_method": str,
    "protocols": {str: str},
    "criterion": (str, int),
    "measures": [MEASURES],
    "views": [str],
    "seed": int,
    "notes": [str],
    "n_cells": int,
    "version": str,
}
_CONTENT = {
    "experiment": _EXPERIMENT,
    "datasets": [
        {"name": str, "rows": int, "features": int, "labels": int, "checksum": str}
    ],
    "missing": [str],
    "left_out": [
        {"dataset": str, "method": str, "reason": str, "published": {str: float}}
    ],
    "failed": [{**_METHOD, "n_failed": int, "reason": str}],
    "scores": [
        {
            **_JUDGED,
            **_INTERVAL,
            **dict.fromkeys(("mean", "sd", "best", "best_at", "area"), float),
            "n_splits": int,
        }
    ],
    "tests": [
        {
            **_JUDGED,
            # None where the difference is not testable.
            **dict.fromkeys(("p_paired", "p_corrected", "p_wilcoxon"), (float, None)),
            "reference": str,
            "difference": float,
            "win_tie_loss": [int],
        }
    ],
    "ranks": [
        {
            "view": str,
            "contest": str,
            "measure": MEASURES,
            "n_datasets": int,
            "methods": [str],
            "average_ranks": [float],
            "friedman_p": float,
            "critical_difference": float,
        }
    ],
    "stability": [{**_METHOD, **_INTERVAL, "size": int, "stability": float}],
    "curves": [
        {
            **_METHOD,
            "n_splits": int,
            "points": [float],
            "measures": {str: {"mean": [float], "sd": [float]}},
        }
    ],
}
# Only where a paper was reproduced.
_PUBLISHED = {
    "table": [
        {
            **_JUDGED,
            **_INTERVAL,
            **dict.fromkeys(("published", "ours", "difference"), float),
            "at": (str, float),
            "best_at": (float, None),
            "verdict": str,
            "remark": (str, None),
            "where": str,
        }
    ],
    "verdicts": {str: {str: int}},
    "claims": [
        {
            **dict.fromkeys(("claim", "verdict", "where"), str),
            **dict.fromkeys(("cases", "better"), int),
            **dict.fromkeys(("significantly_better", "significantly_worse"), int),
        }
    ],
}
_COSTS = [
    {
        **_METHOD,
        **dict.fromkeys(("select_seconds", "select_cpu_seconds"), float),
        "judge_seconds": float,
        "select_peak_mib": (float, None),
    }
]
_RECORD = {
    "cell": {str: object},
    "points": [float],
    "order": [int],
    "n_features": int,
    "n_train": int,
    "n_test": int,
    "cost": {
        **dict.fromkeys(("select_seconds", "select_cpu_seconds"), float),
        "judge_seconds": float,
        "select_peak_bytes": (int, None),
    },
}


def check_results(content: Any, costs: Any) -> None:
    """Raise ValueError where these are not the results of an experiment."""
    found = (
        misfit(content, _CONTENT)
        or misfit(
            content,
            {key: _PUBLISHED[key] for key in _PUBLISHED.keys() & content.keys()},
        )
        or misfit(costs, _COSTS, "costs")
        or _contradiction(content, costs)
    )
    if found is not None:
        raise ValueError(f"not as an experiment wrote it: {found}")


def record_fault(record: Any, measures: Any = None) -> str | None:
    """Return what is wrong with the record of a cell that did not fail."""
    kept = sorted(MEASURES - LATER) if measures is None else measures
    if misfit(kept, [MEASURES]):
        return "the measures are none of ours"
    found = misfit(record, {**_RECORD, "measures": dict.fromkeys(kept, list)})
    if found is not None:
        return found
    n_features, order, points = record["n_features"], record["order"], record["points"]
    if record["n_train"] < 1 or record["n_test"] < 1 or not points:
        return "there are no rows or no points"
    if any(
        len(values) != len(points) or misfit(values, [(float, _is_nan)])
        for values in record["measures"].values()
    ):
        return "a measure has not one number for each point"
    known = all(0 <= feature < n_features for feature in order)
    if len(set(order)) < len(order) or not known:
        return "the order is none of the features"
    return None


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value


def _contradiction(content: dict[str, Any], costs: list[dict[str, Any]]) -> str | None:
    """What does not go together, of entries that each have their form."""
    measures = set(content["experiment"]["measures"])
    if not measures:
        return "there are no measures"
    for data in content["datasets"]:
        if data["name"] not in content["experiment"]["protocols"]:
            return f"data set {data['name']!r} has no protocol"
        if min(data["rows"], data["features"], data["labels"]) < 1:
            return f"data set {data['name']!r} is empty"
    for curve in content["curves"]:
        n_points = len(curve["points"])
        lengths = {len(v) for m in curve["measures"].values() for v in m.values()}
        if lengths != {n_points} or not n_points or curve["n_splits"] < 1:
            return f"the curve of {curve['method']!r} has values without points"
        if not measures <= curve["measures"].keys():
            return f"the curve of {curve['method']!r} lacks a measure"
    judged: dict[tuple[str, ...], set[str]] = {}
    for row in content["scores"]:
        place = tuple(row[key] for key in _METHOD)
        judged.setdefault(place, set()).add(row["measure"])
    if any(found != measures for found in judged.values()):
        return "scores lack a measure"
    for row in content["ranks"]:
        ranks, n_methods = row["average_ranks"], len(row["methods"])
        if len(ranks) != n_methods or not all(1 <= r <= n_methods for r in ranks):
            return "there is not one rank for each method"
    unknown = {c["dataset"] for c in costs} - {d["name"] for d in content["datasets"]}
    return f"costs of the unknown data set {min(unknown)!r}" if unknown else None
