"""Opens zarr groups; what is damaged is said when it is read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import dask.array as da
from dask.base import normalize_token

from labelsieve._utils.machine import available_memory
from labelsieve._utils.messages import need
from labelsieve.datasets._dataset import NumberedNames, first_repeated
from labelsieve.datasets._places import (
    ALWAYS_PLAUSIBLE,
    FormatError,
    fault,
    refuse_implausible,
    shorten,
    shown,
)

# Arrays of which blosc alone makes the files, and how long its header is.
BLOSC = (["Blosc"], ["BloscCodec"])
BLOSC_HEADER = 16

# Files that name codecs, and where in them. A codec may be any Python class that is
# installed, "pickle" among them, which runs what the blocks say.
DESCRIPTIONS = (".zarray", ".zmetadata", "zarr.json")
CODECS = ("compressor", "filters", "codecs", "index_codecs")
OTHER_PEOPLES = ("attributes", ".zattrs")
# Those that turn bytes or numbers into bytes or numbers, and do nothing else.
SAFE_CODEC = re.compile(
    r"(?:numcodecs\.)?(?:adler32|astype|bitround|blosc|bytes|bz2|crc32c?|delta|endian|"
    r"fixedscaleoffset|fletcher32|gzip|jenkins_lookup3|lz4|lzma|packbits|quantize|"
    r"sharding_indexed|shuffle|transpose|zlib|zstd)"
)


def open_arrays(place: Path) -> tuple[Any, Any, Sequence[str], Sequence[str]]:
    """Return X and Y of a group as Dask arrays, and their names."""
    for folder in (place, place / "X", place / "Y"):
        _refuse_unsafe_codecs(folder)
    zarr = need("zarr", "a zarr group", "zarr")
    try:
        group = zarr.open_group(str(place), mode="r")
        attributes = dict(group.attrs)
    # zarr raises many kinds of errors on damaged groups; each means the same here.
    except Exception as error:
        raise fault(str(place), f"damaged zarr group: {shown(error)}") from None
    X, Y = (_CheckedArray(group, part, f"{place}/{part}") for part in ("X", "Y"))
    if X.ndim != 2 or Y.ndim not in (1, 2) or X.shape[0] != Y.shape[0]:
        reason = (
            f"X has the shape {X.shape} and Y {Y.shape}; expected rows x features and "
            "as many rows x labels"
        )
        raise fault(str(place), reason)
    n_labels = 1 if Y.ndim == 1 else Y.shape[1]
    names = (
        _names(attributes, "feature_names", "f", X.shape[1], place),
        _names(attributes, "label_names", "label", n_labels, place),
    )
    return X.as_dask(), Y.as_dask(), *names


def _refuse_unsafe_codecs(folder: Path) -> None:
    """Refuse, before zarr reads anything, codecs that could do more than decode."""
    for file in map(folder.joinpath, DESCRIPTIONS):
        if not file.is_file():
            continue
        try:
            named = list(_codecs_in(json.loads(file.read_bytes())))
        except (ValueError, RecursionError) as error:
            raise fault(str(file), f"damaged zarr group: {shown(error)}") from None
        for name in named:
            if not SAFE_CODEC.fullmatch(str(name)):
                reason = (
                    f"the codec {shorten(str(name))} is not known to be safe; write "
                    "the group again with blosc, zstd or gzip if you trust it"
                )
                raise fault(str(file), reason)


def _codecs_in(content: Any) -> Iterator[Any]:
    """The names of all codecs in a description, also of those within others."""
    for key, inner in content.items() if isinstance(content, dict) else ():
        if key.rpartition("/")[2] in OTHER_PEOPLES:
            continue
        if key not in CODECS:
            yield from _codecs_in(inner)
            continue
        for codec in inner if isinstance(inner, list) else [inner]:
            if isinstance(codec, dict):
                yield codec.get("id", codec.get("name"))
                yield from _codecs_in(codec)
            elif codec is not None:
                yield codec


class _CheckedArray:
    """An array on disk whose faults name the array."""

    def __init__(self, group: Any, part: str, path: str) -> None:
        import zarr

        self.path = path
        try:
            self.array: Any = group.get(part)
        except Exception as error:
            raise self._error(f"damaged zarr array: {shown(error)}") from None
        if not isinstance(self.array, zarr.Array):
            raise self._error(f"the zarr group has no array {part}")
        self.shape = tuple(map(int, self.array.shape))
        self.ndim = len(self.shape)
        self.chunks = tuple(map(int, self.array.chunks))
        self.dtype = self.array.dtype
        self._check()

    def __getitem__(self, where: Any) -> Any:
        try:
            return self.array[where]
        except Exception as error:  # as many kinds as there are ways to compress
            raise self._error(f"a block cannot be read: {shown(error)}") from None

    def __dask_tokenize__(self) -> Any:
        return normalize_token(self.array)

    def as_dask(self) -> Any:
        """Return the array in blocks, each read when it is needed."""
        return da.from_array(self, chunks=self.chunks, asarray=False)

    def _check(self) -> None:
        if getattr(self.dtype, "kind", "") not in "biuf":
            raise self._error(f"holds {self.dtype}, expected numbers")
        if not all(self.shape) or not all(self.chunks):
            raise self._error(f"has the shape {self.shape}: there is nothing in it")
        for count, what in zip(self.shape, ("rows", "columns"), strict=False):
            if count > ALWAYS_PLAUSIBLE:
                files = filter(Path.is_file, Path(self.path).rglob("*"))
                stored = sum(file.stat().st_size for file in files)
                refuse_implausible(count, what, stored, self.path)
        # A block is unpacked whole, however little of it the array has.
        needed = math.prod(self.chunks) * self.dtype.itemsize
        if needed > available_memory():
            shown = " x ".join(map(str, self.chunks))
            raise self._error(f"blocks of {shown} cells are larger than the memory")
        ways = [type(way).__name__ for way in self.array.compressors]
        if ways in BLOSC and self.array.shards is None:
            self._check_blosc(needed)

    def _check_blosc(self, n_bytes: int) -> None:
        """Refuse blocks that lie about their size, which blosc would believe."""
        for file in Path(self.path).rglob("*"):
            if file.name.startswith(".z") or file.suffix == ".json" or file.is_dir():
                continue
            with file.open("rb") as stored:
                head = stored.read(BLOSC_HEADER)
            sizes = [int.from_bytes(head[at : at + 4], "little") for at in (4, 12)]
            if len(head) < BLOSC_HEADER or sizes != [n_bytes, file.stat().st_size]:
                raise self._error(f"the block {file.name} is damaged")

    def _error(self, reason: str) -> FormatError:
        return fault(self.path, reason)


def _names(
    attributes: dict[str, Any], key: str, prefix: str, width: int, place: Path
) -> Sequence[str]:
    found = attributes.get(key)
    if not found:
        return NumberedNames(prefix, 0, width)
    proper = isinstance(found, list) and all(isinstance(name, str) for name in found)
    if not proper or len(found) != width or first_repeated(found) is not None:
        raise fault(str(place), f"{key} must be a list of {width} different texts")
    return found
