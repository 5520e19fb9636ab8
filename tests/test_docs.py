"""The README and the guides say what is true: their code runs, their pages exist."""

import importlib
import json
import re
import runpy
import shlex
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot

import labelsieve.plots
from labelsieve import sentences
from labelsieve.cli import main
from labelsieve.cli._main import _parser
from labelsieve.datasets import Dataset, make_multilabel, save
from labelsieve.describing.noticed import DONE as NOTICED
from labelsieve.registry import describe_selector, selector_homes, selector_names

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "coming-from").glob("*.md")),
]
EXTENSION = ROOT / "docs" / "_ext" / "examples.py"
if not PAGES[0].exists():
    pytest.skip("there is no README beside the tests", allow_module_level=True)

matplotlib.use("agg")


def blocks(page, language):
    text = page.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_examples_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run = runpy.run_path(EXTENSION)["run_blocks"]
    left_out = run(page.read_text("utf-8"), page.name)
    pyplot.close("all")
    if left_out:
        pytest.skip(f"all others run, not {'; '.join(left_out)}")


def test_shown_output_is_compared():
    run = runpy.run_path(EXTENSION)["run_blocks"]
    run("```python\nprint(1)\n```\n\n```text\n1\n```\n", "right")
    with pytest.raises(AssertionError, match="wrong, example 1 prints"):
        run("```python\nprint(1)\n```\n\n```text\n2\n```\n", "wrong")
    (missing,) = run("```python\n# pip install x\nimport no_such_package\n```\n", "x")
    assert missing.startswith("x, example 1: No module")
    noisy = "import warnings\nwarnings.warn('', stacklevel=1)\n"
    assert run(f"```python\n# pip install x\n{noisy}```\n", "of others") == []
    with pytest.raises(UserWarning):
        run(f"```python\n{noisy}```\n", "ours")
    with pytest.raises(ModuleNotFoundError):
        run("```python\nimport no_such_package\n```\n", "ours")


