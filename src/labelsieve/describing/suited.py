"""Which methods suit data, and why the others do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils import get_tags

from labelsieve.describing.data import Data
from labelsieve.registry import LOWEST_REGRET, make_selector, selector_names
from labelsieve.selectors import takes_unknown_labels

# Methods that compare each row with all others take minutes from here on.
MANY_ROWS = 20_000
# Methods with a table of all pairs of features take minutes from here on.
MANY_FEATURES = 10_000


def suited_methods(unsuited: dict[str, list[str]]) -> list[str]:
    """All other methods, those that lose least on the leaderboard first."""
    left_out = {name for names in unsuited.values() for name in names}
    names = dict.fromkeys([*LOWEST_REGRET, *selector_names()])
    return [name for name in names if name not in left_out]


def unsuited_methods(data: Data) -> dict[str, list[str]]:
    """The names of methods that do not suit, by the reason."""
    n_rows, n_features = data.values.shape[0], len(data.feature_names)
    reasons: dict[str, Callable[[Any], bool]] = {}
    if data.missing:
        reasons["cells are missing, impute first"] = _needs_cells
    if data.labels.n_unknown is not None:
        reasons["labels are not known in every row"] = _needs_labels
    if (data.labels.n_values > 2).any():
        reasons["labels need two values"] = _needs_two_values
    if n_rows > MANY_ROWS:
        why = f"they compare {n_rows:,} rows with each other, use n_anchors or a sample"
        reasons[why] = _compares_rows
    if n_features > MANY_FEATURES:
        why = f"they compare {n_features:,} features with each other"
        reasons[why] = _compares_features
    found: dict[str, list[str]] = {why: [] for why in reasons}
    for name in selector_names() if reasons else ():
        selector = make_selector(name)
        why_not = next((why for why, holds in reasons.items() if holds(selector)), None)
        if why_not is not None:
            found[why_not].append(name)
    return {why: names for why, names in found.items() if names}


def _needs_cells(selector: Any) -> bool:
    return not get_tags(selector).input_tags.allow_nan


def _needs_labels(selector: Any) -> bool:
    return not takes_unknown_labels(selector)


def _needs_two_values(selector: Any) -> bool:
    tags = get_tags(selector).classifier_tags
    return tags is not None and not tags.multi_class


def _compares_rows(selector: Any) -> bool:
    parameters = selector.get_params(deep=False)
    uses_neighbors = parameters.get("score_func", "relieff") == "relieff"
    return "n_anchors" in parameters or ("n_neighbors" in parameters and uses_neighbors)


def _compares_features(selector: Any) -> bool:
    return getattr(selector, "_counts_feature_pairs", False)
