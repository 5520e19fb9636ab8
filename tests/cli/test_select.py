"""labelsieve select: rankings, files, reasons, every format alike."""

import csv
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import assert_one_line_error

from labelsieve import FIMF, Sieve
from labelsieve.choosing import (
    SizeCV,
    StabilitySelection,
    permutation_p_values,
    quality,
)
from labelsieve.classifiers import PathPredictor
from labelsieve.cli._main import _parser
from labelsieve.datasets import Dataset, load, make_multilabel, save
from labelsieve.registry import selector_names

TITLES = ["rank", "feature", "score", "relevant for", "most redundant with"]
OF_SIEVE = [*TITLES[:3], "significance", *TITLES[3:]]


def test_table_for_people(cli, music):
    done = cli("select", music, "-k", "3")
    assert done.returncode == 0
    assert done.err == ""
    assert done.out.startswith("music: 3 of 10 features selected for 3 labels")
    assert titles_of(done) == OF_SIEVE
    assert len(done.out.splitlines()) == 8
    assert "Least covered: " in done.out.splitlines()[-1]


@pytest.mark.parametrize(
    ("method", "terms"),
    [("pmu", ["relevance", "redundancy", "label interaction"]), ("lp+chi2", []),
     ("mlrf", [])],
)  # fmt: skip
def test_terms_for_people(call, music, method, terms):
    done = call("select", music, "-k", "3", "-m", method)
    assert titles_of(done) == [*TITLES[:3], *terms, *TITLES[3:]]


def titles_of(done):
    return [title for title in re.split("  +", done.out.splitlines()[2]) if title]


def test_json_for_machines(call, music, dataset):
    done = call("select", music, "-k", "4", "--json", "--seed", "3")
    found = json.loads(done.out)
    sieve = Sieve(4).fit(dataset.X, dataset.Y)
    assert found["order"] == sieve.order_[:4].tolist()
    assert found["features"] == [dataset.feature_names[i] for i in found["order"]]
    np.testing.assert_array_equal(found["scores"], sieve.scores_[found["order"]])
    assert found["method"] == "sieve"
    assert found["parameters"]["n_features_to_select"] == 4
    assert found["data"]["instances"] == 80
    assert [one["index"] for one in found["explanation"]] == found["order"]


def test_parameters_reach_the_method(call, music, dataset):
    words = ("--method", "FIMF", "--bins", "3", "--binning", "uniform", "--jobs", "2")
    done = call("select", music, *words, "--set", "n_labels=2", "--json", "-k", "1.0")
    found = json.loads(done.out)
    sieve = FIMF(1.0, n_bins=3, binning="uniform", n_labels=2)
    sieve.fit(dataset.X, dataset.Y)
    assert found["order"] == sieve.order_.tolist()
    assert found["parameters"]["n_jobs"] == 2


FORMULAS = ["=1+1", "+x", "-x", "@SUM(A1)", "\tx", "\rx", "a\nb", "plain"]


@pytest.fixture
def formulas(tmp_path):
    X, Y, _ = make_multilabel(60, 2, n_relevant=4, n_noise=2, random_state=0)
    data = Dataset(X[:, :8], Y, FORMULAS, ["=u", "v"], "formulas")
    save(data, tmp_path / "formulas.parquet")
    return tmp_path / "formulas.parquet"


@pytest.mark.parametrize("target", ["ranking.csv", "-"])
@pytest.mark.parametrize("raw", [(), ("--raw",)])
def test_a_spreadsheet_runs_no_name(call, formulas, tmp_path, target, raw):
    words = ("select", formulas, "-k", "8", "--quiet", *raw)
    done = call(*words, "-o", tmp_path / target if target != "-" else target)
    assert done.returncode == 0, done.err
    text = done.out if target == "-" else (tmp_path / target).read_bytes().decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    shown = FORMULAS if raw else [f"'{name}" for name in FORMULAS[:6]] + FORMULAS[6:]
    assert sorted(row["feature"] for row in rows) == sorted(shown)
    assert all(float(row["score"]) == float(row["score"]) for row in rows)


