"""The page that answers back, in a real Chromium: every interaction, hostile names."""

import json
import math
import pickle
import shlex
import time
from io import StringIO

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from tests.report.browser import read_axe
from tests.report.conftest import HOSTILE

from labelsieve import (
    D2F,
    FIMF,
    LRFS,
    MDMR,
    PMU,
    RFS,
    SCLS,
    SelectByModel,
    Sieve,
    sentences,
    write_report,
)
from labelsieve.choosing import evaluate_selection
from labelsieve.cli._options import names as cli_names
from labelsieve.datasets import make_multilabel
from labelsieve.report import render_page, selection_page, write_page
from labelsieve.report.explore import (
    MINUS,
    _named,
    explore_data,
    refit,
    size_rows,
)
from labelsieve.selectors import fit_longer

SIZE = 7


@pytest.fixture(scope="module")
def table():
    """Names that want to be markup or code, categories, missing cells, rare labels."""
    random = np.random.default_rng(3)
    n = 240
    X = pd.DataFrame(random.normal(size=(n, 16)).round(2))
    X[16] = random.choice(["<b>red</b>", "green, dark", "=cmd()"], n)
    X.loc[random.random(n) < 0.3, 2] = np.nan
    X[5] = X[1] + random.normal(0, 0.2, n)
    hostile = [*HOSTILE, "=SUM(A1)", "a,b", "plain"]
    X.columns = [*hostile, *(f"feature {i}" for i in range(17 - len(hostile)))]
    Y = pd.DataFrame(
        {
            "up": X.iloc[:, 1] > 0.3,
            "<img src=x onerror=window.hacked=1>": X.iloc[:, 2].isna(),
            "middle": X.iloc[:, 3].abs() < 0.6,
            "4": (X.iloc[:, 16] == "=cmd()") | (X.iloc[:, 6] < -0.5),
        }
    ).astype(int)
    return X, Y


@pytest.fixture(scope="module")
def live(table, tmp_path_factory):
    page = tmp_path_factory.mktemp("live") / "live.html"
    return write_report(Sieve(SIZE), *table, page, name="<i>table</i>", budget=4)


def data_of(page):
    text = page.read_text("utf-8")
    begin = text.index(">", text.index('id="explore-data"')) + 1
    return json.loads(text[begin : text.index("</script>", begin)])


@pytest.fixture(scope="module")
def data(live):
    return data_of(live)


@pytest.fixture
def page(browser, live):
    browser.open(live)
    yield browser
    assert browser.problems == []
    assert browser.requests == [live.as_uri()]
    assert browser.run("window.hacked") is None
    assert browser.run("document.images.length") == 0


def text(page, query):
    return page.run(f"document.querySelector({query!r}).textContent")


def texts(page, query):
    return page.run(
        f"[...document.querySelectorAll({query!r})].map(one => one.textContent)"
    )


def click(page, query, place=0):
    page.run(f"document.querySelectorAll({query!r})[{place}].click()")


def put(page, query, value):
    page.run(
        f"{{ const one = document.querySelector({query!r}); one.value = {value!r};"
        "one.dispatchEvent(new Event('input', { bubbles: true }));"
        "one.dispatchEvent(new Event('change', { bubbles: true })); }"
    )


def copied(page, form):
    page.run(
        "Object.defineProperty(navigator, 'clipboard', { configurable: true, value:"
        "{ writeText: async (text) => { window.taken = text; } } })"
    )
    click(page, f"[data-copy={form}]")
    return page.run("new Promise(done => setTimeout(() => done(window.taken), 20))")


def test_substitutes_are_those_of_a_new_fit(table, data):
    X, Y = table
    first = Sieve(SIZE).fit(X, Y)
    chosen = first.order_[:SIZE].tolist()
    assert [one["i"] for one in data["features"][:SIZE]] == chosen
    assert len(data["substitutes"]) == SIZE
    for rank, found in data["substitutes"].items():
        left_out = chosen[int(rank)]
        again = clone(first).set_params(exclude=[left_out]).fit(X, Y)
        selected = again.order_[:SIZE].tolist()
        come = [column for column in selected if column not in chosen]
        assert [column for _, column in found["add"]] == come
        assert [name for name, _ in found["add"]] == [X.columns[i] for i in come]
        kept, before = (one.explain(X, Y).label_coverage for one in (again, first))
        change = 100 * (kept - before).mean()
        said = f"mean coverage changes by {change:+z.1f} points".replace("-", MINUS)
        assert (said in found["said"][1]) == (abs(change) >= 0.05)
        gone = {i for i in chosen if i not in selected} - {left_out}
        assert {data["features"][i]["i"] for i in found["out"]} == gone


