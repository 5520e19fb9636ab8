"""A program that ends while it writes two files leaves none that are misread."""

import os
import shutil

import numpy as np
import pytest

from labelsieve.datasets import Dataset, FormatError, load, open_lazy, save


def made(seed):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(1, 9, (6, 3)) * 1.0, rng.integers(0, 2, (6, 2))
    Y[0] = 1
    weights = rng.integers(1, 9, 6) * 1.0
    return Dataset(X, Y, ["a", "b", "c"], ["u", "v"], "some", weights=weights)


OLD, NEW = made(1), made(2)


def same(one, other):
    parts = ((one.X, other.X), (one.Y, other.Y), (one.weights, other.weights))
    return all(np.array_equal(*part) for part in parts)


STEPS = ("replace", "rename", "link", "unlink", "remove")


@pytest.fixture
def states(tmp_path, monkeypatch):
    """Save, and return the folder as it would be if the program ended at each step."""

    def saving(data, file):
        found = []

        def kept(step):
            def go(*arguments, **more):
                found.append(tmp_path / f"state{len(found)}")
                shutil.copytree(file.parent, found[-1])
                return step(*arguments, **more)

            return go

        with monkeypatch.context() as patch:
            for name in STEPS:
                patch.setattr(os, name, kept(getattr(os, name)))
            save(data, file)
        return found

    return saving


@pytest.mark.parametrize(
    "name", ["some.csv", "some.tsv.gz", "some.svm", "some.arff", "some.parquet"]
)
@pytest.mark.parametrize("before", [False, True])
def test_a_program_that_ends_while_it_saves(name, before, states, tmp_path):
    file = tmp_path / "data" / name
    file.parent.mkdir()
    if before:
        save(OLD, file)
    seen = []
    for folder in states(NEW, file):
        try:
            found = load(folder / name)
        except FileNotFoundError:
            assert not before
        except FormatError as error:
            seen.append(str(error))
        else:
            assert same(found, NEW) or (before and same(found, OLD))
    assert all("write the data set again" in error for error in seen)
    assert same(load(file), NEW)


def test_what_was_cut_short_is_not_opened_in_blocks(states, tmp_path):
    file = tmp_path / "data" / "some.svm"
    file.parent.mkdir()
    save(OLD, file)
    refused = 0
    for folder in states(NEW, file):
        try:
            _, Y = open_lazy(folder)
        except FormatError as error:
            refused += "write the data set again" in str(error)
        else:
            found = Y.compute().toarray()
            assert np.array_equal(found, NEW.Y) or np.array_equal(found, OLD.Y)
    assert refused


def test_what_cannot_be_written_stays_with_its_description(tmp_path, monkeypatch):
    save(OLD, tmp_path / "some.csv")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    def replace(source, target, replace=os.replace):
        if str(target).endswith(".csv"):
            raise OSError(5, "Input/output error")
        replace(source, target)

    monkeypatch.setattr("os.replace", replace)
    with pytest.raises(OSError, match="Input/output error"):
        save(NEW, tmp_path / "some.csv")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    (tmp_path / "new").mkdir()
    with pytest.raises(OSError, match="Input/output error"):
        save(NEW, tmp_path / "new" / "some.csv")
    assert not list((tmp_path / "new").iterdir())
