"""What a notebook shows of an explanation or evaluation: the page in a frame."""

import re
from dataclasses import replace
from html import unescape

import pytest
from tests.report.conftest import HOSTILE

from labelsieve import FIMF
from labelsieve.choosing import evaluate_selection
from labelsieve.datasets import make_multilabel


@pytest.fixture(scope="module")
def planted():
    X, Y, _ = make_multilabel(120, 3, n_noise=8, random_state=0)
    return X, Y


def cell_of(html, path):
    """A notebook's cell, without scripts of its own."""
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{html}", "utf-8")
    return path


def shown(kind, X, Y):
    selector = FIMF(4).fit(X, Y)
    if kind == "explanation":
        names = [*HOSTILE, *(f"f{i}" for i in range(X.shape[1] - len(HOSTILE)))]
        return selector.explain(X, Y, feature_names=names)
    return evaluate_selection(selector, X, Y, n_splits=2, budget=2)


@pytest.mark.parametrize("kind", ["explanation", "evaluation"])
def test_the_page_lives_in_a_cell(browser, planted, tmp_path, kind):
    html = shown(kind, *planted)._repr_html_()
    path = cell_of(html, tmp_path / "cell.html")
    browser.open(path)
    assert browser.problems == []
    assert [one for one in browser.requests if one != "about:srcdoc"] == [path.as_uri()]
    assert browser.run("window.hacked") is None
    # The sandbox keeps the frame apart from the notebook; alone, it is the same page.
    page = tmp_path / "frame.html"
    page.write_text(unescape(re.search('srcdoc="(.*?)"', html, re.DOTALL)[1]), "utf-8")
    browser.open(page)
    assert browser.problems == []
    count = "document.querySelector('#features-count').textContent"
    assert browser.run(count) == "1 to 4 of 4"
    browser.run(
        "{ const one = document.querySelector('#size-range'); one.value = 6;"
        "one.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    assert browser.run(count) == "1 to 6 of 6"
    assert "FIMF(n_features_to_select=6" in browser.run(
        "document.querySelector('#python-lines').textContent"
    )
    has_chart = browser.run("document.querySelectorAll('.hero .plot svg').length")
    assert has_chart == (kind == "evaluation")


@pytest.mark.parametrize("kind", ["explanation", "evaluation"])
def test_a_table_stays_where_frames_are_not_allowed(planted, kind):
    html = shown(kind, *planted)._repr_html_()
    beside = re.sub("<iframe.*?</iframe>", "", html, flags=re.DOTALL)
    assert "<table>" in beside
    assert "<script" not in beside
    assert 'sandbox="allow-scripts"' in html


def test_without_a_selector_there_is_a_table_only(planted):
    quality = shown("evaluation", *planted)
    assert "<iframe" not in replace(quality, source=None)._repr_html_()


def test_the_selection_is_that_of_the_selector(planted):
    X, Y = planted
    quality = evaluate_selection(FIMF(4), X, Y, n_splits=2, budget=2)
    page = quality._repr_html_()
    for column in FIMF(4).fit(X, Y).order_[:4]:
        assert f"&quot;n&quot;:&quot;x{column}&quot;" in page