def test_substitutes_end_with_the_time(table):
    X, Y = table
    selector = Sieve(SIZE).fit(X, Y)
    quality = evaluate_selection(selector, X, Y, n_splits=2, budget=0)
    refits = refit(selector, X, Y, 0.0)
    assert refits.replaced == {}
    assert refits.budget == 0
    found = explore_data(
        SIZE,
        quality,
        refits,
        refits.longer.find_largest(),
        "labelsieve select a -k 7",
        {},
    )
    assert len(found["substitutes"]) == len(refits.replaced)
    assert found["code"]["cli"] == ["labelsieve", "select", "a"]


def test_included_and_excluded_features_stay_so(table):
    X, Y = table
    given = {"include": ["plain"], "exclude": ["a,b"]}
    selector = Sieve(4, **given).fit(X, Y)
    quality = evaluate_selection(selector, X, Y, n_splits=2, budget=4)
    refits = refit(selector, X, Y, None)
    assert 0 not in refits.replaced
    column = list(X).index("a,b")
    assert all(column not in selected for selected in refits.replaced.values())
    found = explore_data(4, quality, refits, refits.longer.find_largest(), "", {})
    assert found["features"][0] == {**found["features"][0], "n": "plain", "inc": 1}
    assert found["code"]["exclude"] == ["a,b"]
    assert found["code"]["parameters"] == ["include=['plain']"]


def test_counts_of_values_add_up(table, data):
    X, Y = table
    for feature in data["features"]:
        for label, has, known, _ in feature["j"]:
            assert sum(has) == data["labels"][label]["p"] == Y.iloc[:, label].sum()
            assert sum(known) == len(X)
            assert len(has) == len(known) == len(feature["b"])
        column = X.iloc[:, feature["i"]]
        assert feature["m"] == column.isna().sum()
        assert ("missing" in feature["b"]) == bool(column.isna().any())


def test_the_chosen_size_has_the_verdicts_of_the_page(table):
    """Not those of tests that know of one classifier only."""
    quality = evaluate_selection(Sieve(4), *table, n_splits=4, budget=4)
    classifier, main = quality.classifiers[0], quality.main_measures[0]
    (row,) = (one for one in size_rows(quality) if "chosen" in one["advice"])
    found = [
        sentences.verdict_words(one)
        for one in quality.findings
        if (one.classifier, one.measure) == (classifier, main)
    ]
    assert row["against"] == found[0]
    assert [said.split("): ", 1)[1] for said in row["words"]] == found


def test_no_size_is_recommended_that_is_far_from_the_best(table):
    """A classifier may be worse with all features than with a single one."""
    quality = evaluate_selection(Sieve(4), *table, n_splits=4, budget=4)
    classifier, main = quality.classifiers[0], quality.main_measures[0]
    spread = np.linspace(0.0, 0.01, 4)  # over the splits
    for found in quality.curves.values():
        found[main][:] = 0.8 + spread[:, np.newaxis]
    quality.curves["chosen"][main][:, 0] = 0.3 + spread
    quality.values[classifier, "all"][main][:] = 0.2 - spread
    rows = size_rows(quality)
    assert [row["enough"] for row in rows] == [True] * len(rows)
    for row, is_smallest in zip(rows, [False, True] + [False] * 20, strict=False):
        found = any(text.startswith("smallest") for text in row["advice"])
        assert found == is_smallest


def test_many_names_are_counted():
    names = [f"f{i}" for i in range(11)]
    assert _named(names[:2]) == "“f0” and “f1”"
    assert _named(names[:9]).endswith("“f7” and “f8”")
    assert _named(names).endswith("“f7” and 3 others")


