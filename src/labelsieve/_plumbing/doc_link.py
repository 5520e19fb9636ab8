"""Where the page of an estimator is, for its HTML representation."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata


class Documented:
    """Mixin of estimators, before scikit-learn's base: their HTML links to a page."""

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
