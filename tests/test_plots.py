"""Displays hold the right numbers, draw into given axes and become clean SVG."""

import re
from importlib.resources import files
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from benchmarks._runtime import RuntimeDisplay

from labelsieve import PMU
from labelsieve.datasets import load_segments
from labelsieve.plots import (
    CriticalDifferenceDisplay,
    InformationDisplay,
    PixelDisplay,
    RankingDisplay,
    RedundancyDisplay,
    SelectionCurveDisplay,
    TimeQualityDisplay,
    VerdictDisplay,
)
from labelsieve.plots._display import shorten

matplotlib.use("agg")

HOSTILE = "<script>$x$</script>"


@pytest.fixture(scope="module")
def explanation():
    data = load_segments()
    sieve = PMU(6).fit(data.X, data.Y)
    return sieve.explain(
        data.X, data.Y, feature_names=data.feature_names, label_names=data.label_names
    )


def displays(explanation):
    return [
        SelectionCurveDisplay.from_splits([1, 2], {"a": [[1, 2], [3, 2]]}, "m", 2),
        RankingDisplay.from_explanation(explanation),
        RankingDisplay(["a", "b"], [2.0, -1.0]),
        InformationDisplay.from_explanation(explanation),
        RedundancyDisplay.from_explanation(explanation),
        CriticalDifferenceDisplay(["a", "b", "c", "d"], [1, 2, 3.5, 3.5], 1.2),
        RuntimeDisplay([10, 100], {"a": [0.1, 1], "b": [np.nan, 2]}, "rows"),
        PixelDisplay([1, 2], (2, 3), background=np.arange(6)),
        TimeQualityDisplay({"a": (0.01, 0.2), "b": (3.0, 0.1)}, "regret"),
    ]


@pytest.mark.parametrize("place", range(9))
def test_draws_into_axes_and_figures(explanation, place):
    from matplotlib import pyplot

    display = displays(explanation)[place]
    figure, ax = pyplot.subplots()
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert display.figure_ is figure
    own = displays(explanation)[place].plot()
    assert own.figure_ is not figure
    own.figure_.canvas.draw()
    pyplot.close("all")


@pytest.mark.parametrize("place", range(9))
def test_svg_is_whole_named_and_themed(explanation, place):
    display = displays(explanation)[place]
    svg = display.to_svg(prefix="p7-", title='a "title" <b>')
    root = ElementTree.fromstring(svg)
    assert root.get("aria-label") == 'a "title" <b>'
    assert root.get("role") == "img"
    assert "width" not in root.attrib
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert all(name.startswith("p7-") for name in ids)
    used = re.findall(r'(?:url\(|href=")#([^")]+)', svg)
    assert set(used) <= set(ids)
    assert "var(--" in svg
    assert "http" not in svg
    assert svg == display.to_svg(prefix="p7-", title='a "title" <b>')


@pytest.mark.parametrize("place", range(9))
def test_a_title_covers_no_legend(explanation, place):
    display = displays(explanation)[place].plot()
    ax = display.ax_
    title = ax.set_title("A title as long as those of many pictures are")
    display.figure_.canvas.draw()
    if (legend := ax.get_legend()) is not None:
        boxes = title.get_window_extent(), legend.get_window_extent()
        assert not boxes[0].overlaps(boxes[1])
        for label in (ax.xaxis.label, *ax.get_xticklabels()):
            assert not label.get_window_extent().overlaps(boxes[1])


def test_cells_are_seen_in_the_dark():
    """A tenth of the largest share stands out from the card, and has its number."""
    shares = np.full((13, 13), 0.08)
    shares[0, 1] = 0.8
    svg = RedundancyDisplay(shares, [f"f{i}" for i in range(13)]).to_svg()
    assert svg.count(">8<") >= 150
    opacities = {float(found) for found in re.findall(r"opacity: ([\d.]+)", svg)}
    css = (files("labelsieve.report") / "assets" / "page.css").read_text("utf-8")
    dark = css[css.index("prefers-color-scheme: dark") :]
    card, accent, ink = (
        np.array([int(found[i : i + 2], 16) for i in (0, 2, 4)]) / 255
        for name in ("card", "c1", "ink")
        for found in re.findall(rf"--{name}: #(\w+)", dark)[:1]
    )
    cells = [opacity * accent + (1 - opacity) * card for opacity in sorted(opacities)]
    assert contrast(cells[0], card) > 1.5
    assert contrast(cells[-1], ink) > 4.5


def contrast(one, other):
    """The contrast of two colours, as the Web Content Accessibility Guidelines say."""

    def luminance(color):
        linear = np.where(
            color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4
        )
        return linear @ [0.2126, 0.7152, 0.0722] + 0.05

    lighter, darker = sorted([luminance(one), luminance(other)], reverse=True)
    return lighter / darker


def test_names_stay_text():
    for display in (
        RankingDisplay([HOSTILE], [1.0]),
        InformationDisplay([[0.5]], [HOSTILE], [HOSTILE]),
        RedundancyDisplay([[0.5]], [HOSTILE]),
        CriticalDifferenceDisplay([HOSTILE, "b"], [1, 2], 1),
        RuntimeDisplay([1, 2], {HOSTILE: [1, 2]}, HOSTILE),
        SelectionCurveDisplay.from_splits([1], {HOSTILE: [[1]]}, HOSTILE),
    ):
        svg = display.to_svg()
        assert "<script" not in svg
        text = "".join(ElementTree.fromstring(svg).itertext())
        assert HOSTILE in text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("short", "short"),
        ("two  lines\nof it", "two lines of it"),
        ("a_name_without_spaces_number_017", "a_name_without_…mber_017"),
        ("a_name_without_spaces_number_018", "a_name_without_…mber_018"),
    ],
)
def test_long_names_keep_both_ends(name, shown):
    assert shorten(name) == shown


