"""The demonstration: what it claims is so, and it is the same every time."""

import numpy as np
import pytest

from labelsieve import Sieve
from labelsieve.cli import _describe
from labelsieve.cli._describe import run_demo
from labelsieve.datasets import load_segments


@pytest.fixture(scope="module", autouse=True)
def few_splits():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_describe, "N_SPLITS", 4)
        yield


@pytest.fixture(scope="module")
def demo(few_splits):
    return run_demo()


def test_chosen_pixels_are_those_of_sieve(demo):
    data = load_segments()
    order = Sieve(12).fit(data.X, data.Y).order_[:12]
    np.testing.assert_array_equal(demo.explanation.features, order)
    assert demo.explanation.feature_names[:3] == ["3,2", "6,2", "5,3"]


def test_chosen_pixels_beat_random_ones(demo):
    for measure, sign in (("hamming_loss", -1), ("subset_accuracy", 1)):
        chosen, random, everything = (
            sign * demo.quality.mean(measure, which)
            for which in ("chosen", "random", "all")
        )
        assert random < chosen < everything


def test_picture_shows_every_pixel_once(demo):
    lines = [line for line in str(demo).splitlines() if line.startswith("  row ")]
    assert len(lines) == 8
    cells = [line[7 : 7 + 24].split() for line in lines]
    assert all(len(row) == 8 for row in cells)
    shown = {
        int(cell): 8 * row + column
        for row, line in enumerate(cells)
        for column, cell in enumerate(line)
        if cell != "·"
    }
    order = demo.explanation.features.tolist()
    assert [shown[rank] for rank in range(1, 13)] == order


def test_text_says_what_was_measured(demo):
    text = str(demo)
    right = 100 - 100 * demo.quality.mean("hamming_loss", "chosen")
    assert f"{right:.1f} %" in text
    assert "all 64 pixels" in text


def test_page_has_the_pixels(demo):
    page = demo.page("labelsieve demo")
    (pictures,) = (s for s in page["sections"] if s["title"] == "In pictures")
    titles = [picture["title"] for picture in pictures["blocks"][0]["pictures"]]
    assert titles == [
        "Chosen pixels",
        "Scores",
        "Features and labels",
        "Features and features",
    ]


def test_threads_change_nothing(demo):
    again = run_demo(n_jobs=2)
    assert str(again) == str(demo)
