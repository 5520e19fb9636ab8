"""Runs the Python examples of every page while it is read: one that fails ends it."""

import contextlib
import io
import os
import re
import tempfile
import warnings

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run_examples(app, name, source):
    """Run all blocks of a page in one namespace and an empty folder."""
    blocks = BLOCK.findall(source[0])
    if not blocks:
        return
    namespace = {"__name__": "__main__"}
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        os.chdir(folder)
        try:
            for number, code in enumerate(blocks, start=1):
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(code, f"{name}, example {number}", "exec"), namespace)
        finally:
            os.chdir(before)


def setup(app):
    """Connect to Sphinx."""
    app.connect("source-read", run_examples)
    return {"parallel_read_safe": True}
