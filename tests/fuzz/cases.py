"""All formats: valid files, how they are damaged and how they are read.

A case is known by format, seed and number, and can be made again from these.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.fuzz import answers, seeds
from tests.fuzz.mutate import mutate, mutate_in_place, mutate_json
from tests.fuzz.seeds import Seed

CORPUS = Path(__file__).parent / "corpus"


class Format(NamedTuple):
    seeds: Callable[[], list[Seed]]
    answer: Callable[[Path, Seed, int], str]


FORMATS = {
    "arff": Format(seeds.arff_seeds, answers.read_data),
    "csv": Format(seeds.csv_seeds, answers.read_data),
    "libsvm": Format(seeds.libsvm_seeds, answers.read_data),
    "xml": Format(seeds.xml_seeds, answers.read_data),
    "archive": Format(seeds.archive_seeds, answers.read_data),
    "parquet": Format(seeds.parquet_seeds, answers.read_parquet),
    "zarr": Format(seeds.zarr_seeds, answers.read_zarr),
    "results": Format(seeds.result_seeds, answers.read_page),
    "cells": Format(seeds.cell_seeds, answers.read_cells),
    "selector": Format(seeds.selector_seeds, answers.read_selector),
}

_JSON = (".json", ".jsonl", ".zarray", ".zgroup", ".zattrs", ".zmetadata")


@cache
def seeds_of(name: str) -> tuple[Seed, ...]:
    return tuple(FORMATS[name].seeds())


def make_case(name: str, seed: int, number: int) -> Seed:
    """Return the damaged files of one case."""
    rng = random.Random(f"{name} {seed} {number}")
    base = rng.choice(seeds_of(name))
    victim = rng.choice(base.victims or tuple(base.files))
    if len(base.files) > 2 and rng.random() < 0.05:
        files = {file: data for file, data in base.files.items() if file != victim}
        return base._replace(files=files)
    damage = mutate
    if b"\0" in base.files[victim] and rng.random() < 0.7:
        damage = mutate_in_place
    if victim.endswith(_JSON) and rng.random() < 0.8:
        damage = mutate_json
    return base._replace(files={**base.files, victim: damage(base.files[victim], rng)})


def answer(name: str, folder: Path, case: Seed, number: int = 0) -> str:
    """Read one case in an empty folder; return what came of it, or raise."""
    for file, content in case.files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    try:
        return FORMATS[name].answer(folder, case, number)
    finally:
        for file in case.files:
            (folder / file).unlink()


def keep(name: str, case: Seed, reason: str) -> Path:
    """Write a case that failed into the corpus, which the tests read."""
    files = {file: base64.b64encode(d).decode() for file, d in case.files.items()}
    content = {
        "format": name,
        "found": reason,
        "arguments": case.arguments,
        "files": files,
    }
    text = json.dumps(content, indent=1) + "\n"
    digest = hashlib.sha256(json.dumps(files).encode()).hexdigest()[:12]
    CORPUS.mkdir(exist_ok=True)
    path = CORPUS / f"{name}-{digest}.json"
    path.write_text(text)
    return path


def read_kept(path: Path) -> tuple[str, Seed]:
    """Return the format and the files of a case in the corpus."""
    content = json.loads(path.read_text())
    files = {file: base64.b64decode(d) for file, d in content["files"].items()}
    return content["format"], Seed(files, content["arguments"])
