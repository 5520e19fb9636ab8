"""write_report: one call from a selector and its data to a page."""

import json
import re
from contextlib import redirect_stdout
from html import unescape
from io import BytesIO, TextIOWrapper
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from labelsieve import (
    FIMF,
    PMU,
    Sieve,
    SizeCV,
    StabilitySelection,
    sentences,
    write_report,
)
from labelsieve.cli import main
from labelsieve.datasets import Dataset, make_multilabel, save


@pytest.fixture(scope="module")
def planted():
    X, Y, _ = make_multilabel(150, 3, n_relevant=4, n_noise=8, random_state=1)
    names = [f"column {i}" for i in range(X.shape[1])]
    return pd.DataFrame(X, columns=names), pd.DataFrame(Y, columns=list("abc"))


def text_of(page):
    return re.sub(r"<[^>]+>", " ", page.read_text("utf-8"))


@pytest.mark.parametrize(
    "make",
    [
        lambda X, Y: FIMF(4),
        lambda X, Y: FIMF(4).fit(X, Y),
        lambda X, Y: Sieve("auto"),
        lambda X, Y: SizeCV(FIMF(), sizes=[3, 6], cv=2, random_state=0),
        lambda X, Y: SizeCV(FIMF(), sizes=[3, 6], cv=2, random_state=0).fit(X, Y),
    ],
    ids=["unfitted", "fitted", "auto", "search", "fitted search"],
)
def test_fitted_or_not(make, planted, tmp_path):
    X, Y = planted
    selector = make(X, Y)
    before = dict(vars(selector))
    page = write_report(selector, X, Y, tmp_path / "new" / "why.html", budget=0.2)
    assert vars(selector).keys() == before.keys()
    said = text_of(page)
    kept = int(
        (
            selector if "support_" in dir(selector) else make(X, Y).fit(X, Y)
        ).support_.sum()
    )
    assert re.search(rf"<h1.*?>{kept} of {X.shape[1]} features keep", page.read_text())
    assert "column " in said
    assert "logistic regression" in said


def test_names_may_be_given(planted, tmp_path):
    X, Y = (np.asarray(part) for part in planted)
    names = [f"given {i}" for i in range(X.shape[1])]
    labels = ["one", "two", "three"]
    page = write_report(
        PMU(3),
        *(X, Y, tmp_path / "why.html"),
        feature_names=names,
        label_names=labels,
        name="songs",
        classifiers=[DecisionTreeClassifier(max_depth=2)],
        groups=np.repeat(np.arange(30), 5),
        budget=0.2,
    )
    said = text_of(page)
    assert "given " in said
    assert "songs" in said
    assert "DecisionTreeClassifier" in said


def test_what_cannot_be_explained_is_refused(planted, tmp_path):
    with pytest.raises(TypeError, match="write_report"):
        write_report(StabilitySelection(FIMF(3)), *planted, tmp_path / "why.html")


def test_all_kept_is_said(planted, tmp_path):
    X, Y = planted
    said = text_of(write_report(FIMF(1.0), X, Y, tmp_path / "why.html", budget=0.2))
    assert f"All {X.shape[1]} features are kept for 3 labels" in said
    said = said[: said.index("labelsieve.write_report(")]  # what follows are scripts
    for word in (" lost ", "better by", "worse by", "e+0"):
        assert word not in said


@pytest.fixture(scope="module")
def both(planted, tmp_path_factory):
    """What the command prints as JSON, and the page that it writes."""
    X, Y = planted
    folder = tmp_path_factory.mktemp("both")
    data, page = str(folder / "songs.arff"), folder / "why.html"
    save(Dataset(X.to_numpy(), Y.to_numpy(), list(X), list(Y)), data, format="meka")
    asked = ["-k", "4", "--splits", "3", "--report", str(page), "--json"]
    with redirect_stdout(TextIOWrapper(BytesIO(), "utf-8")) as out:
        assert main(["select", data, *asked]) == 0
        out.seek(0)
        found = json.loads(out.read())
    return found, page.read_text("utf-8")