def test_what_covers_a_label_least_is_known_for_each_size(table, data):
    X, Y = table
    shares = Sieve(14).fit(X, Y).explain(X, Y).label_shares
    for label, expected in zip(data["labels"], shares.T, strict=True):
        for size in range(1, len(expected) + 1):
            found = [rank for rank, _ in label["w"] if rank < size][:3]
            least = np.argsort(expected[:size], kind="stable")[:3]
            assert found == least.tolist()


def test_coverage_is_that_of_the_explanation(table, data):
    X, Y = table
    for size in (1, 3, SIZE):
        coverage = Sieve(size).fit(X, Y).explain(X, Y).label_coverage
        for label, expected in zip(data["labels"], coverage, strict=True):
            reached = [share for rank, share in label["rec"] if rank <= size]
            assert (reached or [0])[-1] == pytest.approx(100 * expected, abs=0.51)


def test_first_screen(page, live):
    headline = text(page, "h1")
    assert headline.startswith(f"{SIZE} of 17 features keep")
    assert len(texts(page, ".figure")) == 3
    assert page.run("document.querySelector('.reading').open") is False
    below = page.run("document.querySelector('h2').getBoundingClientRect().top")
    assert below > 600


def test_slider_moves_everything(page, data):
    assert text(page, "#features-count") == f"1 to {SIZE} of {SIZE}"
    lines = text(page, "#verdicts")
    put(page, "#size-range", "3")
    assert text(page, "#features-count") == "1 to 3 of 3"
    assert text(page, ".hero .plot").count("3 kept") == 1
    assert text(page, "#verdicts") != lines
    nearest = min((one["n"] for one in data["sizes"]), key=lambda n: abs(n - 3))
    assert f"{nearest} feature" in text(page, "#verdicts dt")
    row = f'tr[data-size="{nearest}"]'
    assert page.run(f"document.querySelector('{row}').hasAttribute('aria-current')")
    assert "n_features_to_select=3" in text(page, "#python-lines")
    assert page.run("location.hash") == "#n=3"
    put(page, "#size-number", "99")
    assert page.run("document.querySelector('#size-range').value") == "14"
    click(page, "#size-reset")
    assert page.run("location.hash") == ""
    assert text(page, "#features-count") == f"1 to {SIZE} of {SIZE}"


def test_sizes_of_the_table_set_the_slider(page, data):
    click(page, "tr[data-size] button", 1)
    size = data["sizes"][1]["n"]
    assert page.run("document.querySelector('#size-range').value") == str(size)


def test_a_feature(page, table, data):
    rank = next(i for i, one in enumerate(data["features"]) if one["m"])
    click(page, "#features-rows th button", rank)
    panel = text(page, "#feature-panel")
    one = data["features"][rank]
    assert page.run("document.activeElement.textContent") == one["n"]
    assert f"{one['m']} missing cells" in panel
    served = {data["labels"][label]["n"] for label, _ in one["l"]}
    assert all(name in panel for name in served)
    assert all(data["features"][other]["n"] in panel for other, _ in one["r"])
    assert "More than noise" in panel
    assert len(texts(page, "#feature-panel .profile")) == len(one["j"])


def test_signs_and_shapes(page, data):
    names = [one["n"] for one in data["features"]]
    X = {name: i for i, name in enumerate(names)}
    click(page, "#features-rows th button", X[HOSTILE[1]])
    effects = texts(page, "#feature-panel .profile p")
    assert effects[effects.index("up") + 1].startswith("larger values raise it")
    click(page, "#features-rows th button", X[HOSTILE[3]])
    effects = texts(page, "#feature-panel .profile p")
    assert effects[effects.index("middle") + 1].startswith("most in between")


