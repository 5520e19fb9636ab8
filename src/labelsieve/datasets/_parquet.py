"""Parquet files, in memory or on disk, and JSON lines, through pyarrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._utils.matrices import as_dense
from labelsieve._utils.messages import need
from labelsieve._utils.texts import warn_amounts
from labelsieve.datasets._columns import (
    AS_TARGETS,
    NOT_A_LABEL,
    Labels,
    Source,
    choose_labels,
    label_value,
    number_in,
)
from labelsieve.datasets._dataset import (
    Dataset,
    Schema,
    first_repeated,
    read_schema,
    schema_of,
)
from labelsieve.datasets._nominal import BETWEEN, make_labels
from labelsieve.datasets._places import FormatError, fault, shorten, shown
from labelsieve.datasets._tables import numbers_of, read_texts

KEY = b"labelsieve"


def read_parquet(source: Source) -> Dataset:
    """Read a file with labels as the caller says, or as it says itself."""
    path = source.path
    table = _read_table(source.data, path, source.max_bytes)
    names = _names(table, path)
    description = (table.schema.metadata or {}).get(KEY)
    if source.labels is None and description is not None:
        return _described(table, _read_description(description, names, path), path)
    return _undescribed(table, source)


def read_json_lines(source: Source) -> Dataset:
    """Read a file with a JSON object in each line, whose keys are columns."""
    pa, _ = _import_pyarrow()
    from pyarrow import json

    try:
        table = json.read_json(pa.BufferReader(pa.py_buffer(source.data)))
    except pa.ArrowException as error:
        raise fault(source.path, f"no JSON lines: {shown(error)}") from None
    return _undescribed(table, source)


def _names(table: Any, path: str) -> list[str]:
    names = [str(column) for column in table.column_names]
    if first_repeated(names) is not None or not names or table.num_rows == 0:
        raise fault(path, "there is no row or no column, or two columns have one name")
    return names


def write_parquet(dataset: Dataset) -> bytes:
    """Return the bytes of a file: nominal features as dictionaries, labels as 0/1."""
    pa, pq = _import_pyarrow()
    columns = {}
    parts = (dataset.X, dataset.feature_names), (dataset.Y, dataset.label_names)
    for part, names in parts:
        for index, name in enumerate(names):
            values = np.ascontiguousarray(as_dense(part[:, [index]])[:, 0])
            missing = np.isnan(values)
            if name not in dataset.categories:
                columns[name] = pa.array(values, mask=missing)
                continue
            codes = pa.array(
                np.where(missing, 0, values).astype(np.int32), mask=missing
            )
            words = list(dataset.categories[name])
            columns[name] = pa.DictionaryArray.from_arrays(codes, words)
    table = pa.table(columns)
    table = table.replace_schema_metadata({KEY: schema_of(dataset).to_json()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue())


def _import_pyarrow() -> tuple[Any, Any]:
    parquet = need("pyarrow.parquet", "Parquet", "tables")
    return need("pyarrow", "Parquet", "tables"), parquet


def _read_table(data: bytearray, path: str, max_bytes: int) -> Any:
    pa, pq = _import_pyarrow()
    try:
        file = pq.ParquetFile(pa.BufferReader(pa.py_buffer(data)))
        meta = file.metadata
        # A few bytes can stand for a billion equal rows.
        size = 8 * meta.num_rows * max(meta.num_columns, 1)
        stored = sum(
            meta.row_group(group).total_byte_size
            for group in range(meta.num_row_groups)
        )
        if max(size, stored) > max_bytes:
            reason = f"exceeds max_bytes={max_bytes}; raise it if you trust the file"
            raise fault(path, reason)
        table = file.read(use_threads=False)
        table.validate(full=True)  # codes beyond their dictionary, text not in UTF-8
        from labelsieve.reading import without_index

        return without_index(table)
    except FormatError:
        raise
    # pyarrow raises many kinds of errors on damaged files; each means the same here.
    except Exception as error:
        raise _damaged(path, error) from None


def _damaged(path: str, error: Exception) -> FormatError:
    return fault(path, f"damaged Parquet file: {shown(error)}")


def _read_description(description: bytes, names: list[str], path: str) -> Schema:
    schema = read_schema(description, path)
    if names != [*schema.features, *schema.labels]:
        raise fault(path, "the names are not those described")
    return schema


def _described(table: Any, schema: Schema, path: str) -> Dataset:
    values = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        numbers, found = _from_arrow(column, name, path)
        if name in schema.categories:
            place = {text: float(j) for j, text in enumerate(schema.categories[name])}
            if found is None or not place.keys() >= set(found):
                reason = f"column {shorten(name)} has other categories than described"
                raise fault(path, reason)
            numbers = numbers_of(numbers, {text: place[text] for text in found})
        values.append(numbers)
    split = len(schema.features)
    X, Y = np.column_stack(values[:split]), np.column_stack(values[split:])
    return schema.apply(X, Y, path)


def _undescribed(table: Any, source: Source) -> Dataset:
    from pyarrow import types

    path = source.path
    names = _names(table, path)
    is_label = choose_labels(names, source.labels, path, source.separator)
    separators = _separators(table, names, is_label, source.separator)
    if separators:
        is_label = np.zeros_like(is_label)
    categories, dates = {}, []
    values: list[NDArray[np.float64]] = []
    for column, title in zip(table.columns, names, strict=True):
        holds_tags = separators.get(title, AS_TARGETS) != AS_TARGETS
        numbers, found = _from_arrow(column, title, path, holds_tags)
        # What became numbers: dates and times, or their text.
        is_text = types.is_string(column.type) or types.is_large_string(column.type)
        if found is None and (is_text or types.is_temporal(column.type)):
            dates.append(title)
        if is_label[len(values)]:
            numbers = _label(numbers, found, source.unknown, title, path)
        elif found:
            categories[title] = found
        values.append(numbers)
    matrix = np.column_stack(values)
    try:
        dataset = Dataset(
            matrix[:, ~is_label],
            matrix[:, is_label],
            [names[index] for index in np.flatnonzero(~is_label)],
            [names[index] for index in np.flatnonzero(is_label)],
            source.name,
            categories,
            dates=dates,
        )
    except ValueError as error:
        raise fault(path, str(error)) from None
    return make_labels(dataset, separators, path) if separators else dataset


def _label(
    numbers: NDArray[np.float64],
    words: tuple[str, ...] | None,
    unknown: str | None,
    name: str,
    path: str,
) -> NDArray[np.float64]:
    """0 and 1 of a label, by what its values are called; NaN where it is not known."""
    if words is not None:
        of_word = {
            word: np.nan if word == unknown else label_value(word, name, path)
            for word in words
        }
        return numbers_of(numbers, of_word)
    if unknown is not None:
        if (mark := number_in(unknown)) is None:
            raise ValueError(
                f"labels of this file are numbers: unknown= (--unknown) is one, got "
                f"{unknown!r}"
            )
        numbers = np.where(numbers == mark, np.nan, numbers)
    known = numbers[~np.isnan(numbers)]
    if np.isin(known, (-1, 1)).all():
        return np.where(numbers == -1, 0.0, numbers)
    wrong = known[~np.isin(known, (0, 1))]
    if wrong.size:
        raise fault(path, f"{wrong[0]:g} in column {shorten(name)}: {NOT_A_LABEL}")
    return numbers


def _separators(
    table: Any, names: list[str], is_label: NDArray[np.bool_], separator: str | None
) -> dict[str, str]:
    """What stands between the tags of each label column, where they hold tags."""
    import pyarrow as pa

    chosen = np.flatnonzero(is_label).tolist()
    if separator == AS_TARGETS:
        return {names[j]: AS_TARGETS for j in chosen}
    lists = {names[j] for j in chosen if pa.types.is_nested(table.column(j).type)}
    if not lists and separator is None:
        return {}
    return {
        names[j]: BETWEEN if names[j] in lists else separator or BETWEEN for j in chosen
    }


def _from_arrow(
    column: Any, name: str, path: str, holds_tags: bool = False
) -> tuple[NDArray[np.float64], tuple[str, ...] | None]:
    """Return numbers, and the categories where the column holds text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    is_list = holds_tags and pa.types.is_nested(kind)
    _refuse_type(kind, name, path, takes_lists=holds_tags)
    try:
        if is_list:
            # Each different list is a text of its own.
            rows = column.to_pylist()
            texts = [None if x is None else BETWEEN.join(map(str, x)) for x in rows]
            column, kind = pa.chunked_array([pa.array(texts, pa.string())]), pa.string()
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            column = pc.dictionary_encode(column)
        if pa.types.is_dictionary(column.type):
            column = column.unify_dictionaries().combine_chunks()
            codes = pc.cast(column.indices, pa.float64()).to_numpy(zero_copy_only=False)
            words = tuple(map(str, column.dictionary.to_pylist()))
            if len(set(words)) < len(words):
                raise ValueError("its dictionary repeats a value")
            is_text = column.type != kind and not holds_tags
            amounts: dict[str, Mapping[str, float]] = {}
            read = read_texts(name, words, amounts) if is_text else None
            warn_amounts(amounts)
            return (codes, words) if read is None else (numbers_of(codes, read), None)
        if pa.types.is_temporal(kind):
            import narwhals.stable.v2 as nw

            from labelsieve.reading import seconds_of

            return seconds_of(nw.from_native(column, series_only=True)), None
        numbers = pc.cast(column, pa.float64(), safe=False)
        return numbers.to_numpy(zero_copy_only=False), None
    except Exception as error:  # pyarrow's many kinds again
        reason = f"column {shorten(name)} cannot be read: {shown(error)}"
        raise fault(path, reason) from None