def test_commands_of_the_readme_run(tmp_path, monkeypatch, capsys):
    """Each as it is printed, one after the other, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    page = ROOT / "README.md"
    lines = [line for text in blocks(page, "sh") for line in text.splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines]
    targets = re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text("utf-8"), re.M)
    ours = [words for program, *words in commands if program == "labelsieve"]
    assert ours
    for words in ours:
        assert main(words) == 0, (words, capsys.readouterr().err)
    for program, *words in commands:
        assert program in ("labelsieve", "pip", "make")
        assert program != "make" or words[0] in targets
    assert {file.name for file in tmp_path.glob("*.html")} == {
        "why.html",
        "compare.html",
    }


def test_a_file_of_ones_own_goes_through(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "getting-started.md"
    (makes_it,) = [
        code for code in blocks(page, "python") if '"recipes.csv", "w"' in code
    ]
    exec(makes_it, {})
    commands = [line for text in blocks(page, "sh") for line in text.splitlines()]
    commands = [shlex.split(line) for line in commands if "recipes.csv" in line]
    assert len(commands) == 2
    for words in commands:
        assert (
            main([*words[1:], "--budget", "1"] if "select" in words else words[1:]) == 0
        )
    assert "2 of 4 features tell most about 3 labels" in capsys.readouterr().out
    assert "minutes" in (tmp_path / "why.html").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_are_understood(page):
    for text in blocks(page, "sh"):
        for line in text.replace("\\\n", " ").splitlines():
            for part in line.split("|"):
                words = shlex.split(part, comments=True)
                if words[:1] == ["labelsieve"]:
                    _parser().parse_args(words[1:])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_named_methods_exist(page):
    text = page.read_text("utf-8")
    for listed in re.findall(r"--methods? ([a-z+,-]+)", text):
        for name in listed.split(","):
            describe_selector(name)
    for name in re.findall(r"`([a-z]+\+[a-z]+)`", text):
        assert name in selector_names()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
        made = target.startswith(("gallery/", "generated/"))  # when docs are built
        assert made or (page.parent / target).exists(), target


EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))


def test_examples_are_many_and_short():
    assert len(EXAMPLES) >= 11
    for example in EXAMPLES:
        assert len(example.read_text("utf-8").splitlines()) < 60, example.name


def listed():
    """The names of the reference, with the module that each is listed under."""
    module, found = "", set()
    for line in (ROOT / "docs" / "api.md").read_text("utf-8").splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   [A-Za-z]\w*", line):
            found.add(f"{module}.{line.strip()}")
    return found


def test_the_reference_has_every_public_name():
    names = listed()
    for name in names:
        module, _, last = name.rpartition(".")
        assert hasattr(importlib.import_module(module), last), name
    # conf.py lists these.
    made = {*selector_homes(), "SharedAndOwn"}
    wanted = {f"labelsieve.{name}" for name in {*labelsieve.__all__} - made}
    wanted |= {
        f"labelsieve.plots.{name}"
        for name in labelsieve.plots.__all__
        if name.endswith("Display") and name != "Display"
    }
    wanted.remove("labelsieve.compare")  # among experiments, where it lives
    assert wanted <= names
    assert "labelsieve.experiments.compare" in names


def glossary():
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    entries = re.findall(r"^```{glossary}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    terms = re.findall(r"^(\S.*)$", "\n".join(entries), re.MULTILINE)
    assert len(terms) == len(set(terms))
    return {plain(term) for term in terms}


def plain(word):
    """A word as the glossary has it, however a table spells it."""
    return re.sub(r"@\d", "@k", re.sub(r"[_-]", " ", word.lower()))


def cells(line):
    split = (
        line.strip("| ").split(" | ") if line[:1] == "|" else re.split(" {2,}", line)
    )
    return [cell for cell in split if cell.strip()]


def words_of(text):
    """The heads of all tables of an output, and the first words of their lines."""
    for part in text.split("\n\n"):
        head, *lines = part.splitlines()
        if lines and (head[:1] == "|" or len(cells(head)) > 2):
            yield from cells(head)
        elif lines and head.startswith("  "):  # what describe counted
            yield from (cells(line)[0] for line in lines)
        if head.startswith("judge"):
            yield from (word for line in lines for word in cells(line)[:2])
            yield from (re.split(r" [\d.]", cells(line)[-1])[0] for line in lines)


def test_every_word_of_the_command_is_in_the_glossary(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X, Y, _ = make_multilabel(80, 2, n_noise=1, random_state=0)
    names = [f"f{number}" for number in range(X.shape[1])]
    save(Dataset(X, Y, names, ["one", "two"]), "full.csv")
    X[:5, 0] = np.nan
    save(Dataset(X, Y, names, ["one", "two"]), "data.csv")
    sure = "--stability 3 --p-values 3 --own 1 --quality --splits 2 --budget 1"
    for command in (
        "describe data.csv",
        f"select data.csv -k 9 {sure}",
        "compare full.csv --methods sieve,fimf --splits 2 --out results",
    ):
        assert main(command.split()) == 0
    found = {plain(word) for word in words_of(capsys.readouterr().out)}
    found |= {plain(sentences.measure_name(measure)) for measure in sentences.MEASURES}
    found |= {plain(judge) for judge in sentences.JUDGES.values()} | {*NOTICED}
    # What is compared, the labels, and the columns of the comparison.
    named = {"data set", "method", "one", "two", "mean"}
    assert len(found) >= 60
    assert found - named <= glossary()


def figures_of(mark):
    """The numbers of docs/choosing.md behind a mark, as they are printed."""
    text = (ROOT / "docs" / "choosing.md").read_text("utf-8")
    part = text[text.index(f"<!-- {mark} -->") :]
    part = part[part.index("-->") : part.index("<!-- end -->")]
    return re.findall(r"\d+(?:\.\d+)?", part.replace("micro-F1", ""))


def test_the_calibration_of_verdicts_is_that_of_the_results():
    found = json.loads((ROOT / "results/verdicts/calibration.json").read_text("utf-8"))
    kinds = found["kinds"].values()
    equal = [100 * kind["equal"]["10 splits"]["micro_f1"] for kind in kinds]
    most = [
        100 * max(max(kind["equal"][splits].values()) for kind in kinds)
        for splits in ("10 splits", "5 splits")
    ]
    losses = [judge for kind in kinds for judge in kind.get("loss", {}).values()]
    lost = np.mean([judge["mean_loss"] for judge in losses])
    least = int(100 * min(judge["found"] for judge in losses))
    shares = [f"{share:.1f}" for share in (*equal, *most)]
    assert figures_of("calibration") == [*shares, f"{100 * lost:.0f}", str(least)]
    assert max(*equal, most[0]) <= 5
    assert least >= 80
    text = (ROOT / "docs" / "choosing.md").read_text("utf-8")
    assert f"{found['rows']:,} rows, {found['repetitions']} times" in text


def test_more_rows_do_not_weaken_a_verdict():
    found = json.loads((ROOT / "results/verdicts/rows.json").read_text("utf-8"))
    few = found["uneven, one draw in each of five splits"]
    designs = found["uneven"], found["weak"], few
    said = [
        round(100 * min(j["better"] for r in rows for j in r["judges"].values()) + 0.01)
        for rows in designs
    ]
    ends = ["500", "80", "000"]
    first, weak, before = map(str, said)
    assert figures_of("rows") == [first, *ends, weak, before, "20", "000"]
    for rows in designs[:2]:
        by_rows = {row["rows"]: row["judges"] for row in rows}
        for judge, at_2000 in by_rows[2000].items():
            for many in (20_000, 80_000):
                more = by_rows[many][judge]
                noise = 2 * np.hypot(more["low_error"], at_2000["low_error"])
                assert more["low"] >= at_2000["low"] - noise
                # Few repetitions: shares are compared up to two standard errors.
                share = (more["better"] + at_2000["better"]) / 2
                error = np.sqrt(2 * share * (1 - share) / found["repetitions"])
                assert more["better"] >= at_2000["better"] - 2 * error
    assert said[2] < 50  # the design shows what too few draws and splits would say


def test_the_times_of_pages_are_those_of_the_results():
    rows = json.loads((ROOT / "results/verdicts/reports.json").read_text("utf-8"))
    ratios = [row["judging_said"] / row["judging_took"] for row in rows]
    assert figures_of("reports") == [f"{end:.2f}" for end in (min(ratios), max(ratios))]
    assert all(row["judging_took"] <= row["budget"] for row in rows)
    assert len(rows) == 5


def test_the_seconds_of_the_command_are_those_of_the_results():
    times = json.loads((ROOT / "results/cli/times.json").read_text("utf-8"))
    text = (ROOT / "README.md").read_text("utf-8")
    for name, by_method in times.items():
        (row,) = re.findall(rf"^\| {name} \|[^|]*\|(.*)\|$", text, re.MULTILINE)
        said = [float(cell) for cell in row.split("|")]
        assert said == [round(seconds, 1) for seconds in by_method.values()]
    assert list(times) == ["emotions", "bibtex", "delicious"]


def test_the_example_of_a_selector_is_the_real_one():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (path,) = re.findall(r"but its docstring, `(\S+\.py)`", text)
    (example,) = re.findall(r"^   ```python\n(.*?)^   ```", text, re.M | re.S)
    source = (ROOT / path).read_text("utf-8")
    begin, end = source.index('    """'), source.index('    """\n', 300) + 8
    shown = "\n".join(line[3:] for line in example.splitlines()) + "\n"
    assert source[:begin] + "    ...\n" + source[end:] == shown
