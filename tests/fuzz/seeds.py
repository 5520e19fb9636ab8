"""Valid files of every format, small enough to be mutated many times.

The first file of a seed is the one that is read; the others lie beside it. Where no
victims are named, any of them may be damaged.
"""

from __future__ import annotations

import atexit
import gzip
import io
import shutil
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelsieve.datasets import Dataset, make_multilabel, save


class Seed(NamedTuple):
    """The content of a folder, what is read of it, and which files are damaged."""

    files: dict[str, bytes]
    arguments: dict[str, Any]
    victims: tuple[str, ...] = ()


XML = b"""<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="red"><label name="it's green"/></label>
</labels>
"""

DENSE = rb"""% a comment
@RELATION 'a name'

@attribute size numeric
@ATTRIBUTE colour {blue, 'light green', "d\"ark"}
@attribute red {0,1}
@attribute seen date "yyyy-MM-dd HH:mm"
@attribute note string
@attribute 'it\'s green' {0, 1}
@data
% another comment
1.5, blue, 0, "2020-01-31 10:30", 'a, b', 1
-2e-3,'light green',1,?,plain,0,{2.5}

?,"d\"ark",1,"1999-12-01 00:00",'',1
"""

PLAIN = b"""@relation plain
@attribute a numeric
@attribute b real
@attribute c {x,y,z}
@attribute red {0,1}
@attribute "it's green" {false,true}
@data
1,2,x,0,false
0.25,-17,y,1,true
?,1e10,z,0,true
12345678901234567890123,.5,x,1,false
"""

SPARSE = b"""@relation sparse
@attribute a numeric
@attribute b {no,yes,maybe}
@attribute red {0,1}
@attribute c numeric
@attribute "it's green" {1,0}
@data
{0 1.5,2 1}
{}
{1 yes, 3 -7.25, 4 0},{3}
{3 ?}
{0 -0,1 maybe,2 0,3 1e-3}
"""

MEKA = b"""@relation 'shop: -C -2 -split-number 10'
@attribute a numeric
@attribute b {u,v}
@attribute x {0,1}
@attribute y {0,1}
@data
1,u,0,1
2,v,1,1
"""

CSV = b"""name,size,tag_a,tag_b
apple,1.5,0,1
"pear, green",,1,0
plum,NA,1,1
"""

NUMBERS = b"""a;b;l1;l2
1;2.5;0;1
-3;;1;1
1e5;?;0;0
"""

LIBSVM = b"""0,2 1:0.5 3:1
1 2:-1.25 # a comment

 1:3
0,1,2 1:nan 4:1e-7
"""

COUNTED = b"""3 5 4
0,3 0:1.5 4:2
1 2:0.25
2,3 1:1
"""


COST = {
    "select_seconds": 0.25,
    "select_cpu_seconds": 0.5,
    "select_peak_bytes": 1 << 20,
    "judge_seconds": 0.125,
}


def arff_seeds() -> list[Seed]:
    only = ("data.arff",)
    return [
        *(
            Seed({"data.arff": text, "data.xml": XML}, {}, only)
            for text in (DENSE, PLAIN, SPARSE)
        ),
        Seed({"data.arff": MEKA}, {}),
        *(seed._replace(victims=only) for seed in _saved("data.arff")),
    ]


def csv_seeds() -> list[Seed]:
    by_hand = [
        Seed({"data.csv": CSV}, {"labels": "tag_"}),
        Seed({"data": NUMBERS}, {"labels": -2}),
    ]
    return [*by_hand, *_saved("data.csv"), *_saved("data.tsv")]


def libsvm_seeds() -> list[Seed]:
    by_hand = [Seed({"data": LIBSVM}, {}), Seed({"data.svm": COUNTED}, {})]
    return [*by_hand, *_saved("data.libsvm")]


def xml_seeds() -> list[Seed]:
    only = ("data.xml",)
    by_hand = Seed({"data.arff": PLAIN, "data.xml": XML}, {}, only)
    return [by_hand, *(seed._replace(victims=only) for seed in _saved("data.arff"))]


def archive_seeds() -> list[Seed]:
    packed = Seed({"data.arff.gz": gzip.compress(PLAIN), "data.xml": XML}, {})
    return [packed, Seed({"data.zip": _zip({"in/d.arff": PLAIN, "in/d.xml": XML})}, {})]


def parquet_seeds() -> list[Seed]:
    return [*_saved("data.parquet"), *(_odd_parquet(table) for table in _odd_tables())]


def zarr_seeds() -> list[Seed]:
    return [_zarr(version, packed) for version in (2, 3) for packed in (True, False)]


def selector_seeds() -> list[Seed]:
    from labelsieve.registry import make_selector

    random = np.random.default_rng(0)
    X = random.normal(size=(30, 5)).round(2)
    Y = (X[:, :2] + 0.1 > 0).astype(int)
    fitted = [
        make_selector(name, n_features_to_select=2).fit(X, Y)
        for name in ("fimf", "sieve", "gmba", "lp+chi2")
    ]
    return [Seed({"selector.json": one.to_json().encode()}, {}) for one in fitted]


