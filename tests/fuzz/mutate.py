"""Turns valid files into damaged ones."""

from __future__ import annotations

import json
import random
from typing import Any

# Pieces that mean something to some format, or that break careless readers.
PIECES = [
    *(bytes([mark]) for mark in b"{}'\",;:%?#@\\<>&-+._|"),
    b"\\'",
    *(b" ", b"\t", b"\n", b"\r\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80"),
    *(b"0", b"1", b"2", b"-1", b"1.", b".5", b"1e999", b"-1e-999", b"nan", b"inf"),
    *(b"1_0", b"0x10", b"99999999999999999999", b"4294967296", b"2147483647"),
    *(b"999999999:1", b"9007199254740993", b"0." + b"1" * 30, "٣".encode()),
    *(
        b"@data",
        b"@attribute",
        b"@relation r",
        b"numeric",
        b"string",
        b"date",
        b"{0,1}",
    ),
    *(b"<!DOCTYPE a>", b"<!ENTITY a 'b'>", b"&a;", b"<label name='z'/>", b"</labels>"),
    *(b"-C 3", b"-C 0", b"-C -99", b"null", b"true", b'"labelsieve": 2', b"[" * 2000),
]


# Values that no entry of a JSON file expects, or only some.
ODD = [
    *(None, True, False, 0, 1, -1, 2, 10**6, 10**19, 10**400, 0.5, -1e308, 1e16),
    *("", "x", "a" * 300, "inf", "nan", "<i8", "|O", "<U999999", "\0\u20ac", "..", "/"),
    *([], [[]], [None], [0, 0], [1, 2, 3], ["x", "x"], {}, {"a": {}}, {"array": []}),
    *({"number": "inf"}, {"class": "FIMF", "parameters": {}}, [-1], [[1.5] * 3]),
]


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Return the bytes with one to four faults."""
    text = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        at, length = rng.randint(0, len(text)), rng.choice((1, 1, 2, 5, 30))
        kind = rng.randrange(7)
        if kind == 0:
            text[at:at] = rng.choice(PIECES)
        elif kind == 1:
            text[at : at + length] = rng.choice(PIECES)
        elif kind == 2:
            del text[at : at + length]
        elif kind == 3 and at < len(text):
            text[at] ^= 1 << rng.randrange(8)
        elif kind == 4:
            text[at:at] = text[at : at + length] * rng.choice((1, 2, 50))
        elif kind == 5:
            start = rng.randint(0, len(text))
            text[at:at] = text[start : start + length]
        elif kind == 6 and rng.random() < 0.2:
            del text[at:]
    return bytes(text)


def mutate_in_place(data: bytes, rng: random.Random) -> bytes:
    """Return as many bytes, some of them others: what stands where is found there."""
    text = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(text))
        if rng.random() < 0.5:
            text[at] ^= 1 << rng.randrange(8)
        else:
            text[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    return bytes(text)


def mutate_json(data: bytes, rng: random.Random) -> bytes:
    """Return JSON, or lines of it, with one to three entries that are wrong."""
    lines = data.splitlines() if _is_lines(data) else [data]
    at = rng.randrange(len(lines))
    content = json.loads(lines[at])
    for _ in range(rng.choice((1, 1, 2, 3))):
        content = _edited(content, rng)
    # ensure_ascii as the writers have it or not: both are read
    lines[at] = json.dumps(content, ensure_ascii=rng.random() < 0.5).encode(
        errors="surrogatepass"
    )
    return b"\n".join(lines) + b"\n"


def _is_lines(data: bytes) -> bool:
    return data.count(b"\n") > 0 and data.startswith(b'{"') and b"\n{" in data


def _edited(content: Any, rng: random.Random) -> Any:
    """Change one entry, found by walking down at random."""
    if not isinstance(content, dict | list) or not content or rng.random() < 0.02:
        return _wrong(content, rng)
    if isinstance(content, list):
        changed: dict[Any, Any] = dict(enumerate(content))
    else:
        changed = dict(content)
    key = rng.choice(list(changed))
    how = rng.random()
    if how < 0.12:
        del changed[key]
    elif how < 0.2 and isinstance(content, dict):
        changed[rng.choice(("", "x", "__class__", "key", f"{key}_"))] = changed.pop(key)
    elif how < 0.28:
        changed[key] = changed[rng.choice(list(changed))]
    else:
        changed[key] = _edited(changed[key], rng)
    return list(changed.values()) if isinstance(content, list) else changed


def _wrong(value: Any, rng: random.Random) -> Any:
    if isinstance(value, int | float) and rng.random() < 0.4:
        return rng.choice((value + 1, -value, value * 1000, value // 3, str(value)))
    if isinstance(value, str) and value and rng.random() < 0.4:
        at = rng.randrange(len(value))
        return value[:at] + rng.choice(("", "?", value)) + value[at + 1 :]
    return rng.choice(ODD)
