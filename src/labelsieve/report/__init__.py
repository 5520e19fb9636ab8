"""Pages and the measurements they show."""

from labelsieve.report.quality import Quality, measure_quality

__all__ = ["Quality", "measure_quality"]
