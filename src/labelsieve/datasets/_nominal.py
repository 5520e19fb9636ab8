"""Nominal features: in DataFrames, as words of texts, as tags that become labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labelsieve._utils.matrices import as_dense, check_sparse
from labelsieve._utils.messages import need
from labelsieve.datasets._columns import AS_TARGETS, is_same_cell, number_in
from labelsieve.datasets._dataset import Dataset, with_features
from labelsieve.datasets._places import fault


def to_frames(dataset: Dataset) -> Dataset:
    """Return the data set with DataFrames for `X` and `Y`.

    Nominal columns are categorical; the columns of a sparse data set stay sparse, and
    its nominal ones stay positions.
    """
    pd = need("pandas", "as_frame=True", "tables")
    names, labels = list(dataset.feature_names), list(dataset.label_names)
    if sparse.issparse(dataset.X):
        X = pd.DataFrame.sparse.from_spmatrix(dataset.X, columns=names)
        Y = sparse.csr_array(dataset.Y)  # numbers are dense
        Y = pd.DataFrame.sparse.from_spmatrix(Y, columns=labels)
        return replace(dataset, X=X, Y=Y)
    X = pd.DataFrame(dataset.X, columns=names)
    for name in set(names) & dataset.categories.keys():
        codes = X[name].fillna(-1).astype(np.intp)
        X[name] = pd.Categorical.from_codes(codes, list(dataset.categories[name]))
    return replace(dataset, X=X, Y=pd.DataFrame(dataset.Y, columns=labels))


def to_arrays(dataset: Dataset) -> Dataset:
    """Return the data set with arrays for `X` and `Y`, as `load` gives them."""
    X, Y = dataset.X, dataset.Y
    if not hasattr(X, "iloc"):
        check_sparse(X, "X")
        check_sparse(Y, "Y")
        return dataset
    if len(X.columns) and all(hasattr(kind, "fill_value") for kind in X.dtypes):
        return replace(dataset, X=X.sparse.to_coo(), Y=Y.sparse.to_coo())
    columns = [_values(X.iloc[:, index]) for index in range(X.shape[1])]
    return replace(dataset, X=np.column_stack(columns), Y=Y.to_numpy())


def _values(column: Any) -> Any:
    if not hasattr(column, "cat"):
        return column.to_numpy(dtype=np.float64)
    codes = column.cat.codes.to_numpy().astype(np.float64)
    codes[codes < 0] = np.nan
    return codes


def texts_of(dataset: Dataset, name: str) -> tuple[list[str], NDArray[np.intp]]:
    """The distinct texts of a feature, and which each row has, -1 where none."""
    column = dataset.X[:, [list(dataset.feature_names).index(name)]]
    values = as_dense(column)[:, 0]
    missing = np.isnan(values)
    if name in dataset.categories:
        texts = list(dataset.categories[name])
        codes = np.where(missing, 0, values).astype(np.intp)
    else:
        numbers, codes = np.unique(np.where(missing, 0, values), return_inverse=True)
        texts = [f"{number:.15g}" for number in numbers]
    return texts, np.where(missing, -1, codes)


def resolved(dataset: Dataset, name: str) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """A nominal feature with its rare categories together, as in any table."""
    from labelsieve.reading import Words, positions, resolve_categories

    texts, codes = texts_of(dataset, name)
    counts = np.bincount(codes + 1, minlength=len(texts) + 1)[1:].tolist()
    used = {text: n for text, n in zip(texts, counts, strict=True) if n}
    categories = resolve_categories(name, Words(used, np.array(texts, dtype=object)))
    assert categories is not None  # they are declared
    place = np.append(positions(texts, categories), -1)
    return np.nan_to_num(place, nan=-1).astype(np.intp)[codes], categories


def names_of_rows_as_constants(dataset: Dataset) -> Dataset:
    """Return the data set with the first category in all cells of such features."""
    from labelsieve.reading import is_identifier, warn_nominal

    found = {}
    for place, name in enumerate(dataset.feature_names if dataset.categories else ()):
        if len(dataset.categories.get(name, ())) > 2:
            _, categories = resolved(dataset, name)
            if is_identifier(categories):
                found[place] = categories
    if not found:
        return dataset
    warn_nominal(dataset.feature_names, found)
    X = dataset.X.copy()
    if sparse.issparse(X):
        X.data[np.isin(X.indices, list(found))] = 0
    else:
        X[:, list(found)] = 0
    return replace(dataset, X=X)


# Between the tags of a list, in a file that knows lists.
BETWEEN = "\x1f"


def make_labels(dataset: Dataset, separators: Mapping[str, str], path: str) -> Dataset:
    """Return the data set with a label for each tag of the named columns.

    The columns are features until then: their distinct texts are categories. An empty
    text is a row without labels; what is missing is not known. A tag that is also the
    name of a feature is called by its column, too. Targets become Y as they are.
    """
    from labelsieve.reading import AUTO, split_tags, tag_table

    names = list(dataset.feature_names)
    kept = [place for place, name in enumerate(names) if name not in separators]
    features = with_features(dataset, kept)
    if AS_TARGETS in separators.values():
        Y = as_dense(dataset.X[:, [names.index(name) for name in separators]])
        known: dict[str, Any] = {"label_names": [*separators]}
        known["categories"] = dataset.categories
        return replace(features, Y=Y, target_types=[AUTO] * Y.shape[1], **known)
    rows: list[Any] = [[]] * dataset.X.shape[0]
    for name, separator in separators.items():
        texts, codes = texts_of(dataset, name)
        split = [*split_tags(texts, separator, missing="unknown"), None]  # -1: missing
        # No tag of a row is known where those of one column are not.
        rows = [
            None if row is None or split[code] is None else [*row, *split[code]]
            for row, code in zip(rows, codes, strict=True)
        ]
    if not any(rows):
        raise fault(path, f"there is no tag in {', '.join(map(repr, separators))}")
    tags = tag_table(rows)
    taken, first = set(features.feature_names), next(iter(separators))
    labels = [f"{first}:{tag}" if tag in taken else tag for tag in tags.names]
    try:
        return replace(features, Y=tags.table, label_names=labels)
    except ValueError as error:
        raise fault(path, str(error)) from None


def type_targets(
    dataset: Dataset, types: str | Mapping[str, str], unknown: str | None
) -> Dataset:
    """Return the data set with codes of its targets, by their types, found or given.

    Of two values or classes that are text, codes follow the alphabet.
    """
    from labelsieve.reading import CLASS, targets_in

    names, words = dataset.label_names, dict(dataset.categories)
    named = zip(names, dataset.Y.T, strict=True)
    columns = [_cells(codes, words.pop(name, ()), unknown) for name, codes in named]
    table = np.array(columns, dtype=object).T
    found = targets_in(table, dataset.X, types, names)
    for name, kind, cells in zip(names, found.kinds, columns, strict=True):
        texts = {cell for cell in cells if isinstance(cell, str)}
        if kind == CLASS and texts:
            words[name] = tuple(sorted(texts))
    Y, kinds = found.dense(), found.kinds
    return replace(dataset, Y=Y, target_types=kinds, categories=words)


def _cells(codes: Any, texts: Sequence[str], unknown: str | None) -> NDArray[Any]:
    """What codes of texts stand for: numbers where all texts are some, else texts."""
    if not texts:
        return np.where(codes == number_in(unknown or ""), np.nan, codes)
    known = [t for t in texts if unknown is None or not is_same_cell(t, unknown)]
    meant: dict[str, Any] = {text: number_in(text) for text in known}
    if None in meant.values():
        meant = {text: text for text in known}
    of_code = np.array([*map(meant.get, texts), None], dtype=object)
    return of_code[np.where(np.isnan(codes), -1, codes).astype(np.intp)]


def without_rare_labels(dataset: Dataset, min_rows: int, path: str) -> Dataset:
    """Return the data set without the labels of fewer rows."""
    n_rows = np.asarray((dataset.Y == 1).sum(axis=0)).ravel()
    types = np.array(dataset.target_types)
    stays = types != "label" if types.size else False
    kept = np.flatnonzero((n_rows >= min_rows) | stays)
    if not kept.size:
        reason = f"no label has {min_rows} rows; the commonest has {n_rows.max()}"
        raise fault(path, reason)
    names = [dataset.label_names[int(label)] for label in kept]
    Y, types = dataset.Y[:, kept], types[kept] if types.size else types
    return replace(dataset, Y=Y, label_names=names, target_types=types.tolist())


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
    labels = [f"label:{one}" if one in words else one for one in dataset.label_names]
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
        codes, nominal[place] = resolved(dataset, name)
        width = len(nominal[place])
        varies = width > 1  # else the feature names the rows
        (rows,) = np.nonzero((codes >= 0) & varies)
        cells = np.ones(rows.size), (rows, codes[rows])
        parts.append(sparse.csc_array(cells, shape=(codes.size, width)))
        names += [f"{name}={v}" if varies else name for v in nominal[place]]
    warn_nominal(dataset.feature_names, nominal)
    return (sparse.hstack(parts) if parts else X), names
