# SPDX-License-Identifier: Apache-2.0
"""Truth: statistics. The values and intervals in the tables of the recommendations, from cells."""

from __future__ import annotations

import polars as pl
import pytest
from recommendations_page import STUDY, TABLES, Cells, estimate, over


def cell(replication: int, algorithm: str, delay: str, value: float | None) -> dict[str, object]:
    return {"study": "one", "replication": replication, "algorithm": algorithm, "delay": delay, "time": value}


def test_an_interval_counts_replications_and_not_their_conditions() -> None:
    # The replications' means are 1, 2 and 3; the quantile of Student's t with two degrees of freedom is 4.303.
    rows = [cell(each, "cubic", delay, each + off) for each in (1, 2, 3) for delay, off in (("short", -1), ("long", 1))]
    assert estimate(Cells(rows).values("one", "time", by=("delay",), algorithm="cubic")) == "2.00 ± 2.48"


def test_a_ratio_is_of_cells_of_the_same_replication_and_condition() -> None:
    rows = [cell(each, name, "short", each * factor) for each in (1, 5) for name, factor in (("cubic", 1), ("reno", 3))]
    rows.append(cell(9, "reno", "short", 1e9))
    rows.append(cell(9, "cubic", "short", None))
    cells = Cells(rows)
    own, others = (cells.values("one", "time", by=("delay",), algorithm=name) for name in ("reno", "cubic"))
    assert estimate(over(own, others)) == "3.00"


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_table_has_a_value_in_each_place(name: str) -> None:
    text = TABLES[name](Cells(pl.read_parquet(STUDY / "cells.parquet").to_dicts()))
    rows = [line.strip("|").split("|") for line in text.splitlines()]
    assert len({len(row) for row in rows}) == 1
    assert all(place.strip() and "nan" not in place for row in rows for place in row)
