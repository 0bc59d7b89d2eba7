"""Arrow tables out of the columns of records: numbers without a copy, words as dictionaries.

A table holds all replications of a run below one another; the first column says which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from narrows.core import Records

    Column = tuple[NDArray[Any], list[str] | None]

NAMES = ("flows", "links", "series", "distributions")
OPTIONAL = ("census", "classes", "transfers", "packets")
"""Tables that only runs with transfers that come and go, or with a packet log, have."""


def table(records: Mapping[int, Records], name: str) -> pa.Table:
    """Put one table of every replication below one another.

    Args:
        records: Records by replication.
        name: One of `NAMES` or `OPTIONAL`.

    Returns:
        The table; its first column is `replication`.
    """
    return pa.concat_tables([_of_replication(index, getattr(each, name)) for index, each in records.items()])


def stacked(tables: Mapping[str, pa.Table], key: str) -> pa.Table:
    """Put tables below one another under a new first column `key` that holds their names."""
    return pa.concat_tables(
        each.add_column(0, key, _constant(name, each.num_rows)) for name, each in tables.items()
    ).unify_dictionaries()


def _of_replication(replication: int, columns: Mapping[str, Column]) -> pa.Table:
    arrays = {name: _array(column) for name, column in columns.items()}
    rows = len(next(iter(arrays.values()))) if arrays else 0
    return pa.table({"replication": pa.array(np.full(rows, replication, dtype=np.int32)), **arrays})


def _array(column: Column) -> pa.Array[Any]:
    values, labels = column
    if labels is None:
        # Not-a-number says "no value".
        return pa.array(values, from_pandas=True)
    codes = pa.array(values.astype(np.int32), mask=values == NO_LABEL)
    return pa.DictionaryArray.from_arrays(codes, pa.array(labels, pa.string()))


def _constant(word: str, rows: int) -> pa.Array[Any]:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), pa.array([word]))


NO_LABEL = np.iinfo(np.uint32).max
