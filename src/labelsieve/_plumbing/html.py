"""Small pieces of HTML for notebooks: everything is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from labelsieve._plumbing.tables import Table

# A notebook shows a screen; the whole table is in `to_frame`.
MOST_ROWS = 30


def paragraphs(sentences: Iterable[str]) -> str:
    """One paragraph per sentence."""
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def table(shown: Table) -> str:
    """The first rows of a table, the title above and what is left out below."""
    head = "".join(f"<th>{escape(column.heading)}</th>" for column in shown.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell.text)}</td>" for cell in row) + "</tr>"
        for row in shown.cells()[:MOST_ROWS]
    )
    title = f"<caption>{escape(shown.title)}</caption>" if shown.title else ""
    left = len(shown.rows) - MOST_ROWS
    more = f"<p>… and {left:,} more rows: see to_frame()</p>" if left > 0 else ""
    return (
        f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        + more
    )
