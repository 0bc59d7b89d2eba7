# SPDX-License-Identifier: Apache-2.0
"""Agreement of our values with those that a study printed, by table. Pure functions.

Ranks say whether the same things are large; the median relative error, |ours - theirs| / |theirs|, says how near a
typical value is. Both ignore how a value came about; where a study's setting is not known, ranks are the fairer one.
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, Any

from narrows.files.format import numbered
from narrows.reproduction.computed import spearman
from narrows.reproduction.quantity import QuantityError, different
from narrows.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows.reproduction.claims import Calibration, Half, Picture, Published, Table
    from narrows.reproduction.ledger import Found
    from narrows.reproduction.quantity import Binding, Cells, Quantity


def agreement(published: Published, size: str, digest: str, found: Found) -> dict[str, Any]:
    """Compare every table and figure that has values of the source with ours.

    Args:
        published: The published study.
        size: Size of the experiments.
        digest: Digest of all records, as in the ledger.
        found: Results of the experiments.

    Returns:
        The content of `tables.json`: for each table, and each figure with values of the source, `ours`, `ci95` and
        `published` by row and column, and their `agreement`; that of all values together; and the `calibrations`.
        Tables without any value are left out.
    """
    forms = {each: found.under(each) for table in published.tables for row in table.under.values() for each in row}
    forms |= {each: found.under(each) for calibration in published.calibrations for each in calibration.under}
    tables = [_table(table, forms) for table in published.tables]
    pictures = [_picture(picture, found.cells) for picture in published.pictures if picture.published]
    # A figure may draw what a table has.
    errors = _errors(list(dict.fromkeys(pair for table in (*tables, *pictures) for pair in _pairs(table))))
    content = {
        "study": published.number,
        "size": size,
        "digest": digest,
        "values": len(errors),
        "median_relative_error": _rounded(statistics.median(errors)) if errors else None,
        "tables": [each for each in (*tables, *pictures) if _has_values(each)],
        "calibrations": [_calibration(each, published, forms) for each in published.calibrations],
    }
    return numbered("tables.json", content)


def _table(table: Table, forms: Mapping[str, Cells]) -> dict[str, Any]:
    entries = {
        name: [estimated(each, forms[form], {}) for each, form in zip(row, table.under[name], strict=True)]
        for name, row in table.rows.items()
    }
    return _compared("table", table, list(table.columns), entries)


def _has_values(table: Mapping[str, Any]) -> bool:
    return any(value is not None for row in table["rows"].values() for value in row["ours"])


def _calibration(calibration: Calibration, published: Published, forms: Mapping[str, Cells]) -> dict[str, Any]:
    tables = {table.title: table for table in published.tables}
    rows = {
        form: [_agreement_of_half(half, tables, forms[form]) for half in calibration.parts.values()]
        for form in calibration.under
    }
    return {
        "title": calibration.title, "caption": calibration.caption, "columns": list(calibration.parts), "rows": rows,
    }  # fmt: skip


def _agreement_of_half(half: Half, tables: Mapping[str, Table], cells: Cells) -> dict[str, Any]:
    pairs = []
    for table in (tables[title] for title in half.tables):
        place = table.columns.index(half.column)
        for name, theirs in table.published.items():
            ours = estimated(table.rows[name][place], cells, {})["mean"]
            if ours is not None and (printed := theirs[place]) is not None:
                pairs.append((ours, printed))
    return _agreement_of_pairs(pairs)


def _picture(picture: Picture, cells: Cells) -> dict[str, Any]:
    lines = {line.name: line.quantity for line in picture.lines if line.name in picture.published}
    entries = {
        name: [estimated(quantity, cells, {"x": place}) for place in picture.places] for name, quantity in lines.items()
    }
    return _compared("figure", picture, [str(place) for place in picture.places], entries)


def _compared(
    kind: str, of: Table | Picture, columns: list[str], entries: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    rows = {
        name: {
            "ours": [each["mean"] for each in row],
            "ci95": [each["ci95"] for each in row],
            "published": list(of.published.get(name, [None] * len(columns))),
        }
        for name, row in entries.items()
    }
    table: dict[str, Any] = {
        "kind": kind, "title": of.title, "caption": of.caption, "label": of.label, "columns": columns, "rows": rows,
    }  # fmt: skip
    table["agreement"] = _agreement(table)
    return table


def _agreement(table: Mapping[str, Any]) -> dict[str, Any]:
    within = [
        spearman([ours for ours, _ in column], [theirs for _, theirs in column])
        for column in _by_column(table)
        if len(column) >= LEAST
    ]
    known = [each for each in within if math.isfinite(each)]
    inner = _rounded(statistics.fmean(known)) if known else None
    return {**_agreement_of_pairs(_pairs(table)), "rank_correlation_within_columns": inner}


def _agreement_of_pairs(pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    errors = _errors(pairs)
    rank = spearman([ours for ours, _ in pairs], [theirs for _, theirs in pairs]) if len(pairs) >= LEAST else math.nan
    return {
        "values": len(pairs),
        "rank_correlation": _rounded(rank) if math.isfinite(rank) else None,
        "median_relative_error": _rounded(statistics.median(errors)) if errors else None,
    }


def _pairs(table: Mapping[str, Any]) -> list[tuple[float, float]]:
    return [pair for column in _by_column(table) for pair in column]


def _by_column(table: Mapping[str, Any]) -> list[list[tuple[float, float]]]:
    """Return the pairs of our value and the source's, column by column."""
    return [
        [
            (row["ours"][place], row["published"][place])
            for row in table["rows"].values()
            if row["ours"][place] is not None and row["published"][place] is not None
        ]
        for place in range(len(table["columns"]))
    ]


def _errors(pairs: Sequence[tuple[float, float]]) -> list[float]:
    return [abs(ours - theirs) / abs(theirs) for ours, theirs in pairs if theirs != 0]


def estimated(quantity: Quantity, cells: Cells, binding: Binding) -> Mapping[str, Any]:
    """Estimate the mean of a quantity and its 95 % interval; replications that are the same run count once.

    Args:
        quantity: The quantity.
        cells: Rows of cells by experiment.
        binding: Values of names.

    Returns:
        `mean` and `ci95`, both None without cells or values.
    """
    if quantity.experiments() - set(cells):
        return NO_ESTIMATE
    try:
        counted = different(quantity.cells(cells, binding))
        values = [value for each, value in quantity.values(cells, binding).items() if each in counted]
        return estimate(values, quantity.domain(binding).range)
    except QuantityError:
        return NO_ESTIMATE


def _rounded(value: float) -> float:
    # A digest of results is exact; a summary of them is read by people.
    return round(value, 4)


# Fewer values have no rank correlation that says anything.
LEAST = 3
NO_ESTIMATE: Mapping[str, Any] = {"mean": None, "ci95": None}
