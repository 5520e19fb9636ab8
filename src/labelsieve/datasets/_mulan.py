"""What says which attributes of an ARFF file are labels: Mulan's XML, MEKA's -C."""

from __future__ import annotations

import re
from typing import NoReturn
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from labelsieve.datasets._arff_header import ArffHeader
from labelsieve.datasets._errors import FormatError, refuse_unfinished, shorten

# Deeper nesting is hostile: label hierarchies have a handful of levels.
_MAX_DEPTH = 64


def read_label_names(data: bytearray, path: str) -> list[str]:
    """Return the names of all ``<label name="...">`` elements, nested ones included.

    Document types and entities are refused, so a file of a few bytes can neither grow
    nor make the reader open other files.
    """
    refuse_unfinished(data, path)
    reader = _LabelReader(path)
    try:
        reader.parser.Parse(bytes(data), True)
    except expat.ExpatError as error:
        reason = f"damaged XML: {expat.ErrorString(error.code)}"
        raise FormatError(path, error.lineno, error.offset + 1, reason) from None
    except FormatError:
        raise
    except (LookupError, ValueError) as error:
        raise FormatError(path, 1, None, f"unknown encoding: {error}") from None
    if not reader.names:
        raise FormatError(path, None, None, "the XML file names no label")
    return reader.names


class _LabelReader:
    """Collects label names while the parser walks through the elements."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.names: list[str] = []
        self.seen: set[str] = set()
        self.depth = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self.parser.UnparsedEntityDeclHandler = self._refuse
        self.parser.ExternalEntityRefHandler = self._refuse

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise self._error(f"elements are nested more than {_MAX_DEPTH} deep")
        expected = "labels" if self.depth == 1 else "label"
        if tag.rpartition(":")[2] != expected:
            raise self._error(f"expected the element {expected}, got {shorten(tag)}")
        if self.depth > 1:
            self._add(attributes.get("name"))

    def _end(self, tag: str) -> None:
        self.depth -= 1

    def _refuse(self, *_: object) -> NoReturn:
        raise self._error("DOCTYPE and entities are refused")

    def _add(self, name: str | None) -> None:
        if name is None:
            raise self._error("a label has no name")
        if name in self.seen:
            raise self._error(f"the label {shorten(name)} is named twice")
        self.seen.add(name)
        self.names.append(name)

    def _error(self, reason: str) -> FormatError:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber
        return FormatError(self.path, line, column + 1, reason)


_COUNT = re.compile(r"(?:^|[\s:])-C\s+(-?[0-9]{1,18})(?![0-9])")
# What our own writer appends to the name of the data set, which may hold anything.
_OUR_COUNT = re.compile(r": -C (-?[0-9]{1,18})\Z")


def labels_by_relation(header: ArffHeader, path: str) -> NDArray[np.bool_] | None:
    """Return which columns are labels: the first n, the last n where n is negative.

    None where the relation does not say. What says it is taken off the relation.
    """
    pattern = _OUR_COUNT if header.is_ours else _COUNT
    match = pattern.search(header.relation)
    if match is None:
        return None
    if header.is_ours:
        header.relation = header.relation[: match.start()]
    count, width = int(match[1]), len(header.columns)
    if count == 0 or abs(count) >= width:
        reason = f"-C {count} labels, but there are {width} attributes"
        raise FormatError(path, None, None, reason)
    mask = np.zeros(width, dtype=bool)
    mask[slice(count) if count > 0 else slice(count, None)] = True
    return mask
