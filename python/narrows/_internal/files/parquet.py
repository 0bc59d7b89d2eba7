# SPDX-License-Identifier: Apache-2.0
"""Parquet files by path: Arrow takes a relative path with a colon in it for the address of a filesystem."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


def read_parquet(file: Path, columns: Sequence[str] | None = None, filters: Sequence[Any] | None = None) -> pa.Table:
    """Read a table."""
    import pyarrow.parquet as pq

    chosen = None if columns is None else list(columns)
    _check_size(file)
    if filters is not None:
        return pq.read_table(file.absolute(), columns=chosen, filters=list(filters))
    # Not as a data set, whose module takes longer to load than a short run to read.
    with pq.ParquetFile(file.absolute()) as opened:
        missing = sorted(set(chosen or ()) - set(opened.schema_arrow.names))
        if missing:
            raise pq.lib.ArrowInvalid(f"no column {', '.join(missing)}")
        table = opened.read(chosen)
    return table if chosen is None else table.select(chosen)


def _check_size(file: Path) -> None:
    """Refuse a table of many equal rows: a small file that fills the memory."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(file.absolute()) as opened:
        said = opened.metadata
    size = file.stat().st_size
    most = max(MOST_ROWS, ROWS_A_BYTE * size)
    if said.num_rows > most:
        problem = f"has {said.num_rows} rows in {size} bytes; allowed: at most {most} in a file of that size"
        raise InputError(str(file), problem)
    largest = max(MOST_BYTES, RATIO * size)
    columns = [said.schema.column(number) for number in range(said.num_columns)]
    texts = [each.path for each in columns if each.physical_type == TEXT]
    unpacked, possible = 0, 0
    for group in map(said.row_group, range(said.num_row_groups)):
        for number, column in enumerate(columns):
            chunk = group.column(number)
            # Repeated values need no space in the file; repeated texts may have any length.
            width = 0 if column.physical_type == TEXT else max(column.length, WIDEST)
            unpacked += max(chunk.total_uncompressed_size, chunk.num_values * width)
            possible += 0 if width else chunk.num_values * chunk.total_uncompressed_size
    if unpacked <= largest < possible:
        with pq.ParquetFile(file.absolute(), read_dictionary=texts) as opened:
            for number in range(said.num_row_groups):
                unpacked += sum(map(_bytes_of_texts, opened.read_row_group(number, texts).to_batches()))
    if unpacked > largest:
        problem = f"would be {unpacked} bytes when unpacked; allowed: at most {largest} from a file of {size}"
        raise InputError(str(file), problem)


def _bytes_of_texts(array: pa.RecordBatch | pa.Array) -> int:
    """Return the size of dictionary-encoded texts after decoding, bytes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(array, pa.DictionaryArray):
        lengths = pc.binary_length(array.dictionary)
        return int(pc.sum(lengths.take(array.indices)).as_py() or 0)
    if isinstance(array, pa.RecordBatch):
        return sum(map(_bytes_of_texts, array.columns))
    if not pa.types.is_nested(array.type):
        return 0
    inner = array.flatten()
    return sum(map(_bytes_of_texts, inner)) if isinstance(inner, list) else _bytes_of_texts(inner)


def write_parquet(table: pa.Table, file: Path, level: int | None = None) -> None:
    """Write a table, compressed by Zstandard at `level`, or its default."""
    import pyarrow.parquet as pq

    pq.write_table(table, file.absolute(), compression="zstd", compression_level=level)


TEXT, WIDEST = "BYTE_ARRAY", 8
MOST_ROWS = 5_000_000
ROWS_A_BYTE = 2
"""Rows that may be in a file of any size, and in a larger one; a row of a run takes at least some bytes."""

MOST_BYTES = 1 << 30
RATIO = 100
"""The same limits for bytes; the ratio is the limit of archives."""
