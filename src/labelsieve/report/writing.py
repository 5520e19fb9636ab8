"""write_report: from a selector and its data to a page, in one call."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sklearn.base import clone

from labelsieve._plumbing.warnings import told_once
from labelsieve.choosing import SizeCV, measure_quality
from labelsieve.report.page import write_page
from labelsieve.report.selection import selection_page
from labelsieve.selectors import check_selector


@told_once()
def write_report(
    selector: Any,
    X: Any,
    Y: Any,
    path: str | os.PathLike[str],
    *,
    feature_names: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    name: str = "data",
    judges: Sequence[Any] = (),
    budget: float | None = None,
    groups: Any = None,
    stratified: bool = False,
    seed: int = 0,
    verbose: bool = False,
) -> Path:
    """Write a page about a selection: which features, why, and what is lost.

    Parameters
    ----------
    selector : selector of this library, or SizeCV
        Fitted or not; it is not changed. ``"auto"`` is allowed.
    X, Y : as in `fit`
        The data; names come from DataFrames.
    path : path
        The page; its folder is made if need be.
    feature_names, label_names : sequence of str, optional
        What to call features and labels instead.
    name : str, default="data"
        What the data are called.
    judges, budget, groups, stratified, seed, verbose
        As in :func:`labelsieve.choosing.measure_quality`.

    Returns
    -------
    path : Path
        The page: one file that loads nothing.

    Examples
    --------
    >>> import tempfile
    >>> from labelsieve import FIMF, write_report
    >>> from labelsieve.datasets import make_multilabel
    >>> X, Y, _ = make_multilabel(100, 3, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(FIMF(4), X, Y, f"{folder}/why.html")
    ...     "4 of 50 features" in page.read_text("utf-8")
    True
    """
    check_selector(selector, "write_report", SizeCV)
    fitted = selector
    if not hasattr(selector, "order_"):
        fitted = clone(selector).fit(X, Y)
    is_search = isinstance(fitted, SizeCV)
    method = fitted.selector_ if is_search else fitted
    names = {"feature_names": feature_names, "label_names": label_names}
    explanation = method.explain(X, Y, **names)
    quality = measure_quality(
        *(selector, X, Y),
        judges=judges,
        budget=budget,
        groups=groups,
        stratified=stratified,
        seed=seed,
        verbose=verbose,
    )
    content = selection_page(
        explanation,
        quality,
        method=type(method).__name__,
        description={
            "name": name,
            "instances": quality.n_all_rows,
            "features": quality.n_features,
            "labels": quality.n_all_labels,
        },
        settings=method.get_params(),
        command=f"labelsieve.write_report({clone(selector)!r}, X, Y, {str(path)!r})",
        search=fitted if is_search else None,
    )
    return write_page(content, path)
