"""Where an estimator is documented: its docstring, and the page its HTML links to."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any

from labelsieve._plumbing.docstrings import complete_docstring


class Documented:
    """Mixin of estimators, before scikit-learn's base: their HTML links to a page.

    Parameters and attributes that a subclass does not describe are described in its
    docstring as in those of its bases.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        complete_docstring(cls)

    def _get_doc_link(self) -> str:
        """The address of the page; empty for classes of others or if nobody told it."""
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