def _refuse_type(kind: Any, name: str, path: str, takes_lists: bool = False) -> None:
    """FormatError for a column that can be no feature; labels may be lists of tags."""
    from pyarrow import types

    if types.is_dictionary(kind):
        return _refuse_type(kind.value_type, name, path)
    lists = types.is_list, types.is_large_list, types.is_fixed_size_list
    is_list = any(is_kind(kind) for is_kind in lists)
    refused = (
        types.is_nested(kind) and not (takes_lists and is_list),
        types.is_binary(kind) or types.is_large_binary(kind),
        types.is_fixed_size_binary(kind) or types.is_interval(kind),
    )
    if any(refused):
        reason = (
            f"column {shorten(name)} has the type {kind}, expected numbers, booleans, "
            "dates, categories or text (lists of tags are for labels only); convert "
            "it, or write the file without it"
        )
        raise fault(path, reason)


def open_frames(
    files: list[Path], labels: Labels, separator: str | None
) -> tuple[Any, Any, list[str], list[str]]:
    """Features and labels of files that stay on disk, as Dask frames, and their names.

    What is damaged is said when it is read.
    """
    frame, schema = _open_frame(files)
    names, path = [str(name) for name in frame.columns], str(files[0])
    if labels is None and KEY in (schema.metadata or {}):
        chosen = [*_read_description(schema.metadata[KEY], names, path).labels]
    else:
        is_label = choose_labels(names, labels, path)
        chosen = [names[index] for index in np.flatnonzero(is_label)]
    features = [name for name in names if name not in set(chosen)]
    for name in features:
        _refuse_type(schema.field(name).type, name, path)
    Y = frame[chosen]
    if separator is not None:
        if len(chosen) > 1:
            raise ValueError(f"separator= needs one column of tags, got {chosen}")
        Y = Y[chosen[0]].map_partitions(_split, separator, meta=(chosen[0], object))
    return frame[features], Y, features, chosen


