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
    """Run all examples of a text in one namespace; what they print must be as shown."""
    namespace = {"__name__": "__main__"}
    for number, (code, shown) in enumerate(BLOCK.findall(text), start=1):
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(code, f"{name}, example {number}", "exec"), namespace)
        except ModuleNotFoundError:
            if not code.startswith(OF_OTHERS):
                raise
            continue
        if shown and shown.split() != printed.getvalue().split():
            raise AssertionError(
                f"{name}, example {number} prints\n{printed.getvalue()}, not\n{shown}"
            )


def run_examples(app, name, source):
    """Run the examples of a page in an empty folder."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        os.chdir(folder)
        try:
            run_blocks(source[0], name)
        finally:
            os.chdir(before)


def setup(app):
    """Connect to Sphinx."""
    app.connect("source-read", run_examples)
    return {"parallel_read_safe": True}
