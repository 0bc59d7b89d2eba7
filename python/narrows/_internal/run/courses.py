# SPDX-License-Identifier: Apache-2.0
"""The course of a quantity over time as a figure: of the flows or links of a run, or of the runs of a comparison."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from narrows._internal.drawing.figure import Figure, Key, Paper, evenly
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import SECONDS, Unit, nice_ceiling, nice_step
from narrows._internal.drawing.style import looks
from narrows._internal.drawing.svg import FloatArray
from narrows._internal.errors import InputError
from narrows._internal.frozen import frozen
from narrows._internal.run.tables import Tabular, runs_in

if TYPE_CHECKING:
    import pyarrow as pa


@frozen
class Course:
    """A quantity over time."""

    kind: str  # "flow" or "link"
    column: str  # column of the table `series`
    unit: Unit
    label: str  # its name


@frozen
class _Line:
    """The course of one flow or link of one run, whose name is empty if there is no other."""

    run: str
    name: str
    time: FloatArray
    values: FloatArray


@frozen
class _Placed:
    """A line with its panel, its entry in the legend, its algorithm and its level of the other factor."""

    line: _Line
    panel: str
    key: str
    factors: tuple[str, str]


def course_of(  # noqa: PLR0913  # the lines, and their channels
    course: Course,
    shown: Tabular,
    replication: int,
    runs: Mapping[str, tuple[str, str]],
    algorithms: Mapping[str, str],
    *,
    one: bool,
) -> Figure:
    """Return the figure of a quantity over time."""
    found = _lines(shown, course, replication)
    groups = [each.name.rpartition("[")[0] for each in found]
    few = found if runs or course.kind == "link" else [found[place] for place in evenly(groups, MOST_ENTRIES)]
    placed = _of_runs(few, runs, one=one) if runs else _of_run(few, algorithms, course.kind, one=one)
    styles = looks({each.key: each.factors for each in placed})
    panels = list(dict.fromkeys(each.panel for each in placed))
    drawn = panels[:MOST_PANELS]
    left = len({each.line.name for each in placed if each.panel not in drawn}) + len(found) - len(few)
    replications, seed = shown.summary["replications"], shown.summary["seed"]
    caption = [
        f"{course.label} of each {course.kind} over time.",
        f"Not drawn are {left} more {course.kind}s." if left else "",
        f"Replication {replication + 1} of {replications}, seed {seed}.",
    ]
    across = Axis("Time", SECONDS, *_span([each.line for each in placed]))

    def draw(paper: Paper) -> Sequence[Panel]:
        inside = {panel: [each for each in placed if each.panel == panel] for panel in drawn}
        ups = [Axis(course.label, course.unit, 0.0, _highest(each)) for each in inside.values()]
        made = paper.column(drawn, across, ups)
        for panel, lines in zip(made, inside.values(), strict=True):
            for each in lines:
                panel.line(each.key, each.line.time, each.line.values, styles[each.key])
        return made

    legend = [Key(key, key, "line", style) for key, style in styles.items()] if len(styles) > 1 else []
    return Figure(course.column, course.label, caption, legend, draw)


def _lines(shown: Tabular, course: Course, replication: int) -> list[_Line]:
    series = shown.table("series")
    known = sorted(set(series["replication"].to_pylist())) if series.num_rows else []
    if replication not in known:
        raise InputError(
            f"replication {replication}", f"has no series; allowed: {', '.join(map(str, known)) or 'none'}"
        )
    series = series.filter((pc.field("kind") == course.kind) & (pc.field("replication") == replication))
    if not series.num_rows:
        need = f'there are no series of {course.kind}s: run the scenario with record.flows = "all"'
        raise InputError("plot", need)
    return list(_parted(series, course.column))


def _parted(series: pa.Table, column: str) -> Iterator[_Line]:
    runs = runs_in(series)
    time, values = (series[name].cast("float64").to_numpy(zero_copy_only=False) for name in ("time_s", column))
    rows: dict[tuple[str, str], list[int]] = {}
    for row, name in enumerate(series["name"].to_pylist()):
        rows.setdefault((runs[row], str(name)), []).append(row)
    for (run, name), chosen in rows.items():
        yield _Line(run, name, time[chosen], values[chosen])


def _of_run(lines: Sequence[_Line], algorithms: Mapping[str, str], kind: str, *, one: bool) -> list[_Placed]:
    """Place the lines of one run: flows in one panel, links in a panel each."""
    if kind == "link":
        return [
            _Placed(each, "" if one else each.name, each.name if one else "queue", ("", each.name if one else ""))
            for each in lines
        ]
    seen: Counter[str] = Counter()
    placed = []
    for each in lines:
        algorithm = algorithms.get(each.name, "")
        placed.append(_Placed(each, "", each.name, (algorithm, str(seen[algorithm]))))
        seen[algorithm] += 1
    alone = max(seen.values()) == 1
    return [_Placed(each.line, "", each.key, (each.factors[0], "")) for each in placed] if alone else placed


def _of_runs(lines: Sequence[_Line], runs: Mapping[str, tuple[str, str]], *, one: bool) -> list[_Placed]:
    """Place the lines of a comparison: a panel per flow or link, and per level if the legend would be too long."""
    rank: Counter[str] = Counter()
    names: dict[int, list[str]] = {}
    ranked = []
    for each in lines:
        ranked.append((each, rank[each.run]))
        names.setdefault(rank[each.run], []).append(each.name)
        rank[each.run] += 1
    titles = {place: " / ".join(dict.fromkeys(found)) for place, found in names.items()}
    many = len(runs) > MOST_ENTRIES
    placed = []
    for line, place in ranked:
        algorithm, level = runs[line.run]
        title = titles[place]
        if one:
            key = f"{line.run}: {title}" if len(titles) > 1 else line.run
            placed.append(_Placed(line, "", key, (algorithm, f"{level}, {title}")))
        elif many:
            placed.append(_Placed(line, f"{title}, {level or line.run}", algorithm or line.name, (algorithm, "")))
        else:
            placed.append(_Placed(line, title, line.run, (algorithm, level)))
    return placed


def _highest(placed: Sequence[_Placed]) -> float:
    values = np.concatenate([each.line.values for each in placed])
    return nice_ceiling(1.02 * float(np.max(values, where=np.isfinite(values), initial=0.0)))


def _span(lines: Sequence[_Line]) -> tuple[float, float]:
    """Return start and end of the time axis: what comes before the first value of all is left out, if it is much."""
    moved = [each.time[np.isfinite(each.values) & (each.values != 0)] for each in lines]
    starts = [times.min() for times in moved if len(times)]
    end = max(float(each.time.max()) for each in lines)
    first = float(min(starts, default=0.0))
    if first < EMPTY * end:
        return 0.0, end
    step = nice_step((end - first) / 40)
    return max(math.floor(first / step) * step, 0.0), end


MOST_ENTRIES = 8
MOST_PANELS = 12
# The part of a time axis that may be empty at its start.
EMPTY = 0.08
