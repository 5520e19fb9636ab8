"""Docstrings are written for people at a terminal; here marks of reST lose effect."""

import re

NAME_WITH_UNDERSCORE = re.compile(r"\((n_features_in_),\)")
FORMULA = ".. math::"


def quieten(app, what, name, obj, options, lines):
    """Escape bars and names that reST would take for references."""
    inside = None
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if line.strip().startswith(FORMULA):
            inside = indent
        elif inside is not None and line.strip() and indent <= inside:
            inside = None
        if inside is None and not line.lstrip().startswith((">>>", "...")):
            line = re.sub(r"(?<!\\)\|", r"\\|", line)
            lines[number] = NAME_WITH_UNDERSCORE.sub(r"(``\1``,)", line)


def keep_underscores(app, what, name, obj, options, lines):
    """Names of fitted attributes end in an underscore, which is no reference."""
    for number, line in enumerate(lines):
        lines[number] = re.sub(r"^(:(?:ivar|vartype) \w+)_:", r"\1\\_:", line)


def setup(app):
    """Connect to Sphinx."""
    # Before napoleon (500), which turns sections into fields.
    app.connect("autodoc-process-docstring", quieten, priority=400)
    app.connect("autodoc-process-docstring", keep_underscores, priority=600)
    return {"parallel_read_safe": True}
