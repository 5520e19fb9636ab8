"""Everything has its place and keeps small: modules, functions, rooms, warnings."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import labelsieve

SOURCE = Path(labelsieve.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
MOST_LINES_OF_MODULE = 500
MOST_LINES_OF_FUNCTION = 60
MOST_SELECTOR_FILES = 35
# The one place that calls Python's own warnings.warn.
WARNS = "_plumbing/messages.py"


def place(path):
    return path.relative_to(SOURCE).as_posix()


def n_lines(function):
    """From its name to its end, without the docstring."""
    whole = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is None:
        return whole
    return whole - (function.body[0].end_lineno - function.body[0].lineno + 1)


def long_functions(code):
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        (node.name, n_lines(node))
        for node in ast.walk(ast.parse(code))
        if isinstance(node, kinds) and n_lines(node) > MOST_LINES_OF_FUNCTION
    ]


def own_warnings(code):
    """Lines that count stack levels, or that warn without the helper."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call):
            counted = any(word.arg == "stacklevel" for word in node.keywords)
            if counted or ast.unparse(node.func) == "warnings.warn":
                yield node.lineno


@pytest.mark.parametrize("path", MODULES, ids=place)
def test_modules_and_functions_are_short(path):
    code = path.read_text("utf-8")
    assert len(code.splitlines()) <= MOST_LINES_OF_MODULE
    assert not long_functions(code)


def test_the_room_of_selectors_is_not_crowded():
    found = [p.name for p in (SOURCE / "selectors").iterdir() if p.name[:2] != "__"]
    assert len(found) <= MOST_SELECTOR_FILES - 1, sorted(found)  # and its door


def test_warnings_go_through_the_helper():
    found = [
        f"{place(path)}:{line}"
        for path in MODULES
        if place(path) != WARNS
        for line in own_warnings(path.read_text("utf-8"))
    ]
    assert not found


def test_what_is_long_or_warns_is_found():
    body = "    x = 1\n" * MOST_LINES_OF_FUNCTION
    text = '    """Text.\n\n    More.\n    """\n'
    assert long_functions("def f():\n" + body) == [("f", MOST_LINES_OF_FUNCTION + 1)]
    assert not long_functions("def f():\n" + text + body[len("    x = 1\n") :])
    assert list(own_warnings("warnings.warn('x')\nf(stacklevel=2)\nwarn('y')")) == [
        1,
        2,
    ]
