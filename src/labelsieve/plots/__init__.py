"""Pictures of selections and comparisons, in the style of scikit-learn's displays."""

from labelsieve.plots._display import Display
from labelsieve.plots.critical_difference import CriticalDifferenceDisplay
from labelsieve.plots.curve import (
    STANDARD_ERRORS,
    Curve,
    SelectionCurveDisplay,
    average,
)
from labelsieve.plots.information import InformationDisplay
from labelsieve.plots.pixels import PixelDisplay
from labelsieve.plots.ranking import RankingDisplay
from labelsieve.plots.redundancy import RedundancyDisplay
from labelsieve.plots.runtime import RuntimeDisplay
from labelsieve.plots.time_quality import TimeQualityDisplay
from labelsieve.plots.verdict import VerdictDisplay

__all__ = [
    "STANDARD_ERRORS",
    "CriticalDifferenceDisplay",
    "Curve",
    "Display",
    "InformationDisplay",
    "PixelDisplay",
    "RankingDisplay",
    "RedundancyDisplay",
    "RuntimeDisplay",
    "SelectionCurveDisplay",
    "TimeQualityDisplay",
    "VerdictDisplay",
    "average",
]
