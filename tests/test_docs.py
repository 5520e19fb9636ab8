"""The README and the guides say what is true: their code runs, their pages exist."""

import re
import runpy
import shlex
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot

from labelsieve.cli import main
from labelsieve.cli._main import _parser
from labelsieve.datasets import Dataset, make_multilabel, save
from labelsieve.registry import describe_selector, selector_names

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
    runpy.run_path(EXTENSION)["run_blocks"](page.read_text("utf-8"), page.name)
    pyplot.close("all")


def test_shown_output_is_compared():
    run = runpy.run_path(EXTENSION)["run_blocks"]
    run("```python\nprint(1)\n```\n\n```text\n1\n```\n", "right")
    with pytest.raises(AssertionError, match="wrong, example 1 prints"):
        run("```python\nprint(1)\n```\n\n```text\n2\n```\n", "wrong")
    run("```python\n# pip install x\nimport no_such_package\n```\n", "of others")
    with pytest.raises(ModuleNotFoundError):
        run("```python\nimport no_such_package\n```\n", "ours")


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
    assert len(EXAMPLES) >= 10
    for example in EXAMPLES:
        assert len(example.read_text("utf-8").splitlines()) < 60, example.name


def glossary():
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    entries = re.findall(r"^```{glossary}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return set(re.findall(r"^(\S.*)$", "\n".join(entries), re.MULTILINE))


def test_every_word_of_the_command_is_in_the_glossary(tmp_path, capsys):
    data = str(tmp_path / "data.csv")
    X, Y, _ = make_multilabel(60, 2, n_noise=1, random_state=0)
    X[:5, 0] = np.nan
    names = [f"f{number}" for number in range(X.shape[1])]
    save(Dataset(X, Y, names, ["one", "two"]), data)
    words = set()
    assert main(["describe", data]) == 0
    for line in capsys.readouterr().out.partition("\n\n")[0].splitlines()[1:]:
        words.add(re.split(r"\s{2,}", line)[0])
    sure = ["--stability", "3", "--p-values", "3", "--quality", "--splits", "1"]
    for method in ("sieve", "pmu", "lrfs", "mlqpfs"):
        options = sure if method == "sieve" else []
        assert main(["select", data, "-k", "9", "-m", method, *options]) == 0
        parts = capsys.readouterr().out.split("\n\n")
        words.update(re.split(r"\s{2,}", parts[1].splitlines()[0]))
        for line in parts[-1].splitlines()[1:] if options else []:
            words.add(re.split(r"\s{2,}", line)[0])
    assert len(words) >= 30
    assert words - {""} <= glossary()


def test_the_example_of_a_selector_is_the_real_one():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (path,) = re.findall(r"but its docstring, `(\S+\.py)`", text)
    (example,) = re.findall(r"^   ```python\n(.*?)^   ```", text, re.M | re.S)
    source = (ROOT / path).read_text("utf-8")
    begin, end = source.index('    """'), source.index('    """\n', 300) + 8
    shown = "\n".join(line[3:] for line in example.splitlines()) + "\n"
    assert source[:begin] + "    ...\n" + source[end:] == shown
