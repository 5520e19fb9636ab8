"""Sparse tables with wrong indices are refused by name wherever they can enter."""

import functools
import inspect
import re
import subprocess
import sys
import warnings

import dask
import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import KNeighborsClassifier

import labelsieve as ls
from labelsieve import datasets, metrics
from labelsieve.choosing import evaluate_selection
from labelsieve.registry import make_selector, selector_names

ROWS, COLUMNS = 12, 6
GENERATOR = np.random.default_rng(3)
X = (GENERATOR.random((ROWS, COLUMNS)) < 0.5).astype(float)
Y = (GENERATOR.random((ROWS, 3)) < 0.5).astype(float)
FAR = 50_000_000  # far enough to leave the memory of the process


def set_cell(part, place, value):
    def spoil(table):
        getattr(table, part)[place] = value

    return spoil


def shorten(part):
    def spoil(table):
        setattr(table, part, getattr(table, part)[:-2])

    return spoil


def turn_to(part, dtype):
    def spoil(table):
        setattr(table, part, getattr(table, part).astype(dtype))

    return spoil


def lengthen_row(table):
    table.data[1].append(1.0)


def far_key(table):
    table._dict[(0, FAR)] = 1.0


# Which part of which format is spoilt, and what the message says of it.
COMPRESSED = {
    "index beyond": (set_cell("indices", 2, FAR), f"to {FAR}, not below"),
    "index just beyond": (set_cell("indices", 2, ROWS), f"to {ROWS}, not below"),
    "negative index": (set_cell("indices", 2, -FAR), f"from -{FAR} to"),
    "falling pointer": (set_cell("indptr", 2, 0), "indptr must have"),
    "far pointer": (set_cell("indptr", 2, FAR), "indptr must have"),
    "end beyond": (set_cell("indptr", -1, FAR), "indptr must have"),
    "first pointer": (set_cell("indptr", 0, 1), "indptr must have"),
    "negative pointer": (set_cell("indptr", 0, -FAR), "indptr must have"),
    "few pointers": (shorten("indptr"), "indptr must have"),
    "few indices": (shorten("indices"), "(different lengths|at most)"),
    "few values": (shorten("data"), "(different lengths|at most)"),
    "fractions": (turn_to("indices", float), "no list of whole numbers"),
}
DEFECTS = {
    **{f"csr {name}": ("csr", *rest) for name, rest in COMPRESSED.items()},
    **{f"csc {name}": ("csc", *rest) for name, rest in COMPRESSED.items()},
    "coo row": ("coo", set_cell("row", 0, FAR), f"to {FAR}, not below"),
    "coo column": ("coo", set_cell("col", 0, FAR), f"to {FAR}, not below"),
    "coo negative": ("coo", set_cell("col", 0, -FAR), f"from -{FAR} to"),
    "coo lengths": ("coo", shorten("data"), "different lengths"),
    "bsr index": ("bsr", set_cell("indices", 0, FAR), f"to {FAR}, not below"),
    "bsr pointer": ("bsr", set_cell("indptr", -1, FAR), "indptr must have"),
    "bsr values": ("bsr", shorten("data"), "different lengths"),
    "dia offset": ("dia", set_cell("offsets", 0, -FAR), "indices reach from -"),
    "dia lengths": ("dia", shorten("offsets"), "different lengths"),
    "lil index": ("lil", lambda t: t.rows[1].__setitem__(0, FAR), f"index {FAR} exc"),
    "lil lengths": ("lil", lengthen_row, "different lengths"),
    "dok key": ("dok", far_key, "index"),
}


def broken(table, name):
    form, spoil, message = DEFECTS[name]
    spoilt = sp.csr_array(table).asformat(form)
    spoil(spoilt)
    return spoilt, message


@functools.cache
def fitted(name):
    made = {
        "selector": lambda: ls.FIMF(2).fit(X, Y),
        "size": lambda: ls.SizeCV(ls.FIMF(), ls.MLNB(), sizes=[2], cv=2).fit(X, Y),
        "stable": lambda: ls.StabilitySelection(ls.FIMF(2), n_subsamples=2).fit(X, Y),
        "classifier": lambda: ls.MLkNN(2).fit(X, Y),
        "discretizer": lambda: ls.Discretizer().fit(X),
    }
    return made[name]()


def lazily(table):
    """A Dask array of one block that may be spoilt."""
    block = dask.delayed(lambda: table)()
    return da.from_delayed(block, table.shape, table.dtype, sp.csr_matrix((0, 0)))


