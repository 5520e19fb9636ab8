"""The XML file that says which attributes of a Mulan data set are labels."""

from __future__ import annotations

from typing import NoReturn
from xml.parsers import expat

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
