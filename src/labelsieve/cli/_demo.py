"""``labelsieve demo``: see it work without any data."""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labelsieve import sentences
from labelsieve.cli._options import (
    add_run_options,
    new_parser,
    say,
    this_command,
)

if TYPE_CHECKING:
    from labelsieve.choosing import Quality
    from labelsieve.datasets import Dataset
    from labelsieve.selectors import Explanation

N_PIXELS = 12
SIDE = 8
N_SPLITS = 10
DISPLAY = (" aaa ", "f   b", "f   b", " ggg ", "e   c", "e   c", " ddd ")
EXAMPLES = """\
examples:
  labelsieve demo
  labelsieve demo --output /tmp/digits.html
"""


def add_demo(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "demo",
        run,
        help="see it work on handwritten digits",
        description="Select 12 of 64 pixels of handwritten digits, say why, measure "
        "what they are worth and write a page about it. Nothing is downloaded.",
        epilog=EXAMPLES,
    )
    parser.option(
        "-o --output PAGE",
        "where the page goes (default: demo/index.html)",
        default=Path("demo") / "index.html",
    )
    add_run_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Run the demonstration, print it and write its page."""
    from labelsieve.report import write_page

    demo = run_demo(arguments.jobs, arguments.seed)
    page = write_page(demo.page(this_command(arguments)), arguments.output)
    say(str(demo))
    say(f"\nThe page with pictures: {page}")


@dataclass(frozen=True, eq=False)
class Demo:
    """What the demonstration found: the chosen pixels, and what they are worth."""

    data: Dataset
    explanation: Explanation
    quality: Quality

    def page(self, command: str = "labelsieve demo") -> dict[str, Any]:
        """Return the content of the page about it."""
        from labelsieve.datasets import describe
        from labelsieve.plots import PixelDisplay
        from labelsieve.report import selection_page
        from labelsieve.selectors import Sieve

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

    Printing what it returns gives a picture of the pixels, the reasons and the quality.

    Examples
    --------
    >>> from labelsieve.cli._demo import run_demo
    >>> demo = run_demo()
    >>> demo.explanation.feature_names[:3]
    ['3,2', '5,4', '6,2']
    """
    from labelsieve.choosing import measure_quality
    from labelsieve.datasets import load_segments
    from labelsieve.selectors import Sieve

    data = load_segments()
    sieve = Sieve(N_PIXELS, n_jobs=n_jobs).fit(data.X, data.Y)
    explanation = sieve.explain(
        data.X,
        data.Y,
        feature_names=data.feature_names,
        label_names=data.label_names,
    )
    # The same on every machine: all rows, however long it takes.
    quality = measure_quality(
        Sieve(N_PIXELS, n_jobs=n_jobs),
        data.X,
        data.Y,
        n_splits=N_SPLITS,
        budget=math.inf,
        seed=seed,
    )
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