def test_a_line_for_each_name(call, formulas, tmp_path):
    call("select", formulas, "-k", "8", "--quiet", "-o", tmp_path / "ranking.txt")
    lines = (tmp_path / "ranking.txt").read_bytes().decode().splitlines()
    assert sorted(lines) == sorted([*FORMULAS[:4], r"\tx", r"\rx", r"a\nb", "plain"])


@pytest.mark.parametrize("name", ["ranking.csv", "ranking.json", "ranking.txt"])
def test_ranking_files(call, music, dataset, tmp_path, name):
    done = call("select", music, "-k", "2", "--quiet", "-o", tmp_path / name)
    assert (done.returncode, done.out, done.err) == (0, "", "")
    order = Sieve(2).fit(dataset.X, dataset.Y).order_[:2].tolist()
    names = [dataset.feature_names[i] for i in order]
    text = (tmp_path / name).read_text("utf-8")
    if name.endswith("csv"):
        rows = list(csv.DictReader(text.splitlines()))
        assert [(int(r["column"]), r["feature"]) for r in rows] == list(
            zip(order, names, strict=True)
        )
    elif name.endswith("json"):
        assert [row["column"] for row in json.loads(text)] == order
    else:
        assert text.splitlines() == names


def test_standard_input_and_output(cli, call, music):
    text = music.read_bytes()
    done = cli("select", "-", "--labels=-3", "-k", "2", "-o", "-", stdin=text)
    assert done.returncode == 0, done.err
    direct = call("select", music, "-k", "2", "-o", "-")
    assert done.out.splitlines()[0] == "rank,column,feature,score"
    assert done.out == direct.out


def test_broken_standard_input(cli):
    assert_one_line_error(cli("select", "-", stdin=b"@relation x\n"), "standard input")


def test_reduced_data(call, music, dataset, tmp_path):
    small = tmp_path / "small.arff"
    done = call("select", music, "-k", "3", "--reduced", small, "--quiet")
    assert done.returncode == 0
    kept = np.sort(Sieve(3).fit(dataset.X, dataset.Y).order_[:3])
    back = load(small)
    assert list(back.feature_names) == [dataset.feature_names[i] for i in kept]
    np.testing.assert_array_equal(back.X, dataset.X[:, kept])
    np.testing.assert_array_equal(back.Y, dataset.Y)


@pytest.mark.parametrize(
    "name", ["m.arff", "m.arff.gz", "m.csv", "m.tsv", "m.libsvm", "m.parquet"]
)
def test_same_order_in_every_format(call, music, tmp_path, name):
    assert call("convert", music, tmp_path / name).returncode == 0
    converted = json.loads(call("select", tmp_path / name, "-k", "1.0", "--json").out)
    original = json.loads(call("select", music, "-k", "1.0", "--json").out)
    for key in ("order", "features", "scores"):
        assert converted[key] == original[key]


@pytest.mark.parametrize("name", ["m.csv", "m.parquet"])
def test_nominal_features_stay_nominal(call, tmp_path, dataset, name):
    colours = np.random.default_rng(0).integers(0, 3, len(dataset.X))
    # Only the middle category tells the label: no cut of an order could.
    Y = dataset.Y.copy()
    Y[:, 0] = colours == 1
    X = np.column_stack([dataset.X[:, 6:8], colours])
    data = type(dataset)(
        X, Y, ["a", "b", "colour"], dataset.label_names, "n",
        {"colour": ("red", "green", "blue")},
    )  # fmt: skip
    save(data, tmp_path / name)
    found = json.loads(call("select", tmp_path / name, "-k", "1", "--json").out)
    assert found["features"] == ["colour"]
    best = found["explanation"][0]["labels"][0]
    assert best["label"] == "happy"
    assert best["share"] == pytest.approx(1.0)


def test_quality_knows_nominal_features(call, tmp_path, dataset, monkeypatch):
    judged = []

    class Watched(PathPredictor):
        def __init__(self, features, *rest, **more):
            judged.append({c: list(names) for c, names in features.categories.items()})
            super().__init__(features, *rest, **more)

    monkeypatch.setattr(quality, "PathPredictor", Watched)
    colours = np.arange(len(dataset.X)) % 3
    data = type(dataset)(
        np.column_stack([dataset.X[:, 6:8], colours]), dataset.Y, ["a", "b", "colour"],
        dataset.label_names, "n", {"colour": ("red", "green", "blue")},
    )  # fmt: skip
    save(data, tmp_path / "n.parquet")
    words = ("select", tmp_path / "n.parquet", "-k", "2", "--quality", "--splits", "2")
    assert call(*words).returncode == 0
    assert judged == 2 * [{2: ["red", "green", "blue"]}]


