"""The pieces of a page as plain dictionaries, and the HTML page made of them."""

from __future__ import annotations

import base64
import hashlib
import math
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from labelsieve import __version__
from labelsieve._utils.machine import write_file
from labelsieve._utils.messages import Column, Table, TableCell, need
from labelsieve.plots import Display, average
from labelsieve.sentences import MEASURES, measure_name

# What experiments call view and contest.
HEADINGS = {"view": "values", "contest": "classifier"}
# More points than pixels only make the page larger.
MOST_POINTS = 40
DIGITS = 4
# What stands on the first screen below the figures.
NO_HERO: dict[str, Any] = {"chart": None, "explore": None, "said": ""}
SCRIPTS = ("page.js", "explore.js", "compare.js")
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
# A page stays small enough for mail.
MOST_BYTES = 2_000_000


def section(
    id: str, short: str, title: str, text: Sequence[str], blocks: Sequence[Any]
) -> dict[str, Any]:
    """A part of the page with a title and an entry in the navigation."""
    named = {"id": id, "short": short, "title": title}
    return {**named, "text": list(text), "blocks": list(blocks)}


def figure(name: str, value: str, unit: str = "", note: str = "") -> dict[str, str]:
    """One large number of the summary."""
    return {"name": name, "value": value, "unit": unit, "note": note}


def average_line(
    method: str, sizes: Any, splits: Any, *, dashed: bool = False, measure: str
) -> dict[str, Any]:
    """One line of a chart: the mean over splits, with half of its interval."""
    places = np.linspace(0, len(sizes) - 1, min(len(sizes), MOST_POINTS))
    kept = np.unique(places.round().astype(int)).tolist()
    curve = average(sizes, splits)
    return {
        "method": method,
        "measure": measure,
        "sizes": [plain(sizes[place]) for place in kept],
        "mean": [number(curve.mean[place]) for place in kept],
        "half": [number(curve.high[place] - curve.mean[place]) for place in kept],
        "dashed": dashed,
    }


def curves(
    id: str,
    lines: Sequence[Mapping[str, Any]],
    choices: Mapping[str, str],
    *,
    chosen: int | None = None,
    follows: bool = False,
) -> dict[str, Any]:
    """A chart whose lines can be chosen by `choices` (key to title) and toggled.

    The chosen number `follows` the live part of the page.
    """
    found = {key: list(dict.fromkeys(str(x[key]) for x in lines)) for key in choices}
    return {
        "kind": "curves",
        "id": id,
        "label": "Chart of quality against the number of features",
        "choices": [
            {
                "name": key,
                "title": title,
                "options": [
                    {"value": value, "title": MEASURES.get(value, value)}
                    for value in found[key]
                ],
            }
            for key, title in choices.items()
        ],
        "data": {
            "methods": list(dict.fromkeys(line["method"] for line in lines)),
            "keys": list(choices),
            "titles": MEASURES,
            "series": list(lines),
            "chosen": chosen,
            "follows": follows,
        },
    }


def pictures(*drawn: dict[str, Any]) -> dict[str, Any]:
    """Pictures side by side where there is room."""
    return {"kind": "pictures", "pictures": list(drawn)}


def picture(
    id: str, display: Display, title: str, caption: str, small: bool = False
) -> dict[str, Any]:
    """A display as SVG, with what it shows in words."""
    from markupsafe import Markup

    return {
        "title": title,
        "caption": caption,
        "small": small,
        # Matplotlib has escaped the names in it; the title is escaped there too.
        "svg": Markup(display.to_svg(prefix=f"{id}-", title=f"{title}. {caption}")),
    }


