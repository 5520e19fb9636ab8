import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from labelsieve import FIMF, metrics
from labelsieve.datasets import Dataset, make_multilabel, save
from labelsieve.experiments import (
    HoldOut,
    Method,
    Sizes,
    compare,
    read_results,
    reproduce,
)
from labelsieve.experiments import reproduce as reproduce_function
from labelsieve.experiments.methods import CLASSIFIERS
from labelsieve.experiments.papers import PAPERS, Published
from labelsieve.registry import selector_names

reproduce_module = sys.modules[reproduce_function.__module__]
SMALL = Sizes(counts=(1, 3, 10))


@pytest.fixture
def compared(data_folder, tmp_path):
    return compare(
        ["first", str(data_folder / "second.csv")],
        ["fimf", Method("pmu", {"n_bins": 3})],
        protocol=HoldOut(n_splits=3),
        sizes=SMALL,
        data=data_folder,
        out=tmp_path / "out",
    )


def test_compare_has_both_controls(compared):
    methods = {row["method"] for row in compared.content["scores"]}
    assert methods == {"fimf", "pmu(n_bins=3)", "random", "all"}
    assert [data["name"] for data in compared.content["datasets"]] == [
        "first",
        "second",
    ]
    assert {row["reference"] for row in compared.content["tests"]} == {"fimf"}
    assert compared.content["ranks"]
    assert compared.content["stability"]


def test_compare_shows_the_top_of_rankings_where_labels_are_many(
    data_folder, tmp_path, monkeypatch
):
    monkeypatch.setattr(reproduce_module, "MANY_LABELS", 3)
    results = compare(
        ["first"],
        ["fimf"],
        protocol=HoldOut(n_splits=2),
        sizes=SMALL,
        data=data_folder,
        out=tmp_path,
    )
    shown = {row["measure"] for row in results.content["scores"]}
    assert shown >= {"micro_f1", "precision_at_1", "ndcg_at_5", "psp_at_5"}
    assert read_results(tmp_path).content["experiment"]["measures"][-1] == "psp_at_5"


def test_what_is_written_is_read(compared):
    again = read_results(compared.folder)
    assert again.content == json.loads(json.dumps(compared.content))
    assert again.costs == compared.costs
    assert read_results(compared.folder / "results.json").content == again.content
    assert (compared.folder / "results.md").read_text() == again.to_markdown()
    assert (compared.folder / "costs.md").read_text() == again.costs_to_markdown()
    assert not list(compared.folder.glob(".*"))


def test_the_page_shows_every_method_once_per_data_set(compared):
    page = compared.to_markdown()
    section = page[page.index("## All methods") : page.index("## fimf against")]
    for method in ("fimf", "pmu(n_bins=3)", "random", "all"):
        assert section.count(f"| {method} |") == 2


def test_times_are_told_in_units_of_the_first_selector(compared):
    page = compared.costs_to_markdown()
    assert "Processor time of the selection, fimf = 1:" in page
    by_method = {(c["dataset"], c["method"]): c for c in compared.costs}
    spent = [
        by_method["first", method]["select_cpu_seconds"]
        for method in ("pmu(n_bins=3)", "fimf")
    ]
    assert f"| first | quantile | 28 | 3 | {spent[0] / spent[1]:.2g} |" in page


@pytest.mark.parametrize("paper", PAPERS)
def test_published_results_are_as_they_were_written(paper):
    results = read_results(Path(__file__).parents[2] / "results" / paper)
    methods = {row["method"].split(",")[0] for row in results.content["table"]}
    assert methods <= {*selector_names(), *CLASSIFIERS}


def test_compare_names_what_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="not found: nowhere"):
        compare(["nowhere"], ["fimf"], data=tmp_path, out=tmp_path)
    with pytest.raises(ValueError, match="at least one data set and one selector"):
        compare([], ["fimf"], out=tmp_path)