def test_missing_values_are_counted_or_named(call, tmp_path):
    (tmp_path / "n.csv").write_text("a,b,tag_x\n1,?,0\n2,3,1\n5,4,1\n")
    taken = call("select", tmp_path / "n.csv", "--labels", "tag_", "-k", "2", "--json")
    told = {found["name"]: found for found in json.loads(taken.out)["explanation"]}
    assert told["b"]["missing"]["cells"] == 1
    words = ("select", tmp_path / "n.csv", "--labels", "tag_", "-m", "mlfs")
    done = call(*words)
    assert_one_line_error(
        done, "1 missing cell(s) in column(s) 1", "MLFS needs a value"
    )
    dropped = call(
        "select", tmp_path / "n.csv", "--labels", "tag_", "--drop", "b", "-o", "-"
    )
    assert dropped.out.splitlines()[1].startswith("1,0,a,")


def test_names_of_rows_are_noticed(call, tmp_path, dataset):
    ids = np.arange(len(dataset.X))
    data = type(dataset)(
        np.column_stack([ids, dataset.X[:, :2]]), dataset.Y, ["id", "a", "b"],
        dataset.label_names, "n", {"id": tuple(f"row {i}" for i in ids)},
    )  # fmt: skip
    save(data, tmp_path / "n.parquet")
    words = ("select", tmp_path / "n.parquet", "-k", "1", "-m", "fimf")
    noticed = call(*words)
    assert "'id' have a value of their own in nearly every row" in noticed.err
    assert call(*words, "--drop", "id").err == ""
    assert_one_line_error(call(*words, "--drop", "nonsense"), "no feature 'nonsense'")


def test_too_many_features_warns_in_one_line(call, music):
    done = call("select", music, "-k", "99", "-m", "fimf")
    assert done.returncode == 0
    assert done.err.startswith("labelsieve: warning: n_features_to_select=99")
    assert done.err.count("\n") == 1
    assert call("select", music, "-k", "99", "-m", "fimf", "--quiet").err == ""


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--method", "nonsense"), "unknown selector 'nonsense'"),
        (("--method", "seive"), "unknown selector 'seive'; did you mean 'sieve'?"),
        (("--set", "n_bin=9"), "unknown parameter 'n_bin'; did you mean 'n_bins'?"),
        (("--set", "speed=9"), "sieve: unknown parameter 'speed'"),
        (("--method", "mlfs", "--bins", "3"), "mlfs: unknown parameter 'n_bins'"),
        (("--bins", "1"), "n_bins"),
        (("--labels", "99"), "99"),
        (("-k", "auto", "-m", "fimf"), "use it with sieve, or -k cv"),
    ],
)
def test_bad_settings(call, music, words, part):
    assert_one_line_error(call("select", music, *words), part)


def test_folder_that_is_not_there(call, music, tmp_path):
    done = call("select", music, "-o", tmp_path / "none" / "r.csv")
    assert_one_line_error(done, "r.csv", "No such file")


def test_as_many_as_are_significant(call, music, dataset):
    found = json.loads(call("select", music, "-k", "auto", "--json").out)
    sieve = Sieve("auto").fit(dataset.X, dataset.Y)
    assert found["order"] == sieve.order_[: sieve.support_.sum()].tolist()


@pytest.mark.parametrize(
    ("word", "rule"), [("cv", "best"), ("cv-1se", "one_standard_error")]
)
def test_size_by_cross_validation(call, music, dataset, word, rule):
    words = ("select", music, "-m", "fimf", "-k", word, "--seed", "3")
    found = json.loads(call(*words, "--json").out)
    search = SizeCV(FIMF(1), rule=rule, random_state=3).fit(dataset.X, dataset.Y)
    assert found["size_search"]["chosen"] == len(found["order"]) == search.n_features_
    assert found["size_search"]["rule"] == rule
    assert found["size_search"]["sizes"] == search.sizes_.tolist()
    means = search.values_.mean(axis=0)
    np.testing.assert_allclose(found["size_search"]["means"], means)
    assert found["parameters"]["n_features_to_select"] == search.n_features_
    said = call(*words).out
    assert f"of 1 to 10, {search.n_features_} " in said


