"""Words of texts as features that are there or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from labelsieve.datasets._dataset import Dataset, with_features
from labelsieve.datasets._nominal import settled_codes, texts_of


def make_words(
    dataset: Dataset, columns: Sequence[str], *, min_df: float = 1, ngrams: int = 1
) -> Dataset:
    """Return the data set with the words of some features instead of their texts.

    Parameters
    ----------
    dataset : Dataset
        With text among its features.
    columns : sequence of str
        The features that hold text.
    min_df : int or float, default=1
        Words of fewer rows, or of a smaller share of the rows, are left out.
    ngrams : int, default=1
        Up to so many words after each other are a feature, too.

    Returns
    -------
    Dataset
        A sparse one. Words are 0 or 1, and are called by their column, too, where
        there are several columns of text or another feature has the name; a label that
        has the name of a word is called ``label:name``. A value of another nominal
        feature is 0 or 1 as well, called ``feature=value``.

    Examples
    --------
    >>> from labelsieve.datasets import Dataset, make_words
    >>> texts = {"body": ("red rose", "red door")}
    >>> data = Dataset([[0], [1]], [[1], [0]], ["body"], ["plant"], categories=texts)
    >>> make_words(data, ["body"]).feature_names
    ('door', 'red', 'rose')
    """
    known = list(dataset.feature_names)
    for name in columns:
        if name not in known:
            raise ValueError(f"{dataset.name} has no feature {name!r} for words")
        if name not in dataset.categories:
            raise ValueError(f"feature {name!r} holds numbers, expected text")
    kept = [place for place, name in enumerate(known) if name not in columns]
    others, names = _one_column_per_value(with_features(dataset, kept))
    taken, parts = set(names), [others]
    for column in columns:
        table, found = _words(dataset, column, min_df, ngrams)
        several = len(columns) > 1
        names += [f"{column}:{w}" if several or w in taken else w for w in found]
        parts.append(table)
    words = set(names)
    labels = [
        f"label:{name}" if name in words else name for name in dataset.label_names
    ]
    return replace(
        dataset,
        X=sparse.hstack(parts, format="csr"),
        feature_names=names,
        label_names=labels,
        categories={},
    )


def _words(
    dataset: Dataset, column: str, min_df: float, ngrams: int
) -> tuple[Any, list[str]]:
    """The words of each row of a column; each distinct text is looked at once."""
    from sklearn.feature_extraction.text import CountVectorizer

    texts, codes = texts_of(dataset, column)
    vectorizer = CountVectorizer(binary=True, ngram_range=(1, ngrams))
    try:
        table = vectorizer.fit_transform([*texts, ""])[codes]  # -1: no text
    except ValueError as error:  # scikit-learn finds no word
        raise ValueError(f"feature {column!r}: {error}") from None
    n_rows = np.bincount(table.indices, minlength=table.shape[1])
    least = min_df if isinstance(min_df, int) else min_df * table.shape[0]
    kept = np.flatnonzero(n_rows >= max(least, 1))
    if not kept.size:
        raise ValueError(
            f"feature {column!r}: no word is in {min_df} rows; the commonest is in "
            f"{n_rows.max(initial=0)}"
        )
    words = vectorizer.get_feature_names_out()[kept]
    return table[:, kept].astype(np.float64), words.tolist()


def _one_column_per_value(dataset: Dataset) -> tuple[Any, list[str]]:
    """Features that are no text, nominal ones of many values as 0 and 1 for each."""
    from labelsieve.reading import warn_nominal

    X = sparse.csc_array(dataset.X)
    parts, names, nominal = [], [], {}
    for place, name in enumerate(dataset.feature_names):
        if len(dataset.categories.get(name, ())) <= 2:
            parts.append(X[:, [place]])
            names.append(name)
            continue
        codes, nominal[place] = settled_codes(dataset, name)
        width = len(nominal[place])
        varies = width > 1  # else the feature names the rows
        (rows,) = np.nonzero((codes >= 0) & varies)
        cells = np.ones(rows.size), (rows, codes[rows])
        parts.append(sparse.csc_array(cells, shape=(codes.size, width)))
        names += [f"{name}={v}" if varies else name for v in nominal[place]]
    warn_nominal(dataset.feature_names, nominal)
    return (sparse.hstack(parts) if parts else X), names
