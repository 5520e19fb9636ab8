"""What estimators share: docstrings, the page they link to, fits, parameters."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable
from functools import cache, wraps
from importlib.metadata import PackageNotFoundError, metadata
from numbers import Integral
from typing import Any, ClassVar, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags
from sklearn.utils._param_validation import InvalidParameterError, make_constraint

from labelsieve._utils.machine import refuse_larger_than_memory
from labelsieve._utils.typing import Matrix

# "Parameters", underlined.
_TITLE = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
# "include, exclude : list of str", and the indented lines below.
_ENTRY = re.compile(r"^(\**\w+(?:, \w+)*) : .*(?:\n[ ]+.*)*", re.MULTILINE)
NAMED = ("Parameters", "Attributes")
Fit = TypeVar("Fit", bound=Callable[..., Any])
TAKE_BOOLS = ("boolean", "verbose", "no_validation")


def complete_docstring(kind: Any, method: Any = None) -> None:
    """Add the parameters and attributes that only the bases of a class describe.

    Parameters come in the order of `__init__`, attributes in that of the bases. What a
    method leaves out is said by those of its name; parameters are otherwise those of
    the other methods.
    """
    written, init = method or kind, method or kind.__init__
    if not written.__doc__:  # none was written, or Python leaves them out with -OO
        return
    idea, sections = _sections(written)
    told_by = kind.__mro__[1:]
    if method is not None:
        ours = [vars(one) for one in told_by if issubclass(one, Documented)]
        told_by = [one[method.__name__] for one in ours if method.__name__ in one]
    bases = [_sections(one)[1] for one in reversed(told_by)]
    if method is not None:
        said = [base["Returns"] for base in [*bases, sections] if "Returns" in base]
        sections |= {"Returns": said[-1]} if said else {}
        others = [*filter(inspect.isfunction, vars(kind).values())][::-1]
        others += [kind.fit] if hasattr(kind, "fit") else []
        bases = [_sections(other)[1] for other in others] + bases
    for title in NAMED:
        described: dict[str, str] = {}
        for told in [*bases, sections]:
            described |= _entries(told.get(title, ""))
        names = list(described)
        if title == "Parameters" and init is not object.__init__:
            # A base may describe what only some of its subclasses take.
            own = _entries(sections.get(title, ""))
            names = [*inspect.signature(init).parameters, *own]
        entries = dict.fromkeys(described[name] for name in names if name in described)
        sections[title] = "\n".join(entries)
    first = {title: sections.pop(title) for title in NAMED}
    parts = [
        f"{title}\n{'-' * len(title)}\n{body.rstrip()}"
        for title, body in [*first.items(), *sections.items()]
        if body
    ]
    written.__doc__ = "\n\n".join([idea.rstrip(), *parts]) + "\n"


def _sections(written: Any) -> tuple[str, dict[str, str]]:
    """What a docstring says before its first section, and the sections by title."""
    idea, *rest = _TITLE.split(inspect.cleandoc(written.__doc__ or ""))
    return idea, dict(zip(rest[::2], rest[1::2], strict=True))


def _entries(body: str) -> dict[str, str]:
    """What a section says of each name; one entry may describe several."""
    return {
        name: match[0]
        for match in _ENTRY.finditer(body)
        for name in match[1].split(", ")
    }


class Documented:
    """Mixin of estimators, before scikit-learn's base: their HTML links to a page.

    Parameters and attributes that a subclass does not describe are described in its
    docstring as in those of its bases; constraints of parameters are inherited.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        complete_docstring(cls)
        for method in filter(inspect.isfunction, vars(cls).values()):
            if not method.__name__.startswith("_"):
                complete_docstring(cls, method)
        inherited: dict[str, list[Any]] = {}
        for base in reversed(cls.__mro__[1:]):
            inherited |= vars(base).get("_parameter_constraints", {})
        taken = inspect.signature(cls).parameters
        cls._parameter_constraints = {
            **{name: told for name, told in inherited.items() if name in taken},
            **vars(cls).get("_parameter_constraints", {}),
        }

    def _get_doc_link(self) -> str:
        """The address of the page; empty for classes of others or if unknown."""
        package, _, _ = type(self).__module__.partition(".")
        pages = documentation()
        if package != "labelsieve" or not pages:
            return ""
        return f"{pages}/generated/labelsieve.{type(self).__name__}.html"


@cache
def documentation() -> str:
    """The address of the documentation that this release was built with, or ''."""
    try:
        addresses = metadata("labelsieve").get_all("Project-URL") or []
    except PackageNotFoundError:  # a source tree that is not installed
        return ""
    told = dict(address.split(", ", 1) for address in addresses)
    return str(told.get("Documentation", ""))


def fits_in_one_step(fit: Fit) -> Fit:
    """A `fit` that works on a copy: what it found is set in one step, at its end.

    A fit that fails leaves the estimator as it was.
    """

    @wraps(fit)
    def fitted(self: Any, *args: Any, **kwargs: Any) -> Any:
        work = copy.copy(self)
        fit(work, *args, **kwargs)
        self.__dict__ = vars(work)
        return self

    return fitted  # type: ignore[return-value]


def require_targets(estimator: Any, y: Any) -> None:
    """ValueError where no y is passed; scikit-learn looks for the first words."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is "
            "None. Pass one 0/1 column per label."
        )


def check_count(count: Any, name: str) -> int:
    """Return the count; an error unless it is a whole number of at least 1."""
    if isinstance(count, bool) or not isinstance(count, Integral):
        raise TypeError(f"{name} must be a whole number, got {count!r}.")
    if count < 1:
        raise ValueError(f"{name} must be at least 1, got {count}.")
    return int(count)


def refuse_bools(estimator: Any) -> None:
    """Reject True and False where they would count as 1 and 0."""
    for name, constraints in estimator._parameter_constraints.items():
        value = getattr(estimator, name, None)
        if not isinstance(value, bool | np.bool_) or constraints in TAKE_BOOLS:
            continue
        if any(isinstance(c, str) and c in TAKE_BOOLS for c in constraints):
            continue
        allowed = [str(make_constraint(constraint)) for constraint in constraints]
        *others, last = allowed
        expected = f"{', '.join(others)} or {last}" if others else last
        raise InvalidParameterError(
            f"The {name!r} parameter of {type(estimator).__name__} must be {expected}. "
            f"Got {value!r} instead."
        )


def as_accepted(X: Matrix, model: Any) -> Matrix:
    """X, as an array where the model takes no sparse matrix."""
    if not sp.issparse(X) or get_tags(model).input_tags.sparse:
        return X
    refuse_larger_than_memory(
        X.shape,
        f"The dense table that {type(model).__name__} needs",
        "Choose candidates first, for example with FIMF.",
        itemsize=8,
    )
    return X.toarray()
