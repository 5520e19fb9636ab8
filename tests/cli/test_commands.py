"""describe, convert, methods, compare, report, reproduce and demo."""

import json

import numpy as np
import pandas as pd
from tests.cli.conftest import assert_one_line_error
from tests.test_describing import EXPECTED, mixed

from labelsieve.cli import _describe
from labelsieve.datasets import Dataset, load, save
from labelsieve.registry import selector_names


def test_describe(call, music):
    done = call("describe", music)
    assert done.returncode == 0
    assert done.out.splitlines()[0].split() == ["music"]
    assert "methods that suit: " in done.out
    (row,) = json.loads(call("describe", music, "--json").out)
    assert (row["instances"], row["features"], row["labels"]) == (80, 10, 3)
    both = call("describe", music, "builtin:segments")
    assert both.out.splitlines()[0].split() == ["music", "segments"]


def test_describe_standard_input(cli, music):
    text = music.read_bytes()
    done = cli("describe", "-", "--labels=-3", "--json", stdin=text)
    assert json.loads(done.out)[0]["labels"] == 3


def test_describe_a_file_of_any_format(call, tmp_path):
    X, Y = mixed()
    table = pd.concat([X, Y], axis=1)
    table.drop(columns="day").to_csv(tmp_path / "mixed.csv", index=False)
    table.to_parquet(tmp_path / "mixed.parquet")
    labels = f"--labels={','.join(Y.columns)}"
    for name in ("mixed.csv", "mixed.parquet"):
        (found,) = json.loads(call("describe", tmp_path / name, labels, "--json").out)
        kinds = {one["kind"]: one["items"] for one in found["findings"]}
        assert {kind: kinds[kind] for kind in EXPECTED} == EXPECTED
        assert found["name"] == "mixed"
    said = call("describe", tmp_path / "mixed.csv", labels).out
    assert "leaks: 3 pair(s)" in said
    save(Dataset(np.eye(4), np.eye(4), [*"wxyz"], [*"abcd"]), tmp_path / "eye.arff")
    both = call("describe", tmp_path / "eye.arff", tmp_path / "eye.arff").out
    assert both.count("methods that suit") == 2


def test_names_cannot_control_the_terminal(call, tmp_path, dataset):
    names = ["evil\x1b[31m", *dataset.feature_names[1:]]
    data = type(dataset)(dataset.X, dataset.Y, names, dataset.label_names, "e")
    save(data, tmp_path / "e.parquet")
    done = call("select", tmp_path / "e.parquet", "-k", "1.0", "-m", "fimf")
    assert done.returncode == 0  # the fixture has looked for control codes
    assert "evil\N{REPLACEMENT CHARACTER}[31m" in done.out


def test_convert_to_standard_output(call, music, tmp_path, dataset):
    done = call("convert", music, "-", "--to", "meka")
    (tmp_path / "m.arff").write_bytes(done.stdout)
    back = load(tmp_path / "m.arff")
    np.testing.assert_array_equal(back.X, dataset.X)
    assert list(back.label_names) == list(dataset.label_names)
    assert_one_line_error(call("convert", music, "-"), "--to")
    assert_one_line_error(call("convert", music, tmp_path / "x.docx"), "x.docx")


def test_methods(call):
    done = call("methods")
    assert [line.split()[0] for line in done.out.splitlines()[1 : 1 + 5]] == (
        selector_names()[:5]
    )
    one = call("methods", "pmu")
    assert "Pattern Recognition Letters" in one.out
    assert "label_pairs" in one.out
    found = json.loads(call("methods", "--json").out)
    assert list(found) == selector_names()
    assert all(entry["reference"] for entry in found.values())
    assert {name for name, entry in found.items() if "mixtures" in entry["takes"]} == {
        *("sieve", "br+f")
    }
    assert (
        "takes       labels, classes, numbers, both mixed"
        in call("methods", "br+f").out
    )
    assert "takes       labels\n" in call("methods", "gmba").out
    assert_one_line_error(call("methods", "nonsense"), "nonsense")


def test_compare(results):
    folder, content = results
    methods = {row["method"] for row in content["curves"]}
    assert methods == {"fimf", "br+mi", "random", "all"}
    assert (folder / "results.json").exists()


def test_compare_goes_on_where_it_was(call, music, results):
    folder, _ = results
    cells = (folder / "cells.jsonl").read_bytes()
    done = call(
        *("compare", music, "--methods", "fimf,br+mi", "--splits", "2"),
        *("--sizes", "1-4", "-o", folder),
    )
    assert done.returncode == 0
    assert (folder / "cells.jsonl").read_bytes() == cells


