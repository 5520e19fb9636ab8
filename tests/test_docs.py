"""The README and the guides say what is true: their code runs, their pages exist."""

import importlib
import json
import re
import runpy
import shlex
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from benchmarks import targets
from matplotlib import pyplot

import labelsieve.plots
from labelsieve import sentences
from labelsieve.cli import main
from labelsieve.cli._main import _parser
from labelsieve.datasets import Dataset, make_multilabel, save
from labelsieve.describing.noticed import DONE as NOTICED
from labelsieve.experiments.statistics import bootstrap_interval
from labelsieve.registry import describe_selector, selector_homes, selector_names

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "coming-from").glob("*.md")),
    *sorted((ROOT / "docs" / "methods").glob("*.md")),
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
    """Each as it is printed, one after the other, in an empty folder.

    But what is lost by a selection is judged in one second instead of ten.
    """
    monkeypatch.chdir(tmp_path)
    page = ROOT / "README.md"
    lines = [line for text in blocks(page, "sh") for line in text.splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines]
    targets = re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text("utf-8"), re.M)
    ours = [words for program, *words in commands if program == "labelsieve"]
    assert ours
    for words in ours:
        budget = ["--budget", "1"] if words[0] == "select" else []
        assert main([*words, *budget]) == 0, (words, capsys.readouterr().err)
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
    assert "2 of 4 features selected for 3 labels" in capsys.readouterr().out
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
def test_formulas_are_drawn(page):
    draw = runpy.run_path(ROOT / "docs" / "_ext" / "formulas.py")["draw"]
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
    blocks = re.findall(r"\$\$(.+?)\$\$", text, re.DOTALL)
    between = re.sub(r"\$\$.+?\$\$", "", text, flags=re.DOTALL)
    for formula in [*blocks, *re.findall(r"\$(\S|\S[^$]*?\S)\$(?!\d)", between)]:
        draw(formula, 12)  # raises ValueError for what matplotlib cannot draw


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
        # Pages that are made when docs are built, and pages of others.
        made = target.startswith(("gallery/", "generated/", "https://"))
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
    made = {*selector_homes(), "LabelSpecificSelector"}
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
        if head.startswith("classifier"):
            yield from (word for line in lines for word in cells(line)[:2])
            yield from (re.split(r" [\d.]", cells(line)[-1])[0] for line in lines)