@pytest.mark.parametrize(
    ("datasets", "selectors", "message"),
    [
        (["first"], [FIMF()], "selectors are given by name, .* of the type FIMF"),
        (["first"], [None], "by name, .* of the type NoneType"),
        (["first"], "fimf", "selectors must be a list of names, got 'fimf'"),
        (["first"], FIMF(), r"selectors must be a list of names, got FIMF\(\)"),
        ("first", ["fimf"], "datasets must be a list of names, got 'first'"),
    ],
)
def test_compare_with_what_is_no_name(datasets, selectors, message, tmp_path):
    with pytest.raises(TypeError, match=message):
        compare(datasets, selectors, out=tmp_path)
    with pytest.raises(TypeError, match="classifiers are given by name"):
        compare(["first"], ["fimf"], classifiers=[3], out=tmp_path)


OBJECTS = [
    LinearSVC(C=0.5),
    Pipeline([("scale", StandardScaler()), ("fit", LogisticRegression())]),
    DecisionTreeClassifier(max_depth=3),
]


def test_any_classifier_is_a_judge(data_folder, tmp_path):
    settings = {"protocol": HoldOut(n_splits=3), "sizes": SMALL, "data": data_folder}
    found = compare(
        ["first"], ["fimf", "br+mi"], classifiers=OBJECTS, out=tmp_path, **settings
    )
    assert found.content["failed"] == []
    contests = list(dict.fromkeys(row["contest"] for row in found.content["scores"]))
    assert contests == [
        "LinearSVC(C=0.5)",
        "Pipeline(steps=[('scale', StandardScaler()), ('fit', LogisticRegression())])",
        "DecisionTreeClassifier(max_depth=3)",
    ]
    # The same objects are the same cells: nothing is computed again.
    lines = (tmp_path / "cells.jsonl").read_text()
    again = compare(
        ["first"], ["fimf", "br+mi"], classifiers=OBJECTS, out=tmp_path, **settings
    )
    assert (tmp_path / "cells.jsonl").read_text() == lines
    assert again.content == found.content
    # What differs is another judge.
    other = compare(
        ["first"], ["fimf"], classifiers=[LinearSVC(C=2.0)], out=tmp_path, **settings
    )
    assert "LinearSVC(C=2.0)" in {row["contest"] for row in other.content["scores"]}


def test_a_judge_by_its_full_name(data_folder, tmp_path):
    found = compare(
        *(["first"], ["fimf"]),
        classifiers=["sklearn.tree.DecisionTreeClassifier"],
        protocol=HoldOut(n_splits=2),
        sizes=SMALL,
        data=data_folder,
        out=tmp_path,
    )
    assert found.content["failed"] == []


def test_judges_that_cannot_be_kept_are_refused():
    local = type("Local", (LogisticRegression,), {})
    with pytest.raises(TypeError, match="other processes can import"):
        Method.of(local())
    with pytest.raises(TypeError, match="an object with fit and predict"):
        Method.of(LogisticRegression)
    with pytest.raises(TypeError, match="must be a number, a text, a list"):
        Method.of(LogisticRegression(class_weight={0: object()}))


def test_what_a_comparison_says(data_folder, tmp_path):
    found = compare(
        *(["first"], ["fimf", "br+mi"]),
        protocol=HoldOut(n_splits=4),
        sizes=SMALL,
        data=data_folder,
        out=tmp_path,
    )
    (said,) = found.sentences()
    assert said.startswith("On first, ")
    frame = found.to_frame()
    assert len(frame) == len(found.content["scores"])
    tested = frame[frame["reference_is"].notna()]
    kinds = {"better", "worse", "inconclusive"}
    assert set(tested["reference_is"]) <= kinds
    # Holm makes p-values larger, never smaller.
    raw = [test["p_corrected"] for test in found.content["tests"]]
    assert (np.sort(tested["p"]) >= np.sort(raw) - 1e-12).all()
    clear = tested["p"] < 0.05
    assert ((tested["reference_is"] != "inconclusive") == clear).all()
    assert repr(found).count("\n") < 10
    html = found._repr_html_()
    assert said.split(" by ")[0] in html
    assert "<table>" in html
    curves = found.plot("micro_f1").curves
    assert {"fimf", "br+mi", "random", "all"} == set(curves)
    with pytest.raises(ValueError, match="unknown measure 'nothing'"):
        found.plot("nothing")
    with pytest.raises(ValueError, match="there are 1 places"):
        found.plot(place=1)


