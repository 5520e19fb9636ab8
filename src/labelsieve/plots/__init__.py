"""Pictures of selections and comparisons, in the style of scikit-learn's displays."""

from labelsieve.plots._display import Display
from labelsieve.plots.features import (
    InformationDisplay,
    PixelDisplay,
    RankingDisplay,
    RedundancyDisplay,
)
from labelsieve.plots.methods import CriticalDifferenceDisplay, TimeQualityDisplay
from labelsieve.plots.quality import (
    STANDARD_ERRORS,
    Curve,
    SelectionCurveDisplay,
    VerdictDisplay,
    average,
)

__all__ = [
    "STANDARD_ERRORS",
    "CriticalDifferenceDisplay",
    "Curve",
    "Display",
    "InformationDisplay",
    "PixelDisplay",
    "RankingDisplay",
    "RedundancyDisplay",
    "SelectionCurveDisplay",
    "TimeQualityDisplay",
    "VerdictDisplay",
    "average",
]
