"""Tables that are dense or sparse."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._plumbing.typing import Matrix


def as_dense(table: Matrix) -> NDArray[Any]:
    """The table as an array: itself if it is one."""
    return table.toarray() if sp.issparse(table) else table
