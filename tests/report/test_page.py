"""Pages as text: self-contained, escaped, small, the same every time."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from tests.report.conftest import HOSTILE

from labelsieve import FIMF, Sieve
from labelsieve._utils.messages import Column, Table
from labelsieve.choosing import PermutationPValues, evaluate_selection
from labelsieve.datasets import Dataset, describe
from labelsieve.report import (
    comparison,
    comparison_page,
    render_page,
    selection_page,
    write_page,
)
from labelsieve.report.blocks import SCRIPTS, _asset, average_line, curves, table
from labelsieve.report.certainty import certainty_of

KINDS = ("selection", "sure", "comparison")


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_loaded(pages, kind):
    text = pages[kind].read_text("utf-8")
    for tag, attributes in Tags(text).tags:
        assert tag not in {"img", "iframe", "object", "embed", "base"}
        for name in ("src", "href", "action"):
            value = attributes.get(name) or ""
            assert value.startswith(("#", "data:")) or not value, (tag, value)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL).group(1)
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize("kind", KINDS)
def test_small_and_whole(pages, kind):
    assert pages[kind].stat().st_size < 2_000_000
    tags = Tags(pages[kind].read_text("utf-8")).tags
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert [tag for tag, _ in tags].count("h1") == 1


def test_hostile_names_are_text(pages):
    parsed = Tags(pages["selection"].read_text("utf-8"))
    assert [tag for tag, _ in parsed.tags].count("script") == 3
    text = "".join(parsed.text)
    for name in HOSTILE[:4]:
        assert name in text


def test_json_cannot_end_its_script(comparison_content):
    content = json.loads(json.dumps(comparison_content, default=str))
    block = content["sections"][0]["blocks"][0]
    block["data"]["dataset"][0] = "</script><script>alert(1)"
    block["data"]["method"].append("</SCRIPT>")
    content["sections"] = content["sections"][:1]
    page = render_page(content)
    assert "alert(1)" in page
    assert [tag for tag, _ in Tags(page).tags].count("script") == 2


def test_same_content_same_page(selection_content):
    assert render_page(selection_content) == render_page(selection_content)


def test_too_large_pages_are_refused(selection_content, tmp_path):
    content = {**selection_content, "summary": ["x" * 3_000_000]}
    with pytest.raises(ValueError, match=r"bytes, more than 2,000,000"):
        write_page(content, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_scripts_stay_short():
    lines = [line for name in SCRIPTS for line in _asset(name).splitlines()]
    assert len(lines) <= 600


def test_no_chance_is_not_zero(results):
    ranks = [{**row, "friedman_p": 0.0} for row in results.content["ranks"]]
    content = {**results.content, "ranks": ranks}
    page = comparison_page(content, results.costs, command="compare")
    (shown,) = [one for one in page["sections"] if one["id"] == "ranks"]
    captions = [one["caption"] for one in shown["blocks"][0]["pictures"]]
    assert all(text.endswith("Friedman p < 1e-12.") for text in captions)


def test_sections_of_a_comparison(comparison_content):
    ids = [section["id"] for section in comparison_content["sections"]]
    assert ids == ["curves", "found", "scores", "ranks", "costs", "stability", "made"]


def test_significance_marks(results, comparison_content):
    cells = [
        cell
        for section in comparison_content["sections"]
        if section["id"] == "scores"
        for row in section["blocks"][0]["rows"]
        for cell in row
    ]
    marked = [cell for cell in cells if cell["mark"]]
    significant = [t for t in results.content["tests"] if t["p_corrected"] < 0.05]
    assert len(marked) == len(significant)
    n_groups = len(comparison_content["sections"][2]["blocks"][0]["rows"])
    assert sum("best" in cell["classes"] for cell in cells) >= n_groups


def test_values_of_a_comparison(results, comparison_content):
    data = comparison_content["sections"][0]["blocks"][0]["data"]
    names = ("method", "dataset", "contest", "view", "measure")
    (line,) = (
        row
        for row in data["rows"]
        if [data[name][i] for name, i in zip(names, row, strict=False)]
        == ["mlfs", "two", "brknn", "quantile", "micro_f1"]
    )
    (curve,) = (
        one
        for one in results.content["curves"]
        if (one["dataset"], one["contest"], one["method"]) == ("two", "brknn", "mlfs")
    )
    assert data["sizes"][line[5]] == list(range(1, 11))
    assert line[6] == curve["measures"]["micro_f1"]["mean"]
    (score,) = (
        one["mean"]
        for one in results.content["scores"]
        if all(one[key] == curve[key] for key in ("dataset", "contest", "method"))
        and one["measure"] == "micro_f1"
    )
    assert line[8] == score


def test_one_value_holds_at_each_size(comparison_content):
    data = comparison_content["sections"][0]["blocks"][0]["data"]
    levels = [row for row in data["rows"] if data["method"][row[0]] == "all"]
    assert levels
    for row in levels:
        assert len(row[6]) == 10
        assert len(set(row[6])) == 1


def test_missing_values_become_null():
    line = average_line("a", [1, 2], [[np.nan, 1.0]], measure="micro_f1")
    assert line["mean"] == [None, 1.0]
    assert "NaN" not in json.dumps(curves("c", [line], {"measure": "Measure"}))


def test_long_curves_are_thinned():
    line = average_line("a", range(1, 1001), [[0.5] * 1000], measure="micro_f1")
    assert len(line["sizes"]) == 40
    assert (line["sizes"][0], line["sizes"][-1]) == (1, 1000)


def test_one_row_needs_no_sorting():
    one = Table("t", [Column("a", "a")], [{"a": 1}])
    assert not table(one)["sortable"]
    assert table(replace(one, rows=[*one.rows] * 2))["sortable"]


def test_how_many_and_how_sure(sure_content):
    ids = [section["id"] for section in sure_content["sections"]]
    assert ids == ["sizes", "features", "quality", "size", "pictures", "made"]
    summary = " ".join(sure_content["sections"][2]["blocks"][0]["sentences"])
    assert "chosen by 5-fold cross-validation with nearest neighbours" in summary
    assert "selected: stability" in summary
    assert "significant" in summary
    assert len(sure_content["figures"]) == 3
    listed = sure_content["sections"][1]["blocks"][1]
    titles = [column["title"] for column in listed["columns"]]
    assert titles[:6] == ["feature", "rank", "score", "frequency", "p", "p family"]
    assert all(0 <= row[3]["sort"] <= 1 for row in listed["rows"])


def fake_null(p_family, rounds):
    p = np.array(p_family)
    return PermutationPValues(np.arange(p.size), p, p, rounds)


@pytest.mark.parametrize(
    ("p_family", "rounds", "said"),
    [
        ([0.05, 0.05], 19, "All 2 are significant"),
        ([0.05, 0.5], 19, "1 of the 2 is significant"),
        ([0.5, 0.5], 19, "None is significant"),
        ([0.05], 19, "It is significant"),
        ([0.1, 0.1], 9, "9 permutations of the labels are too few"),
    ],
)
def test_words_about_chance(p_family, rounds, said):
    chosen = np.arange(len(p_family))
    found = certainty_of(chosen, p_values=fake_null(p_family, rounds))
    (sentence,) = found.sentences
    assert sentence.startswith(said)
    assert ("by chance" in sentence) == (rounds == 19 and max(p_family) > 0.05)


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.9, "nearly the same"), (0.5, "many of the same"), (0.1, "mostly other")],
)
def test_words_about_stability(value, said):
    sure = SimpleNamespace(
        stability_=SimpleNamespace(value=value, low=value - 0.1, high=value + 0.1),
        frequencies_=np.array([1.0, 0.4]),
        n_subsamples=50,
    )
    (sentence,) = certainty_of(np.arange(2), stability=sure).sentences
    assert sentence.startswith(
        f"On random halves of the samples, {said} features are selected"
    )
    assert "1 of the 2 is selected from most of the halves" in sentence


def test_labels_that_some_rows_lack_are_no_news():
    """Warnings are errors here."""
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(40, 4)), random.integers(0, 2, (40, 2))
    Y[:, 1] = 0
    Y[0, 1] = 1
    quality = evaluate_selection(FIMF(2), X, Y, n_splits=8, test_share=0.5)
    assert quality.n_splits == 8


def test_picks_have_the_marks_of_explain():
    """Significant, redundant or not, in the column of the table of features."""
    random = np.random.default_rng(0)
    Y = random.integers(0, 2, (150, 2))
    seen = (random.random((150, 2)) < 0.1) != Y
    again = (random.random((150, 2)) < 0.1) != seen
    X = np.hstack([seen, again, random.normal(size=(150, 4))]).astype(float)
    fitted = Sieve(8).fit(X, Y)
    explanation = fitted.explain(X, Y)
    assert len(set(explanation.significance)) == 3
    content = selection_page(
        explanation,
        None,
        method="sieve",
        description=describe(Dataset(X, Y, [*"abcdefgh"], ["k", "l"], "x"))._asdict(),
        settings=fitted.get_params(),
        command="labelsieve select x.arff -k 8",
    )
    cells = re.findall(r"<td[^>]*>\s*([^<]*?)\s*</td>", render_page(content))
    marks = [cell for cell in cells if cell in set(explanation.significance)]
    assert marks == explanation.significance


def test_what_a_picture_leaves_out_is_told(many_content, one_content):
    """50 features and 200 labels are too many for a picture, one is not."""
    captions = captions_of(many_content)
    assert "Only the best 25 of 50 features are shown." in captions["Scores"]
    labels = "Only the best 25 of 50 features and 16 of 200 labels are shown."
    assert labels in captions["Features and labels"]
    repeated = "Only the best 12 of 50 features are shown."
    assert repeated in captions["Features and features"]
    for title in ("Scores", "Features and labels"):
        assert "Only" not in captions_of(one_content)[title]


def captions_of(content):
    return {
        picture["title"]: picture["caption"]
        for section in content["sections"]
        for block in section["blocks"]
        if block["kind"] == "pictures"
        for picture in block["pictures"]
    }


def test_no_two_sections_have_the_same_name(sure_content):
    for key in ("short", "title"):
        names = [section[key] for section in sure_content["sections"]]
        assert len(set(names)) == len(names)


def test_tables_that_nobody_reads_stay_out(results, monkeypatch):
    monkeypatch.setattr(comparison, "MOST_CELLS", 5)
    page = comparison_page(results.content, results.costs, command="compare")
    found = {section["id"]: section for section in page["sections"]}
    assert found["scores"]["blocks"] == []
    assert "choose under Compare" in found["scores"]["text"][0]
    assert not {"costs", "stability"} & set(found)
    assert "curves" in found
