"""What a release says about itself agrees, wherever it is written."""

import re
import runpy
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

import labelsieve
from labelsieve.experiments.papers import PAPERS

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parent.parent
if not (ROOT / "packaging").exists():
    pytest.skip("there is no project beside the tests", allow_module_level=True)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def read(*path):
    return (ROOT / Path(*path)).read_text("utf-8")


def test_the_version_is_the_same_everywhere():
    version = labelsieve.__version__
    assert f"\n## {version} (" in read("CHANGELOG.md")
    assert yaml.safe_load(read("CITATION.cff"))["version"] == version
    recipe = yaml.safe_load(read("packaging", "conda", "recipe.yaml"))
    assert recipe["context"]["version"] == version


def test_the_recipe_needs_what_the_wheel_needs():
    recipe = yaml.safe_load(read("packaging", "conda", "recipe.yaml"))
    needed = [line.replace(" ", "") for line in recipe["requirements"]["run"]]
    assert sorted(needed[1:]) == sorted(PROJECT["dependencies"])
    assert needed[0] == f"python{PROJECT['requires-python']}"


def test_the_recipe_allows_what_the_extras_ask_for():
    recipe = yaml.safe_load(read("packaging", "conda", "recipe.yaml"))
    listed = recipe["requirements"]["run_constraints"]
    allowed = {line.replace(" ", "").replace("-base", "") for line in listed}
    extras = PROJECT["optional-dependencies"]
    asked = {
        re.sub(r"\[.*\]", "", line)
        for extra in ("plots", "report", "tables", "dask", "zarr")
        for line in extras[extra]
        if not line.startswith(("labelsieve", "distributed"))
    }
    assert allowed == asked


# What is below has a known vulnerability, or was found to run code from files.
SAFE_FROM = {
    "check-jsonschema": (0, 30),
    "distributed": (2026, 1),
    "jinja2": (3, 1, 6),
    "pyarrow": (14, 0, 1),
    "pytest": (9, 0, 3),
    "scikit-learn": (1, 5),
    "zarr": (3, 1),
}


def test_no_floor_allows_a_known_vulnerability():
    extras = PROJECT["optional-dependencies"].values()
    listed = "\n".join(sum(extras, PROJECT["dependencies"]))
    floors = dict(re.findall(r"^([\w-]+)(?:\[.*\])?>=([\d.]+)$", listed, re.MULTILINE))
    for name, safe in SAFE_FROM.items():
        assert tuple(map(int, floors[name].split("."))) >= safe, name


def test_the_oldest_versions_are_those_that_are_promised():
    promised = dict(
        re.findall(r'"([\w-]+)(?:\[.*?\])?>=([\d.]+)"', read("pyproject.toml"))
    )
    listed = re.findall(r"^([\w-]+)==([\d.]+?)(?:\.\*)?$", OLDEST, re.MULTILINE)
    assert len(listed) == len(re.findall(r"^\w", OLDEST, re.MULTILINE))
    for name, oldest in listed:
        assert f"{promised[name]}.0.".startswith(f"{oldest}."), name
    extras = PROJECT["optional-dependencies"]
    asked = {
        name
        for part in ("plots", "report", "tables", "dask", "zarr")
        for name in re.findall(r"^(?!labelsieve)[\w-]+", "\n".join(extras[part]), re.M)
    }
    assert asked <= dict(listed).keys()


OLDEST = read(".github", "oldest.txt")


def test_the_five_papers_are_cited():
    titles = {
        paper["title"].lower()
        for paper in yaml.safe_load(read("CITATION.cff"))["references"]
    }
    assert len(titles) == len(PAPERS) == 5
    for paper in PAPERS.values():
        title = paper.reference.split(": ", 1)[1].lower()
        assert any(title.startswith(known) for known in titles), title


def test_workflows_run_targets_that_exist():
    targets = re.findall(r"^([\w-]+):", read("Makefile"), re.MULTILINE)
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        jobs = yaml.safe_load(file.read_text("utf-8"))["jobs"]
        steps = [step for job in jobs.values() for step in job["steps"]]
        for line in (step.get("run", "") for step in steps):
            for words in re.findall(r"^make ([a-z -]+)$", line, re.MULTILINE):
                assert set(words.split()) <= set(targets), file.name


def test_what_workflows_run_of_others_is_pinned():
    """A tag can be moved to other code; a commit cannot."""
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        text = file.read_text("utf-8")
        used = re.findall(r"uses: *(\S+)", text)
        assert used or "uses:" not in text
        for action in used:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), (file.name, action)
        for package in re.findall(r"npm (?:pack|install|i|ci|exec) +(\S+)", text):
            assert re.fullmatch(r"[\w/-]+@\d+\.\d+\.\d+", package), (file.name, package)
        assert "npx" not in text


@pytest.fixture
def build(monkeypatch):
    """The names of hatch_build.py, without hatchling."""
    stub = SimpleNamespace(MetadataHookInterface=object, BuildHookInterface=object)
    for module in ("metadata.plugin.interface", "builders.hooks.plugin.interface"):
        parts = f"hatchling.{module}".split(".")
        for length in range(1, len(parts) + 1):
            monkeypatch.setitem(sys.modules, ".".join(parts[:length]), stub)
    return runpy.run_path(ROOT / "hatch_build.py")


def test_the_wheel_has_the_documentation(build):
    pages = {
        path.removeprefix("labelsieve/_docs/")
        for path in build["guides"](ROOT).values()
    }
    assert {"index.md", "methods/sieve.md", "coming-from/mrmr.md"} <= pages
    assert not any(page.startswith(("generated", "gallery")) for page in pages)


def test_addresses_are_those_of_the_builder(build):
    addresses = build["addresses"]
    assert addresses({}) == {}
    told = {"LABELSIEVE_SOURCE": "a://b/", "LABELSIEVE_DOCUMENTATION": "a://c/"}
    assert addresses(told) == {
        "Documentation": "a://c",
        "Source": "a://b",
        "Issues": "a://b/issues",
        "Changelog": "a://b/blob/main/CHANGELOG.md",
    }
