"""labelsieve select --engine dask: folders on disk, on threads and on a cluster."""

import gc
import json
import subprocess
import sys

import dask
import numpy as np
import pandas as pd
import pytest
import zarr
from tests.cli.conftest import assert_one_line_error

from distributed import default_client
from labelsieve import FIMF, PMU
from labelsieve.datasets import Dataset, save

# Dask itself calls pandas in a way that pandas 3.1 calls old.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

PARTS = (30, 55)
LAZY_PMU = ("--engine", "dask", "--method", "pmu")


@pytest.fixture(scope="module")
def plain(dataset):
    """Without rows that LibSVM cannot hold, and with values that text keeps."""
    X = np.round(dataset.X, 3)
    X[:, 0] += 10
    return Dataset(X, dataset.Y, dataset.feature_names, dataset.label_names, "music")


@pytest.fixture(scope="module")
def folders(plain, tmp_path_factory):
    """The same rows as a Parquet folder, a zarr group and a folder of LibSVM files."""
    root = tmp_path_factory.mktemp("lazy")
    for format, name in (("parquet", "part.parquet"), ("libsvm", "part.svm")):
        (root / format).mkdir()
        for number, rows in enumerate(np.split(np.arange(len(plain.X)), PARTS)):
            part = Dataset(
                plain.X[rows], plain.Y[rows], plain.feature_names, plain.label_names
            )
            save(part, root / format / f"{number}{name}", format=format)
    group = zarr.open_group(str(root / "zarr"), mode="w")
    group.create_array("X", data=plain.X, chunks=(33, 4))
    group.create_array("Y", data=plain.Y, chunks=(50, 3))
    group.attrs["feature_names"] = list(plain.feature_names)
    return root


@pytest.mark.parametrize("format", ["parquet", "zarr", "libsvm"])
def test_equals_select_in_memory(call, folders, plain, tmp_path, format):
    save(plain, tmp_path / "all.arff")
    words = ("--method", "fimf", "-k", "4", "--json")
    done = call("select", folders / format, *words, "--engine", "dask")
    assert done.returncode == 0, done.err
    assert done.err == ""
    found = json.loads(done.out)
    expected = json.loads(call("select", tmp_path / "all.arff", *words).out)
    for key in ("method", "parameters", "order", "scores", "version"):
        assert found[key] == expected[key]
    assert found["features"] == expected["features"]
    rows = None if format == "libsvm" else 80  # lines were not counted
    assert found["data"]["instances"] == rows
    assert found["data"]["name"] == format
    assert (found["data"]["features"], found["data"]["labels"]) == (10, 3)


def test_labels_of_files_that_do_not_name_them(call, plain, tmp_path):
    frame = pd.DataFrame(plain.X, columns=plain.feature_names)
    frame = frame.assign(**dict(zip(plain.label_names, plain.Y.T, strict=True)))
    frame.to_parquet(tmp_path / "0.parquet")
    words = ("select", tmp_path, *LAZY_PMU, "-k", "3", "-o", "-")
    assert_one_line_error(call(*words), "labels")
    done = call(*words, "--labels", "-3", "--jobs", "2")
    order = PMU(3).fit(plain.X, plain.Y).order_[:3]
    columns = [int(line.split(",")[1]) for line in done.out.splitlines()[1:]]
    assert columns == order.tolist()


def test_nominal_features_stay_nominal(call, plain, tmp_path):
    colours = ("red", "green", "blue", "grey")
    codes = np.random.default_rng(0).integers(0, 4, len(plain.X))
    X = np.column_stack([plain.X, codes, codes % 2 == plain.Y[:, 0]])
    names = [*plain.feature_names, "colour", "match"]
    categories = {"colour": colours, "match": ("yes", "no")}
    data = Dataset(X, plain.Y, names, plain.label_names, "n", categories)
    save(data, tmp_path / "all.parquet", format="parquet")
    (tmp_path / "parts").mkdir()
    for part in (0, 1):
        rows = np.arange(len(X)) // 40 == part
        half = Dataset(
            X[rows], plain.Y[rows], names, plain.label_names, "n", categories
        )
        save(half, tmp_path / "parts" / f"{part}.parquet", format="parquet")
    words = ("--method", "pmu", "-k", "1.0", "--json")
    expected = json.loads(call("select", tmp_path / "all.parquet", *words).out)
    found = call("select", tmp_path / "parts", *words, "--engine", "dask")
    for key in ("order", "scores", "features"):
        assert json.loads(found.out)[key] == expected[key]


