"""What README and guides say of the field is what the leaderboard says."""

import pytest
from benchmarks import field_pages

from labelsieve import describe
from labelsieve.experiments.methods import CONTROLS

if not (field_pages.BOARD.exists() and field_pages.RIVALS.exists()):
    pytest.skip("there is no leaderboard beside the tests", allow_module_level=True)

BLOCKS = field_pages.blocks()


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


@pytest.mark.parametrize("path", [field_pages.BOARD, field_pages.RIVALS])
def test_the_recommended_method_is_first(path):
    standing = field_pages.load(path)["ranking"]
    methods = [row for row in standing if row["method"] not in CONTROLS]
    first = min(methods, key=lambda row: row["regret"]["mean"])
    assert first["method"] == "sieve"


def test_methods_that_suit_are_those_that_lose_least():
    standing = field_pages.load()["ranking"]
    ranked = [row["method"] for row in standing if row["method"] not in CONTROLS]
    found = describe([[0, 1], [1, 0], [2, 1]], [[0, 1], [1, 0], [1, 1]])
    assert found.suited[:6] == ranked[:6]
