"""MEKA's way to say what the labels are: ``-C n`` in the name of the relation."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from labelsieve.datasets._errors import FormatError

_COUNT = re.compile(r"(?:^|[\s:])-C\s+(-?[0-9]{1,18})(?![0-9])")


def labels_by_relation(
    relation: str, width: int, path: str
) -> NDArray[np.bool_] | None:
    """Return which columns are labels: the first n, the last n where n is negative.

    None where the relation does not say.
    """
    match = _COUNT.search(relation)
    if match is None:
        return None
    count = int(match[1])
    if count == 0 or abs(count) >= width:
        reason = f"-C {count} labels, but there are {width} attributes"
        raise FormatError(path, None, None, reason)
    mask = np.zeros(width, dtype=bool)
    mask[slice(count) if count > 0 else slice(count, None)] = True
    return mask