def test_a_label(page, data):
    click(page, "#labels-rows th button")
    panel = text(page, "#label-panel")
    worst = min(
        data["labels"],
        key=lambda one: ([s for r, s in one["rec"] if r <= SIZE] or [0])[-1],
    )
    assert panel.startswith(worst["n"])
    assert f"{worst['p']} samples with it" in panel
    assert len(texts(page, "#label-panel li")) == len(worst["t"])
    assert page.run("document.querySelectorAll('#label-panel polyline').length") == 3
    for size in (SIZE, 2):  # those that cover it least are among the kept ones
        put(page, "#size-range", str(size))
        panel = text(page, "#label-panel")
        names = [one["n"] for one in data["features"]]
        weak = [names[rank] for rank, _ in worst["w"] if rank < size][:3]
        assert len(weak) == min(size, 3)
        assert all(name in panel[panel.index("Covered least by") :] for name in weak)
    put(page, "#size-range", str(SIZE))
    click(page, "#label-panel li button")
    assert text(page, "#feature-panel h3") == data["features"][worst["t"][0][0]]["n"]


def test_crossing_out_shows_what_comes_in(page, data):
    click(page, "#features-rows td .small-button", 1)
    panel = text(page, "#feature-panel")
    for name, _ in data["substitutes"]["1"]["add"]:
        assert name in panel
    assert "exclude=[" in text(page, "#python-lines")
    assert page.run("location.hash") == "#f=1&x=1"
    found, chosen = data["substitutes"]["1"], data["features"][:SIZE]
    gone = [1, *found["out"]]
    left = [one["n"] for rank, one in enumerate(chosen) if rank not in gone]
    expected = left + [name for name, _ in found["add"]]
    assert json.loads(copied(page, "python")) == expected
    assert [one["feature"] for one in json.loads(copied(page, "json"))] == expected
    lines = pd.read_csv(StringIO(copied(page, "csv")))
    assert lines["column"].tolist()[-1] == found["add"][-1][1]
    assert f"has “{found['add'][0][0]}”" in text(page, "#crossed")
    put(page, "#feature-filter", "out")
    assert text(page, "#features-count") == "1 to 1 of 1"
    click(page, "#features-rows td .small-button")
    assert text(page, "#features-count") == "None found"
    assert "exclude" not in text(page, "#python-lines")


def test_search_sort_and_windows(page, data):
    put(page, "#feature-filter", "all")
    put(page, "#feature-query", "SCRIPT>")
    shown = texts(page, "#features-rows th")
    assert shown
    assert all("script>" in name for name in shown)
    put(page, "#feature-query", "")
    put(page, "#feature-sort", "name")
    assert sorted(texts(page, "#features-rows th button")) == sorted(
        one["n"] for one in data["features"]
    )
    assert texts(page, "#features-rows td:first-child") != [
        str(i + 1) for i in range(len(data["features"]))
    ]
    put(page, "#label-sort", "positives")
    counts = [int(one) for one in texts(page, "#labels-rows td:nth-child(2)")]
    assert counts == sorted(counts, reverse=True)
    put(page, "#label-query", "mid")
    assert texts(page, "#labels-rows th") == ["middle"]


def test_copies(page, data):
    names = [one["n"] for one in data["features"][:SIZE]]
    assert json.loads(copied(page, "python")) == names
    assert [one["feature"] for one in json.loads(copied(page, "json"))] == names
    lines = pd.read_csv(StringIO(copied(page, "csv")))
    assert lines["column"].tolist() == [one["i"] for one in data["features"][:SIZE]]
    assert not any(str(name).startswith("=") for name in lines["feature"])
    assert copied(page, "link") == page.run("location.href")
    assert text(page, "#copied").endswith("copied")


def test_lines_make_the_state_again(page, table):
    X, Y = table
    put(page, "#size-range", "4")
    click(page, "#features-rows td .small-button", 2)
    names = {"X": X, "Y": Y}
    exec(text(page, "#python-lines"), names)
    out = Sieve(4).fit(X, Y).order_[2]
    assert names["selector"].exclude == [X.columns[out]]
    assert out not in names["selector"].get_support(indices=True)


