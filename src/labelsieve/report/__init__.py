"""Self-contained pages about a selection or a comparison."""

from labelsieve.report.comparison import comparison_page
from labelsieve.report.own import own_section
from labelsieve.report.page import render_page, write_page
from labelsieve.report.selection import selection_page
from labelsieve.report.writing import write_report

__all__ = [
    "comparison_page",
    "own_section",
    "render_page",
    "selection_page",
    "write_page",
    "write_report",
]
