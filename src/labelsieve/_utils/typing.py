"""Names for the array types that annotations repeat."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.int64]
CountArray: TypeAlias = NDArray[np.uint32]
IndexArray: TypeAlias = NDArray[np.uint32]
FloatArray: TypeAlias = NDArray[np.float64]
# How often samples count: int64, or float64 where they are not whole numbers.
Weights: TypeAlias = NDArray[Any]
ByteArray: TypeAlias = NDArray[np.uint8]
ShortArray: TypeAlias = NDArray[np.uint16]
# A number inside a kernel, of the width that numba infers.
Scalar: TypeAlias = Any
# A 2-D ndarray or a SciPy CSR matrix; SciPy is not annotated.
Matrix: TypeAlias = Any
