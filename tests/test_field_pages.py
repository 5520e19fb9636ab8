"""What README and guides say of the field is what the leaderboard says."""

import json
import lzma
import re

import numpy as np
import pytest
from benchmarks import field_pages, splits

from labelsieve import describe
from labelsieve.experiments.data import Split
from labelsieve.experiments.leaderboards import _digest
from labelsieve.experiments.papers import PAPERS
from labelsieve.registry import selector_names

if not field_pages.BOARD.exists():
    pytest.skip("there is no leaderboard beside the tests", allow_module_level=True)

BLOCKS = field_pages.blocks()
FIELD = "docs/state-of-the-field.md"


@pytest.mark.parametrize("page", BLOCKS)
def test_pages_say_what_the_leaderboard_says(page):
    text = (field_pages.ROOT / page).read_text("utf-8")
    found = BLOCKS[page]
    assert field_pages.filled(text, found) == text, (
        "run python -m benchmarks.field_pages"
    )


def test_a_page_without_marks_is_refused():
    with pytest.raises(ValueError, match="there is no mark <!-- leaderboard -->"):
        field_pages.filled("nothing", {"leaderboard": "words"})


def test_the_recommended_method_is_first():
    methods = field_pages.methods_of(field_pages.load())
    first = min(methods, key=lambda row: row["regret"]["mean"])
    assert first["method"] == "sieve"


def test_every_method_is_in_the_table_once():
    names = [row["method"] for row in field_pages.table_rows(field_pages.load())]
    assert len(names) == len(set(names))
    table = BLOCKS["docs/state-of-the-field.md"]["table"]
    assert table.count("\n| `") == len(names)
    assert f"The table has {len(names)} methods" in table


def test_printed_figures_are_those_of_the_papers():
    """Every printed figure of the page is one that the paper's data has."""
    printed = {
        f"{value.value:.4g}" for paper in PAPERS.values() for value in paper.published
    }
    found = re.findall(r"([\d.]+) / [\d.]+", BLOCKS[FIELD]["published"])
    assert found
    assert set(found) <= printed


def test_every_data_set_has_a_card():
    cards = BLOCKS["docs/benchmark.md"]["cards"]
    for page in (field_pages.load(), field_pages.shares()):
        for card in page["datasets"]:
            assert f"`{card['name']}`\n: " in cards
            assert card["rows_of_splits"][0] in cards


def test_the_cells_are_a_small_file():
    """As the benchmark's page promises."""
    store = field_pages.BOARD.parent / "cells.jsonl.xz"
    if not store.exists():
        pytest.skip("the cells are not beside the tests")
    assert store.stat().st_size <= 3_000_000


def test_a_model_seldom_selects_better():
    """What "I have a model" says in words beside its table."""
    content = field_pages.load()
    regret = {row["method"]: row["regret"]["mean"] for row in content["ranking"]}
    models = [row for row in content["against"] if row["method"].startswith("model+")]
    for row in models:
        assert regret[row["method"]] > regret["sieve"]
        assert row["worse"] < 0.05


def test_the_rows_of_every_split_are_published():
    """The texts have the checksums of the pages, without any data at hand."""
    rows = json.loads(lzma.decompress(splits.OUT.read_bytes()))
    for page in (field_pages.load(), field_pages.shares()):
        for card in page["datasets"]:
            for text, checksum in zip(
                rows[card["name"]], card["rows_of_splits"], strict=False
            ):
                marks = np.array(list(text))
                train, test = (np.flatnonzero(marks == part) for part in "10")
                assert len(text) == card["rows"]
                assert splits.as_text(len(text), train, test) == text
                assert _digest(Split(train, test)) == checksum
            assert len(rows[card["name"]]) >= card["splits"]


def test_methods_that_suit_are_those_that_lose_least():
    ranked = [row["method"] for row in field_pages.methods_of(field_pages.load())]
    ranked = [name for name in ranked if name in selector_names()]
    found = describe([[0, 1], [1, 0], [2, 1]], [[0, 1], [1, 0], [1, 1]])
    assert found.suited[:6] == ranked[:6]