@pytest.mark.parametrize("format", ["parquet", "zarr", "libsvm"])
def test_dropped_features(call, folders, plain, format):
    words = ("select", folders / format, *LAZY_PMU, "-k", "3", "--json")
    found = json.loads(call(*words, "--drop", "feature 1,feature 4").out)
    kept = [0, 2, 3, *range(5, 10)]
    assert found["order"] == PMU(3).fit(plain.X[:, kept], plain.Y).order_[:3].tolist()
    assert_one_line_error(call(*words, "--drop", "nobody"), "no feature 'nobody'")


def test_table_for_people_and_files(call, folders, tmp_path):
    words = ("select", folders / "parquet", *LAZY_PMU, "-k", "2")
    done = call(*words)
    title = "parquet: 2 of 10 features selected for 3 labels (80 samples, PMU)"
    assert done.out.splitlines()[0] == title
    assert len(done.out.splitlines()) == 5
    unknown = call(*words[:1], folders / "libsvm", *words[2:])
    assert "3 labels (PMU)" in unknown.out
    done = call(*words, "--quiet", "-o", tmp_path / "names.txt")
    assert done.out == ""
    assert len((tmp_path / "names.txt").read_text("utf-8").splitlines()) == 2


def test_what_does_not_go_together(call, folders, music):
    lazily = ("--engine", "dask")
    folder = folders / "parquet"
    for option in ("--quality", "--report a", "--reduced a", "--stability", "-k cv"):
        done = call("select", folder, *lazily, *option.split())
        assert_one_line_error(done, option[:4], "needs all rows in memory", "leave")
    done = call("select", folder, "--scheduler", "tcp://127.0.0.1:1")
    assert_one_line_error(done, "--scheduler needs --engine dask")
    done = call("select", music, *lazily)
    assert_one_line_error(done, "music.arff", "expected Parquet", "memory")
    done = call("select", folder / "missing", *lazily)
    assert_one_line_error(done, "no file or folder")
    for data in ("-", "builtin:segments", "openml:emotions"):
        assert_one_line_error(call("select", data, *lazily), f"not {data}", "leave")
    for method in ("grro", "gmba", "lp+relieff"):
        done = call("select", folder, *lazily, "--method", method)
        assert_one_line_error(done, "takes no Dask", "leave --engine dask out")
    done = call("select", folder, *lazily, "--labels", "labels.xml")
    assert_one_line_error(done, "ARFF files only")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere", "not an address"])
def test_a_scheduler_that_does_not_answer(call, folders, address, monkeypatch):
    monkeypatch.setattr("labelsieve.cli._data.CONNECT_SECONDS", 0.5)
    words = ("--engine", "dask", "--scheduler", address)
    done = call("select", folders / "parquet", *words)
    told = f"no Dask scheduler answers at {address!r}"
    assert_one_line_error(done, told, "leave --scheduler out")
    assert not dask.config.get("scheduler", None)
    with pytest.raises(ValueError, match="No clients found"):
        default_client()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """A cluster that runs by itself: a scheduler and two workers, other folders."""
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    python = (sys.executable, "-m")
    commands = [
        (*python, "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"),
        *2 * [(*python, "distributed.cli.dask_worker", "--no-nanny", "--nthreads=1")],
    ]
    started = []
    try:
        for command in commands:
            words = [*command, "--scheduler-file", str(file)]
            started.append(subprocess.Popen(words, **quiet))
        from distributed import Client

        # Clients that never connected are freed now, not while a loop starts.
        gc.collect()
        with Client(scheduler_file=str(file), timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            address = client.scheduler.address
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(30)


@pytest.mark.parametrize("format", ["parquet", "libsvm"])
def test_on_a_cluster(cli, folders, plain, scheduler, format):
    words = ("--engine", "dask", "--scheduler", scheduler, "--method", "fimf")
    # A relative path: the workers have other working directories.
    done = cli("select", format, *words, "-k", "4", "--json", cwd=folders)
    assert done.returncode == 0, done.err
    assert done.err == ""
    found = json.loads(done.out)
    expected = FIMF(4).fit(plain.X, plain.Y)
    assert found["order"] == expected.order_[:4].tolist()
    np.testing.assert_array_equal(found["scores"], expected.scores_[found["order"]])
