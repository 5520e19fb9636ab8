"""The page of a comparison in a real Chromium: what the reader chooses is shown."""

import json

import numpy as np
import pytest
from scipy.stats import rankdata

from labelsieve.experiments import ResultTables
from labelsieve.report import comparison_page, write_page

PLOTS = ".compared .plot"


@pytest.fixture
def page(browser, pages):
    browser.open(pages["comparison"])
    yield browser
    assert browser.problems == []
    assert browser.requests == [pages["comparison"].as_uri()]
    assert browser.run("window.hacked") is None


def choose(page, name, *values):
    page.run(
        f"{{ const one = document.querySelector('select[name={name}]');"
        f"for (const o of one.options) o.selected = {json.dumps(values)}"
        ".includes(o.value);"
        "one.dispatchEvent(new Event('change', { bubbles: true })); }"
    )


def hide(page, *methods):
    for method in methods:
        page.run(f"document.querySelector('.legend input[value=\"{method}\"]').click()")


def points(page, place):
    """The method and value of each point of a picture, from its titles."""
    found = page.run(
        f"[...document.querySelectorAll('{PLOTS}')[{place}].querySelectorAll('title')]"
        ".map(one => one.textContent)"
    )
    return [(text.rsplit(": ", 1)[0], float(text.rsplit(": ", 1)[1])) for text in found]


def scores(results, contest, measure, methods):
    """What is compared: data sets in lines, methods in columns."""
    names = [data["name"] for data in results.content["datasets"]]
    return np.array(
        [
            [
                next(
                    one["mean"]
                    for one in results.content["scores"]
                    if (one["dataset"], one["contest"], one["method"], one["measure"])
                    == (name, contest, method, measure)
                )
                for method in methods
            ]
            for name in names
        ]
    )


def test_ranks_are_those_of_the_results(page, results):
    (row,) = (
        one
        for one in results.content["ranks"]
        if (one["contest"], one["measure"]) == ("brknn", "ranking_loss")
    )
    choose(page, "contest", "brknn")
    choose(page, "measure", "ranking_loss")
    found = dict(points(page, 1))
    expected = dict(zip(row["methods"], row["average_ranks"], strict=True))
    assert found == {name: pytest.approx(rank, 1e-3) for name, rank in expected.items()}


def test_bars_are_as_wide_as_the_critical_difference(results, comparison_content):
    q = comparison_content["sections"][0]["blocks"][0]["data"]["q"]
    row = results.content["ranks"][0]
    k, n = len(row["methods"]), row["n_datasets"]
    expected = q[k] * np.sqrt(k * (k + 1) / (6 * n))
    assert expected == pytest.approx(row["critical_difference"], 1e-3)


def test_hidden_methods_and_data_sets_count_no_more(page, results):
    hide(page, "mlfs", "all")
    choose(page, "dataset", "one", "three")
    shown = ["fimf", "br+mi", "random"]
    values = scores(results, "mlnb", "micro_f1", shown)[[0, 2]]
    ranks = np.array([rankdata(-line) for line in values]).mean(axis=0)
    assert dict(points(page, 1)) == {
        name: pytest.approx(rank, 1e-3) for name, rank in zip(shown, ranks, strict=True)
    }
    # The best of the methods, not of the controls, has no loss.
    lost = values[:, :2].max(axis=1, keepdims=True) - values
    found = points(page, 0)
    assert {name for name, _ in found} == {"one", "three"}
    assert sorted(value for _, value in found) == pytest.approx(
        np.sort(lost.ravel()), abs=1e-3
    )
    said = page.run("document.querySelector('.compared-said').textContent")
    assert said == "2 of 3 data sets, 2 methods"  # beside a control


def test_all_or_none(page, results):
    """Two of many methods are two clicks after the first."""
    button = "[...document.querySelectorAll('[data-compare] .small-button')].at(-1)"
    lines = "document.querySelectorAll('[data-compare] .plot .line').length"
    n_methods = page.run(lines)
    page.run(f"{button}.click()")
    assert page.run(lines) == 0
    assert points(page, 0) == []
    page.run("document.querySelector('input[value=fimf]').click()")
    assert page.run(lines) == 1
    assert {name for name, _ in points(page, 1)} <= {"fimf"}
    page.run(f"{button}.click()")
    assert page.run(lines) == n_methods


def test_another_size(page, results):
    choose(page, "size", "4")
    (curve,) = (
        one
        for one in results.content["curves"]
        if (one["dataset"], one["contest"], one["method"]) == ("one", "mlnb", "random")
    )
    value = curve["measures"]["micro_f1"]["mean"][3]
    assert "4 kept" in page.run("document.querySelector('.plot').textContent")
    choose(page, "dataset", "one")
    hide(page, "fimf", "br+mi", "mlfs", "all")
    page.run("document.querySelector('.plot').focus()")
    for _ in range(4):
        page.press("ArrowRight")
    said = page.run("document.querySelector('.readout').textContent")
    assert said.startswith("4 features · random ")
    assert float(said.split()[4]) == pytest.approx(value, abs=1e-3)
    ranks = page.run(f"document.querySelectorAll('{PLOTS}')[1].textContent")
    assert ranks == "Ranks need two data sets and two methods."


def test_values_are_read_from_top_to_bottom(page, results):
    page.run("document.querySelector('.plot').focus()")
    page.press("End")
    said = page.run("document.querySelector('.readout').textContent")
    values = [float(part.split()[1]) for part in said.split(" · ")[1:]]
    assert len(values) == len({one["method"] for one in results.content["curves"]})
    assert values == sorted(values, reverse=True)


