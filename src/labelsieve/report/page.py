"""From a plain dictionary to one self-contained HTML page."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from labelsieve import __version__
from labelsieve._plumbing.machine import write_file
from labelsieve._plumbing.messages import need

# A page stays small enough for mail.
MOST_BYTES = 2_000_000


def render_page(content: Mapping[str, Any]) -> str:
    """Return the HTML of a page; all text in `content` is escaped.

    Parameters
    ----------
    content : mapping
        ``title``, ``kicker``, ``summary`` (sentences), ``figures`` and ``sections``
        whose blocks come from :mod:`labelsieve.report.blocks`.

    Returns
    -------
    html : str
        A page that loads nothing.

    Examples
    --------
    >>> from labelsieve.report import render_page
    >>> content = {"title": "<b>", "kicker": "", "summary": [], "sections": []}
    >>> page = render_page(content)
    >>> "&lt;b&gt;" in page, "<b>" in page
    (True, False)
    """
    jinja2 = need("jinja2", "a page", "report")
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("labelsieve.report", "assets"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    assets = files("labelsieve.report") / "assets"
    return environment.get_template("page.html.j2").render(
        {"figures": [], **content},
        version=__version__,
        style=Markup((assets / "page.css").read_text("utf-8")),
        script=Markup((assets / "page.js").read_text("utf-8")),
    )


def write_page(content: Mapping[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write a page in one step: no half page is ever seen.

    Parameters
    ----------
    content : mapping
        As for :func:`render_page`.
    path : path
        The file; its folder is made if need be.

    Returns
    -------
    path : Path
        The file.
    """
    data = render_page(content).encode("utf-8", "replace")
    if len(data) > MOST_BYTES:
        raise ValueError(
            f"the page would have {len(data):,} bytes, more than {MOST_BYTES:,}; "
            "report fewer data sets or methods at a time"
        )
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_file(target, data)
    return target