QUICKLY = {"protocol": HoldOut(n_splits=2), "sizes": Sizes(counts=(1, 2, 4))}


def arrays(kind):
    X, Y, _ = make_multilabel(60, 3, random_state=3)
    if kind == "frame":
        pd = pytest.importorskip("pandas")
        names = [f"column {i}" for i in range(X.shape[1])]
        return pd.DataFrame(X, columns=names), pd.DataFrame(Y, columns=list("abc"))
    if kind == "sparse":
        return sp.csr_matrix(np.where(X > 1, X, 0)), sp.csr_matrix(Y)
    if kind == "tags":
        return X, [[f"tag {j}" for j in np.flatnonzero(row)] for row in Y]
    return X, Y


@pytest.mark.parametrize("kind", ["array", "frame", "sparse", "tags"])
def test_compare_takes_what_fit_takes(kind, tmp_path):
    X, Y = arrays(kind)
    found = compare(X, Y, ["fimf", "br+mi"], out=tmp_path / "arrays", **QUICKLY)
    assert found.content["failed"] == []
    dense = X.toarray() if sp.issparse(X) else np.asarray(X)
    data = Dataset(X if sp.issparse(X) else dense, *indicator(Y), "data")
    save(data, tmp_path / "data.arff")
    file = str(tmp_path / "data.arff")
    same = compare([file], ["fimf", "br+mi"], out=tmp_path / "file", **QUICKLY)
    assert found.content == same.content


def indicator(Y):
    """Labels as 0 and 1, with names of features and labels."""
    if isinstance(Y, list):
        tags = sorted({tag for row in Y for tag in row})
        Y = np.array([[tag in row for tag in tags] for row in Y], dtype=np.uint8)
    Y = Y if sp.issparse(Y) else np.asarray(Y)
    n_features = make_multilabel(60, 3, random_state=3)[0].shape[1]
    labels = [f"label {j}" for j in range(Y.shape[1])]
    return Y, [f"feature {i}" for i in range(n_features)], labels


def test_compare_arrays_that_changed(tmp_path):
    """The same call with other values is another comparison, in one process, too."""
    X, Y = arrays("array")
    first = compare(X, Y, ["fimf"], out=tmp_path, **QUICKLY)
    second = compare(X[::-1] + 1, Y, ["fimf"], out=tmp_path, **QUICKLY)
    assert first.content["datasets"] != second.content["datasets"]
    assert first.content["scores"] != second.content["scores"]
    again = compare(X, Y, ["fimf"], out=tmp_path, **QUICKLY)
    assert again.content == first.content


def test_compare_data_sets_that_are_loaded(tmp_path):
    data = Dataset(*arrays("array"), [f"f{i}" for i in range(50)], list("abc"), "mine")
    found = compare(data, ["fimf"], out=tmp_path, **QUICKLY)
    assert [row["name"] for row in found.content["datasets"]] == ["mine"]
    listed = compare([data], selectors=["fimf"], out=tmp_path, **QUICKLY)
    assert listed.content == found.content


def test_compare_with_labels_twice_or_not_at_all(tmp_path):
    X, Y = arrays("array")
    with pytest.raises(TypeError, match=r"labels are missing: .*compare\(X, Y"):
        compare(X, selectors=["fimf"], out=tmp_path)
    with pytest.raises(TypeError, match="do not pass Y as well"):
        compare(["first"], Y, ["fimf"], out=tmp_path)


def test_the_answer_tells_who_is_ahead_before_all_are_alike(tmp_path):
    """With all features all methods are alike; the mean over sizes still tells."""
    random = np.random.default_rng(0)
    Y = random.integers(0, 2, (300, 3))
    X = np.hstack([random.normal(size=(300, 5)), Y + random.normal(0, 0.3, (300, 3))])
    mine = Method("tests.experiments.test_reproduce:worst_first")
    found = compare(
        *(X, Y, ["br+mi", mine]),
        protocol=HoldOut(n_splits=5),
        sizes=Sizes(counts=tuple(range(1, 9))),
        out=tmp_path,
    )
    (said,) = found.sentences()
    start = "On these data, br+mi has the best mean by micro-F1 (1 is best), "
    assert said.startswith(start)
    assert "on average over 1 to 8 features" in said
    assert "differs significantly from worst_first" in said


