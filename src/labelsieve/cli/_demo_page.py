"""The built-in demonstration: which 12 of 64 pixels tell a digit's segments?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

from labelsieve import sentences
from labelsieve.choosing import Quality, measure_quality
from labelsieve.datasets import Dataset, describe, load_segments
from labelsieve.plots import PixelDisplay
from labelsieve.report import selection_page
from labelsieve.selectors import Explanation, Sieve

N_PIXELS = 12
SIDE = 8
N_SPLITS = 10
DISPLAY = (" aaa ", "f   b", "f   b", " ggg ", "e   c", "e   c", " ddd ")


@dataclass(frozen=True, eq=False)
class Demo:
    """What the demonstration found.

    Attributes
    ----------
    data : Dataset
        1,797 digits and their segments.
    explanation : Explanation
        The chosen pixels, best first, and what they tell.
    quality : Quality
        Of the chosen, of random and of all pixels.
    """

    data: Dataset
    explanation: Explanation
    quality: Quality

    def page(self, command: str = "labelsieve demo") -> dict[str, Any]:
        """Return the content of the page about it."""
        pixels = PixelDisplay(
            self.explanation.features.tolist(),
            (SIDE, SIDE),
            background=self.data.X.mean(axis=0),
        )
        return selection_page(
            self.explanation,
            self.quality,
            method="Sieve",
            description=describe(self.data)._asdict(),
            settings=Sieve(N_PIXELS).get_params(),
            command=command,
            pixels=pixels,
        )

    def __str__(self) -> str:
        return "\n".join([*_picture(self), "", *_reasons(self), "", *_table(self)])


def run_demo(n_jobs: int | None = None, seed: int = 0) -> Demo:
    """Select 12 pixels and measure what they are worth.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads.
    seed : int
        The seed of the splits and of the random pixels.

    Returns
    -------
    demo : Demo
        Printing it gives a picture of the pixels, the reasons and the quality.

    Examples
    --------
    >>> from labelsieve.cli._demo_page import run_demo
    >>> demo = run_demo()
    >>> demo.explanation.feature_names[:3]
    ['3,2', '5,4', '6,2']
    """
    data = load_segments()
    sieve = Sieve(N_PIXELS, n_jobs=n_jobs).fit(data.X, data.Y)
    explanation = sieve.explain(
        data.X,
        data.Y,
        feature_names=data.feature_names,
        label_names=data.label_names,
    )
    chooser = Sieve(N_PIXELS, n_jobs=n_jobs)
    # The same on every machine: all rows, however long it takes.
    rule = partial(measure_quality, n_splits=N_SPLITS, budget=math.inf)
    quality = rule(chooser, data.X, data.Y, seed=seed)
    return Demo(data, explanation, quality)


def _picture(demo: Demo) -> list[str]:
    """The pixels by the order in which they were picked, beside the display."""
    place = {int(pixel): n for n, pixel in enumerate(demo.explanation.features, 1)}
    lines = [
        f"Which {N_PIXELS} of the {SIDE * SIDE} pixels tell which segments are lit? "
        "Sieve picks, in this order:",
        "",
        "       " + "".join(f"{column:3d}" for column in range(SIDE)),
    ]
    for row in range(SIDE):
        cells = (place.get(row * SIDE + column) for column in range(SIDE))
        drawn = "".join(f"{'·':>3}" if n is None else f"{n:3d}" for n in cells)
        side = DISPLAY[row] if row < len(DISPLAY) else ""
        lines.append(f"  row {row}{drawn}      {side}".rstrip())
    return lines


def _reasons(demo: Demo) -> list[str]:
    lines = ["Why these: the segments that each pixel tells most about, by itself"]
    for rank, pixel in enumerate(demo.explanation.reasons(), start=1):
        told = ", ".join(
            f"{100 * told['share']:.0f} % of {told['label']}"
            for told in pixel["labels"]
        )
        lines.append(f"  {rank:2d}. pixel {pixel['name']}: {told}")
    return lines


def _table(demo: Demo) -> list[str]:
    quality = demo.quality
    train = sentences.percent(1 - quality.test_share)
    lines = [
        f"How good: classifiers learn from {train} of the digits and name the segments "
        f"of the rest ({quality.n_splits} splits)",
    ]
    for judge in quality.judges:
        lines.append(
            f"  {sentences.judge_name(judge):21s} segments right   all 7 right"
        )
        for title, features in (
            (f"{N_PIXELS} chosen pixels", "chosen"),
            (f"{N_PIXELS} random pixels", "random"),
            (f"all {SIDE * SIDE} pixels", "all"),
        ):
            right = 100 - 100 * quality.mean("hamming_loss", features, judge)
            whole = 100 * quality.mean("subset_accuracy", features, judge)
            lines.append(f"    {title:19s} {right:12.1f} % {whole:11.1f} %")
    return [*lines, "", *quality.sentences()]
