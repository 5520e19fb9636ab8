"""A real notebook: every picture is there, once, and the user's settings stay."""

import time

import pytest

nbclient = pytest.importorskip("nbclient", reason="needs nbclient and ipykernel")
nbformat = pytest.importorskip("nbformat", reason="needs nbformat")

# A cell, and what it shows: pictures, HTML and a part of what it writes.
CELLS = [
    (
        """
        import warnings
        import matplotlib.pyplot as plt
        from labelsieve import FIMF, SizeCV, describe, load_segments, evaluate_selection
        data = load_segments()
        X, Y = data.X[:300], data.Y[:300]
        plt.rcParams["lines.linewidth"] = 3.25
        plt.plot([1, 2])
        before, backend = dict(plt.rcParams), plt.get_backend()
        """,
        (1, 0, ""),
    ),
    (
        """
        why = FIMF(5).fit(X, Y).explain(X, Y)
        why.plot();
        """,
        (1, 0, ""),
    ),
    ("plt.plot([2, 1]);", (1, 0, "")),
    ("why.plot('scores'); why.plot('redundancy');", (2, 0, "")),
    ("why", (0, 1, "")),
    (
        """
        quality = evaluate_selection(FIMF(5), X, Y, n_splits=2, verbose=True)
        quality.plot();
        """,
        (1, 0, "samples, about"),
    ),
    ("quality", (0, 1, "")),
    (
        """
        search = SizeCV(FIMF(), sizes=[2, 5], cv=2, random_state=0).fit(X, Y)
        search.plot();
        """,
        (1, 0, ""),
    ),
    ("search", (0, 1, "")),
    (
        """
        found = describe(X, Y)
        found.plot();
        """,
        (1, 0, ""),
    ),
    ("found", (0, 1, "")),
    (
        """
        fig, (left, right) = plt.subplots(1, 2)
        why.plot(ax=left)
        quality.plot(ax=right);
        """,
        (1, 0, ""),
    ),
    ("plt.plot([1, 2]);", (1, 0, "")),
    (
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            changed = [k for k in before if plt.rcParams[k] != before[k]]
        print(changed, plt.get_backend() == backend, plt.get_fignums())
        """,
        (0, 0, "[] True []"),
    ),
    (
        f"""
        from labelsieve._utils import compile, messages
        compile.PATIENCE = 0.0
        def kernel(values):
            total = 0.0
            for value in values:
                total += value
            return total
        # Never compiled before.
        kernel.__qualname__ += "{time.time()}"
        with messages.status("PMU"):
            compile.njit(kernel)(X[0])
        """,
        (0, 0, "compiling PMU for this processor, once"),
    ),
]


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    import textwrap

    folder = tmp_path_factory.mktemp("notebook")
    cells = [
        nbformat.v4.new_code_cell(textwrap.dedent(text).strip()) for text, _ in CELLS
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python"}
    settings = {"resources": {"metadata": {"path": str(folder)}}, "timeout": 600}
    nbclient.NotebookClient(notebook, **settings).execute()
    return notebook.cells


def shown(cell, kind):
    return [out for out in cell.outputs if kind in out.get("data", {})]


@pytest.mark.parametrize("place", range(len(CELLS)))
def test_every_cell_has_its_picture(executed, place):
    cell, (pictures, tables, words) = executed[place], CELLS[place][1]
    assert len(shown(cell, "image/png")) == pictures
    assert len(shown(cell, "text/html")) == tables
    written = "".join(out.text for out in cell.outputs if out.output_type == "stream")
    assert words in written
    assert words or not written


def test_what_a_cell_writes_is_below_a_screen(executed):
    for cell in executed:
        for out in shown(cell, "text/plain"):
            assert len(out["data"]["text/plain"].splitlines()) < 30