def test_what_was_chosen_automatically_stays(browser, table, tmp_path):
    """Another size begins with it, and the lines say how."""
    X, Y = table
    fitted = Sieve("auto").fit(X, Y)
    chosen = fitted.get_feature_names_out()
    chosen = X.columns[fitted.order_[: len(chosen)]].tolist()
    browser.open(write_report(fitted, X, Y, tmp_path / "auto.html", budget=1))
    for size in (None, len(chosen) - 1, len(chosen) + 2):
        if size is not None:
            put(browser, "#size-range", str(size))
        names = {"X": X, "Y": Y}
        exec(text(browser, "#python-lines"), names)
        again = names["selector"]
        kept = X.columns[again.order_[: int(again.support_.sum())]].tolist()
        assert texts(browser, "#features-rows th button") == kept
        assert kept[: len(chosen)] == chosen[: len(kept)]
    assert names["selector"].include == chosen


def test_command_line(browser, table, tmp_path):
    X, Y = table
    selector = FIMF(3).fit(X[["plain", "feature 0", "feature 1", "a,b"]], Y)
    X = X[list(selector.feature_names_in_)]
    content = selection_page(
        selector.explain(X, Y),
        None,
        method="fimf",
        description={"name": "t", "instances": 240, "features": 4, "labels": 4},
        settings={},
        command="labelsieve select 'my table.csv' -k 3 --exclude 'feature 1' --quiet",
        refits=refit(selector, X, Y, None),
    )
    browser.open(write_page(content, tmp_path / "page.html"))
    command = "document.querySelector('#command-lines').textContent"
    assert browser.run(command) == (
        "labelsieve select 'my table.csv' --quiet -k 3 '--exclude=feature 1'"
    )
    names = browser.run(
        "[...document.querySelectorAll('#features-rows th')].map(o => o.textContent)"
    )
    click(browser, "#features-rows td .small-button", names.index("plain"))
    assert browser.run(command).endswith("-k 3 '--exclude=feature 1,plain'")
    click(browser, "#features-rows td .small-button", names.index("a,b"))
    *_, option = shlex.split(browser.run(command))
    excluded = cli_names(option.removeprefix("--exclude="))
    assert sorted(excluded) == ["a,b", "feature 1", "plain"]
    assert browser.problems == []


def test_address_keeps_the_state(browser, live, data):
    browser.open(live, fragment="n=5&f=2&l=1&x=0.3&q=e&ls=name")
    assert browser.run("document.querySelector('#size-range').value") == "5"
    assert text(browser, "#feature-panel h3") == data["features"][2]["n"]
    assert text(browser, "#label-panel h3") == data["labels"][1]["n"]
    assert "2 features crossed out. A copied list has no replacement" in text(
        browser, "#crossed"
    )
    browser.run("location.hash = '#n=banana&f=99999&x=-4.x&s=toString'")
    browser.run("new Promise(done => setTimeout(done, 50))")
    assert browser.run("document.querySelector('#size-range').value") == str(SIZE)
    assert browser.run("document.querySelector('#feature-panel').hidden")
    assert browser.problems == []


@pytest.mark.parametrize("width", [390, 820, 1280])
def test_words_stay_whole(browser, tmp_path, width):
    X, Y, _ = make_multilabel(150, 4, n_noise=8, random_state=0)
    features = [f"fr_apolipoprotein={i}" for i in range(X.shape[1])]
    labels = ["TAG_cryptography", "y_representation", "TAG_maintenance", "y_Alcohol12"]
    page = tmp_path / "page.html"
    names = {"feature_names": features, "label_names": labels}
    browser.open(write_report(Sieve(5), X, Y, page, budget=2, **names), width)
    click(browser, "#features-rows td .small-button")
    click(browser, "#labels-rows th button")
    broken = browser.run(
        """[...document.querySelectorAll('tbody th button, pre .word')].filter(one =>
          one.checkVisibility()).flatMap(one =>
          [...one.childNodes].filter(node => {
            const range = document.createRange();
            range.selectNodeContents(node);
            return range.getClientRects().length > 1;
          }).map(node => node.textContent))"""
    )
    assert broken == []
    sideways = "document.querySelector('{} .table').matches('.wider')"
    assert not browser.run(sideways.format("#sizes"))
    assert not browser.run(sideways.format("#features .beside"))
    # What only the lists on a phone leave out is still in the panels.
    assert "have the label" in text(browser, "#feature-panel thead")
    hidden = (
        "[...document.querySelectorAll('.bars th')].every(o => o.checkVisibility())"
    )
    assert browser.run(hidden)


