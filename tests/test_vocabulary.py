"""The words of the field: names and pages are free of words nobody searches for."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import labelsieve

ROOT = Path(__file__).parent.parent
PACKAGES = ("", ".choosing", ".classifiers", ".datasets", ".describing", ".experiments")
PACKAGES += (".metrics", ".plots", ".report", ".selectors")
# What stood for relevance, redundancy, classifiers, label-specific features, packages.
IN_NAMES = {
    *("tell", "tells", "told", "beside", "judge", "judges", "judged", "judging"),
    *("standing", "board", "settle", "settled", "decided", "own", "kept", "rf"),
    *("room", "rooms", "door", "doors", "house", "plumbing"),
}
IN_PAGES = re.compile(
    r"\b(tells?|told)\b(?! (\w+ )?apart)|\bbeside\b|\bjudg(e|es|ed|ing)\b|\bplumbing\b"
    r"|\brooms?\b|\bthe house\b|\bSharedAndOwn\b|\bmeasure_quality\b|(?-i:\+(rf|chi)\b)"
    r"|as good within|alike within|new about labels|within chance|\b(least|label)_kept",
    re.IGNORECASE,
)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# A class of the style sheet is called so.
ALLOWED = {"index.md": ":class: beside"}


def public_names():
    """Objects of all packages, their parameters and their attributes."""
    for package in PACKAGES:
        module = importlib.import_module(f"labelsieve{package}")
        for name in module.__all__:
            yield name
            thing = getattr(module, name)
            is_error = isinstance(thing, type) and issubclass(thing, Exception)
            if callable(thing) and not is_error:
                yield from inspect.signature(thing).parameters
            if isinstance(thing, type):
                yield from (part for part in vars(thing) if not part.startswith("_"))


def test_public_names():
    names = set(public_names())
    assert {"relevance", "error_rate", "redundancy_shares", "n_specific"} & names
    words = {
        name: set(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_"))
        for name in names
    }
    assert not sorted(name for name in names if words[name] & IN_NAMES)
    assert not {"judges", "told_again", "n_" + "own"} & names


@pytest.mark.skipif(not PAGES[0].exists(), reason="there are no pages in a release")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages(page):
    lines = page.read_text("utf-8").replace(ALLOWED.get(page.name, "\0"), "")
    found = [line for line in lines.splitlines() if IN_PAGES.search(line)]
    assert not found, "\n".join(found)


def test_registry():
    assert not [
        name for name in labelsieve.selector_names() if re.search(r"\+(rf|chi)$", name)
    ]
