# SPDX-License-Identifier: Apache-2.0
"""Agreement of our values with the published values, by quantity and by table. Pure functions.

The rank correlation compares the order of the values of one quantity: over all of them, and within each setting, a
column of a table. The median factor, exp(median |ln(ours / theirs)|), compares their magnitude: it is 2 if ours are
twice theirs, or half of theirs. If the setting of a study is not known, the rank correlation is the fairer comparison.
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, Any

from narrows._internal.files.format import numbered
from narrows._internal.reproduction.computed import spearman
from narrows._internal.reproduction.ledger import unwatched
from narrows._internal.reproduction.quantity import QuantityError, bound, different
from narrows._internal.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows._internal.reproduction.claims import Calibration, Half, Picture, Printed, Published, Table
    from narrows._internal.reproduction.ledger import Found, Watched
    from narrows._internal.reproduction.quantity import Binding, Cells, Quantity


def agreement(
    published: Published, size: str, digest: str, found: Found, watched: Watched = unwatched
) -> dict[str, Any]:
    """Return the content of `tables.json`; tables, figures and claims without published values are left out.

    `watched` yields the tables, and may report the progress.
    """
    forms = {each: found.under(each) for table in published.tables for row in table.under.values() for each in row}
    forms |= {each: found.under(each) for calibration in published.calibrations for each in calibration.under}
    tables = [_table(table, forms) for table in watched(published.tables)]
    pictures = [_picture(picture, found.cells) for picture in published.pictures if picture.published]
    # A figure may draw values of a table.
    there = {pair for table in tables for pair in _pairs(table)}
    apart = [picture for picture in pictures if not there.issuperset(_pairs(picture))]
    printed = [_printed(claim.id, each, found.cells) for claim in published.claims for each in claim.printed]
    texts = [(each["ours"], each["published"]) for each in printed if each["ours"] is not None]
    pairs = [*texts, *(pair for table in (*tables, *apart) for pair in _pairs(table))]
    content = {
        "study": published.number,
        "size": size,
        "digest": digest,
        "values": len(pairs),
        "median_factor": _median_factor(pairs),
        "quantities": _by_quantity([*tables, *apart]),
        "tables": [each for each in (*tables, *pictures) if _has_values(each)],
        "printed": printed,
        "calibrations": [_calibration(each, published, forms) for each in published.calibrations],
    }
    return numbered("tables.json", content)


def _printed(claim: str, given: Printed, cells: Cells) -> dict[str, Any]:
    ours = estimated(given.quantity, cells, {})
    return {
        "claim": claim, "of": given.label or given.quantity.describe({}), "ours": ours["mean"], "ci95": ours["ci95"],
        "published": given.value, "unit": given.quantity.domain({}).unit or None,
    }  # fmt: skip


def _by_quantity(tables: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the agreement of all values of each quantity, over the columns of all tables."""
    columns: dict[str, list[list[tuple[float, float]]]] = {}
    for table in tables:
        for name, pairs in zip(table["quantities"], _by_column(table), strict=True):
            if pairs:
                columns.setdefault(name, []).append(pairs)
    return [
        {
            "quantity": name, **_agreement_of_pairs([pair for column in own for pair in column]),
            "rank_correlation_within_settings": _within(own),
        }
        for name, own in columns.items()
    ]  # fmt: skip


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
        "kind": kind, "title": of.title, "caption": of.caption, "label": of.label, "columns": columns,
        "quantities": _quantities(kind, of, columns), "rows": rows,
    }  # fmt: skip
    pairs = _pairs(table)
    table["agreement"] = {
        "values": len(pairs),
        "rank_correlation_within_columns": _within(_by_column(table)),
        "median_factor": _median_factor(pairs),
    }
    return table


def _quantities(kind: str, of: Table | Picture, columns: Sequence[str]) -> list[str]:
    """Return the name of the quantity of each column; columns of a table may have different units."""
    if of.compared_as:
        return [str(bound(of.compared_as, {"column": each})) for each in columns]
    if kind == "figure" or len(columns) == 1:
        return [of.title] * len(columns)
    return [f"{of.title}: {each}" for each in columns]


def _within(columns: Sequence[Sequence[tuple[float, float]]]) -> float | None:
    """Return the mean rank correlation within the columns that have one."""
    found = [_rank_correlation(column) for column in columns]
    known = [each for each in found if each is not None]
    return _rounded(statistics.fmean(known)) if known else None


def _agreement_of_pairs(pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Return the agreement of values of one quantity."""
    rank = _rank_correlation(pairs)
    return {
        "values": len(pairs),
        "rank_correlation": None if rank is None else _rounded(rank),
        "median_factor": _median_factor(pairs),
    }


def _rank_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    if len(pairs) < LEAST:
        return None
    rank = spearman([ours for ours, _ in pairs], [theirs for _, theirs in pairs])
    return rank if math.isfinite(rank) else None


def _median_factor(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the median factor between the values of a pair; None without pairs, or if it is infinite."""
    if not pairs:
        return None
    factor = statistics.median(_factor(*pair) for pair in pairs)
    return _rounded(factor) if math.isfinite(factor) else None


def factor_of(ours: float | None, theirs: float) -> float | None:
    """Return the factor, at least 1, by which ours is larger or smaller; None without a value, or if it is infinite."""
    factor = math.inf if ours is None else _factor(ours, theirs)
    return factor if math.isfinite(factor) else None


def _factor(ours: float, theirs: float) -> float:
    """Return the factor, infinite beside zero or across it."""
    if ours == theirs:
        return 1.0
    if ours * theirs <= 0:
        return math.inf
    return max(ours / theirs, theirs / ours)


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


def estimated(quantity: Quantity, cells: Cells, binding: Binding) -> Mapping[str, Any]:
    """Return `mean` and `ci95`, None without values; replications that are the same run count once."""
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


# With fewer values a rank correlation has no meaning.
LEAST = 3
NO_ESTIMATE: Mapping[str, Any] = {"mean": None, "ci95": None}
