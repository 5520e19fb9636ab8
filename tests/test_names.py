"""Methods are known by name in the registry alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import labelsieve
from labelsieve.registry import REPRODUCED, describe_selector, selector_names

SOURCE = Path(labelsieve.__file__).parent
# Where names belong: the registry's entries, public APIs, what the papers compared.
ALLOWED = (
    "_methods.py",
    "__init__.py",
    "selectors/__init__.py",
    "experiments/papers.py",
)
KNOWN = {
    *selector_names(),
    *(describe_selector(name).class_name for name in selector_names()),
}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def lists_of_names(code: str) -> Iterator[tuple[int, set[str]]]:
    """Where code lists two methods or more, or names them in one text."""
    tree = ast.parse(code)
    spared = set(spared_texts(tree))
    for node in ast.walk(tree):
        found: set[str] = set()
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                found = {name_of(part) for part in parts}
            case ast.Dict(keys=parts):
                found = {name_of(part) for part in parts}
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                found = {name_of(left), name_of(right)}
            case ast.Constant(value=str(text)) if node not in spared:
                found = set(re.findall(r"[\w+-]+", text))
        if len(found & KNOWN) > 1:
            yield node.lineno, found & KNOWN


def spared_texts(tree: ast.Module) -> Iterator[ast.AST]:
    """Docstrings and examples."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if name.endswith("EXAMPLES"):
                    yield value
        if isinstance(node, DOCUMENTED) and isinstance(node.body[0], ast.Expr):
            yield node.body[0].value


def name_of(node: ast.AST | None) -> str:
    """What an element of a list names."""
    match node:
        case (
            ast.Constant(value=str(name)) | ast.Name(id=name) | ast.Attribute(attr=name)
        ):
            return name
    return ""


def test_no_list_of_methods_outside_the_registry():
    found = [
        f"{place}:{line}: {', '.join(sorted(names))}"
        for path in sorted(SOURCE.rglob("*.py"))
        if not (place := path.relative_to(SOURCE).as_posix()).startswith(ALLOWED)
        for line, names in lists_of_names(path.read_text("utf-8"))
        if not (path.name == "__init__.py" and path.parent.parent.name == "selectors")
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "code",
    [
        'METHODS = ["pmu", "br+chi2"]',
        "kinds = (GMBA, selectors.SPEC)",
        "limits = {'sieve': 1, 'mlrf': 2}",
        "def f(s: RFS | GRRO): ...",
        'def f():\n    """Text."""\n    raise TypeError("use Sieve, PMU or FIMF")',
    ],
)
def test_lists_are_found(code):
    assert list(lists_of_names(code))


def test_texts_that_may_name_methods():
    assert not list(lists_of_names('"""Like PMU and FIMF."""\nx = ["pmu", "other"]'))


def test_papers_are_those_of_the_registry():
    from labelsieve.experiments.papers import PAPERS

    assert tuple(PAPERS) == REPRODUCED