def cells_of(shown, caption):
    """The rows of the table with a caption, as texts."""
    table = shown[shown.index(f"<caption>{caption}</caption>") :]
    rows = re.findall(r"<tr>(.*?)</tr>", table[: table.index("</table>")], re.S)
    cells = [re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", row) for row in rows[1:]]
    return [[unescape(cell) for cell in row] for row in cells]


def test_json_has_the_verdicts_of_the_page(both):
    found, shown = both
    rows = cells_of(shown, "Verdicts by all measures")
    verdicts = found["quality"]["verdicts"]
    assert len(rows) == len(verdicts) // 3
    for measure, classifier, chosen, other, *words in rows:
        same = [
            one
            for one in verdicts
            if (sentences.measure_name(one["measure"]), one["classifier"])
            == (measure, classifier)
        ]
        assert [one["words"] for one in same] == words
        assert sentences.plain(same[0]["chosen"]) == chosen
        assert sentences.plain(same[0]["other"]) == other
    assert {row[0] for row in cells_of(shown, "Verdicts")} < {row[0] for row in rows}


def test_json_has_the_sentences_of_the_page(both):
    found, shown = both
    said = [unescape(one) for one in re.findall(r"<li>(.*?)</li>", shown)]
    assert said[: len(found["quality"]["sentences"])] == found["quality"]["sentences"]


def test_json_has_the_curves_of_the_page(both):
    found, shown = both
    quality = found["quality"]
    drawn = json.loads(re.search(r"application/json.>(.*?)</script>", shown)[1])
    names = {"chosen features": "chosen", "random features": "random"}
    classifier = next(iter(quality["classifiers"]))
    for line in drawn["series"]:
        measure = line["measure"]
        which = names.get(line["method"], "all")
        assert line["sizes"] == quality["curves"]["sizes"]
        half = quality["half_intervals"][which][measure]
        if which == "all":
            mean = [quality["classifiers"][classifier][measure]["all"]] * len(
                line["mean"]
            )
            half = half * len(line["half"])
        else:
            mean = quality["curves"][which][measure]
        assert line["mean"] == pytest.approx(mean, rel=1e-3)
        assert line["half"] == pytest.approx(half, rel=1e-3)


def test_json_has_the_features_of_the_page(both):
    found, shown = both
    rows = cells_of(shown, "The chosen features")
    assert [row[0] for row in rows] == found["features"]
    for row, score in zip(rows, found["scores"], strict=True):
        assert row[2] == f"{score:z.4g}"
    percents = {
        f"{100 * share:.0f}"
        for table in ("relevance", "redundancy")
        for shares in found[table]["shares"]
        for share in shares
    }
    picture = shown[shown.index('aria-label="Features and labels') :]
    picture = picture[: picture.index("</svg>")]
    numbers = set(re.findall(r"<text [^>]*>\s*(\d+)\s*</text>", picture))
    assert numbers
    assert numbers <= percents


@pytest.mark.parametrize("named", [True, False])
def test_open_shows_the_page_in_the_browser(planted, tmp_path, monkeypatch, named):
    """Without --report the page is a temporary file."""
    X, Y = planted
    data, page = tmp_path / "data.parquet", tmp_path / "why.html"
    save(Dataset(X.to_numpy(), Y.to_numpy(), list(X), list(Y), "data"), data)
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or 1)
    report = ["--report", str(page)] if named else []
    with redirect_stdout(TextIOWrapper(BytesIO(), "utf-8")):
        main(["select", str(data), "-k", "3", "--budget", "0.2", "--open", *report])
    (address,) = opened
    assert (address == page.as_uri()) == named
    shown = Path(url2pathname(urlsplit(address).path))
    assert "3 of" in text_of(shown)
    shown.unlink()
