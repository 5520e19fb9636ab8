"""Self-contained pages about a selection or a comparison."""

from labelsieve.report.blocks import render_page, write_page
from labelsieve.report.comparison import comparison_page
from labelsieve.report.explore import refit
from labelsieve.report.selection import (
    notebook_page,
    selection_page,
    specific_section,
    write_report,
)

__all__ = [
    "comparison_page",
    "notebook_page",
    "refit",
    "render_page",
    "selection_page",
    "specific_section",
    "write_page",
    "write_report",
]
