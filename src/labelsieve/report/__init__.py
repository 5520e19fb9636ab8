"""Pages and the measurements they show."""

from labelsieve.report.comparison import comparison_page
from labelsieve.report.own import own_section
from labelsieve.report.page import render_page, write_page
from labelsieve.report.quality import Quality, measure_quality
from labelsieve.report.selection import selection_page

__all__ = [
    "Quality",
    "comparison_page",
    "measure_quality",
    "own_section",
    "render_page",
    "selection_page",
    "write_page",
]