def dense_lazily(table):
    return da.from_array(table, chunks=(6, -1))


def path(x=X, y=Y, test=X, classifier=None):
    return ls.path_scores(classifier or ls.MLNB(), x, y, test, [0, 1], [1, 2])


KNN = KNeighborsClassifier(2)
OF_X = {
    "fit": lambda x: ls.FIMF().fit(x, Y),
    "fit of blocks": lambda x: ls.FIMF().fit(lazily(x), dense_lazily(Y)),
    "transform": lambda x: fitted("selector").transform(x),
    "transform of blocks": lambda x: (
        fitted("selector").transform(lazily(x)).compute(scheduler="sync")
    ),
    "inverse_transform": lambda x: fitted("selector").inverse_transform(x),
    "explain": lambda x: fitted("selector").explain(x, Y),
    "SizeCV": lambda x: ls.SizeCV().fit(x, Y),
    "SizeCV.transform": lambda x: fitted("size").transform(x),
    "StabilitySelection": lambda x: ls.StabilitySelection().fit(x, Y),
    "StabilitySelection.transform": lambda x: fitted("stable").transform(x),
    "permutation": lambda x: ls.permutation_p_values(ls.FIMF(), x, Y),
    "permutation of rows": lambda x: ls.permutation_p_values(ls.MLRF(), x, Y),
    "classifier": lambda x: ls.MLNB().fit(x, Y),
    "predict": lambda x: fitted("classifier").predict(x),
    "predict_proba": lambda x: fitted("classifier").predict_proba(x),
    "path": lambda x: path(x),
    "path of test rows": lambda x: path(test=x),
    "path of others": lambda x: path(x, classifier=KNN),
    "Discretizer": lambda x: ls.Discretizer().fit(x),
    "Discretizer.transform": lambda x: fitted("discretizer").transform(x),
    "Dataset": lambda x: ls.Dataset(x, Y, list("abcdef"), list("xyz")),
    "quality": lambda x: evaluate_selection(ls.FIMF(2), x, Y, n_splits=2),
}
OF_Y = {
    "fit": lambda y: ls.FIMF().fit(X, y),
    "fit of rows": lambda y: ls.MLRF().fit(X, y),
    "fit of blocks": lambda y: ls.FIMF().fit(dense_lazily(X), y),
    "fit of lazy labels": lambda y: ls.FIMF().fit(dense_lazily(X), lazily(y)),
    "explain": lambda y: fitted("selector").explain(X, y),
    "SizeCV": lambda y: ls.SizeCV().fit(X, y),
    "StabilitySelection": lambda y: ls.StabilitySelection().fit(X, y),
    "permutation": lambda y: ls.permutation_p_values(ls.FIMF(), X, y),
    "classifier": lambda y: ls.MLNB().fit(X, y),
    "path": lambda y: path(y=y),
    "path of others": lambda y: path(y=y, classifier=KNN),
    "Dataset": lambda y: ls.Dataset(X, y, list("abcdef"), list("xyz")),
    "quality": lambda y: evaluate_selection(ls.FIMF(2), X, y, n_splits=2),
    "evaluate": lambda y: metrics.evaluate(y, Y),
    "evaluate predictions": lambda y: metrics.evaluate(Y, y),
    "ranking_loss": lambda y: metrics.ranking_loss(y, Y),
    "scorer": lambda y: ls.scorer("micro_f1")(fitted("classifier"), X, y),
}
# One defect of each kind, each of which would end the process.
DEADLY = ["csr index beyond", "csr end beyond", "csc far pointer", "coo column"]


def pairs(entries):
    """All defects at one entry point, the worst ones at every one."""
    every = [("fit", defect) for defect in DEFECTS if defect not in DEADLY]
    return [*every, *((entry, defect) for entry in entries for defect in DEADLY)]


@pytest.mark.parametrize(("entry", "defect"), pairs(OF_X))
def test_features(entry, defect):
    table = X[:, :2] if entry == "inverse_transform" else X
    spoilt, message = broken(table, defect)
    with pytest.raises(ValueError, match=f"X is a broken sparse matrix.*{message}"):
        OF_X[entry](spoilt)


@pytest.mark.parametrize(("entry", "defect"), pairs(OF_Y))
def test_labels(entry, defect):
    spoilt, message = broken(Y, defect)
    with pytest.raises(ValueError, match=f"is a broken sparse matrix.*{message}"):
        OF_Y[entry](spoilt)