def test_keyboard_alone(page, data):
    page.run("document.querySelector('#size-range').focus()")
    page.press("ArrowLeft")
    assert page.run("document.querySelector('#size-number').value") == str(SIZE - 1)
    page.run("document.querySelector('#features-rows th button').focus()")
    page.press("Enter", text="\r")
    assert page.run("document.activeElement.tagName") == "H3"
    query = "#features-rows td .small-button"
    page.run(f"document.querySelector('{query}').focus()")
    page.press("Enter", text="\r")
    # The button says something else now, and still has the focus.
    assert page.run("document.activeElement.textContent") == "Use again"


def test_printed(browser, live):
    browser.open(live)
    browser.call("Emulation.setEmulatedMedia", media="print")
    seen = "document.querySelector('{}').checkVisibility()"
    assert browser.run(seen.format(".plain"))
    assert not browser.run(seen.format("#size-range"))
    browser.call("Emulation.setEmulatedMedia", media="")


def test_without_scripts(browser, live):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.call("Page.navigate", url=live.as_uri())
        while browser.run("document.readyState") != "complete":
            time.sleep(0.02)
        seen = "document.querySelector('{}').checkVisibility()"
        assert browser.run(seen.format(".plain"))
        assert not browser.run(seen.format("#size-range"))
        assert browser.run("document.querySelectorAll('.plain tbody tr').length") == 7
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


def test_other_scripts_do_not_run(browser, live, tmp_path):
    changed = live.read_text("utf-8").replace(
        "</main>", "<script>window.hacked = 1</script><b onclick='hacked=1'></b></main>"
    )
    path = tmp_path / "changed.html"
    path.write_text(changed, "utf-8")
    browser.open(path)
    assert browser.run("window.hacked") is None
    assert len(browser.problems) >= 1


@pytest.mark.parametrize("width", [360, 390, 1280, 2000])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_use_it(browser, live, width, scheme):
    browser.open(live, width, scheme, fragment="n=5&f=2&l=1&x=0.3")
    assert browser.run("document.documentElement.scrollWidth") <= width
    violations = browser.run(read_axe())
    assert violations == []


def test_hundreds_of_labels_and_thousands_of_features(browser, tmp_path):
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (150, 3000)).astype(float)
    Y = (random.random((150, 900)) < 0.1).astype(int)
    selector = FIMF(1500).fit(X, Y)
    content = selection_page(
        selector.explain(X, Y, label_names=[f"a long label {i}" for i in range(900)]),
        None,
        method="fimf",
        description={"name": "m", "instances": 150, "features": 3000, "labels": 900},
        settings={},
        command="",
    )
    assert len(render_page(content)) < 2_000_000
    browser.open(write_page(content, tmp_path / "page.html"))
    for rows in ("features", "labels"):
        assert len(texts(browser, f"#{rows}-rows tr")) == 25
        click(browser, f"#{rows}-pager button", 1)
        assert text(browser, f"#{rows}-count").startswith("26 to 50")
        click(browser, f"#{rows}-pager button", 0)
        assert text(browser, f"#{rows}-count").startswith("1 to 25")
    click(browser, "#features-rows th button", 3)
    assert text(browser, "#feature-panel h3") == text(
        browser, "#features-rows tr:nth-child(4) th"
    )


def test_numbers_and_classes_have_a_page(browser, table, tmp_path):
    """No sample is said to have a number or a class: they are known in some."""
    X, _ = table
    noise = np.random.default_rng(0).normal(0, 0.3, len(X))
    Y = pd.DataFrame({"size": X.iloc[:, 1] + noise, "kind": X.iloc[:, 16]})
    path = write_report(Sieve(3), X.iloc[:, [1, *range(5, 9)]], Y, tmp_path / "a.html")
    known = [(one["n"], one["p"], one["k"]) for one in data_of(path)["labels"]]
    assert known == [("size", len(X), "number"), ("kind", len(X), "class")]
    browser.open(path)
    put(browser, "#label-sort", "name")
    click(browser, "#labels-rows th button", 1)
    panel = text(browser, "#label-panel")
    assert "A number, known in 240 samples." in panel
    click(browser, "#features-rows th button")
    assert "above its median" in text(browser, "#feature-panel")