def worst_first(X, Y, n):
    return np.arange(X.shape[1])


def test_two_data_sets_of_one_name_are_refused(data_folder, tmp_path):
    with pytest.raises(ValueError, match="two data sets are called 'first'"):
        compare(["first", str(data_folder / "first.csv")], ["fimf"], data=data_folder)


def test_a_wrong_selector_is_a_failed_cell_with_its_reason(data_folder, tmp_path):
    results = compare(
        ["first"],
        ["fimf", "nobody"],
        protocol=HoldOut(n_splits=2),
        sizes=SMALL,
        data=data_folder,
        out=tmp_path,
    )
    (failed,) = results.content["failed"]
    assert failed["method"] == "nobody"
    assert "unknown selector 'nobody'" in failed["reason"]
    assert "## Failed" in results.to_markdown()


@pytest.fixture
def small_paper(design, monkeypatch):
    """A paper about the small data sets, one of which is missing."""
    datasets = (*design.datasets, replace(design.datasets[0], name="mediamill"))
    printed = Published("first", "mlnb", "fimf", "hamming_loss", 0.2, 5, "Table 9")
    paper = replace(
        PAPERS["pmu"],
        design=replace(design, name="pmu", datasets=datasets),
        published=(printed,),
    )
    monkeypatch.setitem(reproduce_module.PAPERS, "pmu", paper)


def test_reproduce_names_missing_data_and_gives_verdicts(
    small_paper, tmp_path, monkeypatch
):
    monkeypatch.setenv("LABELSIEVE_DATA", str(tmp_path))
    results = reproduce("pmu", out=tmp_path / "out")
    assert results.content["missing"] == ["mediamill"]
    (row,) = results.content["table"]
    assert row["where"] == "Table 9"
    assert row["verdict"] in ("reproduced", "close", "not reproduced")
    assert "Data sets not found: mediamill." in results.to_markdown()


def test_quick_cells_are_those_of_the_whole(small_paper, tmp_path, monkeypatch):
    monkeypatch.setenv("LABELSIEVE_DATA", str(tmp_path))
    quick = reproduce("pmu", quick=True, out=tmp_path / "out")
    lines = (tmp_path / "out" / "cells.jsonl").read_text().splitlines()
    assert quick.content["experiment"]["n_cells"] == len(lines)
    reproduce("pmu", out=tmp_path / "out")
    whole = (tmp_path / "out" / "cells.jsonl").read_text().splitlines()
    assert whole[: len(lines)] == lines
    assert len(whole) == 2 * len(lines)


def test_reproduce_without_any_data(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELSIEVE_DATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="scene, enron, yeast"):
        reproduce("pmu", out=tmp_path / "out")
    with pytest.raises(ValueError, match="expected one of pmu, mlqpfs"):
        reproduce("nobody")


def test_methods_that_are_left_out_are_named_with_the_reason_and_what_is_printed(
    small_paper, data_folder, tmp_path, monkeypatch
):
    paper = reproduce_module.PAPERS["pmu"]
    first, *others = paper.design.datasets
    first = replace(first, name="first", left_out={"fimf": "takes a day"})
    changed = replace(paper.design, datasets=(first, *others))
    monkeypatch.setitem(reproduce_module.PAPERS, "pmu", replace(paper, design=changed))
    results = reproduce("pmu", data=data_folder, out=tmp_path)
    (row,) = results.content["left_out"]
    assert (row["dataset"], row["method"]) == ("first", "fimf")
    assert "| first | fimf | takes a day | hamming_loss 0.2 |" in results.to_markdown()
    ran = {(score["dataset"], score["method"]) for score in results.content["scores"]}
    assert ("first", "fimf") not in ran
    assert {("second", "fimf"), ("first", "random"), ("first", "all")} <= ran