def _split(column: Any, separator: str) -> Any:
    from labelsieve.reading import split_tags

    tags = split_tags(column, separator, missing="unknown")
    return type(column)(tags, index=column.index, dtype=object)


def _open_frame(files: Sequence[Path]) -> tuple[Any, Any]:
    """The rows of all files as a Dask frame, and the schema of the files."""
    import dask.dataframe as dd
    from dask.dataframe.io.parquet.arrow import ArrowDatasetEngine

    class Engine(ArrowDatasetEngine):
        """Reads blocks of rows; what pyarrow finds wrong names the file."""

        @classmethod
        def read_partition(cls, fs: Any, pieces: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return super().read_partition(fs, pieces, *args, **kwargs)
            except Exception as error:
                raise _damaged(_file_of(pieces), error) from None

    schema = _check_footers(files)
    try:
        frame = dd.read_parquet([str(file) for file in files], engine=Engine)
        frame.npartitions  # noqa: B018  makes the plan, which reads the files' ends
    except FormatError:
        raise
    except Exception as error:
        raise _damaged(str(files[0].parent), error) from None
    return frame, schema


def _check_footers(files: Sequence[Path]) -> Any:
    """Refuse what cannot be features and labels before any row is read."""
    _, pq = _import_pyarrow()
    first, n_rows = None, 0
    for file in files:
        try:
            metadata = pq.read_metadata(file)
            schema = metadata.schema.to_arrow_schema()
        except Exception as error:
            raise _damaged(str(file), error) from None
        first = schema if first is None else first
        n_rows += metadata.num_rows
        if schema.names != first.names or first_repeated(schema.names) is not None:
            reason = "the columns are not those of the first file, or two have one name"
            raise fault(str(file), reason)
        for field in schema:
            _refuse_type(field.type, field.name, str(file), takes_lists=True)
    if n_rows == 0:
        raise fault(str(files[0]), "there is no row")
    return first


def _file_of(pieces: Any) -> str:
    """The file of the first piece that Dask hands over."""
    piece = pieces[0] if isinstance(pieces, list) else pieces
    named = piece.get("piece", piece) if isinstance(piece, dict) else piece
    return str(named[0] if isinstance(named, tuple | list) else named)