def test_curve_interval():
    display = SelectionCurveDisplay.from_splits([5], {"a": [[1.0], [3.0]]}, "m")
    curve = display.curves["a"]
    assert curve.mean.tolist() == [2.0]
    assert curve.high[0] - curve.mean[0] == pytest.approx(1.96 * np.sqrt(2 / 2))
    single = SelectionCurveDisplay.from_splits([5], {"a": [[1.0]]}, "m").curves["a"]
    assert single.low.tolist() == single.high.tolist() == [1.0]


def test_ranking_shows_terms_only_where_they_add_up(explanation):
    assert set(RankingDisplay.from_explanation(explanation).terms) == {
        "relevance",
        "redundancy",
        "label interaction",
    }
    assert RankingDisplay(["a"], [1.0]).terms == {}


def test_heat_map_keeps_the_label_that_each_feature_tells_most(explanation):
    n_labels = len(explanation.label_names)
    for many in range(1, n_labels + 1):
        display = InformationDisplay.from_explanation(
            explanation, n_features=4, n_labels=many
        )
        taken = []
        for place in range(n_labels):
            for row in explanation.label_shares[:4]:
                label = sorted(range(n_labels), key=lambda i: (-row[i], i))[place]
                if label not in taken:
                    taken.append(label)
        kept = sorted(taken[:many])
        assert display.label_names == [explanation.label_names[i] for i in kept]
        shares = explanation.label_shares[:4][:, kept]
        np.testing.assert_array_equal(display.shares, shares)


def test_a_gain_beyond_the_picture_is_an_arrow():
    near = VerdictDisplay(["near", "edge"], [(-0.1, 0.2), (-0.6, -0.3)], 0.05)
    assert "arrows" not in near.to_svg()
    far = VerdictDisplay(
        ["near", "lost", "gained"], [(0, 0.8), (-5, -4), (1.2, 2)], 0.05
    )
    assert "arrows: beyond 50" in far.to_svg()
    assert [text.get_text().strip() for text in far.ax_.texts] == [
        "\N{MINUS SIGN}450",
        "+160",
    ]
    assert max(map(abs, far.ax_.get_xlim())) < 60
    markers = [
        line.get_marker() for line in far.ax_.lines if len(line.get_xdata()) == 1
    ]
    assert markers == ["o", "<", ">"]


@pytest.mark.parametrize(
    ("ranks", "difference", "groups"),
    [
        ([1, 2, 3], 0.5, []),
        ([1, 2, 3], 1.0, [(0, 1), (1, 2)]),
        ([3, 1, 2], 5.0, [(0, 2)]),
        ([1, 1, 1], 0.0, [(0, 2)]),
        ([1, 1.5, 2, 4, 4.5], 1.0, [(0, 2), (3, 4)]),
    ],
)
def test_groups_that_do_not_differ(ranks, difference, groups):
    names = list("abcde")[: len(ranks)]
    display = CriticalDifferenceDisplay(names, ranks, difference)
    assert display.groups == groups
    assert display.names == [names[i] for i in np.argsort(ranks, kind="stable")]


def test_long_names_leave_the_axis_its_room():
    names = [letter * 20 for letter in "abcdefgh"]
    display = CriticalDifferenceDisplay(names, range(1, 9), 2.0).plot()
    display.figure_.canvas.draw()
    inches = display.ax_.get_position().width * display.figure_.get_size_inches()[0]
    assert inches > 2


def test_times_are_numbers_and_no_formulas():
    points = {"a": (0.01, 0.2), "b": (3.0, 0.1), "c": (4.0, 0.3)}
    display = TimeQualityDisplay(points, "regret")
    assert display.front == ["a", "b"]
    assert "mathdefault" not in display.to_svg_file()


def test_names_of_points_do_not_cover_each_other():
    points = {"x": (0.0101, 0.2001), "a": (0.01, 0.2), "b": (3.0, 0.1), "c": (4.0, 0.3)}
    display = TimeQualityDisplay(points, "regret").plot()
    written = [t.get_text() for t in display.ax_.texts if t.get_visible()]
    assert written == ["a", "b", "c"]


def test_slopes():
    display = RuntimeDisplay(
        [10, 100, 1000],
        {"quadratic": [1, 100, 10_000], "flat": [3, 3, 3], "one": [1, np.nan, np.nan]},
        "rows",
    )
    assert display.slopes["quadratic"] == pytest.approx(2)
    assert display.slopes["flat"] == pytest.approx(0)
    assert np.isnan(display.slopes["one"])


def test_pixels_count_along_rows():
    display = PixelDisplay([5, 0], (2, 3))
    assert display.ranks.tolist() == [[2, 0, 0], [0, 0, 1]]


@pytest.mark.filterwarnings("error")
def test_times_that_no_clock_saw_are_drawn():
    from labelsieve.plots import TimeQualityDisplay

    points = {"a": (0.0, 0.1), "b": (0.0, 0.2)}
    assert "<svg" in TimeQualityDisplay(points, "regret").to_svg()
