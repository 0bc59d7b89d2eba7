# SPDX-License-Identifier: Apache-2.0
"""A metric as a figure: the mean of each run or group with its confidence interval, and its replications."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from narrows._internal import core
from narrows._internal.comparison import runs_of
from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import nice_ceiling, quantity
from narrows._internal.drawing.style import looks
from narrows._internal.errors import InputError
from narrows._internal.frozen import frozen
from narrows._internal.page.estimates import estimate_text, how_made
from narrows._internal.page.metrics import meaning
from narrows._internal.run.tables import Tabular, runs_in
from narrows._internal.statistics import EQUAL


@frozen
class _Mean:
    """A mean with its interval and its replications."""

    panel: str  # title of its panel
    place: str  # its name on the horizontal axis
    key: str  # its entry in the legend
    factors: tuple[str, str]  # its algorithm, and its level of the other factor
    found: Mapping[str, Any]  # the estimate, as in `summary.json`
    values: Sequence[float]  # the value of each replication


def means_of(shown: Tabular, name: str, runs: Mapping[str, tuple[str, str]]) -> Figure:
    """Return the figure of a metric."""
    summary = shown.summary
    owner = _owner(summary, name)
    means = _of_runs(shown, name, owner, runs) if runs else _of_run(shown, name, owner)
    styles = looks({each.key: each.factors for each in means})
    panels = list(dict.fromkeys(each.panel for each in means))
    drawn, unit = panels[:MOST_PANELS], meaning(name, owner).unit
    places = list(dict.fromkeys(each.place for each in means))
    several = any(sum(each.place == place for each in means if each.panel == panels[0]) > 1 for place in places)
    replications = summary["replications"]
    caption = [
        (
            f"{meaning(name, owner).title} after the warm-up: the mean of each {'run' if runs else owner}"
            f"{'; small marks are its replications' if replications > 1 else ''}."
        ),
        how_made((each.found.get("interval_method") for each in means if each.found.get("ci95")), replications),
        f"Not drawn are {len(panels) - len(drawn)} more {owner}s." if len(panels) > len(drawn) else "",
        f"Seed {summary['seed']}.",
    ]

    def draw(paper: Paper) -> Sequence[Panel]:
        inside = {panel: [each for each in means if each.panel == panel] for panel in drawn}
        ups = [Axis(meaning(name, owner).title, unit, *_ends(each)) for each in inside.values()]
        made = paper.column(drawn, Axis.of_names("", places), ups)
        for panel, all_ in zip(made, inside.values(), strict=True):
            for each in all_:
                beside = list(styles).index(each.key) - (len(styles) - 1) / 2 if several else 0.0
                _paint(panel, each, places.index(each.place) + beside * BESIDE / max(len(styles), 1), styles, unit)
        return made

    legend = [Key(key, key, "dot", style) for key, style in styles.items()] if several else []
    return Figure(name.partition("(")[0], meaning(name, owner).title, caption, legend, draw)


def _owner(summary: Mapping[str, Any], name: str) -> str:
    known: set[str] = set()
    for each in (runs_of(summary) or {"": summary}).values():
        for owner in OWNERS:
            names = {metric for found in each[f"{owner}s"].values() for metric, value in found.items() if _has(value)}
            if name in names:
                return owner
            known |= names
    near = core.nearest(name, sorted(known))
    meant = f"did you mean {near!r}? " if near else ""
    others = "others are measured by a run with `metrics=[…]`"
    raise InputError("plot", f"unknown metric {name!r}; {meant}The results have {', '.join(sorted(known))}; {others}")


def _has(value: object) -> bool:
    return isinstance(value, dict) and value.get("mean") is not None


def _of_run(shown: Tabular, name: str, owner: str) -> list[_Mean]:
    """Return the means of one run: its groups or links stand beside each other."""
    values = _values(shown, name, owner)
    algorithms = {}
    if owner == "group":
        flows = shown.table("flows")
        algorithms = dict(zip(flows["group"].to_pylist(), flows["algorithm"].to_pylist(), strict=True))
    return [
        _Mean("", of, of, (algorithms.get(of, ""), of), found[name], values.get(("", of), []))
        for of, found in shown.summary[f"{owner}s"].items()
        if _has(found.get(name))
    ]


def _of_runs(shown: Tabular, name: str, owner: str, runs: Mapping[str, tuple[str, str]]) -> list[_Mean]:
    """Return the means of a comparison: a panel per group or link, by its place, as its name may be the algorithm."""
    values = _values(shown, name, owner)
    crossed = len({algorithm for algorithm, _ in runs.values()}) > 1 and len({level for _, level in runs.values()}) > 1
    summaries = {run: list(each[f"{owner}s"].items()) for run, each in (runs_of(shown.summary) or {}).items()}
    means = []
    for place in range(max(map(len, summaries.values()))):
        there = {run: each[place] for run, each in summaries.items() if place < len(each)}
        title = " / ".join(dict.fromkeys(of for of, _ in there.values()))
        for run, (of, found) in there.items():
            algorithm, level = runs[run]
            if _has(found.get(name)):
                at, key = (level, algorithm) if crossed else (run, run)
                factors = (algorithm, "") if crossed else (algorithm, level)
                means.append(_Mean(title, at, key, factors, found[name], values.get((run, of), [])))
    return means


def _values(shown: Tabular, name: str, owner: str) -> dict[tuple[str, str], list[float]]:
    """Return the values of all replications by run and owner; empty if the table has no such column."""
    table = shown.table(f"{owner}s")
    if name not in table.column_names:
        return {}
    found: dict[tuple[str, str], list[float]] = {}
    for run, of, value in zip(runs_in(table), table[owner].to_pylist(), table[name].to_pylist(), strict=True):
        if value is not None and math.isfinite(value):
            found.setdefault((run, str(of)), []).append(float(value))
    return found


def _ends(means: Sequence[_Mean]) -> tuple[float, float]:
    """Return the ends of the vertical axis: of the values, and of intervals as far as they do not hide these."""
    values = [value for each in means for value in (*each.values, float(each.found["mean"]))]
    ends = [end for each in means if each.found.get("interval_method") != EQUAL for end in each.found.get("ci95") or ()]
    low, high = min(*values, 0.0), max(*values, 0.0)
    beyond = high - low
    least, most = max(min([low, *ends]), low - beyond), min(max([high, *ends]), high + beyond)
    return min(least, 0.0), nice_ceiling(1.05 * most)


def _paint(panel: Panel, mean: _Mean, across: float, styles: Mapping[str, Any], unit: Any) -> None:
    style, middle, interval = styles[mean.key], float(mean.found["mean"]), mean.found.get("ci95")
    equal = mean.found.get("interval_method") == EQUAL
    if len(mean.values) > 1:
        for number, value in enumerate(mean.values):
            read = f"{mean.key}: {quantity(value, unit)} (replication {number + 1})"
            panel.point(mean.key, (across, value), style, read, of_many=True)
    # The interval of equal values follows from their number alone, and would be the tallest mark in the panel.
    if interval and not equal:
        panel.whiskers(mean.key, (across, middle), (across, across), (interval[0], interval[1]), style)
    read = estimate_text(middle, interval, unit, mean.found.get("interval_method"))
    panel.point(mean.key, (across, middle), style, f"{mean.key}: {read}")


OWNERS = ("group", "link")
MOST_PANELS = 8
# Part of the room of a name that the marks of its algorithms take.
BESIDE = 0.5
