"""Commands that show and convert: demo, describe, methods and convert."""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labelsieve import sentences
from labelsieve._utils.messages import Column, Table, printable
from labelsieve.cli._data import STANDARD, read_data, refuse_overwriting, write_data
from labelsieve.cli._options import note, say, say_json, this_command

if TYPE_CHECKING:
    from labelsieve.choosing import Quality
    from labelsieve.datasets import Dataset
    from labelsieve.selectors import Explanation, Sieve

N_PIXELS = 12
SIDE = 8
N_SPLITS = 10
DISPLAY = (" aaa ", "f   b", "f   b", " ggg ", "e   c", "e   c", " ddd ")
# What methods can take, and how it is called.
TAKES = {"classes": "classes", "numbers": "numbers", "mixtures": "both mixed"}
TAKES |= {"unknown": "unknown targets", "missing": "missing cells"}
TAKES |= {"weights": "sample weights", "groups": "feature groups"}
DEMO = """
demo: see it work on handwritten digits

Select 12 of 64 pixels of handwritten digits, say why, measure what they are worth and
write a page about it. Nothing is downloaded.

-o --output PAGE = demo/index.html
    where the page goes (default: demo/index.html)
<run>

examples:
  labelsieve demo
  labelsieve demo --output /tmp/digits.html
"""
DESCRIBE = """
describe: show what is in a file, and what to notice

Print what papers print about a data set (rows, features, labels, labels per row, label
sets, imbalance), and what a careful colleague would notice: missing cells, copies,
identifiers, features that contain a label, rare, equal and nested labels, equal rows
with different labels; what labelsieve does about each, and which methods suit.

files DATA
    a file, folder, archive, openml:NAME or - for the standard input
<data>
<text>
--json
    print a JSON list with one object per file

examples:
  labelsieve describe music.arff
  labelsieve describe data/emotions data/scene data/yeast
  cat music.csv | labelsieve describe - --labels tag_ --json
"""
CONVERT = """
convert: write a data set in another format

Read a data set and write it in another format. What a format cannot say (which columns
are labels, categories) goes to a small file next to it, so that nothing is lost. Dates
are written as seconds since 1970.

source FROM
    the data, - for standard input
target TO
    the new file; its suffix gives the format (.arff, .csv, .tsv, .libsvm, .parquet,
    also with .gz); - for standard output
--to {mulan,meka,csv,tsv,libsvm,parquet}
    the format, if the suffix does not say it
<data>

examples:
  labelsieve convert music.arff music.parquet
  labelsieve convert music.csv music.arff.gz --labels tag_
  labelsieve convert music.arff - --to csv | head
"""
METHODS = """
methods: list the methods, with references

List the selection methods, or describe some of them.

names METHOD
    details of these
--json
    print JSON

examples:
  labelsieve methods                all methods, one line each
  labelsieve methods pmu            one method: reference and parameters
  labelsieve methods --json
"""


def run_describe(arguments: argparse.Namespace) -> None:
    from labelsieve.describing import describe, numbers_table

    found = [describe(read_data(file, arguments)) for file in arguments.files]
    if arguments.json:
        say_json([one.to_dict() for one in found])
        return
    if len(found) == 1:
        say(str(found[0]))
        return
    say(numbers_table([one.numbers for one in found]).to_text())
    for one in found:
        notes = [f"- {note}" for note in one.notes()]
        say("\n".join(["", *map(printable, [one.numbers.name, *notes])]))


def run_convert(arguments: argparse.Namespace) -> None:
    refuse_overwriting(
        [arguments.source], outputs=[], reduced=arguments.target, to=arguments.to
    )
    dataset = read_data(arguments.source, arguments)
    write_data(dataset, arguments.target, arguments.to)
    if arguments.target != STANDARD:
        note(arguments, f"{arguments.target}: {dataset!r}")


