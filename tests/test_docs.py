"""The README and the guides say what is true: their code runs, their pages exist."""

import re
import shlex
from pathlib import Path

import matplotlib
import pytest
from matplotlib import pyplot

from labelsieve.cli._main import _parser
from labelsieve.registry import describe_selector, selector_names

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
if not PAGES[0].exists():
    pytest.skip("there is no README beside the tests", allow_module_level=True)

matplotlib.use("agg")


def blocks(page, language):
    text = page.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_examples_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    for code in blocks(page, "python"):
        exec(compile(code, str(page), "exec"), namespace)
    pyplot.close("all")


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
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_the_example_of_a_selector_is_the_real_one():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (path,) = re.findall(r"but its docstring, `(\S+\.py)`", text)
    (example,) = re.findall(r"^   ```python\n(.*?)^   ```", text, re.M | re.S)
    source = (ROOT / path).read_text("utf-8")
    begin, end = source.index('    """'), source.index('    """\n', 300) + 8
    shown = "\n".join(line[3:] for line in example.splitlines()) + "\n"
    assert source[:begin] + "    ...\n" + source[end:] == shown
