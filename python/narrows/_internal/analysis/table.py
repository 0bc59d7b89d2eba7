# SPDX-License-Identifier: Apache-2.0
"""Columns and blocks of a study's table of cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    FloatArray: TypeAlias = NDArray[np.float64]
    # A table of Arrow, polars, pandas or DuckDB, or a mapping from names to columns.
    Cells: TypeAlias = Any


class AnalysisError(ValueError):
    """The data do not allow the analysis; the message gives the reason and a remedy."""


@frozen
class Block:
    """One response of several treatments under the same conditions, as mean over replications.

    Attributes:
        treatments: Names of the columns of `values`, in order of appearance.
        conditions: The factor levels of each row of `values`, by factor.
        values: Shape (conditions, treatments), in the unit of the response; nothing is missing.
    """

    treatments: tuple[str, ...]
    conditions: tuple[Mapping[str, str], ...]
    values: FloatArray


def arrow(cells: Cells) -> pa.Table:
    """Return a table of cells as an Arrow table, without a copy if it is columnar already."""
    import pyarrow as pa

    return pa.table(cells)


def numbers(cells: Cells, name: str) -> FloatArray:
    """Return a column of numbers, shape (cells,); a missing value is not a number.

    Raises:
        AnalysisError: There is no such column, or it holds something else.
    """
    import numpy as np
    import pyarrow as pa

    column = _column(cells, name)
    try:
        read: FloatArray = np.asarray(column.cast(pa.float64()).to_numpy(), dtype=np.float64)
    except pa.ArrowException:
        raise AnalysisError(f'column "{name}" holds {column.type}; a response must be numbers') from None
    return read


def complete(cells: Cells, names: Sequence[str]) -> FloatArray:
    """Return several columns of numbers, shape (cells, names).

    Raises:
        AnalysisError: A value is missing or infinite, a column is absent or not of numbers, or there is no row.
    """
    import numpy as np

    columns = [numbers(cells, name) for name in names]
    for name, column in zip(names, columns, strict=True):
        if lost := int(np.count_nonzero(~np.isfinite(column))):
            raise AnalysisError(f'column "{name}" has no value in {lost} of {len(column)} cells; leave those cells out')
    if not columns or not len(columns[0]):
        raise AnalysisError("no cells to analyse")
    return np.column_stack(columns)


def words(cells: Cells, name: str) -> list[str]:
    """Return a column as text, as factor levels and names of algorithms are compared.

    Raises:
        AnalysisError: There is no such column, or a value is missing.
    """
    values = _column(cells, name).to_pylist()
    if None in values:
        raise AnalysisError(f'column "{name}" has no value in {values.count(None)} of {len(values)} cells')
    return [str(value) for value in values]


def varies(values: FloatArray, *of: FloatArray) -> bool:
    """Return whether values differ by more than the rounding errors of their computation.

    Args:
        values: Shape (n,).
        of: The numbers from which they were computed; by default the values themselves.
    """
    import numpy as np

    scale = max(float(np.abs(each).max(initial=0.0)) for each in (values, *of))
    return len(values) > 0 and float(np.ptp(values)) > _ROUNDING * scale


def in_order(values: Sequence[str]) -> tuple[str, ...]:
    """Return the different values in order of first appearance."""
    return tuple(dict.fromkeys(values))


def block(cells: Cells, response: str, conditions: Sequence[str], treatment: str = "algorithm") -> Block:
    """Average a response over replications, for every condition and treatment.

    Args:
        cells: The table of cells.
        response: Name of the column to average; missing values do not count.
        conditions: Names of the factor columns whose combinations are the conditions; may be empty.
        treatment: Name of the column of the treatments.

    Returns:
        The means, conditions as rows in order of appearance and treatments as columns.

    Raises:
        AnalysisError: A treatment has no value under some condition, or there are no cells.
    """
    import numpy as np

    levels = list(zip(*(words(cells, name) for name in conditions), strict=True))
    names, values = words(cells, treatment), numbers(cells, response)
    if not names:
        raise AnalysisError("no cells to analyse")
    levels = levels or [()] * len(names)
    rows = {condition: place for place, condition in enumerate(dict.fromkeys(levels))}
    columns = {name: place for place, name in enumerate(in_order(names))}
    gathered: list[list[list[float]]] = [[[] for _ in columns] for _ in rows]
    for condition, name, value in zip(levels, names, values.tolist(), strict=True):
        if math.isfinite(value):
            gathered[rows[condition]][columns[name]].append(value)
    for condition, row in zip(rows, gathered, strict=True):
        for name, found in zip(columns, row, strict=True):
            if not found:
                described = ", ".join(
                    f"{factor} = {level}" for factor, level in zip(conditions, condition, strict=True)
                )
                raise AnalysisError(f'"{name}" has no value of "{response}" under the condition ({described})')
    means = np.array([[math.fsum(found) / len(found) for found in row] for row in gathered])
    levels_of_rows = tuple(dict(zip(conditions, condition, strict=True)) for condition in rows)
    return Block(tuple(columns), levels_of_rows, means)


def _column(cells: Cells, name: str) -> Any:
    table = arrow(cells)
    if name not in table.column_names:
        raise AnalysisError(f"unknown column {name!r}; allowed: {', '.join(table.column_names)}")
    return table.column(name)


# Relative; a few hundred times the spacing of double-precision numbers.
_ROUNDING = 1e-13