def table(
    described: Table,
    *,
    sortable: bool = True,
    folded: str = "",
    sizes: Sequence[int] = (),
    plain: bool = False,
) -> dict[str, Any]:
    """A table; the first cell of a row is its header. `folded`: what opens it.

    Rows of `sizes` set the number of features of a live page, which shows a `plain`
    table in print only.
    """
    columns = [_on_page(column) for column in described.columns]
    rows = replace(described, columns=columns).cells()
    return {
        "kind": "table",
        "folded": folded,
        "sizes": list(sizes),
        "plain": plain,
        "caption": described.title,
        "columns": [
            {"title": column.heading, "number": column.number} for column in columns
        ],
        "rows": [list(map(_cell, row, columns)) for row in rows],
        "sortable": sortable and len(rows) > 1,
    }


def _on_page(column: Column) -> Column:
    """The same column in the words of the page."""
    heading = HEADINGS.get(column.heading, column.heading)
    show = measure_name if column.key == "measure" else column.show
    return replace(column, heading=heading, show=show)


def _cell(cell: TableCell, column: Column) -> dict[str, Any]:
    classes = ("number" if column.number else "", column.style, cell.tone)
    return {
        "text": cell.text.replace(" %", "\N{NO-BREAK SPACE}%"),
        "sort": cell.sort,
        "classes": " ".join(filter(None, classes)),
        "mark": cell.mark,
        "mark_title": cell.meaning,
    }


def facts(caption: str, pairs: Mapping[str, Any]) -> dict[str, Any]:
    """A table of names and values."""
    rows = [{"what": str(name), "value": _fact(v)} for name, v in pairs.items()]
    columns = [Column("what", "what"), Column("value", "value")]
    return table(Table(caption, columns, rows), sortable=False)


def how_made(
    command: str,
    described: Mapping[str, Mapping[str, Any]],
    notes: Sequence[str] = (),
    further: Sequence[Any] = (),
) -> dict[str, Any]:
    """The last section: a command to copy, and small tables of facts by title."""
    listed = {**described, "Versions": versions()}
    text = [*notes, "This command makes this page again:"]
    shown = [
        {"kind": "command", "text": command},
        {"kind": "tables", "tables": [facts(*pair) for pair in listed.items()]},
        *further,
    ]
    return section("made", "How made", "How was this made?", text, shown)


def plain(size: float) -> float:
    """A whole number where it is one."""
    number = float(size)
    return int(number) if number.is_integer() else number


def number(value: float, digits: int = DIGITS) -> float | None:
    """A number for JSON, with few digits; None where it is not finite."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def _fact(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def versions() -> dict[str, str]:
    """Return the versions that can matter for a result."""
    found = {"labelsieve": __version__, "Python": platform.python_version()}
    found |= {package: version(package) for package in PACKAGES}
    found["system"] = f"{platform.system()} {platform.machine()}"
    return found


def render_page(content: Mapping[str, Any]) -> str:
    """Return the HTML of a page that loads nothing; all text in `content` is escaped.

    It has ``title``, ``kicker``, ``summary`` (sentences), ``figures`` and ``sections``
    whose blocks come from :mod:`labelsieve.report.blocks`.

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
    compact = {"sort_keys": True, "separators": (",", ":")}
    environment.policies["json.dumps_kwargs"] = compact
    hero = content.get("hero", {})
    script = "".join(_asset(name) for name in SCRIPTS)
    return environment.get_template("page.html.j2").render(
        {"figures": [], "summary": [], **content, "hero": {**NO_HERO, **hero}},
        version=__version__,
        style=Markup(_asset("page.css")),
        script=Markup(script),
        # Nothing else in the page may run, whatever names hold.
        allowed=_checksum(script),
    )


def _asset(name: str) -> str:
    return (files("labelsieve.report") / "assets" / name).read_text("utf-8")


def _checksum(script: str) -> str:
    """What a Content-Security-Policy calls this script."""
    digest = hashlib.sha256(f"\n{script}\n".encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def write_page(content: Mapping[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write a page in one step: no half page is ever seen.

    `content` is as for :func:`render_page`; the folder of the path is made if need be.
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
