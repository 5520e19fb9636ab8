"""What only some need is not needed by a fit, and is named where it is missing."""

import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from labelsieve._utils.messages import frame_of
from labelsieve.cli import main
from labelsieve.datasets import load_segments, open_lazy, save
from labelsieve.plots import PixelDisplay
from labelsieve.report import render_page

ROOT = Path(__file__).parent.parent
EXTRAS = {
    "plots": ["matplotlib"],
    "report": ["matplotlib", "jinja2"],
    "tables": ["pandas", "pyarrow"],
    "dask": ["dask", "distributed"],
    "zarr": ["zarr"],
}
PAGE = {"title": "", "kicker": "", "summary": [], "sections": []}


def test_all_is_all_of_them():
    content = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    offered = content["project"]["optional-dependencies"]
    assert offered["all"] == [f"labelsieve[{','.join(sorted(EXTRAS))}]"]
    needed = " ".join(content["project"]["dependencies"])
    for name, packages in EXTRAS.items():
        assert offered[name]
        assert not [package for package in packages if package in needed]


BARE = """
    import sys

    class Missing:
        def find_spec(name, *_):
            if name in ("matplotlib", "jinja2", "pandas", "pyarrow", "dask", "polars"):
                raise ModuleNotFoundError(name)

    sys.meta_path.insert(0, Missing)
    import labelsieve
    from labelsieve.cli import main
    X, Y = labelsieve.make_multilabel(80, 2, n_noise=2, random_state=0)[:2]
    sieve = labelsieve.Sieve(2).fit(X, Y)
    str(sieve.explain(X, Y)), sieve.to_json(), sieve._repr_html_()
    labelsieve.SizeCV(sieve, cv=2).fit(X, Y)
    labelsieve.StabilitySelection(sieve, n_subsamples=2).fit(X, Y)
    names = [f"f{number}" for number in range(X.shape[1])]
    labelsieve.save(labelsieve.Dataset(X, Y, names, ["a", "b"]), "x.csv")
    sys.exit(main(["select", "x.csv", "-k", "2", "--quality", "--splits", "1"]))
"""


def test_a_fit_needs_no_extra(tmp_path):
    code = "\n".join(line[4:] for line in BARE.splitlines())
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "2 of" in done.stdout


def open_group(folder):
    (folder / ".zgroup").write_text('{"zarr_format": 2}')
    open_lazy(folder)


@pytest.mark.parametrize(
    ("extra", "package", "use"),
    [
        ("plots", "matplotlib", lambda folder: PixelDisplay([0], (1, 1)).plot()),
        ("plots", "matplotlib", lambda folder: PixelDisplay([0], (1, 1)).to_svg()),
        ("report", "jinja2", lambda folder: render_page(PAGE)),
        (
            "tables",
            "pyarrow",
            lambda folder: save(load_segments(), "x.parquet"),
        ),
        ("tables", "pandas", lambda folder: frame_of({"a": np.arange(2)})),
        ("dask", "dask", open_lazy),
        ("zarr", "zarr", open_group),
    ],
)
def test_a_missing_extra_is_named(extra, package, use, tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "polars", raising=False)
    for name in [name for name in sys.modules if name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    expected = rf"needs .*{package}.*pip install 'labelsieve\[{extra}\]'"
    with pytest.raises(ModuleNotFoundError, match=expected):
        use(tmp_path)


@pytest.mark.parametrize("package", ["matplotlib", "jinja2"])
def test_a_page_that_cannot_be_written_is_told_first(package, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, package, None)
    for words in (["demo"], ["select", "no-such-file", "--report", "x.html"]):
        assert main(words) == 2
        assert f"a page needs {package}: pip install" in capsys.readouterr().err
