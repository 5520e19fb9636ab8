"""Runs the Python examples of every page while it is read: one that fails ends it."""

import contextlib
import io
import os
import re
import tempfile
import warnings

# An example, and what it prints where the page shows it.
BLOCK = re.compile(
    r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
# Examples with packages that we do not need begin so, and run where they are there.
OF_OTHERS = "# pip install "


def run_blocks(text, name):
    """Run all examples of a text in one namespace; what they print must be as shown.

    Returns the examples that were left out because a package is not installed.
    """
    namespace = {"__name__": "__main__"}
    left_out = []
    for number, (code, shown) in enumerate(BLOCK.findall(text), start=1):
        printed = io.StringIO()
        of_others = code.startswith(OF_OTHERS)
        try:
            with contextlib.redirect_stdout(printed), warnings.catch_warnings():
                if of_others:  # their warnings are not ours to mend
                    warnings.simplefilter("ignore")
                exec(compile(code, f"{name}, example {number}", "exec"), namespace)
        except ModuleNotFoundError as missing:
            if not of_others:
                raise
            left_out.append(f"{name}, example {number}: {missing}")
            continue
        if shown and shown.split() != printed.getvalue().split():
            raise AssertionError(
                f"{name}, example {number} prints\n{printed.getvalue()}, not\n{shown}"
            )
    return left_out


def run_examples(app, name, source):
    """Run the examples of a page in an empty folder."""
    from sphinx.util import logging  # tests run examples without Sphinx

    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        os.chdir(folder)
        try:
            for one in run_blocks(source[0], name):
                logging.getLogger(__name__).info("not run: %s", one)
        finally:
            os.chdir(before)


def setup(app):
    """Connect to Sphinx."""
    app.connect("source-read", run_examples)
    return {"parallel_read_safe": True}