def result_seeds() -> list[Seed]:
    """The results of a small comparison of two data sets, and of one."""
    return [
        Seed(
            {name: file for name, file in _experiment(n).items() if name != "cells"},
            {"datasets": n},
        )
        for n in (1, 2)
    ]


def cell_seeds() -> list[Seed]:
    return [Seed({"cells.jsonl": _experiment(1)["cells"]}, {})]


@cache
def plan_of(n_datasets: int) -> Any:
    """The plan of the small experiment, whose data live as long as the process."""
    from labelsieve.experiments import HoldOut, Method, Sizes
    from labelsieve.experiments.runner import (
        DataPlan,
        Design,
        make_plan,
        with_controls,
    )

    folder = Path(tempfile.mkdtemp(prefix="labelsieve-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for number in range(n_datasets):
        X, Y, _ = make_multilabel(40, 2, n_noise=2, random_state=number)
        names = [f"f{i}" for i in range(X.shape[1])]
        data = Dataset(X.round(3), Y, names, ["u", "v"], f"data{number}")
        save(data, folder / f"data{number}.arff")
    return make_plan(
        Design(
            name="small",
            title="A small experiment",
            datasets=tuple(
                DataPlan(str(folder / f"data{number}.arff"))
                for number in range(n_datasets)
            ),
            protocol=HoldOut(n_splits=2),
            contenders=with_controls([Method("fimf")], [Method("mlnb")]),
            views=("quantile",),
            sizes=Sizes(counts=(1, 2, 4)),
            criterion="best",
            measures=("hamming_loss", "macro_f1"),
            reference="fimf",
        )
    )


@cache
def _experiment(n_datasets: int) -> dict[str, bytes]:
    from labelsieve.experiments import Store, run
    from labelsieve.experiments.results import make_results
    from labelsieve.experiments.store import to_line

    plan = plan_of(n_datasets)
    with tempfile.TemporaryDirectory() as name:
        store = Store(Path(name) / "cells.jsonl")
        records = run(list(plan.cells), store)
        # The same bytes in every process: a case is known by its number.
        records = [{**record, "cost": COST} for record in records]
        cells = b"".join(map(to_line, records))
        make_results(plan, records).write(name)
        kept = ("results.json", "costs.json")
        return {file: (Path(name) / file).read_bytes() for file in kept} | {
            "cells": cells
        }


def _odd_tables() -> list[Any]:
    """Columns of kinds that data sets do not have, and tables without rows."""
    import pyarrow as pa

    label = pa.array([0, 1, 1], pa.int8())
    words = pa.array(["a", "b", None])
    columns = {
        "decimal": pa.array([1, 2, None]).cast(pa.decimal128(25, 2)),
        "date": pa.array([1, 2, 3], pa.date32()),
        "time": pa.array([1, 2, 3], pa.timestamp("ns", "UTC")),
        "text": words,
        "coded": words.dictionary_encode(),
        "whole": pa.array([1, 2, 2**60]),
    }
    return [
        pa.table({**columns, "label": label}),
        pa.table({"list": pa.array([[1], [], None]), "label": label}),
        pa.table({"struct": pa.array([{"a": 1}, {"a": 2}, None]), "label": label}),
        pa.table({"bytes": pa.array([b"a", b"\xff", None]), "label": label}),
        pa.table({"nothing": pa.nulls(3), "label": label}),
        pa.table({"a": pa.array([], pa.float64()), "label": label[:0]}),
    ]


def _odd_parquet(table: Any) -> Seed:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=2)
    return Seed({"data.parquet": bytes(sink.getvalue())}, {"labels": ["label"]})


def _zarr(version: int, packed: bool) -> Seed:
    import zarr

    X = np.arange(24.0).reshape(6, 4)
    Y = (X[:, :2] % 3 == 0).astype(np.uint8)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "data.zarr"
        group = zarr.open_group(str(folder), mode="w", zarr_format=version)
        for part, values in (("X", X), ("Y", Y)):
            group.create_array(
                part,
                data=values,
                chunks=(4, values.shape[1]),
                compressors="auto" if packed else None,
            )
        group.attrs["label_names"] = ["u", "v"]
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        files = {
            str(path.relative_to(folder.parent)): path.read_bytes() for path in paths
        }
    return Seed(files, {"folder": "data.zarr"})


def _dataset() -> Dataset:
    X = np.array([[0.0, 1.0, 2.5], [np.nan, 0.0, -1.0], [3.0, np.nan, 0.0]])
    Y = [[1, 0], [0, 0], [1, 1]]
    return Dataset(
        X, Y, ["a", "b c", "d"], ["x", "y"], "toy", {"b c": ("no", "yes, 'o'")}
    )


def _sparse(dataset: Dataset) -> Dataset:
    return Dataset(
        sparse.csr_array(dataset.X),
        dataset.Y,
        dataset.feature_names,
        dataset.label_names,
        dataset.name,
        dataset.categories,
        [1.0, 0.5, 2.0],
    )


def _saved(name: str) -> list[Seed]:
    """A dense and a sparse data set, as `save` writes them."""
    found = []
    for dataset in (_dataset(), _sparse(_dataset())):
        with tempfile.TemporaryDirectory() as folder:
            save(dataset, Path(folder) / name)
            beside = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        found.append(Seed({name: beside.pop(name), **beside}, {}))
    return found


def _zip(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()
