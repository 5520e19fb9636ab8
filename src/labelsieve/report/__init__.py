"""Self-contained pages about a selection or a comparison."""

from labelsieve.report.blocks import render_page, write_page
from labelsieve.report.comparison import comparison_page
from labelsieve.report.selection import own_section, selection_page, write_report

__all__ = [
    "comparison_page",
    "own_section",
    "render_page",
    "selection_page",
    "write_page",
    "write_report",
]
