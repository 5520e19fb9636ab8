"""Counts of features in lists of rows, 512 features at a time.

Each row has one bit for each feature. Eight rows are added at once to binary numbers
that lie across words, their "planes": plane k holds bit k of the count of each
feature. Adding takes a few logical operations on 512 bits, whatever the rows have.

rows: uint32[some rows], the rows to count
bits: uint64[n + 1, words], the features of each row; words by eights, last row empty
planes: uint64[16, 8], the counts of 512 features, bit after bit
tally: uint8[512], one byte of the count of each feature
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import config, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.slices import Lists
from labelsieve._plumbing.typing import CountArray, IndexArray, IntArray, WordArray
from labelsieve.counting.kernels import count_features_sparse

WORDS, ROWS, BYTE = 8, 8, 8  # words and rows of one step, bits of a byte
N_PLANES = 12
MOST_ROWS = np.uint64(2**N_PLANES - ROWS)


class RowFeatures(NamedTuple):
    """The features of each row, as lists and, where that pays, as bits."""

    lists: Lists
    bits: WordArray  # [n + 1, words], or [0, 0]
    fewest: int  # lists of at least so many rows are counted by bits


class Scratch(NamedTuple):
    """Room that counting overwrites."""

    planes: WordArray  # [16, 8]
    tally: NDArray[np.uint8]  # [512] one byte of the count of each feature
    rest: IndexArray  # [8] the last rows


@intrinsic
def _add_eight_at_once(
    context: Any, planes: Any, bits: Any, rows: Any, first: Any, word: Any
) -> Any:
    """Add the rows from `first` on to the planes of eight words."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = ir.IntType(64)
        vector = ir.VectorType(number, WORDS)
        of_planes, of_bits, of_rows = (
            context.make_array(kind)(context, builder, argument)
            for kind, argument in zip(signature.args[:3], arguments[:3], strict=True)
        )
        width = builder.extract_value(of_bits.shape, 1)

        def place(array: Any, offset: Any) -> Any:
            start = builder.gep(array.data, [offset])
            return builder.bitcast(start, vector.as_pointer())

        def cells_of(k: int) -> Any:
            offset = builder.add(arguments[3], number(k))
            row = builder.load(builder.gep(of_rows.data, [offset]))
            begin = builder.mul(builder.zext(row, number), width)
            return load(place(of_bits, builder.add(begin, arguments[4])))

        def load(pointer: Any) -> Any:
            loaded = builder.load(pointer)
            loaded.align = 8
            return loaded

        pointers = [place(of_planes, number(WORDS * k)) for k in range(N_PLANES)]
        found = _sum_of_eight(
            [load(pointer) for pointer in pointers],
            [cells_of(k) for k in range(ROWS)],
            *(builder.and_, builder.or_, builder.xor),
        )
        for value, pointer in zip(found, pointers, strict=True):
            builder.store(value, pointer).align = 8
        return context.get_dummy_value()

    signature = types.none(planes, bits, rows, types.uint64, types.uint64)
    return signature, generate


def _sum_of_eight(
    planes: list[Any], rows: list[Any], both: Any, either: Any, differ: Any
) -> list[Any]:
    """The planes after eight rows: a tree of adders of three bits."""

    def add(a: Any, b: Any, c: Any) -> tuple[Any, Any]:
        one = differ(a, b)
        return differ(one, c), either(both(a, b), both(one, c))

    carries = rows
    for k in range(3):
        pairs = list(zip(carries[::2], carries[1::2], strict=True))
        carries = []
        for first, second in pairs:
            planes[k], carry = add(planes[k], first, second)
            carries.append(carry)
    (carry,) = carries
    for k in range(3, len(planes)):
        planes[k], carry = differ(planes[k], carry), both(planes[k], carry)
    return planes


def _add_eight_in_python(
    planes: WordArray, bits: WordArray, rows: IndexArray, first: int, word: int
) -> None:
    cells = bits[rows[int(first) : int(first) + ROWS], int(word) : int(word) + WORDS]
    logic = np.bitwise_and, np.bitwise_or, np.bitwise_xor
    planes[:N_PLANES] = _sum_of_eight([*planes[:N_PLANES]], [*cells], *logic)


add_eight: Any = _add_eight_in_python if config.DISABLE_JIT else _add_eight_at_once