def test_a_run_may_leave_methods_out(small_paper, data_folder, tmp_path, monkeypatch):
    paper = reproduce_module.PAPERS["pmu"]
    named = zip(("first", "second"), paper.design.datasets, strict=False)
    datasets = tuple(replace(data, name=name) for name, data in named)
    changed = replace(paper.design, datasets=datasets)
    monkeypatch.setitem(reproduce_module.PAPERS, "pmu", replace(paper, design=changed))
    results = reproduce("pmu", data=data_folder, without=["fimf@second"], out=tmp_path)
    (row,) = results.content["left_out"]
    assert (row["dataset"], row["method"]) == ("second", "fimf")
    ran = {(score["dataset"], score["method"]) for score in results.content["scores"]}
    assert ("first", "fimf") in ran
    assert ("second", "fimf") not in ran
    design = PAPERS["emcfs"].design
    everywhere = reproduce_module._without(design, ["ranksvm, linear"])
    assert all("ranksvm, linear" in data.left_out for data in everywhere.datasets)
    assert everywhere.datasets[-1].left_out.keys() >= {"ranksvm"}
    for wrong in ("fimff", "fimf@third"):
        with pytest.raises(ValueError, match="xpected one of"):
            reproduce("pmu", data=data_folder, without=[wrong], out=tmp_path)


@pytest.mark.parametrize("name", list(PAPERS))
def test_both_controls_stand_in_every_comparison_of_the_papers(name):
    design = PAPERS[name].design
    for data in design.datasets:
        selectors = {}
        for contender in design.contenders:
            if contender.method not in data.left_out:
                names = selectors.setdefault(contender.contest, set())
                names.add(contender.selector.name)
        assert selectors
        assert all({"random", "all"} <= names for names in selectors.values())
        assert data.left_out.keys() <= {c.method for c in design.contenders}


@pytest.mark.parametrize("name", list(PAPERS))
def test_the_papers_use_what_exists(name):
    paper = PAPERS[name]
    design = paper.design
    known = {*selector_names(), "random", "all"}
    places = set()
    for contender in design.contenders:
        assert contender.selector.name in known
        assert contender.classifier.name in CLASSIFIERS
        places.add((contender.contest, contender.method))
    assert design.reference in {method for _, method in places}
    assert set(design.measures) <= {*metrics.BY_PREDICTIONS, *metrics.BY_SCORES}
    datasets = {data.name for data in design.datasets}
    for value in paper.published:
        assert (value.contest, value.method) in places
        assert value.dataset in datasets
        assert value.measure in design.measures
    for claim in paper.claims:
        assert {claim.better, *claim.worse} <= {method for _, method in places}
        assert set(claim.datasets) <= datasets


@pytest.mark.parametrize(
    ("paper", "n_values"), [("pmu", 28), ("mlqpfs", 64), ("emcfs", 96)]
)
def test_all_printed_values_are_there(paper, n_values):
    rows = PAPERS[paper].published
    assert len(rows) == n_values
    places = {(r.dataset, r.method, r.measure, r.at) for r in rows}
    assert len(places) == n_values


def test_impossible_values_are_not_compared():
    remarked = [row for row in PAPERS["emcfs"].published if row.remark]
    assert sorted(row.value for row in remarked) == [0.928, 0.998]


def test_pmu_on_scene_is_near_the_earlier_attempt(real_data, tmp_path):
    """Means of 30 splits were .1455 / .1379 with bins of equal frequency."""
    real_data("scene")
    results = compare(
        ["scene"],
        ["pmu"],
        protocol=HoldOut(n_splits=3),
        sizes=Sizes(counts=(20,)),
        data=os.environ["LABELSIEVE_DATA"],
        out=tmp_path,
    )
    found = {
        (row["method"], row["measure"]): row["mean"]
        for row in results.content["scores"]
    }
    np.testing.assert_allclose(found["pmu", "hamming_loss"], 0.1455, atol=0.012)
    np.testing.assert_allclose(found["pmu", "ranking_loss"], 0.1379, atol=0.012)
    assert found["random", "hamming_loss"] > found["pmu", "hamming_loss"]
