"""MEKA's way to say what the labels are: ``-C n`` in the name of the relation."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from labelsieve.datasets._arff_header import ArffHeader
from labelsieve.datasets._errors import FormatError

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
