# SPDX-License-Identifier: Apache-2.0
"""Truth: rule. The first figure of a study has the factor with most levels on its axis, and a place for the others."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest

from narrows._internal.report.study.layout import MOST_PANELS, layouts

BUFFERS = ["0.5bdp", "1bdp", "4bdp", "16bdp", "50bdp"]
Case = tuple[dict[str, list[Any]], str, str | None, list[str]]
CASES: dict[str, Case] = {
    "a share beside two numbers of flows": (
        {"algorithm": ["bbr1", "bbr3"], "path.queue.limit": BUFFERS, "flows.cubic.count": [1, 10]},
        "path.queue.limit", "flows.cubic.count", ["algorithm"],
    ),
    "many algorithms have lines": (
        {"algorithm": list("abcdefgh"), "path.queue.limit": BUFFERS * 2, "flows.cubic.count": [1, 10]},
        "path.queue.limit", "algorithm", ["flows.cubic.count"],
    ),
    "one algorithm has none": (
        {"algorithm": ["bbr1"], "path.queue.limit": BUFFERS, "flows.cubic.count": [1, 10]},
        "path.queue.limit", "flows.cubic.count", [],
    ),
    "one factor alone": ({"algorithm": ["bbr1"], "path.queue.limit": BUFFERS}, "path.queue.limit", None, []),
    "too many panels are one mean": (
        {
            "algorithm": ["bbr1", "bbr3"], "path.rtt": ["10ms", "20ms", "30ms"],
            "a": list(range(7)), "b": [1, 2], "c": [1, 2],
        },
        "a", "path.rtt", ["algorithm", "b"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_first_figure_has_a_place_for_each_factor(case: str) -> None:
    levels, x, lines, panels = CASES[case]
    rows = [dict(zip(levels, each, strict=True)) for each in product(*levels.values())]
    plan: Any = SimpleNamespace(factors=[each for each in levels if each != "algorithm"], design={"kind": "full"})
    effects = [
        SimpleNamespace(factor=each, changed_by=[other for other in plan.factors if other != each], averaged=[])
        for each in plan.factors
    ]
    finding = cast("Any", SimpleNamespace(effects=effects, interactions=[], averaged=[]))
    first = layouts(plan, pa.Table.from_pylist(rows), finding)[0]
    assert (first.x, first.lines, list(first.panels)) == (x, lines, panels)
    count = 1
    for factor in panels:
        count *= len(levels[factor])
    assert count <= MOST_PANELS
