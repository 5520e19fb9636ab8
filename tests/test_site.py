"""The built pages: their links are checked, and a browser looks at some of them."""

import os
import runpy
from pathlib import Path

import pytest

from tests.questions import FIRST, QUESTIONS, place_of, results_of
from tests.report.browser import find_chromium, start_browser

ROOT = Path(__file__).parent.parent
CHECK = ROOT / "docs" / "check_site.py"
SITE = ROOT / "site"
PAGES = sorted(file.relative_to(SITE).as_posix() for file in SITE.rglob("*.html"))
# scikit-learn's picture of an estimator is not ours to repair.
NOT_OURS = {"exclude": [[".sk-top-container"]]}


@pytest.mark.skipif(not CHECK.exists(), reason="there are no docs beside the tests")
def test_what_is_wrong_is_found(tmp_path):
    problems = runpy.run_path(CHECK)["problems"]
    right = (
        '<a href="b.html#x">b</a> <a href="#y" id="y">y</a> <img src="a.html" alt="">'
    )
    (tmp_path / "a.html").write_text(right)
    (tmp_path / "b.html").write_text(
        '<p id="x"> <a href="https://example.org/#z">z</a>'
    )
    assert problems(tmp_path) == []
    (tmp_path / "a.html").write_text(
        '<a href="c.html">c</a> <a href="b.html#y">b</a> <img src="b.html">'
    )
    silent, nowhere, anchor = problems(tmp_path)
    assert "says nothing" in silent
    assert "c.html leads nowhere" in nowhere
    assert "no anchor b.html#y" in anchor


@pytest.fixture(scope="module")
def browser():
    if not (SITE / "index.html").exists():
        pytest.skip("needs the pages that make docs builds")
    executable = find_chromium()
    if executable is None:
        pytest.skip("needs Chromium or Chrome on the path")
    opened = start_browser(executable)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def visits(browser):
    """Every page on a phone: how wide it is, what went wrong, what it asked for."""
    found = {}
    for page in PAGES:
        browser.open(SITE / page, width=360)
        width = browser.run("document.documentElement.scrollWidth")
        found[page] = width, [*browser.problems], [*browser.requests]
    return found


def test_every_page_fits_a_phone(visits):
    assert {page: width for page, (width, _, _) in visits.items() if width > 360} == {}


def test_no_page_has_errors(visits):
    assert {page: wrong for page, (_, wrong, _) in visits.items() if wrong} == {}


def test_nothing_is_loaded_from_elsewhere(visits):
    asked = {url for _, _, requests in visits.values() for url in requests}
    assert asked
    assert [url for url in asked if url.startswith("http")] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_everyone_can_use_it(browser, width, scheme):
    axe = os.environ.get("AXE_CORE")
    if not axe:
        pytest.skip("set AXE_CORE to the file axe.min.js of the npm package axe-core")
    code = Path(axe).read_text("utf-8") + ";0"
    serious = {}
    for page in PAGES:
        browser.open(SITE / page, width, scheme)
        browser.run(code)
        violations = browser.run(
            f"axe.run({NOT_OURS}).then(result => result.violations.map(v => [v.impact, "
            "v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))]))"
        )
        if found := [v for v in violations if v[0] in ("serious", "critical")]:
            serious[page] = found
    assert serious == {}


@pytest.mark.parametrize(
    "words", ["SelectKBest", "multi-label", "feature importance", "tags", "NaN"]
)
def test_search_finds(browser, words):
    browser.open(SITE / "search.html")
    browser.run(f"Search.performSearch({words!r})")
    found = "document.querySelectorAll('#search-results li').length"
    for _ in range(100):
        if browser.run(found):
            break
        browser.run("new Promise(r => setTimeout(r, 50))")
    assert browser.run(found) > 0


def test_askers_find_the_answer_in_their_own_words(browser):
    """Nine in ten of real questions, among the first three results."""
    missed = [
        question.words
        for question in QUESTIONS
        if (place_of(question.pages, results_of(browser, question.words)) or 99) > FIRST
    ]
    assert len(missed) <= len(QUESTIONS) // 10, missed


def test_every_page_is_there_as_markdown(browser):
    made = {"search.html", "genindex.html"}
    for page in {*PAGES} - made:
        if not page.startswith("_"):
            assert (SITE / page).with_suffix(".md").exists(), page
    assert (SITE / "llms.txt").read_text("utf-8").startswith("# labelsieve")