def test_how_sure(call, music, dataset, tmp_path):
    words = ("select", music, "-k", "3", "--stability", "10", "--p-values", "20")
    found = json.loads(call(*words, "--json", "--seed", "4", "--jobs", "2").out)
    X, Y = dataset.X, dataset.Y
    sure = StabilitySelection(Sieve(3), n_subsamples=10, random_state=4).fit(X, Y)
    null = permutation_p_values(Sieve(3), X, Y, n_permutations=20, random_state=4)
    order = found["order"]
    assert found["stability"] == {
        "value": sure.stability_.value,
        "low": sure.stability_.low,
        "high": sure.stability_.high,
        "subsamples": 10,
        "frequencies": sure.frequencies_[order].tolist(),
    }
    assert found["p_values"] == {
        "p": null.p[order].tolist(),
        "p_family": null.p_family[order].tolist(),
        "permutations": 20,
    }
    ranking = tmp_path / "r.csv"
    said = call(*words, "--seed", "4", "-o", ranking).out
    header = "rank feature score significance frequency p p family relevant for"
    assert " ".join(said.splitlines()[2].split()).startswith(header), said
    assert "stability: " in said
    assert "20 permutations of the labels" in said
    rows = list(csv.DictReader(ranking.read_text("utf-8").splitlines()))
    assert [float(row["frequency"]) for row in rows] == found["stability"][
        "frequencies"
    ]
    assert [float(row["p"]) for row in rows] == found["p_values"]["p"]


@pytest.mark.parametrize("words", [("-k", "cv"), ("--stability",), ("--p-values",)])
def test_rounds_need_memory(call, music, words):
    done = call("select", music, "--engine", "dask", *words)
    assert_one_line_error(done, " ".join(words), "--engine dask")


def test_rounds_have_defaults():
    arguments = _parser().parse_args(["select", "x.arff", "--stability", "--p-values"])
    assert (arguments.stability, arguments.p_values) == (100, 200)


def test_page_says_how_many_and_how_sure(call, music, tmp_path):
    page = tmp_path / "sure.html"
    words = ("--stability", "8", "--p-values", "19", "--splits", "2", "--report", page)
    done = call("select", music, "-k", "cv", *words, "--quiet")
    assert done.returncode == 0, done.err
    html = page.read_text("utf-8")
    assert "Cross-validated number of features" in html
    assert "selected: stability" in html
    assert "significant at a family-wise" in html


def test_quality_and_page(call, music, tmp_path):
    page = tmp_path / "sub" / "music.html"
    done = call("select", music, "-k", "3", "--splits", "2", "--json", "--report", page)
    assert done.returncode == 0, done.err
    quality = json.loads(done.out)["quality"]
    assert set(quality["classifiers"]["BRLogistic"]["micro_f1"]) == {
        *("chosen", "random", "simpler", "all")
    }
    assert quality["verdicts"][0]["verdict"]
    assert quality["n_rows"] == quality["n_all_rows"]
    html = page.read_text("utf-8")
    assert "&lt;b&gt;ж&lt;/b&gt;" in html
    assert "<b>ж</b>" not in html
    assert "labelsieve select" in html


def test_quality_in_words(call, music):
    done = call("select", music, "-k", "3", "--splits", "2", "--quality")
    assert "quality on held-out samples" in done.out
    assert "Of 100 labels predicted by logistic regression" in done.out
    assert "Hamming loss: share of all yes-or-no answers" in done.out


@pytest.mark.parametrize("method", selector_names())
def test_every_method_runs_and_explains(method, music, call):
    found = json.loads(call("select", music, "-k", "2", "-m", method, "--json").out)
    assert len(found["explanation"]) == 2
    assert found["explanation"][0]["terms"]
    assert found["score_rule"]


def test_names_with_commas_are_quoted(call):
    words = ("select", "builtin:segments", "-k", 3, "--json", "--quiet")
    chosen = json.loads(call(*words).out)["features"]
    out = f'"{chosen[0]}", "{chosen[1]}"'
    found = json.loads(call(*words, "--exclude", out).out)
    assert found["parameters"]["exclude"] == chosen[:2]
    assert not set(chosen[:2]) & set(found["features"])