@pytest.mark.parametrize("name", selector_names())
def test_every_selector(name):
    for defect in ("csr index beyond", "coo column", "csc far pointer"):
        with pytest.raises(ValueError, match="X is a broken sparse matrix"):
            make_selector(name).fit(broken(X, defect)[0], Y)
        with pytest.raises(ValueError, match="y is a broken sparse matrix"):
            make_selector(name).fit(X, broken(Y, defect)[0])


CLASSIFIERS = ("BRkNN", "BRLogistic", "CCkNN", "EMCFS", "LIFT", "MLNB", "MLkNN")


@pytest.mark.parametrize("name", [*CLASSIFIERS, "RankSVM"])
def test_every_classifier(name):
    classifier = getattr(ls, name)()
    with pytest.raises(ValueError, match="X is a broken sparse matrix"):
        classifier.fit(broken(X, "csr index beyond")[0], Y)
    with pytest.raises(ValueError, match="y is a broken sparse matrix"):
        classifier.fit(X, broken(Y, "csr index beyond")[0])


@pytest.mark.parametrize("defect", ["csr index beyond", "coo column"])
def test_every_function_that_takes_tables(defect):
    wrong_x, wrong_y = broken(X, defect)[0], broken(Y, defect)[0]
    chooser = ls.LabelSpecificSelector(ls.FIMF(), n_shared=1, n_specific=1)
    for call in (chooser.fit, ls.describe):
        with pytest.raises(ValueError, match="X is a broken sparse matrix"):
            call(wrong_x, Y)
        with pytest.raises(ValueError, match="y is a broken sparse matrix"):
            call(X, wrong_y)
    with pytest.raises(ValueError, match="y is a broken sparse matrix"):
        ls.with_unknown(wrong_y, -1)
    with pytest.raises(ValueError, match="y is a broken sparse matrix"):
        next(ls.LabelFolds(2).split(X, wrong_y))


def test_data_sets_that_were_spoilt_later(tmp_path):
    data = ls.Dataset(sp.csr_array(X), Y, list("abcdef"), list("xyz"))
    data.X.indices[3] = FAR
    with pytest.raises(ValueError, match=f"indices reach from 0 to {FAR}"):
        ls.save(data, tmp_path / "toy.arff")
    with pytest.raises(ValueError, match=f"indices reach from 0 to {FAR}"):
        ls.describe(data)
    assert not list(tmp_path.iterdir())


def test_labels_named_twice_are_refused():
    twice = sp.coo_array((np.ones(2), ([0, 0], [1, 1])), shape=Y.shape)
    with pytest.raises(ValueError, match="other than 0 and 1"):
        datasets.Dataset(sp.csr_array(X), twice, list("abcdef"), list("xyz"))


def test_one_dimension():
    with pytest.raises(ValueError, match="1 dimension"):
        ls.FIMF().fit(X, sp.coo_array(Y[:, 0]))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix])
def test_sound_tables_pass_and_stay_as_they_are(form, make):
    expected = ls.FIMF().fit(X, Y).scores_
    table = make(X).asformat(form)
    before = table.toarray()
    labels = make(Y).asformat(form)
    np.testing.assert_array_equal(ls.FIMF().fit(table, labels).scores_, expected)
    np.testing.assert_array_equal(table.toarray(), before)


def test_marks_that_are_no_longer_true():
    """Rows that were sorted when SciPy looked, and are not any more."""
    expected = ls.FIMF().fit(X, Y).scores_
    table = sp.csr_array(X)
    assert table.has_canonical_format
    start, end = table.indptr[:2]
    table.indices[start:end] = table.indices[start:end][::-1].copy()
    np.testing.assert_array_equal(ls.FIMF().fit(table, Y).scores_, expected)
    table.indices[start:end] = 0  # all of them one cell, of which the sum counts
    np.testing.assert_array_equal(
        ls.FIMF().fit(table, Y).scores_, ls.FIMF().fit(table.toarray(), Y).scores_
    )


def test_room_behind_the_last_cell_is_not_read():
    expected = ls.FIMF().fit(X, Y).scores_
    table = sp.csr_array(X)
    table.indices = np.append(table.indices, np.int32(FAR))
    table.data = np.append(table.data, np.nan)
    np.testing.assert_array_equal(ls.FIMF().fit(table, Y).scores_, expected)


@pytest.mark.parametrize("dtype", [np.int16, np.uint8, np.uint64, np.int64])
def test_indices_of_other_types(dtype):
    table = sp.csr_array(X)
    expected = ls.FIMF().fit(table, Y).scores_
    table.indices, table.indptr = table.indices.astype(dtype), table.indptr[:]
    np.testing.assert_array_equal(ls.FIMF().fit(table, Y).scores_, expected)


