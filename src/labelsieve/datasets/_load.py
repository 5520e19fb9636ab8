"""One call that reads a data set, whatever its format."""

from __future__ import annotations

import os
from functools import partial

import numpy as np
from numpy.typing import NDArray

from labelsieve.datasets._arff import read_arff
from labelsieve.datasets._arff_header import ArffHeader
from labelsieve.datasets._columns import Labels, ask_for_labels, choose_labels
from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._files import choose_files, sibling, stem_of
from labelsieve.datasets._meka import labels_by_relation
from labelsieve.datasets._mulan import read_label_names
from labelsieve.datasets._places import (
    DEFAULT_MAX_BYTES,
    Place,
    decode_text,
    locate,
)


def load(
    path: str | os.PathLike[str],
    *,
    labels: Labels = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Dataset:
    """Read a data set."""
    place, name = locate(path)
    names = [name] if name is not None else choose_files(place)
    (only,) = names
    return _read(place, only, labels, max_bytes)


def _read(place: Place, name: str, labels: Labels, max_bytes: int) -> Dataset:
    path = place.path_of(name)
    data = decode_text(place.read(name, max_bytes), path)
    choose = partial(_arff_labels, place, name, labels, max_bytes)
    return read_arff(data, path, stem_of(name), choose)


def _arff_labels(
    place: Place, name: str, labels: Labels, max_bytes: int, header: ArffHeader
) -> NDArray[np.bool_]:
    """Labels as the caller, the XML file or the relation says, in this order."""
    path = place.path_of(name)
    names = [column.name for column in header.columns]
    if isinstance(labels, os.PathLike):
        return _labels_by_xml(*locate(labels), names, max_bytes)
    if labels is not None:
        return choose_labels(names, labels, path)
    xml = sibling(place, name, ".xml")
    if xml is not None:
        return _labels_by_xml(place, xml, names, max_bytes)
    mask = labels_by_relation(header.relation, len(names), path)
    if mask is None:
        raise ask_for_labels(path)
    return mask


def _labels_by_xml(
    place: Place, xml: str | None, names: list[str], max_bytes: int
) -> NDArray[np.bool_]:
    if xml is None:
        raise FormatError(place.path_of(""), None, None, "expected an XML file")
    path = place.path_of(xml)
    wanted = read_label_names(place.read(xml, max_bytes), path)
    return choose_labels(names, wanted, path)
