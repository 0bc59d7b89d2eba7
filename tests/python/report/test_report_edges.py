# SPDX-License-Identifier: Apache-2.0
"""What figures do with values at their ends: zero, equal, missing, infinite, a single one, none at all."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from synthetic_folder import Recipe, write_run

from narrows._internal.drawing.figure import PAPERS, drawing
from narrows._internal.drawing.plot import Axis
from narrows._internal.drawing.scale import SECONDS
from narrows._internal.drawing.style import style_of
from narrows._internal.report.run.page import build

if TYPE_CHECKING:
    from pathlib import Path

EDGES = [0.0, -0.0, math.nan, math.inf, -math.inf, 1.0, -1.0, 1e-320, 1e308, 3.0000000000000004]
NO_NUMBER = re.compile(r"\b(nan|inf)\b", re.IGNORECASE)
values = some.sampled_from(EDGES) | some.floats()


@given(
    ends=some.tuples(values, values, values, values),
    logs=some.tuples(some.booleans(), some.booleans()),
    points=some.lists(some.tuples(values, values), max_size=5),
)
@settings(max_examples=300, deadline=None)
def test_a_panel_draws_any_values_on_any_axes(
    ends: tuple[float, float, float, float], logs: tuple[bool, bool], points: list[tuple[float, float]]
) -> None:
    across, up = Axis("x", SECONDS, *ends[:2], log=logs[0]), Axis("y", SECONDS, *ends[2:], log=logs[1])
    assert math.isfinite(across.low)
    assert across.low < across.high
    style = style_of("cubic")
    x, y = (np.array([point[place] for point in points]) for place in (0, 1))
    for paper in PAPERS:
        (panel,) = paper.column([""], across, up)
        panel.line("a", x, y, style)
        panel.band("a", x, y, y, style)
        panel.rug("a", x, 0, "drop")
        if points:
            panel.steps("a", x, y, style)
        for point in points:
            panel.point("a", point, style, "a point")
            panel.event("a", point, style, "an event", size=panel.room(x.tolist()))
            panel.whiskers("a", point, (point[0], ends[0]), (point[1], ends[1]), style)
            panel.word("a", point, "word")
        panel.shade("warm-up", ends[0])
        markup = drawing([panel])
        ET.fromstring(f"<svg>{markup}</svg>")  # noqa: S314  # our own text
        assert not NO_NUMBER.search(markup)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain")
    write_run(folder, Recipe("Edges", {"cubic": 1}, replications=2, duration_s=8.0, interval_s=1.0))
    transfers = [
        {"replication": number % 2, "group": "cubic", "bytes": 1000 * (1 + number), "start_s": 6.0 + number / 50,
         "established_s": 6.0, "end_s": 6.1 + number / 40, "completed": 1}
        for number in range(60)
    ]  # fmt: skip
    census = [
        {"replication": number % 2, "group": "cubic", "time_s": 0.5 * (number // 2), "connecting_flows": 1.0,
         "active_flows": number / 3}
        for number in range(40)
    ]  # fmt: skip
    for name, rows in (("transfers", transfers), ("census", census)):
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")
    return folder


TABLES = ("series", "groups", "distributions", "transfers", "census", "flows", "links")


@given(
    table=some.sampled_from(TABLES),
    column=some.integers(0, 30),
    value=some.sampled_from([0.0, math.nan, math.inf, -1.0, None]),
    rows=some.sampled_from(["all", "all", "some", "one row", "no row"]),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_report_is_built_whatever_stands_in_a_column(
    plain: Path, table: str, column: int, value: float | None, rows: str
) -> None:
    file = plain / f"{table}.parquet"
    before = file.read_bytes()
    content = pq.read_table(file)
    numbers = [place for place, each in enumerate(content.schema) if pa.types.is_floating(each.type)]
    if numbers and rows in {"all", "some"}:
        place = numbers[column % len(numbers)]
        old = content.column(place).to_pylist()
        new = [value if rows == "all" or number % 2 else each for number, each in enumerate(old)]
        content = content.set_column(place, content.schema.names[place], pa.array(new, pa.float64()))
    try:
        pq.write_table(content.slice(0, {"one row": 1, "no row": 0}.get(rows, len(content))), file)
        build(plain)
    finally:
        file.write_bytes(before)
    assert not re.search(r'\b(d|x|y|width|height)="[^"]*\b(nan|inf)\b', (plain / "report.html").read_text("utf-8"))
