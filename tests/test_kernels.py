"""One dialect: every kernel says what its arguments are."""

import ast
import re
from pathlib import Path

import pytest

import labelsieve

SOURCE = Path(labelsieve.__file__).parent
MODULES = sorted(SOURCE.rglob("*kernels.py"))
# "n_a, n_b: uint32[codes - 1], rows with each indicator"
DESCRIBED = re.compile(r"^ *(\w+(?:, \w+)*): [a-z][a-z0-9 ]*\[", re.MULTILINE)


def functions(path):
    tree = ast.parse(path.read_text())
    return tree, [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def described(node):
    lists = DESCRIBED.findall(ast.get_docstring(node) or "")
    return {name for names in lists for name in names.split(", ")}


def is_array(annotation):
    return bool(re.search(r"Array\b", ast.unparse(annotation)))


@pytest.mark.parametrize(
    "path", MODULES, ids=lambda path: str(path.relative_to(SOURCE))
)
def test_kernels_describe_their_arrays(path):
    tree, kernels = functions(path)
    everywhere = described(tree)
    for kernel in kernels:
        arrays = {a.arg for a in kernel.args.args if is_array(a.annotation)}
        missing = arrays - described(kernel) - everywhere
        assert not missing, f"{kernel.name}: no shape and type of {sorted(missing)}"
