"""Labels from columns that hold several tags in each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from labelsieve.datasets._dataset import Dataset, with_features
from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._nominal import texts_of

# Between the tags of a list, in a file that knows lists.
BETWEEN = "\x1f"


def make_labels(dataset: Dataset, separators: Mapping[str, str], path: str) -> Dataset:
    """Return the data set with a label for each tag of the named columns.

    The columns are features until then: their distinct texts are categories. An empty
    text is a row without labels; what is missing is not known. A tag that is also the
    name of a feature is called by its column, too.
    """
    from labelsieve.reading import split_tags, tag_table

    columns = []
    for name, separator in separators.items():
        texts, codes = texts_of(dataset, name)
        split = [*split_tags(texts, separator, missing="unknown"), None]  # -1: missing
        columns.append([split[code] for code in codes])
    rows = columns[0] if len(columns) == 1 else list(map(_together, *columns))
    if not any(rows):
        reason = f"there is no tag in {', '.join(map(repr, separators))}"
        raise FormatError(path, None, None, reason)
    tags = tag_table(rows)
    names = list(dataset.feature_names)
    kept = [place for place, name in enumerate(names) if name not in separators]
    features = with_features(dataset, kept)
    taken, first = set(features.feature_names), next(iter(separators))
    labels = [f"{first}:{tag}" if tag in taken else tag for tag in tags.names]
    try:
        return replace(features, Y=tags.table, label_names=labels)
    except ValueError as error:
        raise FormatError(path, None, None, str(error)) from None


def without_rare_labels(dataset: Dataset, min_rows: int, path: str) -> Dataset:
    """Return the data set without the labels of fewer rows."""
    n_rows = np.asarray((dataset.Y == 1).sum(axis=0)).ravel()
    kept = np.flatnonzero(n_rows >= min_rows)
    if not kept.size:
        reason = f"no label has {min_rows} rows; the commonest has {n_rows.max()}"
        raise FormatError(path, None, None, reason)
    names = [dataset.label_names[int(label)] for label in kept]
    return replace(dataset, Y=dataset.Y[:, kept], label_names=names)


def _together(*parts: list[Any] | None) -> list[Any] | None:
    """The tags of several columns; none of them is known where one is not."""
    if any(part is None for part in parts):
        return None
    return list(chain.from_iterable(part for part in parts if part))
