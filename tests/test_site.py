"""The built pages: their links are checked, and a browser looks at some of them."""

import os
import runpy
from pathlib import Path

import pytest

from tests.report.browser import find_chromium, start_browser

ROOT = Path(__file__).parent.parent
CHECK = ROOT / "docs" / "check_site.py"
SITE = ROOT / "site"
LOOKED_AT = [
    "index.html",
    "getting-started.html",
    "gallery/index.html",
    "gallery/plot_01_words.html",
    "gallery/plot_08_pipeline.html",
    "coming-from/scikit-learn.html",
    "methods/sieve.html",
    "api.html",
    "glossary.html",
    "generated/labelsieve.Sieve.html",
]
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


@pytest.mark.parametrize("page", LOOKED_AT)
def test_fits_a_phone(browser, page):
    browser.open(SITE / page, width=360)
    assert browser.run("document.documentElement.scrollWidth") <= 360
    assert browser.problems == []


@pytest.mark.parametrize("page", LOOKED_AT)
def test_nothing_is_loaded_from_elsewhere(browser, page):
    browser.open(SITE / page)
    assert [url for url in browser.requests if url.startswith("http")] == []


@pytest.mark.parametrize("page", LOOKED_AT)
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_everyone_can_use_it(browser, page, width, scheme):
    axe = os.environ.get("AXE_CORE")
    if not axe:
        pytest.skip("set AXE_CORE to the file axe.min.js of the npm package axe-core")
    browser.open(SITE / page, width, scheme)
    browser.run(Path(axe).read_text("utf-8") + ";0")
    violations = browser.run(
        f"axe.run({NOT_OURS}).then(result => result.violations.map(v => [v.impact, "
        "v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))]))"
    )
    serious = [found for found in violations if found[0] in ("serious", "critical")]
    assert serious == []


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
