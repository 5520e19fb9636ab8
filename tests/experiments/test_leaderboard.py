"""The leaderboard goes on where it was, adds what is new, and says what is missing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from labelsieve.datasets import Dataset, make_multilabel, save
from labelsieve.experiments import Method, cells, leaderboard, split_rows
from labelsieve.experiments import leaderboards as module
from labelsieve.experiments.cells import time_limit
from labelsieve.experiments.data import CappedHoldOut, Facts
from labelsieve.experiments.methods import classifier_view, rank_features
from labelsieve.experiments.regret import (
    Cases,
    Place,
    at_one_size,
    rank_methods,
    regret_by_dataset,
)
from labelsieve.experiments.statistics import (
    bayesian_signed_rank,
    bootstrap_interval,
    holm,
)
from tests.naive import regret as naive

FILES = ("leaderboard.json", "leaderboard.md", "critical-difference.svg")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Three small data sets, a folder each."""
    folder = tmp_path_factory.mktemp("data")
    for seed, name in enumerate(("one", "three", "two")):
        X, Y, _ = make_multilabel(80 + 20 * seed, 3, n_noise=20, random_state=seed)
        (folder / name).mkdir()
        names = [f"x{j}" for j in range(X.shape[1])], ["a", "b", "c"]
        data = Dataset(X, Y, *names)
        save(data, folder / name / f"{name}.arff", format="mulan")
    return folder


