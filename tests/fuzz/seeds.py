"""Valid files of every format, small enough to be mutated many times.

A seed is a folder's content (name to bytes) and the arguments of `load`; the first
name is the file that is loaded.
"""

from __future__ import annotations

import gzip
import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelsieve.datasets import Dataset, save


class Seed(NamedTuple):
    files: dict[str, bytes]
    arguments: dict[str, Any]


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


def make_seeds() -> list[Seed]:
    """Return all seeds."""
    by_hand = [
        Seed({"data.arff": DENSE, "data.xml": XML}, {}),
        Seed({"data.arff": PLAIN, "data.xml": XML}, {}),
        Seed({"data.arff": SPARSE, "data.xml": XML}, {}),
        Seed({"data.arff": MEKA}, {}),
        Seed({"data.csv": CSV}, {"labels": "tag_"}),
        Seed({"data": NUMBERS}, {"labels": -2}),
        Seed({"data": LIBSVM}, {}),
        Seed({"data.svm": COUNTED}, {}),
        Seed({"data.arff.gz": gzip.compress(PLAIN), "data.xml": XML}, {}),
        Seed({"data.zip": _zip({"in/d.arff": PLAIN, "in/d.xml": XML})}, {}),
    ]
    formats = ["data.arff", "data.csv", "data.libsvm", "data.parquet", "data.tsv"]
    return by_hand + [
        _saved(dataset, name)
        for name in formats
        for dataset in (_dataset(), _sparse(_dataset()))
    ]


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


def _saved(dataset: Dataset, name: str) -> Seed:
    with tempfile.TemporaryDirectory() as folder:
        save(dataset, Path(folder) / name)
        beside = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    return Seed({name: beside.pop(name), **beside}, {})


def _zip(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()