def test_every_word_of_the_command_is_in_the_glossary(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X, Y, _ = make_multilabel(80, 2, n_noise=1, random_state=0)
    names = [f"f{number}" for number in range(X.shape[1])]
    save(Dataset(X, Y, names, ["one", "two"]), "full.csv")
    X[:5, 0] = np.nan
    save(Dataset(X, Y, names, ["one", "two"]), "data.csv")
    sure = (
        "--stability 3 --p-values 3 --label-specific 1 --quality --splits 2 --budget 1"
    )
    for command in (
        "describe data.csv",
        f"select data.csv -k 9 {sure}",
        "compare full.csv --methods sieve,fimf --splits 2 --out results",
    ):
        assert main(command.split()) == 0
    found = {plain(word) for word in words_of(capsys.readouterr().out)}
    found |= {plain(sentences.measure_name(measure)) for measure in sentences.MEASURES}
    found |= {plain(classifier) for classifier in sentences.CLASSIFIERS.values()} | {
        *NOTICED
    }
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
    losses = [
        classifier for kind in kinds for classifier in kind.get("loss", {}).values()
    ]
    lost = np.mean([classifier["mean_loss"] for classifier in losses])
    least = int(100 * min(classifier["found"] for classifier in losses))
    shares = [f"{share:.1f}" for share in (*equal, *most)]
    assert figures_of("calibration") == [*shares, f"{100 * lost:.0f}", str(least)]
    assert max(*equal, most[0]) <= 5
    assert least >= 80
    text = (ROOT / "docs" / "choosing.md").read_text("utf-8")
    said = f"{found['rows']:,} samples, {found['repetitions']} times"
    assert said in " ".join(text.split())


def test_more_rows_do_not_weaken_a_verdict():
    found = json.loads((ROOT / "results/verdicts/rows.json").read_text("utf-8"))
    few = found["uneven, one draw in each of five splits"]
    designs = found["uneven"], found["weak"], few
    said = [
        round(
            100 * min(j["better"] for r in rows for j in r["classifiers"].values())
            + 0.01
        )
        for rows in designs
    ]
    ends = ["500", "80", "000"]
    first, weak, few_draws = map(str, said)
    assert figures_of("rows") == [first, *ends, weak, few_draws, "20", "000"]
    assert found["repetitions"] >= 20
    for fewer, more in [pair for rows in designs[:2] for pair in pairwise(rows)]:
        assert fewer["rows"] < more["rows"]
        for classifier, before in fewer["classifiers"].items():
            after = more["classifiers"][classifier]
            assert after["better"] >= before["better"]
            noise = 2 * np.hypot(before["low_error"], after["low_error"])
            assert after["low"] >= before["low"] - noise
    assert said[2] < 50  # the design shows what too few draws and splits would say


def test_the_times_of_pages_are_those_of_the_results():
    rows = json.loads((ROOT / "results/verdicts/reports.json").read_text("utf-8"))
    ratios = [row["judging_said"] / row["judging_took"] for row in rows]
    assert figures_of("reports") == [f"{end:.2f}" for end in (min(ratios), max(ratios))]
    assert all(row["judging_took"] <= row["budget"] for row in rows)
    assert len(rows) == 5


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= 600


def test_the_documentation_is_found_from_python():
    pages = Path(labelsieve.__docs_dir__)
    assert (pages / "multi-label-feature-selection.md").exists()


def test_pages_become_plain_markdown(tmp_path):
    page = runpy.run_path(ROOT / "docs" / "_ext" / "markdown_pages.py")["page"]
    source = tmp_path / "page.md"
    source.write_text(
        "---\nmyst: {}\n---\n\n# Page\n\n:::{container} sides\n"
        "{py:obj}`~labelsieve.Sieve`\n:::\n\n```{image} a.png\n:alt: A\n```\n\n"
        "```{eval-rst}\n.. autosummary::\n\n   FIMF\n```\n[x](gallery/index.rst)\n",
        "utf-8",
    )
    text = page("methods/page", source)
    assert text.startswith("# Page\n")
    assert "{" not in text
    assert "`Sieve`" in text
    assert "![A](a.png)" in text
    assert "[labelsieve.FIMF](../generated/labelsieve.FIMF.md): Fast" in text
    assert "[x](gallery/index.md)" in text
    assert "## Parameters" in page("generated/labelsieve.FIMF", source)
    words = ROOT / "docs" / "gallery" / "plot_01_words.rst"
    example = page("gallery/plot_01_words", words)
    assert example.startswith("# Text")
    assert "```python" in example


def test_the_seconds_of_the_command_are_those_of_the_results():
    times = json.loads((ROOT / "results/cli/times.json").read_text("utf-8"))
    text = (ROOT / "docs" / "choosing.md").read_text("utf-8")
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


# What people type who look for this library without knowing its name.
SEARCHED = """multi-label feature selection; multi-output; multi-target; scikit-learn;
SelectKBest; chi2; mutual_info_classif; f_classif; RFE; RFECV; SelectFromModel;
MultiOutputClassifier; OneVsRestClassifier; MultiLabelBinarizer; TfidfVectorizer;
feature importance per label; SHAP; permutation importance; XGBoost; LightGBM; CatBoost;
mRMR; JMI; CMIM; Boruta; ReliefF; group lasso; L2,1; stability selection;
false discovery rate; knockoffs; missing labels; partially labelled;
label-specific features; dimensionality reduction; TabPFN;
y should be a 1d array, got an array of shape (200, 2) instead;
the underlying estimator MultiOutputClassifier should have `coef_` or
`feature_importances_` attribute; bad input shape"""


def test_what_people_search_for_is_in_headings_and_descriptions():
    found = ""
    for page in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("*/*.md")]:
        text = page.read_text("utf-8")
        head = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
        headings = re.findall(r"^#+ .*$", text, re.MULTILINE)
        found += " ".join([*(head.groups() if head else ()), *headings, ""])
    found = " ".join(found.split()).lower()
    words = [" ".join(word.split()).lower() for word in SEARCHED.split(";")]
    assert [word for word in words if word not in found] == []


