"""Every registered method as a case of a test, and what its class promises."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils import get_tags
from sklearn.utils._param_validation import StrOptions

from labelsieve.registry import describe_selector, make_selector, selector_names
from labelsieve.selectors import LabelSelector, refuse_blocks
from labelsieve.selectors._information import InformationSelector
from tests.selectors.variants import VARIANTS, WITHOUT_CHECKSUM


def cases(n_features_to_select: int | float = 5) -> dict[str, LabelSelector]:
    """Registered methods and their variants by what tests call them.

    Variants use two threads where they can: the result may not depend on it.
    """
    found = {}
    for name in selector_names():
        found[name] = _make(name, {"n_features_to_select": n_features_to_select})
        for settings in VARIANTS.get(name, []) + WITHOUT_CHECKSUM.get(name, []):
            title = ", ".join(f"{key}={value}" for key, value in settings.items())
            settings = {"n_features_to_select": n_features_to_select, **settings}
            if not settings.items() <= found[name].get_params().items():
                found[f"{name}, {title}"] = _make(name, settings, n_jobs=2)
    return found


def _make(name: str, settings: dict[str, Any], **where_known: Any) -> LabelSelector:
    made = make_selector(name, **settings)
    parameters = made.get_params()
    known = {"random_state": 0, "n_estimators": 10, **where_known}
    return made.set_params(**{k: v for k, v in known.items() if k in parameters})


def representatives() -> list[str]:
    """Names that stand for all: of the baselines, each score and transformation once.

    A baseline is taken if both its parts are new, or else if one of them stays new. Of
    models that rank the quickest is taken.
    """
    pairs = {
        name: {*entry.parameters.values(), entry.transformation}
        for name in selector_names()
        if (entry := describe_selector(name)).transformation is not None
    }
    taken: list[str] = []
    for n_new in (2, 1):
        for name, parts in pairs.items():
            seen = set().union(*(pairs[other] for other in taken))
            if len(parts - seen) >= n_new:
                taken.append(name)
    others = [name for name in selector_names() if name.startswith("model+")][1:]
    return [
        name
        for name in selector_names()
        if name in taken or not (name in pairs or name in others)
    ]


def adds_integers(selector: Any) -> bool:
    """Whether scores come from counts, so that every bit stays, whatever the form."""
    return isinstance(selector, InformationSelector)


def takes_two_values_only(selector: Any) -> bool:
    """Whether labels with more values are refused."""
    tags = get_tags(selector).classifier_tags
    return tags is not None and not tags.multi_class


def takes_blocks(selector: Any) -> bool:
    """Whether rows may come in blocks, with these parameters."""
    try:
        refuse_blocks(selector)
    except TypeError:
        return False
    return True


def takes_rows_in_any_order(selector: Any) -> bool:
    """Whether rows are neither drawn at random nor visited one after the other."""
    parameters = selector.get_params()
    drawn = parameters.get("n_anchors") is not None
    drawn |= parameters.get("estimator") == "forest"  # which draws samples
    return not drawn and parameters.get("solver") != "sequential"


def takes_columns_in_any_order(selector: Any) -> bool:
    """Whether columns are not drawn, and no candidates set apart, where many tie."""
    set_apart = selector.get_params().get("n_candidates") is not None
    return not set_apart and not draws_columns(selector)


def draws_columns(selector: Any) -> bool:
    """Whether columns are drawn at random, or a model ends near its optimum."""
    parameters = selector.get_params()
    return "n_estimators" in parameters or "estimator" in parameters


def stops_when_close(selector: Any) -> bool:
    """Whether a solver ends near its optimum, on a way that the columns decide."""
    return "max_iter" in selector.get_params()


def chooses_how_many(selector: Any) -> bool:
    """Whether the method itself says how many features it keeps."""
    return isinstance(selector.n_features_to_select, str)


def weighs_evidence(selector: Any) -> bool:
    """Whether the class knows how many are enough: more rows are more evidence."""
    constraints = type(selector)._parameter_constraints["n_features_to_select"]
    return any(isinstance(one, StrOptions) for one in constraints)


CASES = cases(5)
# All registered methods, of which some stand for those that are made of the same parts.
REGISTERED = [CASES[name] for name in selector_names()]
REPRESENTATIVES = {name: CASES[name] for name in representatives()}

each = pytest.mark.parametrize(
    "selector",
    [pytest.param(selector, id=case) for case, selector in CASES.items()],
)
# Two random seeds for representatives, one for others.
each_seeded = pytest.mark.parametrize(
    ("selector", "random"),
    [
        pytest.param(selector, seed, id=f"{case}-{seed}")
        for case, selector in CASES.items()
        for seed in ((0, 1) if case in REPRESENTATIVES else (0,))
    ],
    indirect=["random"],
)
each_representative = pytest.mark.parametrize(
    "selector", REPRESENTATIVES.values(), ids=REPRESENTATIVES
)


def forms_for(selector, forms, few):
    """All forms by name for representatives, a few of them for others."""
    wanted = forms if selector in REPRESENTATIVES.values() else few
    return [(name, forms[name]) for name in wanted]