def texts(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.fixture
def few_judges(monkeypatch):
    """The quickest classifiers only, where it does not matter which."""
    protocol = module.PROTOCOLS["counts"]
    quick = replace(protocol, classifiers=(module.BAYES, module.RIDGE))
    monkeypatch.setitem(module.PROTOCOLS, "counts", quick)


def test_going_on_and_adding_methods_give_the_same_bytes(data, tmp_path, few_judges):
    names = ["fimf", "br+f", "sieve"]
    two = {"data": data, "datasets": ["one", "two"], "n_splits": 2}
    whole = leaderboard(**two, methods=names, out=tmp_path / "whole")
    assert (
        whole.content["n_cells"] == 2 * 5 * 2 * 2
    )  # sets, methods, classifiers, splits
    # Two methods first, then a torn line as after a kill, then all of them.
    leaderboard(**two, methods=names[:2], out=tmp_path / "parts")
    store = tmp_path / "parts" / "cells.jsonl"
    lines = store.read_bytes().splitlines(keepends=True)
    store.write_bytes(b"".join(lines[:-7]) + lines[-7][:40])
    with pytest.warns(UserWarning, match="the last line is incomplete"):
        leaderboard(**two, methods=names, out=tmp_path / "parts")
    assert texts(tmp_path / "parts") == texts(tmp_path / "whole")
    # With nothing to add, nothing changes: not the store, and no times.
    before = {p.name: p.read_bytes() for p in (tmp_path / "parts").iterdir()}
    leaderboard(**two, methods=names, out=tmp_path / "parts")
    assert before == {p.name: p.read_bytes() for p in (tmp_path / "parts").iterdir()}
    # A method whose formula changed is computed anew, the others are not.
    two["n_jobs"] = 2
    leaderboard(**two, methods=names, again=["fimf"], out=tmp_path / "parts")
    added = store.read_bytes().splitlines()[len(before["cells.jsonl"].splitlines()) :]
    found = {json.loads(line)["cell"]["selector"]["name"] for line in added}
    assert (found, len(added)) == ({"fimf"}, 8)
    assert texts(tmp_path / "parts") == texts(tmp_path / "whole")


def test_time_outs_are_recorded_and_count_as_random(
    data, tmp_path, monkeypatch, few_judges
):
    rank = cells.rank_features

    def slow(method, *others):
        while method.name == "sieve":
            pass
        return rank(method, *others)

    monkeypatch.setattr(cells, "rank_features", slow)
    found = leaderboard(
        data=data,
        datasets=["one", "two"],
        methods=["fimf", "sieve"],
        n_splits=1,
        budget=1.0,
        out=tmp_path,
    ).content
    assert {row["method"] for row in found["failed"]} == {"sieve"}
    assert len(found["failed"]) == 2 * 2
    why = "TimeoutError: not done after 1 processor seconds"
    assert all(why in row["reason"] for row in found["failed"])
    assert why in (tmp_path / "leaderboard.md").read_text("utf-8")
    rows = {row["method"]: row for row in found["ranking"]}
    assert rows["sieve"]["without_value"] == found["n_cases"]
    assert rows["sieve"]["regret"] == rows["random"]["regret"]


@pytest.mark.parametrize("value", [None, "", "nowhere"])
def test_without_data_it_says_so(value, data, tmp_path, monkeypatch):
    monkeypatch.chdir(data)  # whose folders are nobody's wish
    monkeypatch.delenv("LABELSIEVE_DATA", raising=False)
    if value is not None:
        monkeypatch.setenv("LABELSIEVE_DATA", value)
    with pytest.raises(FileNotFoundError, match="give it, or set LABELSIEVE_DATA"):
        leaderboard(out=tmp_path)


def test_one_data_set_is_refused_before_anything_is_computed(data, tmp_path):
    with pytest.raises(ValueError, match=r"got \['two'\].*labelsieve compare"):
        leaderboard(data=data, datasets=["two"], out=tmp_path)
    with pytest.raises(ValueError, match=r"got \[\]"):
        leaderboard(data=data / "two", out=tmp_path)
    assert not any(tmp_path.iterdir())


def test_cases_without_a_value_are_those_of_random(data, tmp_path):
    methods = ["a", "b", "random", "all"]
    values = np.array([[0.5, 0.9, 0.3, 0.7], [0.6, 0.4, 0.2, 0.8]])
    known = np.ones_like(values, dtype=bool)
    places = [Place(name, "ridge", 10, "micro_f1") for name in "xy"]
    cases = Cases(methods, places, values, known)
    np.testing.assert_allclose(cases.regret, naive.regret(values, [0, 1]))
    with_all = naive.regret(values, [0, 1, 3])
    np.testing.assert_allclose(cases.regret_with_all, with_all)
    assert cases.wins("random").tolist() == [[1, 1, 0.5, 1], [1, 1, 0.5, 1]]
    np.testing.assert_allclose(cases.by_dataset(values), values)
    np.testing.assert_array_equal(cases.ranks, [[2, 1, 3, np.nan], [1, 2, 3, np.nan]])
    rows = {row["method"]: row for row in rank_methods(cases, {})}
    assert rows["a"]["worst_case"] == {"regret": 0.4, "where": "x, ridge, 10"}
    assert rows["b"]["worst_dataset"] == {"regret": 0.2, "where": "y"}
    # Against the best selection, and against all features where they are better.
    assert rows["a"]["regret"]["mean"] == pytest.approx(0.2)
    assert rows["a"]["regret_with_all"]["mean"] == pytest.approx(0.3)
    assert rows["all"]["rank"] is None
    assert regret_by_dataset(cases)["y"] == {
        "a": 0,
        "b": 0.2,
        "random": 0.4,
        "all": -0.2,
    }


def test_capped_hold_out_uses_a_sample_of_many_rows():
    Y = np.tile(np.eye(4, dtype=int), (50, 1))
    split = CappedHoldOut(2, stratified=True, most_rows=100).split(Y, 0, 1)
    assert (split.train.size, split.test.size) == (70, 30)
    assert not set(split.train) & set(split.test)
    assert Y[split.test].sum(axis=0).tolist() == pytest.approx([7.5] * 4, abs=2)
    few = CappedHoldOut(2, most_rows=1000).split(Y, 0, 1)
    assert few.train.size + few.test.size == 200


def test_holm_equals_the_definition(random):
    for n in (1, 2, 7):
        p = random.random(n).round(1) / 5
        np.testing.assert_allclose(holm(p), naive.holm(p.tolist()))


def test_bayesian_signed_rank_counts_pairs(random):
    gains = random.normal(size=6) * 0.02
    weights = np.random.default_rng(0).dirichlet([0.5] + [1.0] * 6, 200)
    winner = [np.argmax(naive.signed_rank_masses(gains, w, 0.01)) for w in weights]
    found = bayesian_signed_rank(gains, 0.01, n_samples=200)
    shares = np.bincount(winner, minlength=3) / 200
    np.testing.assert_allclose([*found.values()], shares)
    mirrored = bayesian_signed_rank(-gains, 0.01, n_samples=200)
    assert mirrored["better"] == found["worse"]


def test_bootstrap_intervals_hold_the_mean(random):
    values = random.normal(size=30)
    low, high = bootstrap_interval(values)
    assert low < values.mean() < high
    assert bootstrap_interval([0.5] * 4) == (0.5, 0.5)


def compute(seconds, limit):
    with time_limit(limit):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pass


def test_a_time_limit_ends_what_computes_too_long():
    with pytest.raises(TimeoutError, match=r"not done after 0.05 processor seconds"):
        compute(60, 0.05)
    compute(0.001, None)


def test_the_command_shows_the_page(data, tmp_path, capsys, few_judges):
    from labelsieve.cli import main

    words = ["leaderboard", "--data-folder", str(data), "-m", "fimf,br+f"]
    words += ["--splits", "1"]
    assert main([*words, "-o", str(tmp_path)]) == 0
    page = capsys.readouterr().out
    assert "| fimf |" in page
    # The page is the answer: quiet takes only notes and progress away.
    assert main([*words, "-o", str(tmp_path), "--quiet"]) == 0
    assert capsys.readouterr() == (page, "")
    assert main([*words, "-o", str(tmp_path), "--again", "fimff"]) == 2


def test_the_command_takes_functions_of_the_folder_and_computes_them_again(
    data, tmp_path, monkeypatch, capsys
):
    from labelsieve.cli import main

    monkeypatch.setattr("sys.path", [place for place in sys.path if place])
    monkeypatch.chdir(tmp_path)
    source = "def last(X, Y, n):\n    return [X.shape[1] - 1 - k for k in range(n)]\n"
    Path("own_entries.py").write_text("ENTRIES = ('last',)\n" + source)
    words = ["leaderboard", "--data-folder", str(data), "--splits", "1", "-o", "try"]
    assert main([*words, "-m", "fimf,own_entries:last"]) == 0
    assert "| last |" in capsys.readouterr().out
    store = Path("try", "cells.jsonl")
    for name in ("last", "own_entries:last"):
        before = store.read_bytes()
        words_again = [*words, "-m", "fimf", "--entries", "own_entries"]
        assert main([*words_again, "--again", name]) == 0
        assert len(store.read_bytes()) > len(before)
    capsys.readouterr()
    for more in (["--again", "lsat"], ["--entries", "own_entry"]):
        assert main([*words_again, *more]) == 2
        told = capsys.readouterr().err
        assert "did you mean 'last'" in told or "own_entry:ENTRIES" in told
        assert told.count("\n") == 1


def test_folders_are_the_data_sets(data):
    assert module._names(data, None) == ["one", "three", "two"]
    (Path(data) / "mediamill-reduced").mkdir(exist_ok=True)
    assert module._names(data, None) == ["one", "three", "two"]


@pytest.mark.parametrize(("n_rows", "usual"), [(499, 20), (500, 10), (1000, 3)])
def test_splits_are_more_where_rows_are_few(n_rows, usual, data, monkeypatch):
    known = Facts(n_rows, 5, 3, "", False, False)
    monkeypatch.setattr(module, "facts", lambda _: known)

    def n_splits(asked):
        most = module._most_splits(asked)
        rules = module.PROTOCOLS["counts"]
        return module._data_plan("one", data, most, rules).protocol.n_splits

    few = n_rows < 1000
    assert [n_splits(n) for n in (None, 4, 1, (5, 1), [50, 50])] == [
        *(usual, min(4, usual), 1, 5 if few else 1, usual)
    ]


@pytest.mark.parametrize(
    ("n_features", "n_labels", "left_out"),
    [
        (5000, 20, []),
        (5001, 20, ["boosting"]),
        (10, 21, ["boosting"]),
        (10, 101, ["boosting", "forest(n_estimators=20)"]),
    ],
)
def test_trees_are_left_out_where_they_take_too_long(
    n_features, n_labels, left_out, data, monkeypatch
):
    known = Facts(500, n_features, n_labels, "", False, False)
    monkeypatch.setattr(module, "facts", lambda _: known)
    found = module._data_plan("one", data, (20, 3), module.PROTOCOLS["shares"])
    assert sorted(found.left_out) == left_out


def test_wrong_numbers_of_splits_are_refused():
    for wrong in (0, (1, 2, 3), (1, 0), [1.5, 1]):
        with pytest.raises(ValueError, match="n_splits must be a whole number"):
            module._most_splits(wrong)


def last_first(X, Y, n):
    """A selector of another library."""
    return np.arange(X.shape[1])[::-1][:n]


def first_twice(X, Y, n):
    """One that is wrong."""
    return [0, 0]


def test_pages_share_cells_and_take_selectors_of_others(data, tmp_path):
    few = {"data": data, "datasets": ["one", "two"], "n_splits": 1}
    leaderboard(**few, methods=["fimf"], out=tmp_path / "board")
    store = tmp_path / "board" / "cells.jsonl"
    before = store.read_bytes()
    theirs = Method(f"{__name__}:last_first")
    found = leaderboard(
        **few,
        methods=["fimf", theirs],
        measures=["average_precision"],
        cells=store,
        out=tmp_path / "page",
    )
    after = store.read_bytes()
    assert after.startswith(before)
    added = [json.loads(line) for line in after[len(before) :].splitlines()]
    assert {line["cell"]["selector"]["name"] for line in added} == {theirs.name}
    assert added[0]["order"][:3] == [added[0]["n_features"] - k for k in (1, 2, 3)]
    assert set(added[0]["measures"]) == set(module.MEASURES)
    assert not (tmp_path / "page" / "cells.jsonl").exists()
    text = (tmp_path / "page" / "leaderboard.md").read_text("utf-8")
    assert text.startswith("# Leaderboard by counts\n")
    assert "| last_first |" in text
    assert text.endswith("Made by `labelsieve leaderboard --protocol counts`.\n")
    assert found.content["measures"] == ["average_precision"]


@pytest.mark.parametrize("name", ["nowhere:nothing", f"{__name__}:no_such_function"])
def test_functions_that_are_not_there(name):
    with pytest.raises(ValueError, match="names no function that can be imported"):
        rank_features(Method(name), np.eye(3), np.eye(3), 2, "minmax", [0])


def test_indices_of_others_are_checked():
    wrong = Method(f"{__name__}:first_twice")
    with pytest.raises(ValueError, match="must return indices of the 3 features"):
        rank_features(wrong, np.eye(3), np.eye(3), 2, "minmax", [0])


def test_naive_bayes_on_codes_sees_codes(data):
    assert classifier_view(Method("mlnb-codes"), "minmax") == "quantile"
    assert classifier_view(Method("mlnb"), "minmax") == "minmax"


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    """A table with missing cells and unknown labels, and one with more features."""
    folder = tmp_path_factory.mktemp("outside")
    random = np.random.default_rng(0)
    for name, width in (("holes", 10), ("wide", 120)):
        Y = random.integers(0, 2, (90, 3)).astype(float)
        X = np.hstack(
            [Y + random.normal(size=Y.shape), random.normal(size=(90, width))]
        )
        if name == "holes":
            X[random.random(X.shape) < 0.1] = np.nan
            Y[random.random(Y.shape) < 0.1] = np.nan
        labels = [[f"{y:g}" if y == y else "" for y in row] for row in Y]
        cells = [[f"{x:.4f}" if x == x else "" for x in row] for row in X]
        head = [f"x{j}" for j in range(X.shape[1])] + ["y_a", "y_b", "y_c"]
        rows = [head, *(x + y for x, y in zip(cells, labels, strict=True))]
        (folder / name).mkdir()
        text = "\n".join(",".join(row) for row in rows)
        (folder / name / f"{name}.csv").write_text(text, "utf-8")
    return folder


def test_shares_on_tables_with_cells_that_are_not_known(outside, tmp_path):
    few = {"data": outside, "methods": ["fimf", "rfs", "sieve"], "n_splits": 1}
    found = leaderboard("shares", **few, out=tmp_path).content
    assert found["sizes"] == [0.05, 0.1, 0.2, 0.3, 0.5]
    assert found["failed"] == []
    # Two data sets; three classifiers at five sizes and one at 20 %; four measures.
    assert found["n_cases"] == 2 * (3 * 5 + 1) * 4
    assert found["n_methods"] == 3
    assert found["kinds"]["unknown cells"] == ["holes"]
    assert found["kinds"]["more features than samples"] == ["wide"]
    assert found["kinds"]["outside the collections"] == ["holes", "wide"]
    filled = {row["method"]: row["filled"] for row in found["ranking"]}
    assert filled == {
        **dict.fromkeys(["fimf", "sieve", "random", "all"], ""),
        "rfs": "cells and labels",
    }
    holes = found["datasets"][0]
    assert (holes["rows"], holes["features"], holes["labels"]) == (90, 13, 3)
    assert 0.05 < holes["missing"] < 0.15
    assert 0.05 < holes["unknown"] < 0.15
    text = (tmp_path / "shares" / "leaderboard.md").read_text("utf-8")
    assert "ML-kNN with 20 % of the features" in text
    # The table of the papers: means over data sets of ML-kNN at 20 %.
    lines = (tmp_path / "cells.jsonl").read_text("utf-8").splitlines()
    records = list(map(json.loads, lines))
    own = [
        r["measures"]["micro_f1"][2]
        for r in records
        if r["cell"]["selector"]["name"] == "fimf"
        and r["cell"]["classifier"]["name"] == "mlknn"
    ]
    row = next(r for r in found["printed_at"] if r["method"] == "fimf")
    assert row["micro_f1"] == pytest.approx(np.mean(own), abs=1e-6)
    assert row["rank"] <= 4


def test_what_is_not_computed_is_named_and_left_out(data, tmp_path, few_judges):
    two = {"data": data, "datasets": ["one", "two"], "n_splits": 1, "out": tmp_path}
    with pytest.raises(ValueError, match="run it first"):
        leaderboard(**two, methods=["fimf"], compute=False)
    whole = leaderboard(**two, methods=["fimf", "br+f", "scls", "sieve"]).content
    more = {**two, "datasets": ["one", "three", "two"]}
    names = ["fimf", "br+f", "scls", "sieve", "lrfs"]
    found = leaderboard(**more, methods=names, compute=False).content
    assert found["absent"] == {"methods": ["lrfs"], "datasets": ["three"]}
    assert found["ranking"] == whole["ranking"]
    text = (tmp_path / "leaderboard.md").read_text("utf-8")
    assert "Not computed yet, so left out: methods lrfs." in text


def test_anybody_can_have_the_rows_of_the_splits(data, outside, tmp_path, few_judges):
    two = {"data": data, "datasets": ["one", "two"], "n_splits": 2}
    published = leaderboard(**two, methods=["fimf"], out=tmp_path).content
    split = split_rows("one", 1, data=data, published=published)
    assert not set(split.train) & set(split.test)
    assert split.train.size + split.test.size == 80
    assert published["splits"]["seed"] == 2024
    with pytest.raises(ValueError, match="none of the 2 published ones"):
        split_rows("one", 2, data=data, published=published)
    changed = json.loads(json.dumps(published))
    changed["datasets"][0]["rows_of_splits"][1] = "0" * 16
    with pytest.raises(ValueError, match="other rows or labels"):
        split_rows("one", 1, data=data, published=changed)
    with pytest.raises(ValueError, match="unknown data set"):
        split_rows("holes", 0, data=outside, published=published)
    assert split_rows("holes", 0, data=outside).train.size == 63


def test_an_unknown_protocol_is_refused(tmp_path):
    with pytest.raises(ValueError, match="unknown protocol 'share'"):
        leaderboard("share", out=tmp_path)


def test_one_size_is_ranked_by_all_measures():
    places = [Place("x", "mlknn", at, m) for at in (0.1, 0.2) for m in ("f", "g")]
    values = np.array([[1, 0, 0.5], [1, 0, 0.5], [0.2, 0.4, 0.5], [0.9, 0.4, 0.5]])
    cases = Cases(["a", "random", "all"], places, values, np.ones((4, 3), bool))
    rows = at_one_size(cases, "mlknn", 0.2)
    assert rows[0] == {"method": "a", "rank": 1.5, "f": 0.2, "g": 0.9}
    assert rows[2] == {"method": "all", "rank": None, "f": 0.5, "g": 0.5}
    assert at_one_size(cases, "ridge", 0.2) == []


def test_a_killed_run_goes_on_to_the_same_bytes(data, tmp_path):
    """A real kill, at a moment that nobody chose; the page is in a folder below."""
    from labelsieve.cli import main

    for name in ("one", "two"):
        shutil.copytree(data / name, tmp_path / "data" / name)
    words = ["leaderboard", "--data-folder", str(tmp_path / "data"), "--quiet"]
    words += ["-m", "fimf,br+f", "--splits", "1", "--protocol", "shares", "-o"]
    assert main([*words, str(tmp_path / "whole")]) == 0
    store = tmp_path / "parts" / "cells.jsonl"
    command = [sys.executable, "-m", "labelsieve", *words, str(store.parent)]
    with subprocess.Popen(command) as process:
        while process.poll() is None and not (
            store.exists() and store.read_bytes().count(b"\n") >= 10
        ):
            time.sleep(0.01)
        process.kill()
    n_lines = store.read_bytes().count(b"\n")
    assert 10 <= n_lines < 2 * 4 * 4
    kept = store.read_bytes()
    assert main([*words, str(store.parent)]) == 0
    assert store.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    parts, whole = tmp_path / "parts" / "shares", tmp_path / "whole" / "shares"
    assert texts(parts) == texts(whole)