def test_several_data_sets_have_their_mean(page, results):
    hide(page, "br+mi", "mlfs", "random", "all")
    page.run("document.querySelector('.plot').focus()")
    page.press("End")
    said = page.run("document.querySelector('.readout').textContent")
    values = [
        one["measures"]["micro_f1"]["mean"][-1]
        for one in results.content["curves"]
        if (one["contest"], one["method"]) == ("mlnb", "fimf")
    ]
    assert float(said.rsplit(maxsplit=1)[1]) == pytest.approx(np.mean(values), abs=1e-3)
    assert page.run("document.querySelectorAll('.plot .band').length") == 1


def test_methods_that_lack_a_data_set_have_no_mean(browser, results, tmp_path):
    curves = [
        one
        for one in results.content["curves"]
        if (one["method"], one["dataset"]) != ("fimf", "two")
    ]
    content = {**results.content, "curves": curves}
    page = comparison_page(content, results.costs, command="compare")
    browser.open(write_page(page, tmp_path / "page.html"))
    drawn = "[...document.querySelectorAll('.plot [data-method]')]"
    names = browser.run(f"{drawn}.map(one => one.dataset.method)")
    assert "fimf" not in names
    assert "br+mi" in names


def test_curves_of_other_sizes_have_a_mean(browser, results, tmp_path):
    """Between the sizes at which a data set was measured, its curve is straight."""
    curves = []
    for one in results.content["curves"]:
        kept = [i for i in range(10) if one["dataset"] != "two" or i % 3 == 0]
        if len(one["points"]) > 1:
            one = {**one, "points": [one["points"][i] for i in kept]}
            one["measures"] = {
                name: {key: [v[i] for i in kept] for key, v in values.items()}
                for name, values in one["measures"].items()
            }
        curves.append(one)
    page = comparison_page({**results.content, "curves": curves}, [], command="compare")
    browser.open(write_page(page, tmp_path / "page.html"))
    hide(browser, "br+mi", "mlfs", "random", "all")
    browser.run("document.querySelector('.plot').focus()")
    for _ in range(3):
        browser.press("ArrowRight")
    values = [
        one["measures"]["micro_f1"]["mean"]
        for one in results.content["curves"]
        if (one["contest"], one["method"]) == ("mlnb", "fimf")
    ]
    expected = [values[0][2], values[1][0] / 3 + values[1][3] * 2 / 3, values[2][2]]
    said = browser.run("document.querySelector('.readout').textContent")
    assert said.startswith("3 features")
    assert float(said.rsplit(maxsplit=1)[1]) == pytest.approx(
        np.mean(expected), abs=1e-3
    )


def test_names_cover_no_points(page):
    covered = page.run(
        f"""(() => {{
          const plot = document.querySelectorAll('{PLOTS}')[2];
          const boxes = [...plot.querySelectorAll('circle, text')].map(one =>
            [one.tagName, one.getBBox()]);
          return boxes.some(([tag, a], i) => tag === 'text' && boxes.some(([_, b], j) =>
            i !== j && a.x < b.x + b.width && b.x < a.x + a.width &&
            a.y + 3 < b.y + b.height && b.y + 3 < a.y + a.height));
        }})()"""
    )
    assert covered is False


def test_times_are_of_methods_only(page):
    names = page.run(
        f"[...document.querySelectorAll('{PLOTS}')[2].querySelectorAll('circle')]"
        ".map(one => one.nextSibling.textContent)"
    )
    assert sorted(names) == ["br+mi", "fimf", "mlfs"]
    hide(page, "fimf", "br+mi", "mlfs")
    assert "No times" in page.run(
        f"document.querySelectorAll('{PLOTS}')[2].textContent"
    )


def test_nothing_chosen(page):
    choose(page, "dataset")
    text = page.run("document.querySelector('#curves').textContent")
    assert "Nothing to show" in text
    assert "No method has a value" in text


def test_address_keeps_the_choice(browser, pages):
    browser.open(pages["comparison"])
    hide(browser, "mlfs")
    choose(browser, "dataset", "two")
    choose(browser, "size", "4")
    fragment = browser.run("location.hash.slice(1)")
    seen = "document.querySelector('#curves .plot').innerHTML"
    before = browser.run(seen)
    browser.open(pages["comparison"], fragment=fragment)
    assert browser.run(seen) == before
    browser.open(pages["comparison"], fragment="dataset=9.x&length=1&off=77&size=-1")
    assert browser.problems == []


def test_printed(browser, pages):
    """On paper nothing can be chosen: the diagrams of all data sets are enough."""
    browser.open(pages["comparison"])
    seen = "document.querySelector('{}').checkVisibility()"
    assert browser.run(seen.format(".compared"))
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.run(seen.format("#ranks svg"))
    assert not browser.run(seen.format(".compared"))
    browser.call("Emulation.setEmulatedMedia", media="")


def test_what_is_compared_is_said(comparison_content, results):
    options = comparison_content["sections"][0]["blocks"][0]["options"]
    assert options["size"][0] == ("", ResultTables(results.content).compared)


def test_diagrams_of_many_methods_are_fewer(results):
    """So that a page of a whole leaderboard stays small."""
    (first, *_), many = results.content["ranks"], [f"m{i}" for i in range(80)]
    ranks = 4 * [{**first, "methods": many, "average_ranks": [*range(1, 81)]}]
    page = comparison_page(results.content | {"ranks": ranks}, [], command="")
    (section,) = (one for one in page["sections"] if one and one["id"] == "ranks")
    assert len(section["blocks"][0]["pictures"]) == 2
    assert "The first 2 of 4 diagrams are shown." in section["text"][0]
