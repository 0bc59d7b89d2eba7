# SPDX-License-Identifier: Apache-2.0
"""Arrow tables of the columns of records: numbers without a copy, labels as dictionaries."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa

from narrows._internal import core
from narrows._internal.comparison import ALGORITHMS, BACKENDS, LEVELS
from narrows._internal.core import Records
from narrows._internal.names import unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = tuple[NDArray[Any], list[str] | None]


def schemas() -> list[dict[str, Any]]:
    """Return the schemas of all tables of a run, in their order: counts are whole numbers."""
    return [
        {**schema, "columns": [{**each, "kind": "whole"} if _is_count(each) else each for each in schema["columns"]]}
        for schema in core.tables()
    ]


def _is_count(column: Mapping[str, str]) -> bool:
    """Return whether a column counts, by its unit: metrics are real numbers, as a metric without a value is NaN."""
    return column["unit"] in COUNTED and not NO_COUNT.search(column["name"])


@cache
def _counts(name: str) -> frozenset[str]:
    columns = (schema["columns"] for schema in core.tables() if schema["name"] == name)
    return frozenset(each["name"] for of in columns for each in of if _is_count(each))


def names() -> list[str]:
    """Return the names of all tables of a run, in their order."""
    return [schema["name"] for schema in core.tables()]


def check_name(name: str) -> None:
    """Check the name of a table."""
    if name not in names():
        raise KeyError(unknown("table", str(name), names()))


def table(records: Mapping[int, Records], name: str) -> pa.Table:
    """Return a table of all replications."""
    check_name(name)
    return pa.concat_tables(
        [_of_replication(index, each.tables[name], _counts(name)) for index, each in records.items()]
    )


def stacked(tables: Mapping[str, pa.Table], key: str) -> pa.Table:
    """Concatenate tables, with a new first column that holds their names."""
    return pa.concat_tables(
        each.add_column(0, key, _constant(name, each.num_rows)) for name, each in tables.items()
    ).unify_dictionaries()


def _of_replication(replication: int, columns: Mapping[str, Column], counts: Container[str]) -> pa.Table:
    arrays = {name: _array(column, is_count=name in counts) for name, column in columns.items()}
    rows = len(next(iter(arrays.values()))) if arrays else 0
    return pa.table({"replication": _numbers(np.full(rows, replication, dtype=np.int32)), **arrays})


def _array(column: Column, *, is_count: bool) -> pa.Array[Any]:
    values, labels = column
    if labels is None:
        # Not-a-number says "no value".
        absent = np.isnan(values) if values.dtype.kind == "f" else None
        if is_count and absent is not None:
            values = np.where(absent, 0.0, values).astype(np.int64)
        return _numbers(values, absent)
    codes = _numbers(values.astype(np.int32), values == NO_LABEL)
    return pa.DictionaryArray.from_arrays(codes, pa.array(labels, pa.string()))


def _numbers(values: NDArray[Any], absent: NDArray[np.bool_] | None = None) -> pa.Array[Any]:
    """Return numbers or flags without a copy, as `pa.array`, which loads the masked arrays of numpy."""
    known = None if absent is None or not absent.any() else pa.py_buffer(np.packbits(~absent, bitorder="little"))
    content = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [known, pa.py_buffer(content)])


def _constant(word: str, rows: int) -> pa.Array[Any]:
    return pa.DictionaryArray.from_arrays(_numbers(np.zeros(rows, dtype=np.int32)), pa.array([word]))


class Tabular(Protocol):
    """Results with the contents of `summary.json` and Arrow tables."""

    @property
    def summary(self) -> Any:
        """The contents of `summary.json`."""

    def table(self, name: str) -> pa.Table:
        """Return the table with this name."""


def runs_in(table: pa.Table) -> list[str]:
    """Return the name of the run of each row of a table of a comparison; empty texts of a run."""
    column = next((name for name in COLUMNS.values() if name in table.column_names), None)
    return [str(each) for each in table[column].to_pylist()] if column else [""] * int(table.num_rows)


# Units of counts, and the columns with such a unit that are windows, thresholds or means over time or over flows.
COUNTED = frozenset({"packets", "count"})
NO_COUNT = re.compile(r"cwnd|ssthresh|window|in_flight|_mean_|^queue_packets$|^(connecting|active)_flows$")
NO_LABEL = np.iinfo(np.uint32).max
# The first column of a table of all runs, by the kind of comparison.
COLUMNS = {ALGORITHMS: "subject", BACKENDS: "backend", LEVELS: "level"}
