# SPDX-License-Identifier: Apache-2.0
"""Two responses of a study against each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Panel
from narrows._internal.experiments.findings import Finding
from narrows._internal.report.study.places import (
    ALL,
    Place,
    estimates,
    grouped,
    made,
    near,
    possible_in,
    styles_of_lines,
    text_of,
)
from narrows._internal.report.study.rows import response_meaning

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.experiments.plan import Plan
    from narrows._internal.report.study.places import Row


def trade_off(plan: Plan, cells: pa.Table, found: Sequence[Finding]) -> Iterator[Figure]:
    """Yield the figure of two responses against each other; none with fewer than two."""
    # Up is the first response of which more is better, right the first of which less is better; else the first two.
    names = [finding.response for finding in found]
    rising = [name for name in names if response_meaning(name).better > 0]
    falling = [name for name in names if response_meaning(name).better < 0]
    pair = (falling[0], rising[0]) if rising and falling else tuple(names[:_TWO])
    if len(pair) < _TWO:
        return
    right, up = pair
    several = len(plan.rows) <= MOST_CONDITIONS
    possible = possible_in(plan, cells, (column for column in plan.columns if column.name in pair))
    clouds = {
        name: [
            Place(condition, 0.0, estimates(possible, rows))
            for condition, rows in grouped(of, lambda row: _condition(plan, row) if several else "")
        ]
        for name, of in _algorithms(plan, cells, pair)
    }
    whole = {
        name: [each for each in places if all(math.isfinite(each.mean(response)) for response in pair)]
        for name, places in clouds.items()
    }
    if not any(whole.values()):
        return
    found_all = [each.found[name] for places in whole.values() for each in places for name in pair]
    yield _cloud_figure(whole, right, up, made(plan, found_all))


def _cloud_figure(clouds: Mapping[str, Sequence[Place]], right: str, up: str, made: str) -> Figure:
    shown = {name: response_meaning(name) for name in (right, up)}
    better = shown[right].better < 0 < shown[up].better

    def draw(paper: Paper) -> Sequence[Panel]:
        across, upwards = (
            near(shown[name], [each for places in clouds.values() for each in places], name) for name in (right, up)
        )
        styles = styles_of_lines(clouds)
        (panel,) = paper.column([""], replace(across, inverted=better), upwards)
        if better:
            panel.hint("better ↗")
        for name, places in clouds.items():
            style = styles[name]
            for each in places:
                at = (each.mean(right), each.mean(up))
                text = "; ".join(f"{shown[of].label} {text_of(each, of, shown[of].unit)}" for of in (up, right))
                panel.whiskers(name, at, each.ends(right), each.ends(up), style)
                panel.event(name, at, style, f"{name}{f', {each.label}' if each.label else ''}: {text}")
        return [panel]

    caption = (
        "A mark is an algorithm under a condition: the means over its replications.",
        made,
        "Better is up and to the right." if better else "",
    )
    title = f"{shown[up].title} against {shown[right].label}"
    return Figure("trade-off", title, caption, _keys(clouds), draw)


def _algorithms(plan: Plan, cells: pa.Table, responses: Sequence[str]) -> list[tuple[str, list[Row]]]:
    # Of a row, most are metrics that are no responses.
    cells = cells.select([*plan.factors, "algorithm", "replication", *responses])
    return grouped(cells.to_pylist(), lambda row: str(row["algorithm"] or ALL))


def _condition(plan: Plan, row: Row) -> str:
    return ", ".join(f"{factor} = {row[factor]}" for factor in plan.factors)


def _keys(lines: Mapping[str, object]) -> list[Key]:
    return [Key(name, name, "dot", style) for name, style in styles_of_lines(lines).items()] if len(lines) > 1 else []


# Conditions that have marks of their own.
MOST_CONDITIONS = 24
_TWO = 2
