"""The built-in data: handwritten digits and the segments that would display them."""

from __future__ import annotations

import numpy as np

from labelsieve.datasets._dataset import Dataset

# Which of the seven segments a display lights for each digit.
LIT = ("abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg",
       "abcdfg")  # fmt: skip


def load_segments() -> Dataset:
    """Load 1,797 handwritten digits of 8 x 8 pixels, labelled by lit segments.

    The labels are the segments a to g that a seven-segment display lights for the
    digit: a small real data set with strongly dependent labels, part of
    scikit-learn, so that nothing is downloaded.

    Returns
    -------
    dataset : Dataset
        64 features named ``row,column`` (values 0 to 16) and 7 labels ``a`` .. ``g``.

    Examples
    --------
    >>> from labelsieve.datasets import load_segments
    >>> load_segments()
    Dataset('segments', 1797 rows, 64 features, 7 labels, dense)
    """
    from sklearn.datasets import load_digits

    X, digits = load_digits(return_X_y=True)
    segments = "abcdefg"
    display = np.array([[segment in lit for segment in segments] for lit in LIT])
    pixels = [f"{row},{column}" for row in range(8) for column in range(8)]
    Y = display[digits].astype(np.uint8)
    return Dataset(X, Y, pixels, list(segments), "segments")