# What is passed for a parameter of a public name while another one is spoilt.
GIVEN = {
    **dict.fromkeys(("X", "X_train", "X_test"), X),
    **dict.fromkeys(("Y", "y", "Y_train", "Y_true", "Y_pred", "column"), Y),
    **dict.fromkeys(("columns", "first", "second", "third", "given"), Y[:, 0]),
    "unknown": -1,
    "classifier": ls.MLNB(),
    "estimator": ls.MLNB().fit(X, Y),
    "selector": ls.FIMF(2).fit(X, Y),
    "order": [0, 1],
    "sizes": [1, 2],
    "name": "micro_f1",
    "label": 0,
    "feature_names": list("abcdef"),
    "label_names": list("xyz"),
    "datasets": ["no such data set"],
    "selectors": ["fimf"],
    "path": "no such folder/no such file.arff",
    "scores": Y,
    "k": 1,
}
MADE = {
    "SizeCV": lambda: ls.SizeCV(ls.FIMF(), ls.MLNB(), sizes=[2], cv=2),
    "StabilitySelection": lambda: ls.StabilitySelection(ls.FIMF(2), n_subsamples=2),
    "LabelSpecificSelector": lambda: ls.LabelSpecificSelector(
        ls.FIMF(), n_shared=1, n_specific=1
    ),
    "Dataset": lambda: ls.Dataset(X, Y, list("abcdef"), list("xyz")),
    "LabelFolds": lambda: ls.LabelFolds(2),
}
NO_DOORS = ("get_", "set_", "problems", "warn_")


def public_callables():
    """Functions, classes of data, and methods of what is made and fitted."""
    for name in [*ls.__all__, *(f"metrics.{name}" for name in metrics.__all__)]:
        thing = functools.reduce(getattr, name.split("."), ls)
        if not inspect.isclass(thing) or name == "Dataset":
            yield name, thing
        if name not in MADE and not hasattr(thing, "fit"):
            continue
        made = MADE.get(name, thing)()
        made = made.fit(X, Y) if hasattr(made, "fit") else made
        for method in dir(made):
            if not method.startswith(("_", *NO_DOORS)):
                yield f"{name}().{method}", getattr(made, method)


def calls_with_a_broken_table(call):
    """Each parameter that takes data is a broken table, the others are right."""
    every = inspect.signature(call).parameters.values() if callable(call) else ()
    known = [p for p in every if p.kind != p.VAR_KEYWORD]
    several = [p.name for p in known if p.kind == p.VAR_POSITIONAL]
    data = {name for name, value in GIVEN.items() if isinstance(value, np.ndarray)}
    needed = [p.name for p in known if p.default is p.empty or p.name in data]
    for spoilt in data.intersection(needed):
        for defect in DEADLY:
            table = (
                Y if spoilt[0] in "yY" else X[:, :2] if "inverse" in str(call) else X
            )
            named = {name: GIVEN.get(name) for name in needed}
            named[spoilt], _ = broken(table, defect)
            plain = [named.pop(name) for name in several if name in named]
            yield f"{spoilt}, {defect}", plain, named


def call_every_entry_point():
    """Print what each call with a broken table comes to; a crash ends the process."""
    warnings.simplefilter("ignore")
    for name, call in public_callables():
        for what, plain, named in calls_with_a_broken_table(call):
            print(f"{name}: {what}", end=": ", flush=True)
            try:
                found = call(*plain, **named)
                if inspect.isgenerator(found):
                    next(found)
                print("passed", flush=True)
            except Exception as error:
                told = " ".join(str(error).split())[:200]
                print(type(error).__name__, told, flush=True)


def test_no_public_name_follows_broken_indices():
    """All public names and methods, in a process of its own, which may crash."""
    told = subprocess.run(
        [sys.executable, "-c", f"import {__name__} as d; d.call_every_entry_point()"],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    lines = told.stdout.splitlines()
    assert told.returncode == 0, f"{lines[-1:]}\n{told.stderr[-2000:]}"
    tables = re.compile(r"\.(fit\w*|transform|predict\w*|explain|score): [Xy],")
    calls = [line for line in lines if tables.search(line)]
    assert len(calls) > 400
    refused = re.compile(r"is a broken sparse matrix|^Discretizer\(\)\.fit\w*: y,")
    assert [line for line in calls if not refused.search(line)] == []