def test_what_must_be_in_and_what_must_not(call, music, dataset, tmp_path):
    words = ("--include", "feature 7,per cent %", "--exclude", "feature [0-2]")
    page = tmp_path / "page.html"
    done = call(
        "select", music, "-k", 4, *words, "--json", "--splits", 2, "--report", page
    )
    found = json.loads(done.out)
    assert found["order"][:2] == [7, 9]
    assert not {0, 1, 2} & set(found["order"])
    expected = Sieve(4, include=[7, 9], exclude=[0, 1, 2]).fit(dataset.X, dataset.Y)
    assert found["order"] == expected.order_[:4].tolist()
    assert found["parameters"]["include"] == ["feature 7", "per cent %"]
    assert found["parameters"]["exclude"] == ["feature 0", "feature 1", "feature 2"]
    forced = [one.get("included", False) for one in found["explanation"]]
    assert forced == [True, True, False, False]
    assert "Forced in by the user: “feature 7”, “per cent %”" in page.read_text()
    assert "feature 7 (included)" in call("select", music, "-k", 4, *words).out
    kept = call("select", music, "--drop", "feature *", "-k", 2, "--json")
    assert sorted(json.loads(kept.out)["features"]) == ["<b>ж</b>", "per cent %"]
    assert_one_line_error(call("select", music, "--include", "no*"), "'no*'")


def test_weights_of_labels(call, music, dataset):
    done = call("select", music, "-k", "4", "--label-weight", "balanced", "--json")
    found = json.loads(done.out)
    sieve = Sieve(4, label_weight="balanced").fit(dataset.X, dataset.Y)
    assert found["order"] == sieve.order_[:4].tolist()
    assert found["parameters"]["label_weight"] == "balanced"
    assert found["parameters"]["binning"] == "rank"
    explanation = sieve.explain(dataset.X, dataset.Y, label_names=dataset.label_names)
    assert found["least_covered"] == explanation.least_covered()


@pytest.mark.filterwarnings("ignore:no feature is significant")
def test_what_auto_promises(call, music, dataset):
    done = call("select", music, "-k", "auto", "--error-rate", "fdr", "--json")
    found = json.loads(done.out)
    sieve = Sieve("auto", error_rate="fdr").fit(dataset.X, dataset.Y)
    assert found["order"] == sieve.order_[: sieve.support_.sum()].tolist()
    assert found["parameters"]["error_rate"] == "fdr"


def test_numbers_by_rank_or_not(call, music, dataset):
    done = call("select", music, "-k", "4", "--binning", "quantile", "--json")
    sieve = Sieve(4, binning="quantile").fit(dataset.X, dataset.Y)
    assert json.loads(done.out)["order"] == sieve.order_[:4].tolist()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["-m", "fimf", "--label-weight", "balanced"], "fimf has no --label-weight"),
        (["-m", "fimf", "--error-rate", "fdr"], "fimf has no --error-rate"),
        (["-m", "fimf", "--binning", "rank"], "fimf has no --binning rank"),
        (["--error-rate", "fdr"], "--error-rate and --alpha apply to -k auto only"),
        (["--alpha", "0.2"], "--error-rate and --alpha apply to -k auto only"),
    ],
)
def test_what_only_sieve_has(call, music, options, problem):
    assert_one_line_error(call("select", music, "-k", "3", *options), problem)


@pytest.fixture
def too_few_rows(tmp_path):
    """Rows enough to rank features, and too few to measure how good they are."""
    path = tmp_path / "two.csv"
    path.write_text("a,b,c,tag_x,tag_y\n1,2,3,0,1\n4,5,1,1,0\n")
    return path