@intrinsic
def _read_byte_at_once(context: Any, planes: Any, first: Any, tally: Any) -> Any:
    """tally[j] = the number whose bits are those at place j of eight planes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, byte = ir.IntType(64), ir.IntType(8)
        vector, mask = ir.VectorType(byte, 64), ir.VectorType(ir.IntType(1), 64)
        of_planes, of_tally = (
            context.make_array(signature.args[k])(context, builder, arguments[k])
            for k in (0, 2)
        )
        begin = builder.mul(arguments[1], number(WORDS))
        for word in range(WORDS):
            total = vector([0] * 64)
            for k in range(BYTE):
                offset = builder.add(begin, number(WORDS * k + word))
                bits = builder.load(builder.gep(of_planes.data, [offset]))
                one = vector([1 << k if k < BYTE - 1 else -(1 << k)] * 64)
                chosen = builder.bitcast(bits, mask)
                part = builder.select(chosen, one, vector([0] * 64))
                total = builder.add(total, part)
            place = builder.gep(of_tally.data, [number(64 * word)])
            builder.store(total, builder.bitcast(place, vector.as_pointer())).align = 1
        return context.get_dummy_value()

    return types.none(planes, types.uint64, tally), generate


def _read_byte_in_python(planes: WordArray, first: int, tally: NDArray[Any]) -> None:
    eight = planes[int(first) : int(first) + BYTE].astype("<u8").view(np.uint8)
    ones = np.unpackbits(eight, axis=1, bitorder="little")
    tally[:] = (1 << np.arange(BYTE)) @ ones


read_byte: Any = _read_byte_in_python if config.DISABLE_JIT else _read_byte_at_once


@njit
def pack_rows(features: Lists, bits: WordArray) -> None:
    """Set the bits of the features of each row.

    bits: uint64[n + 1, words], zero before
    """
    start, index = features
    for row in range(np.uint64(start.size - 1)):
        for p in range(np.uint64(start[row]), np.uint64(start[row + np.uint64(1)])):
            feature = np.uint64(index[p])
            bit = np.uint64(1) << (feature & np.uint64(63))
            bits[row, feature >> np.uint64(6)] |= bit


@njit
def scratch() -> Scratch:
    """Room for counting, made once for many lists."""
    planes = np.empty((2 * BYTE, WORDS), dtype=np.uint64)
    tally = np.empty(64 * WORDS, dtype=np.uint8)
    return Scratch(planes, tally, np.empty(ROWS, dtype=np.uint32))


@njit
def saved_by_bits(start: IntArray, fewest: int, saved: int, reading: int) -> int:
    """What counting by bits saves in groups of at least so many rows, all in all.

    start: int64[groups + 1], where the rows of each begin
    saved: for each row
    reading: what sums of bits cost, for each group
    """
    gain = 0
    for b in range(start.size - 1):
        size = start[b + 1] - start[b]
        if size >= fewest:
            gain += saved * size - reading
    return gain


@njit
def count_groups_of(groups: Lists, features: RowFeatures, out: CountArray) -> None:
    """Count the features in groups of rows.

    out: uint32[groups, features], overwritten: rows in a group with a feature
    """
    start, grouped = groups
    room = scratch()
    for b in range(start.size - 1):
        count_features(grouped[start[b] : start[b + 1]], features, room, out[b])


@njit
def count_features(
    rows: IndexArray, features: RowFeatures, room: Scratch, out: CountArray
) -> None:
    """Count the given rows with each feature.

    out: uint32[features], overwritten
    """
    if rows.size < features.fewest:
        count_features_sparse(rows, features.lists, out)
        return
    out[:] = 0
    n_rows = np.uint64(rows.size)
    for first in range(np.uint64(0), n_rows, MOST_ROWS):
        some = rows[first : min(first + MOST_ROWS, n_rows)]
        _add_by_bits(some, features.bits, room, out)


@njit
def _add_by_bits(
    rows: IndexArray, bits: WordArray, room: Scratch, out: CountArray
) -> None:
    """Add the counts of at most MOST_ROWS rows.

    out: uint32[features], added to
    """
    planes, tally, rest = room
    step, n_rows = np.uint64(ROWS), np.uint64(rows.size)
    whole = n_rows - n_rows % step
    for k in range(step):
        left = whole + k
        rest[k] = rows[left] if left < n_rows else bits.shape[0] - 1
    for word in range(np.uint64(0), np.uint64(bits.shape[1]), np.uint64(WORDS)):
        planes[:] = 0
        for first in range(np.uint64(0), whole, step):
            add_eight(planes, bits, rows, first, word)
        if whole < n_rows:
            add_eight(planes, bits, rest, np.uint64(0), word)
        line = out[np.uint64(64) * word :]
        width = min(np.uint64(tally.size), np.uint64(line.size))
        read_byte(planes, np.uint64(0), tally)
        for j in range(width):
            line[j] += np.uint32(tally[j])
        if n_rows >= np.uint64(256):
            read_byte(planes, np.uint64(BYTE), tally)
            for j in range(width):
                line[j] += np.uint32(tally[j]) << np.uint32(BYTE)