def test_compare_answers_first_and_on_one_screen(call, music, results):
    folder, content = results
    words = ("compare", music, "--methods", "fimf,br+mi", "--splits", "2")
    words = (*words, "--sizes", "1-4", "-o", folder)
    done = call(*words)
    lines = done.out.splitlines()
    assert lines[0].startswith("On music, ")
    assert "micro-F1 (1 is best), on average over 1 to 4 features: " in lines[0]
    assert len(lines) < 24
    assert max(map(len, lines[1:])) < 80
    assert "|" not in done.out
    # Each method has a line with its mean.
    shown = {tuple(line.split()[1:3]) for line in lines if "±" in line}
    for row in content["scores"]:
        if row["measure"] == "micro_f1":
            assert (row["method"], f"{row['mean']:.4f}") in shown
    answer, _, _ = done.out.partition("\n\nAll measures")
    assert call(*words, "--quiet").out == f"{answer}\n"
    full = call(*words, "--full").out
    assert full.startswith(answer)
    assert "# fimf, br+mi compared" in full
    assert "## Stability" in full or "| hamming_loss |" in full


def test_compare_what_is_built_in(call, tmp_path):
    words = ("--methods", "fimf", "--splits", "1", "--sizes", "2,4")
    done = call("compare", "builtin:segments", *words, "-o", tmp_path)
    assert done.returncode == 0, done.err
    assert done.out.startswith("On segments, fimf has the best mean")


def test_compare_with_named_labels(call, dataset, music, tmp_path):
    labels = [f"tag_{name}" for name in dataset.label_names]
    data = type(dataset)(dataset.X, dataset.Y, dataset.feature_names, labels, "music")
    save(data, tmp_path / "music.csv")
    words = ("--methods", "fimf", "--splits", "2", "--sizes", "1-4", "--json")
    (tmp_path / "one").mkdir()
    named = call(
        *("compare", tmp_path / "music.csv", "--labels", "tag_", *words),
        *("-o", tmp_path / "one"),
    )
    assert named.returncode == 0, named.err
    plain = call("compare", music, *words, "-o", tmp_path / "two")
    curves = [json.loads(done.out)["curves"] for done in (named, plain)]
    assert curves[0] == curves[1]
    wrong = call(
        *("compare", tmp_path / "music.csv", "--labels", "nonsense", *words),
        *("-o", tmp_path / "three"),
    )
    assert_one_line_error(wrong, "nonsense")


def test_compare_with_unknown_method(call, music, tmp_path):
    done = call("compare", music, "--methods", "nonsense", "-o", tmp_path)
    assert_one_line_error(done, "nonsense")
    done = call("compare", music, "--methods", "seive", "-o", tmp_path)
    assert_one_line_error(done, "did you mean 'sieve'?")
    done = call("compare", music, "--classifiers", "mlkn", "-o", tmp_path)
    assert_one_line_error(done, "did you mean 'mlknn'?")


def test_report(call, results, tmp_path):
    folder, _ = results
    done = call("report", folder)
    assert done.out.strip() == str(folder / "report.html")
    page = (folder / "report.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "fimf" in page
    piped = call("report", folder / "results.json", "-o", "-")
    assert piped.out.startswith("<!doctype html>")
    assert_one_line_error(call("report", tmp_path), "no results")
    (tmp_path / "results.json").write_text("{")
    assert_one_line_error(call("report", tmp_path), str(tmp_path), "damaged")
    (tmp_path / "results.json").write_text("[1]")
    assert_one_line_error(call("report", tmp_path), "not as an experiment wrote it")


def test_reproduce(call, dataset, tmp_path, monkeypatch):
    (tmp_path / "data" / "yeast").mkdir(parents=True)
    save(dataset, tmp_path / "data" / "yeast" / "yeast.arff")
    monkeypatch.setenv("LABELSIEVE_DATA", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    words = ("reproduce", "pmu", "--quick", "--data-folder", "data")
    done = call(*words, "--report", "page.html")
    assert done.returncode == 0, done.err
    assert done.out.startswith("On yeast, ")
    assert "Printed values, uniform: " in done.out
    assert "\n# PMU" in done.out
    assert (tmp_path / "results" / "pmu-quick" / "results.json").exists()
    assert "What the paper printed" in (tmp_path / "page.html").read_text("utf-8")


def test_reproduce_without_data(call, tmp_path, monkeypatch):
    for variable in ("LABELSIEVE_DATA", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    done = call("reproduce", "pmu", "--quick", "--data-folder", tmp_path)
    assert_one_line_error(done, "data sets")


def test_demo_that_cannot_write(call, music, monkeypatch):
    monkeypatch.setattr(_describe, "N_SPLITS", 2)
    assert_one_line_error(call("demo", "-o", music / "page.html"), "music.arff")


def test_demo(call, tmp_path, monkeypatch):
    monkeypatch.setattr(_describe, "N_SPLITS", 2)
    monkeypatch.chdir(tmp_path)
    done = call("demo")
    assert done.returncode == 0, done.err
    assert "12 chosen pixels" in done.out
    assert done.out.rstrip().endswith("demo/index.html")
    page = tmp_path / "demo" / "index.html"
    assert page.stat().st_size < 2_000_000