def test_tables_of_many_outcomes_are_those_of_the_results():
    text = (ROOT / "docs" / "many-outcomes.md").read_text("utf-8")
    results, auto, times = (
        json.loads((ROOT / "results" / "targets" / f"{name}.json").read_text("utf-8"))
        for name in ("results", "auto", "time")
    )
    r2, by_data = results["r2"], results["regret_by_data"]
    parts = [f"{judge}, " for judge in targets.JUDGES]
    parts += [f", {size} " for size in targets.SIZES]
    columns = [results["regret"]]
    for part in parts:
        some = {n: {c: v for c, v in r2[n].items() if part in f"{c} "} for n in r2}
        columns.append(targets.regrets({n: of for n, of in some.items() if of}))
    lines = [line for line in text.splitlines() if re.search(r"\| 0\.\d{4} \|", line)]
    for line, method in zip(lines, results["regret"], strict=True):
        assert method.split(",")[0].split()[0] in line
        most, name = max((by_data[name][method], name) for name in by_data)
        said = [f"{column[method]:.4f}" for column in columns]
        assert cells(line)[1:9] == said
        assert cells(line)[9] == f"{most:.3f}, {name}"
    assert next(iter(results["regret"])).startswith("Sieve")
    lead = [of["fastcan"] - of["Sieve"] for of in by_data.values()]
    low, high = bootstrap_interval(np.array(lead))
    assert (
        f"{np.mean(lead):.4f}, with a bootstrap interval over data sets from {low:.3f} "
        f"to {high:.3f}." in " ".join(text.split())
    )
    for line in re.findall(r'^\| `"(?:fwer|fdr)".*', text, re.MULTILINE):
        rate, known, *said = cells(line)
        found = auto[f"{rate.split(chr(34))[1]}, {KNOWN[known]} known"]
        for cell, value in zip(said, [*found.values()], strict=True):
            digits = len(cell.partition(".")[2].partition(" ")[0])
            assert cell == f"{100 * value:.{digits}f} %"
    for line in re.findall(r"^\| [\d,]+, [\d,]+, \d+ \|.*", text, re.MULTILINE):
        size, *said = cells(line)
        shape = "{} x {}, {} targets".format(*size.replace(",", "").split())
        pairs = [times[f"{name}, {shape}"] for name in ("sieve", "rfs")]
        assert said == [f"{s:.3f}" for pair in pairs for s in pair.values()]
    ratio = {name: pair["number"] / pair["label"] for name, pair in times.items()}
    assert max(ratio[name] for name in ratio if "trees" not in name) <= 1.08
    for name in (name for name in ratio if "trees" in name):
        assert f"{ratio[name]:.1f}" in text


def test_errors_of_mixed_targets_can_be_counted_again():
    any_false, share, power, any_of_noise = targets.errors_of(0, 0.5, "fwer")
    assert {any_false, any_of_noise} <= {0.0, 1.0}
    assert 0 <= share <= 1
    assert 0 < power <= 1


KNOWN = {"all": "100%", "half": "50%"}


def test_shares_of_known_cells_are_those_of_the_results():
    results = ROOT / "results"
    text = (ROOT / "docs" / "unknown-labels.md").read_text("utf-8")
    for kind in ("labels", "numbers"):
        content = (results / "known_cells" / f"{kind}.json").read_text("utf-8")
        lines = [line for line in text.splitlines() if line.startswith(f"| {kind} |")]
        values = json.loads(content)["found"].values()
        for line, value in zip(lines, values, strict=True):
            *_, same, learned = cells(line)
            assert same == f"{100 * value['agrees on all held-out cells']:g} %"
            assert learned == f"{100 * value['agrees with models of all cells']:g} %"
            # What intervals are about holds, and gains also beyond it.
            assert value["agrees on all held-out cells"] >= 0.93
            assert value["agrees with models of all cells"] >= 0.93 or (
                "reached" in line
            )