def run_methods(arguments: argparse.Namespace) -> None:
    from labelsieve.registry import describe_selector, make_selector, selector_names
    from labelsieve.selectors import can

    entries = [describe_selector(name) for name in arguments.names or selector_names()]
    if arguments.json or arguments.names:
        methods = [
            (entry, [x for x in TAKES if can(one, f"takes_{x}")], one.get_params())
            for entry in entries
            for one in [make_selector(entry.name)]
        ]
    if arguments.json:
        say_json(
            {
                one.name: {
                    "class": one.class_name,
                    "description": one.description,
                    "reference": one.reference,
                    "takes": takes,
                    "parameters": plain(parameters),
                }
                for one, takes, parameters in methods
            }
        )
    elif arguments.names:
        say("\n\n".join(_method_as_text(*method) for method in methods))
    else:
        columns = [Column("method", "name"), Column("what it does", "description")]
        say(Table("", columns, [vars(entry) for entry in entries]).to_text())
        if not arguments.quiet:
            say("\nlabelsieve methods NAME shows the reference and the parameters.")


def _method_as_text(entry: Any, takes: list[str], parameters: dict[str, Any]) -> str:
    width = max(map(len, parameters))
    lines = [
        f"{entry.name}: {entry.description}",
        f"  class       {entry.class_name}",
        f"  reference   {entry.reference}",
        f"  takes       {', '.join(['labels', *(TAKES[x] for x in takes)])}",
        "  parameters",
        *(f"    {name:{width}}  {value!r}" for name, value in parameters.items()),
    ]
    return "\n".join(lines)


def plain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON can hold them: objects by what they print."""
    simple = (str, int, float, bool, list, type(None))
    return {
        name: value if isinstance(value, simple) else repr(value)
        for name, value in parameters.items()
    }


def show_demo(arguments: argparse.Namespace) -> None:
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
    selector: Sieve
    explanation: Explanation
    quality: Quality

    def page(self, command: str = "labelsieve demo") -> dict[str, Any]:
        """Return the content of the page about it."""
        from labelsieve.datasets import describe
        from labelsieve.plots import PixelDisplay
        from labelsieve.report import refit, selection_page

        data = self.data
        names = {"feature_names": data.feature_names, "label_names": data.label_names}
        pixels = PixelDisplay(
            self.explanation.features.tolist(),
            (SIDE, SIDE),
            background=data.X.mean(axis=0),
        )
        return selection_page(
            self.explanation,
            self.quality,
            method="Sieve",
            description=describe(data)._asdict(),
            settings=self.selector.get_params(),
            command=command,
            pixels=pixels,
            refits=refit(self.selector, data.X, data.Y, math.inf, **names),
        )

    def __str__(self) -> str:
        return "\n".join([*_picture(self), "", *_reasons(self), "", *_table(self)])


def run_demo(n_jobs: int | None = None, seed: int = 0) -> Demo:
    """Select 12 pixels and measure what they are worth."""
    from labelsieve.choosing import evaluate_selection
    from labelsieve.datasets import load_segments
    from labelsieve.selectors import Sieve

    data = load_segments()
    sieve = Sieve(N_PIXELS, n_jobs=n_jobs).fit(data.X, data.Y)
    explanation = sieve.explain(
        data.X, data.Y, feature_names=data.feature_names, label_names=data.label_names
    )
    # The same on every machine: all rows, however long it takes.
    quality = evaluate_selection(
        Sieve(N_PIXELS, n_jobs=n_jobs),
        data.X,
        data.Y,
        n_splits=N_SPLITS,
        budget=math.inf,
        seed=seed,
    )
    return Demo(data, sieve, explanation, quality)


def _picture(demo: Demo) -> list[str]:
    """The pixels by the order in which they were picked, beside the display."""
    place = {int(pixel): n for n, pixel in enumerate(demo.explanation.features, 1)}
    lines = [
        f"Which {N_PIXELS} of the {SIDE * SIDE} pixels predict which segments are lit? "
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
    lines = ["Why these: the segments that each pixel is most relevant for"]
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
    for classifier in quality.classifiers:
        name = sentences.classifier_name(classifier)
        lines.append(f"  {name:21s} segments right   all 7 right")
        for title, features in (
            (f"{N_PIXELS} chosen pixels", "chosen"),
            (f"{N_PIXELS} random pixels", "random"),
            (f"all {SIDE * SIDE} pixels", "all"),
        ):
            right = 100 - 100 * quality.mean("hamming_loss", features, classifier)
            whole = 100 * quality.mean("subset_accuracy", features, classifier)
            lines.append(f"    {title:19s} {right:12.1f} % {whole:11.1f} %")
    return [*lines, "", *quality.sentences()]