def of_words_or_numbers(kind):
    """1,200 samples of 200 features of 40 topics, and 300 of noise."""
    random = np.random.default_rng(5)
    topics = random.random((1200, 40)) < 0.1
    noise = random.random((1200, 300)) < 0.05
    X = np.repeat(topics, 5, axis=1) & (random.random((1200, 200)) < 0.6)
    X, Y = np.hstack([X, noise]).astype(float), topics.astype(int)
    if kind == "numbers":
        X += random.normal(0, 0.4, X.shape)
    return sp.csr_array(X) if kind == "words" else X, Y


def with_gaps():
    """A table of numbers, categories and repeats in which cells are missing."""
    X, Y, _ = make_multilabel(200, 5, n_noise=10, random_state=1)
    random = np.random.default_rng(1)
    X = np.hstack([X, X[:, :8] + random.normal(0, 0.3, (200, 8))]).round(2)
    X[random.random(X.shape) < 0.1] = np.nan
    X = pd.DataFrame(X).add_prefix("f")
    X["kind"] = np.array(["a", "b", "c"])[random.integers(0, 3, 200)]
    Y = Y.astype(float)
    Y[random.random(Y.shape) < 0.1] = np.nan
    return X, Y


def few_words():
    X, Y = of_words_or_numbers("words")
    return X[:, :60], Y[:, :12]


def few_numbers():
    X, Y, _ = make_multilabel(120, 3, n_noise=5, random_state=2)
    return X[:, ::3], Y


def words():
    return of_words_or_numbers("words")


def numbers():
    return of_words_or_numbers("numbers")


TREES = RandomForestClassifier(10, random_state=0)
GROUPS = {"first": [0, 1, 2], "second": [3, 4], "third": [20, 21]}


@pytest.mark.parametrize(
    ("selector", "made"),
    [
        (Sieve(30), words),
        (Sieve("auto"), few_words),
        (PMU(20), words),
        (Sieve(12), numbers),
        (Sieve(9, label_weight="balanced"), with_gaps),
        (Sieve("auto"), with_gaps),
        (Sieve("auto", error_rate="fdr", include=["f7"]), with_gaps),
        (Sieve(6, feature_groups=GROUPS, exclude=["third"]), with_gaps),
        (Sieve(feature_costs={"f0": 5}, max_cost=9), with_gaps),
        *((method(7), with_gaps) for method in (PMU, D2F, SCLS, MDMR, LRFS, FIMF)),
        (RFS(7), few_numbers),
        (SelectByModel(TREES, n_features_to_select=5), few_numbers),
        (SelectByModel(TREES, n_features_to_select=5, step=0.3), few_numbers),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_every_chosen_feature_has_the_substitute_of_a_refit(selector, made):
    X, Y = made()
    selector.fit(X, Y)
    chosen = selector._by_group()
    kept = chosen.order_[: int(chosen.support_.sum())].tolist()
    refits = refit(selector, X, Y, math.inf)
    open_ = [r for r, i in enumerate(kept) if not refits.longer.included[r]]
    assert [*refits.replaced] == open_
    assert refits.longer.features[: len(kept)].tolist() == kept
    for rank in open_[:: max(1, len(open_) // 4)]:
        never = [*(selector.exclude or ()), kept[rank]]
        again = clone(selector).set_params(exclude=never).fit(X, Y)._by_group()
        expected = again.order_[: int(again.support_.sum())].tolist()
        assert sorted(refits.replaced[rank]) == sorted(expected)


def test_a_search_for_substitutes_leaves_nothing_on_the_selector():
    X, Y = few_numbers()
    longer, found, _ = fit_longer(Sieve(2).fit(X, Y), X, Y, lambda _: math.inf)
    assert found
    again = pickle.loads(pickle.dumps(longer))
    assert again.order_.tolist() == longer.order_.tolist()
    assert vars(again).keys() == vars(clone(longer).fit(X, Y)).keys()