@pytest.mark.parametrize("option", ["--quality", "--report"])
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_failed_measurement_leaves_the_selection(
    call, too_few_rows, tmp_path, option, form
):
    page, listed = tmp_path / "page.html", tmp_path / "ranking.txt"
    asked = (option, page) if option == "--report" else (option,)
    words = ("--labels", "tag_", "-k", "2", "-o", listed, *asked, *form)
    done = call("select", too_few_rows, *words)
    assert done.returncode == 2
    assert done.err.count("\n") == 1
    assert "3" in done.err
    if form:
        found = json.loads(done.out)
        assert found["features"] == ["a", "b"]
        assert "quality" not in found
    else:
        assert "2 of 3 features selected for 2 labels" in done.out
    assert listed.read_text() == "a\nb\n"
    if option == "--report":
        text = page.read_text("utf-8")
        assert (
            "How good they are could not be measured: Found array with 2 sample" in text
        )
        assert "Which features, and what do they do?" in text


def test_groups_of_a_column(call, tmp_path):
    """The column is no feature, and what is tested counts groups."""
    random, patients = np.random.default_rng(0), np.repeat(np.arange(50), 6)
    own = random.normal(size=(50, 9))
    label = own[:, :1] + 0.3 * random.normal(size=(50, 1)) > 0
    X = own[patients] + 0.3 * random.normal(size=(300, 9))
    frame = pd.DataFrame(X, columns=list("abcdefghi"))
    frame = frame.assign(patient=[f"p{n}" for n in patients], y_1=label[patients] * 1)
    frame.to_csv(tmp_path / "visits.csv", index=False)
    words = "select", tmp_path / "visits.csv", "--labels", "y_", "--groups", "patient"
    asked = "-k", "auto", "--stability", "4", "--p-values", "9", "--seed", "3", "--json"
    found = json.loads(call(*words, *asked).out)
    y = frame[["y_1"]].to_numpy()
    direct = Sieve("auto").fit(X, y, groups=patients)
    assert found["features"] == [
        frame.columns[f] for f in direct.order_[: direct.support_.sum()]
    ]
    how = {"groups": patients, "n_permutations": 9, "random_state": 3}
    null = permutation_p_values(Sieve(len(found["order"])), X, y, **how)
    assert found["p_values"]["p"] == null.p[found["order"]].tolist()
    sure = StabilitySelection(
        Sieve(len(found["order"])), n_subsamples=4, random_state=3
    ).fit(X, y, groups=patients)
    expected = sure.frequencies_[found["order"]].tolist()
    assert found["stability"]["frequencies"] == expected
    assert "no feature 'doctor'" in call(*words[:-1], "doctor").err


