"""The tables on the terminal: figures with as many digits as their half-width allows, in 80 columns."""

from __future__ import annotations

from typing import Any

import pytest

from narrows.cli.progress import duration
from narrows.cli.table import (
    GROUP_COLUMNS,
    LINK_COLUMNS,
    TRANSFER_COLUMNS,
    Shown,
    measure_table,
    plus_minus,
    run_tables,
)
from narrows.metrics import resolve


@pytest.mark.parametrize(
    ("mean", "ci95", "scale", "text"),
    [
        (61.24e6, [60.0e6, 62.48e6], 1e6, "61.2 ± 1.2"),
        (0.0123, [0.0121, 0.0125], 0.01, "1.230 ± 0.020"),
        (5.0, [5.0, 5.0], 1.0, "5.00 ± 0.00"),
        (48.123e-3, None, 1e-3, "48.12"),
        (None, None, 1.0, "-"),
    ],
)
def test_an_estimate_is_written_with_two_digits_of_its_half_width(
    mean: float | None, ci95: list[float] | None, scale: float, text: str
) -> None:
    assert plus_minus({"mean": mean, "ci95": ci95}, scale) == text


def test_the_widest_table_fits_80_columns() -> None:
    wide: dict[str, Any] = {
        column.measure: {"mean": 8888.8 * column.scale, "ci95": [8877.7 * column.scale, 8899.9 * column.scale]}
        for column in GROUP_COLUMNS
    }
    lines = measure_table("group", [("a name that is much too long for it", wide)], GROUP_COLUMNS).splitlines()
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    "column", [*GROUP_COLUMNS, *TRANSFER_COLUMNS, *LINK_COLUMNS], ids=lambda column: column.measure
)
def test_a_column_is_in_a_unit_of_its_metric(column: Shown) -> None:
    units = {
        "bps": {("Mbps", 1e6)},
        "s": {("s", 1.0), ("ms", 1e-3)},
        "share": {("%", 0.01)},
        "count": {("", 1.0)},
        "": {("", 1.0)},
    }
    assert (column.unit, column.scale) in units[resolve(column.measure).unit]


def test_of_many_links_the_busiest_are_shown_in_their_order() -> None:
    def estimate(mean: float) -> dict[str, Any]:
        return {"mean": mean, "ci95": None}

    links = {f"L{number}": {"utilization": estimate(number / 20)} for number in range(20)}
    text = run_tables({"groups": {"cubic": {}}, "links": links})
    assert [line.split()[0] for line in text.splitlines() if line.startswith("L")] == [f"L{n}" for n in range(8, 20)]
    assert "the 12 busiest of 20 links" in text


def test_transfers_that_come_and_go_have_a_table_of_their_own() -> None:
    groups = {"web": {"started_flows": {"mean": 9.0, "ci95": None}, "completed_flows": {"mean": 7.0, "ci95": None}}}
    text = run_tables({"groups": groups, "links": {}})
    assert "completed" in text
    assert "transfers" not in run_tables({"groups": {"cubic": {}}, "links": {}})


@pytest.mark.parametrize(("seconds", "text"), [(4.6, "5 s"), (125, "2 min 05 s"), (3725, "1 h 02 min")])
def test_a_length_of_time_is_written_as_people_read_it(seconds: float, text: str) -> None:
    assert duration(seconds) == text