@pytest.fixture
def survey(tmp_path):
    """Columns q0 to q5 of which each target needs one, and what no feature is."""
    random = np.random.default_rng(0)
    n = 240
    X = random.normal(size=(n, 6))
    table = pd.DataFrame(X, columns=[f"q{j}" for j in range(6)])
    table["household"] = np.repeat(np.arange(n // 2), 2)
    table["weight"] = random.integers(1, 4, n)
    table["y_income"] = np.exp(X[:, 0])
    table["y_smokes"] = np.where(X[:, 1] > 0, "yes", "no")
    table["y_party"] = np.array(list("abc"))[np.digitize(X[:, 2], (-0.5, 0.5))]
    table["y_mood"] = np.clip(np.round(5 + 2 * X[:, 3]), 0, 10).astype(int)
    table.loc[::3, "y_income"] = np.nan
    table.loc[1::4, "y_smokes"] = np.nan
    file = tmp_path / "survey.csv"
    table.to_csv(file, index=False)
    return file, table


KINDS = ["number", "label", "class", "class"]


def test_targets_of_any_type(call, survey):
    file, table = survey
    left_out = ["--drop", "household,weight"]
    done = call("select", file, "--targets", "y_", "-k", "4", *left_out, "--json")
    found = json.loads(done.out)
    assert sorted(found["features"]) == ["q0", "q1", "q2", "q3"]
    names = ["y_income", "y_smokes", "y_party", "y_mood"]
    assert found["target_types"] == dict(zip(names, KINDS, strict=True))
    assert found["parameters"]["target_types"] == KINDS
    sieve = Sieve(4).fit(table[[f"q{j}" for j in range(6)]], table[names])
    np.testing.assert_allclose(found["scores"], sieve.scores_[found["order"]])
    named = ",".join(names)
    again = call("select", file, "--targets", named, "-k", "4", *left_out, "--json")
    assert json.loads(again.out)["scores"] == found["scores"]


def test_types_are_shown_and_may_be_changed(call, survey):
    file, _ = survey
    words = ["select", file, "--targets", "y_", "-k", "2", "--drop", "household,weight"]
    done = call(*words, "--target-type", "y_mood=number")
    assert (
        "targets: y_income (number), y_smokes (label), y_party (class), y_mood (number)"
    ) in done.out
    done = call(*words, "--target-type", "y_mood=numbr")
    assert_one_line_error(done, "'numbr'; expected 'label', 'class', 'number'")
    done = call(*words, "--target-type", "mood=number")
    assert_one_line_error(done, "--target-type names 'mood', which is no target")
    done = call(*words, "--labels", "y_")
    assert_one_line_error(done, "--targets stands instead of --labels and --separator")
    done = call("select", file, "--labels", "nothing")
    assert_one_line_error(done, "no label: no column name starts with 'nothing'")
    done = call("select", file, "--targets", "nothing")
    assert_one_line_error(done, "no target: no column name starts with 'nothing'")
    done = call("select", file, "--labels", "y_income")
    assert_one_line_error(done, "--targets takes others")
    done = call(*words, "--weight", "nothing")
    assert_one_line_error(done, "has no feature 'nothing' for --weight")
    done = call(*words, "--method", "pmu")
    assert_one_line_error(done, "'y_income' is a number: use br+f, sieve, or pmu")
    assert "or pmu --set n_target_bins=4" in done.err
    done = call(*words, "--label-specific", "1")
    assert_one_line_error(done, "--label-specific takes no numbers as targets")
    for which in ("nothing", "-30", "nobody,y_mood", "12"):
        done = call("select", file, "--targets", which)
        assert_one_line_error(done, "survey.csv: ")
        assert "label" not in done.err.replace("labelsieve", "")
    done = call(*words, "--method", "pmu", "--set", "n_target_bins=4")
    assert done.returncode == 0
    done = call(*words, "--engine", "dask")
    assert_one_line_error(done, "--targets needs all rows in memory")


def test_described(call, survey):
    done = call("describe", survey[0], "--targets", "y_")
    assert "targets: y_income (number), y_smokes (label)" in done.out
    assert "rows without a label" not in done.out
    found = json.loads(call("describe", survey[0], "--targets", "y_", "--json").out)
    assert list(found[0]["target_types"].values()) == KINDS
    assert "y_income" not in found[0]["label_rows"]


def test_everything_about_targets_of_any_type(call, survey, tmp_path):
    file, _ = survey
    page, small = tmp_path / "page.html", tmp_path / "small.csv"
    done = call(
        *("select", file, "--targets", "y_", "-k", "cv", "--groups", "household"),
        *("--drop", "weight", "--report", page, "--reduced", small, "--budget", "1"),
        *("--splits", "3", "--stability", "4", "--p-values", "4"),
    )
    assert done.returncode == 0
    assert "R2" in page.read_text()
    assert load(small).target_types == tuple(KINDS)
    assert "cells of Y" in page.read_text()  # how many are known


class Weighed(FIMF):
    """Counts each sample as often as its weight says."""

    seen = None

    def fit(self, X, y, sample_weight=None):
        type(self).seen = [*(self.seen or ()), sample_weight]
        return super().fit(X, y)

    def explain(self, X, y, *, sample_weight=None, **names):
        assert sample_weight is not None
        return super().explain(X, y, **names)


def test_weights_are_passed_on(call, survey, monkeypatch, tmp_path):
    file, table = survey
    words = ["select", file, "--labels", "y_smokes", "--drop", "y_*,household"]
    words += ["-k", "2", "--weight", "weight"]
    monkeypatch.setattr(
        "labelsieve.registry.make_selector", lambda *_, **p: Weighed(**p)
    )
    done = call(*words, "--report", tmp_path / "page.html", "--splits", "2", "--json")
    assert done.returncode == 0
    np.testing.assert_array_equal(Weighed.seen[0], table["weight"])
    assert all(weight is not None for weight in Weighed.seen)
    assert "weight" not in json.loads(done.out)["features"]
    for more in (["-k", "cv"], ["--stability", "2"], ["--p-values", "2"]):
        Weighed.seen = None
        assert call(*words, *more).returncode == 0
        assert Weighed.seen is not None
    done = call(*words, "--label-specific", "1")
    assert_one_line_error(done, "--label-specific takes no weights of samples")


def test_a_column_is_of_weights_or_of_groups(call, survey):
    words = ["select", survey[0], "--labels", "y_smokes", "--drop", "y_*"]
    done = call(*words, "--weight", "weight", "--groups", "weight")
    assert_one_line_error(done, "--groups and --weight both name weight")


def test_methods_without_weights_say_so(call, survey):
    words = ["select", survey[0], "--labels", "y_smokes", "--drop", "y_*,household"]
    done = call(*words, "-m", "gmba", "-k", "2", "--weight", "weight")
    way_out = "do without --weight, or use one of pmu, fimf, mlqpfs, d2f"
    assert_one_line_error(done, f"gmba takes no weights of samples: {way_out}")


@pytest.mark.parametrize("column", ["y_party", "y_income", "day"])
def test_weights_are_numbers(call, survey, column):
    file, table = survey
    day = pd.date_range("2024-01-01", periods=len(table)).strftime("%Y-%m-%d")
    table.assign(day=day).to_csv(file, index=False)
    done = call("select", file, "--labels", "y_smokes", "--weight", column)
    assert_one_line_error(
        done, f"--weight {column} holds", "expected 0 or more in each row"
    )


class Grouped(FIMF):
    """Remembers how it was told which columns are one feature."""

    feature_groups: object = None
    _parameter_constraints = {"feature_groups": [str, None]}  # noqa: RUF012
    told = None

    def fit(self, X, y):
        type(self).told = self.feature_groups, list(X.columns)
        return super().fit(X, y)


def test_groups_of_features_are_passed_on_with_names(call, survey, monkeypatch):
    words = ["select", survey[0], "--labels", "y_smokes", "--drop", "y_*", "-k", "2"]
    words += ["--feature-groups", "prefix="]
    assert_one_line_error(call(*words, "-m", "gmba"), "no groups of features")
    make = "labelsieve.registry.make_selector"
    monkeypatch.setattr(make, lambda *_, **p: Grouped(**p))
    done = call(*words)
    assert done.returncode == 0
    assert Grouped.told[0] == "prefix="
    assert Grouped.told[1][:2] == ["q0", "q1"]
    done = call(*words, "--label-specific", "1")
    assert_one_line_error(done, "--label-specific takes no groups of features")


def test_costs_go_by_names(call, survey):
    words = ["select", survey[0], "--targets", "y_", "--drop", "household,weight"]
    words += ["--set", 'feature_costs={"q0": 50}', "--set", "max_cost=3", "--json"]
    found = json.loads(call(*words).out)["features"]
    assert len(found) == 3
    assert "q0" not in found


def test_groups_of_features_are_told_of(call, tmp_path):
    random = np.random.default_rng(0)
    colour = random.choice(list("rgbk"), 200)
    table = pd.get_dummies(pd.DataFrame({"colour": colour}), prefix_sep="=", dtype=int)
    table["size"], table["noise"] = random.normal(size=(2, 200)).round(2)
    table["y_a"] = (colour == "r").astype(int)
    table["y_b"] = (table["size"] + random.normal(size=200) > 0).astype(int)
    file, page = tmp_path / "hot.csv", tmp_path / "page.html"
    table.to_csv(file, index=False)
    words = ["select", file, "--labels", "y_", "--feature-groups", "prefix="]
    more = "--stability", "4", "--p-values", "4", "--splits", "2", "--budget", "1"
    done = call(*words, "-k", "2", *more, "--report", page, "--json")
    assert done.returncode == 0
    found = json.loads(done.out)
    assert len(found["features"]) == len(found["stability"]["frequencies"]) == 5
    assert (found["quality"]["n_chosen"], found["quality"]["n_features"]) == (2, 3)
    text = page.read_text("utf-8")
    assert "2 of 3 features" in text
    assert "groups of 6 columns" in text
    assert "colour=r" not in text
    done = call(*words, "-k", "cv", "--include", "noise", "--exclude", "size")
    assert " of 3 features" in done.out
    assert "noise (included)" in done.out
    done = call(*words, "-k", "1", "--include", "colour=r")
    assert_one_line_error(done, "'colour=r', a column of the group 'colour'")
