# SPDX-License-Identifier: Apache-2.0
"""Tables for a terminal, of 80 columns or its own if it has more: metrics with half-widths of intervals, aligned."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from unicodedata import category

from narrows._internal.cli.colour import paint, role_of
from narrows._internal.comparison import BACKENDS, Contrast, contrasts, kind_of, runs_of
from narrows._internal.metrics import access
from narrows._internal.metrics.perceived import APPLICATIONS
from narrows._internal.rounding import ALL_RUNS, plus_minus
from narrows._internal.statistics import mean_in
from narrows.metrics import Metric


class Column(NamedTuple):
    """A metric as a column."""

    metric: str
    title: str
    unit: str
    # The shown unit in the unit of the metric: 1e6 for Mbps of bps.
    scale: float


def run_tables(summary: Mapping[str, Any]) -> str:
    """Return the tables of a run: groups, groups with finite flows, and the busiest links."""
    groups = list(summary["groups"].items())
    parts = [*perceived_tables({"": summary}), metric_table("group", groups, GROUP_COLUMNS)]
    parts += _transfer_tables("transfers", groups)
    links = summary["links"]
    busiest = sorted(links, key=lambda name: -(links[name]["utilization"]["mean"] or 0.0))[:MOST_LINKS]
    shown = [(name, links[name]) for name in links if name in busiest]
    shown += [(f"access of {group}", each) for group, each in _access_links(summary).items()]
    parts.append(metric_table("link", shown, _link_columns([metrics for _, metrics in shown])))
    if len(busiest) < len(links):
        parts[-1] += f"\nthe {len(busiest)} busiest of {len(links)} links; links.parquet has all"
    if "connections" in summary:
        parts.append(connections_table(summary["connections"]))
    return "\n\n".join(parts)


def connections_table(connections: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of the largest connections of programs, each in one direction."""
    header = ["connection", *(column.title for column in CONNECTION_COLUMNS)]
    units = ["", *(column.unit for column in CONNECTION_COLUMNS)]
    rows = [
        [
            f"{row['protocol']} {row['source']} to {row['destination']}" if row["protocol"] else "all others",
            *(_cell({"mean": row[each.metric], "ci95": None}, each.scale, judged=False) for each in CONNECTION_COLUMNS),
        ]
        for row in connections
    ]
    return f"{align([header, units, *rows])}\nthe largest, over the whole run; connections.parquet has all"


def comparison_tables(summary: Mapping[str, Any]) -> str:
    """Return the tables of a comparison: perceived metrics, groups, bottlenecks, and differences from the first run."""
    found = contrasts(summary)
    first = [each for each in found if each.factor == found[0].factor]
    known = runs_of(summary) or {}
    runs = {each.label(level): known[name] for each in first for level, name in each.runs.items()}
    parts = perceived_tables(runs if len(first) == 1 else known)
    parts += [_contrast_tables(summary, each, values=True) for each in first]
    parts += [_contrast_tables(summary, each, values=False) for each in found[len(first) :]]
    if any(len(each.runs) > 1 for each in found) and summary["differences"]:
        parts[-1] += f"\n{NEUTRAL_LEGEND if kind_of(summary) == BACKENDS else LEGEND}"
    return "\n\n".join(filter(None, parts))


def _contrast_tables(summary: Mapping[str, Any], contrast: Contrast, *, values: bool) -> str:
    known = runs_of(summary) or {}
    runs = {contrast.label(level): known[name] for level, name in contrast.runs.items()}
    parts = [f"At {contrast.place}"] if contrast.place else []
    if values:
        parts.append(metric_table("group", _groups(runs), GROUP_COLUMNS))
        parts += _transfer_tables("transfers", _groups(runs))
        for link in _links_under_test(runs):
            rows = [(name, run["links"][link]) for name, run in runs.items() if link in run["links"]]
            parts.append(metric_table(link, rows, _link_columns([metrics for _, metrics in rows])))
        rows = [(f"{name}: {group}", each) for name, run in runs.items() for group, each in _access_links(run).items()]
        parts += [metric_table("access links", rows, ACCESS_COLUMNS)] if rows else []
    (reference, first), *others = contrast.runs.items()
    differences = {(each["of"], each["against"]): each for each in summary["differences"]}
    # The head of a table of differences has the key of the levels.
    against = {level: differences[name, first] for level, name in others if (name, first) in differences}
    if against:
        owner, groups = f"minus {contrast.label(reference)}", _groups(against)
        parts += perceived_tables(against, owner, judged=True)
        parts.append(metric_table(owner, groups, GROUP_COLUMNS, judged=True))
        parts += _transfer_tables(owner, groups, judged=True)
    return "\n\n".join(parts)


def _transfer_tables(owner: str, groups: Sequence[tuple[str, Mapping[str, Any]]], *, judged: bool = False) -> list[str]:
    """Return the table of completion times of the groups with finite flows; empty without such groups."""
    finite = [(name, metrics) for name, metrics in groups if mean_in(metrics, "completed_flows") is not None]
    return [metric_table(owner, finite, TRANSFER_COLUMNS, judged=judged)] if finite else []


def perceived_tables(runs: Mapping[str, Any], owner: str = "users", *, judged: bool = False) -> list[str]:
    """Return the table of metrics that users perceive, a row per run; empty if no group has such metrics."""
    rows: list[tuple[str, Mapping[str, Any]]] = []
    for run, summary in runs.items():
        groups = {name: _perceived(metrics) for name, metrics in summary["groups"].items()}
        groups = {name: metrics for name, metrics in groups.items() if metrics}
        together = {name: metric for metrics in groups.values() for name, metric in metrics.items()}
        if sum(map(len, groups.values())) == len(together):
            groups = {"": together} if run else {" + ".join(groups): together}
        rows += [(": ".join(filter(None, [run, name])), metrics) for name, metrics in groups.items() if metrics]
    columns = [column for column in PERCEIVED_COLUMNS if any(column.metric in metrics for _, metrics in rows)]
    return [metric_table(owner, rows, columns, judged=judged)] if columns else []


def _perceived(metrics: Mapping[str, Any]) -> dict[str, Any]:
    shown = [column.metric for column in PERCEIVED_COLUMNS]
    return {name: metrics[name] for name in shown if mean_in(metrics, name) is not None}


def wanted_table(runs: Mapping[str, Mapping[str, Any]], wanted: Sequence[Metric]) -> str:
    """Return a table of requested metrics: a row per metric and group or link of every run."""
    rows = []
    for each in wanted:
        found = [
            (": ".join(filter(None, [run, owner])), metrics.get(each.text))
            for run, summary in runs.items()
            for of in each.owners
            for owner, metrics in summary[f"{of}s"].items()
        ]
        unit, scale = written(each.unit, [estimate["mean"] for _, estimate in found if estimate])
        rows += [(each.text, of, plus_minus(estimate, scale), unit) for of, estimate in found]
    return align([("metric", "of", "value", ""), *rows])


def written(unit: str, means: Sequence[float | None]) -> tuple[str, float]:
    """Return the unit in which the other tables write such values, and its size in the unit of the metric."""
    greatest = max((abs(mean) for mean in means if mean is not None), default=0.0)
    if unit == "s" and greatest >= 1.0:
        return "s", 1.0
    return WRITTEN.get(unit, (unit, 1.0))


def _links_under_test(runs: Mapping[str, Any]) -> list[str]:
    """Return the bottlenecks of all groups, and the links whose queue dropped, marked or delayed packets in any run."""
    bottlenecks = dict.fromkeys(
        group["bottleneck"] for run in runs.values() for group in run["groups"].values() if group["bottleneck"]
    )
    queues = [link for run in runs.values() for link, metrics in run["links"].items() if _has_queue(metrics)]
    return list(dict.fromkeys([*bottlenecks, *queues]))[: max(MOST_LINKS, len(bottlenecks))]


def _access_links(run: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the metrics of the access links of each group that they limit, under the names of link metrics."""
    found = {}
    for group, metrics in run["groups"].items():
        link = run["links"].get(metrics.get("bottleneck"), {})
        if access.is_bottleneck(mean_in(metrics, access.DELAY), mean_in(link, "queue_delay_mean_s")):
            found[group] = {of: metrics[name] for name, of in access.AS_OF_LINKS.items()}
    return found


def _has_queue(metrics: Mapping[str, Any]) -> bool:
    least = (("loss_rate", 0.0), ("mark_rate", 0.0), ("queue_delay_p95_s", DELAYED_S))
    return any((mean_in(metrics, name) or 0.0) > bound for name, bound in least)


def _link_columns(links: Sequence[Mapping[str, Any]]) -> Sequence[Column]:
    lossy = any((mean_in(metrics, "random_loss_rate") or 0.0) > 0 for metrics in links)
    return LOSSY_LINK_COLUMNS if lossy else LINK_COLUMNS


def explained(tables: str) -> str:
    """Return tables with an explanation of the words that replace intervals in them."""
    return f"{tables}\n{OF_ALL_RUNS}" if f"({ALL_RUNS})" in tables else tables


def metric_table(
    owner: str, rows: Sequence[tuple[str, Mapping[str, Any]]], columns: Sequence[Column], *, judged: bool = False
) -> str:
    """Return a table with a row per group or link and a column per metric; `judged` adds the signs of verdicts."""
    header = [owner, *(column.title for column in columns)]
    units = ["", *(column.unit for column in columns)]
    cells = [
        [_cell(metrics.get(column.metric), column.scale, judged=judged) for column in columns] for _, metrics in rows
    ]
    widths = [max(map(len, column)) for column in zip(header[1:], units[1:], *cells, strict=True)]
    room = max(NAME_WIDTH, _width() - sum(widths) - len(GAP) * len(widths))
    names = [shorten(name, room) for name, _ in rows]
    if len(set(names)) < len(names):
        names = [name for name, _ in rows]
    body = [[name, *row] for name, row in zip(names, cells, strict=True)]
    return align([header, units, *body])


def _width() -> int:
    """Return the width available to a table, characters; the same on every machine unless output is a terminal."""
    return max(WIDTH, shutil.get_terminal_size((WIDTH, 0)).columns) if sys.stdout.isatty() else WIDTH


def align(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as aligned text: the first column to the left, the others to the right."""
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = []
    for place, row in enumerate(rows):
        padded = [row[0].ljust(widths[0])]
        padded += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        roles = ["heading" if place == 0 else role_of(cell) for cell in row]
        lines.append(GAP.join(map(paint, padded, roles)))
    return "\n".join(lines)


def _cell(estimate: Mapping[str, Any] | None, scale: float, *, judged: bool) -> str:
    text = plus_minus(estimate, scale)
    return f"{text} {SIGNS.get(estimate['verdict'], ' ')}" if judged and estimate and "verdict" in estimate else text


def printable(text: str) -> str:
    """Return a text with spaces for spaces of all widths, and escapes for characters that would control a terminal."""
    if text.isprintable():
        # Of the spaces only that of ASCII is printable.
        return text
    return "".join(" " if category(each) == "Zs" else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def shorten(name: str, width: int) -> str:
    """Return a name shortened in its middle to a number of characters, so that both parts of `run: group` are seen."""
    kept = (width - 1) // 2
    return name if len(name) <= width else f"{name[: width - 1 - kept]}…{name[-kept:]}"


def _groups(runs: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return [
        (algorithm if len(run["groups"]) == 1 or name == algorithm else f"{algorithm}: {name}", metrics)
        for algorithm, run in runs.items()
        for name, metrics in run["groups"].items()
    ]


CONNECTION_COLUMNS = (
    Column("sent_packets", "packets", "", 1),
    Column("sent_bytes", "size", "kB", 1e3),
    Column("dropped_packets", "dropped", "", 1),
    Column("marked_packets", "marked", "", 1),
    Column("delay_mean_s", "delay", "ms", 1e-3),
    Column("delay_p95_s", "p95", "ms", 1e-3),
)
GROUP_COLUMNS = (
    Column("goodput_bps", "goodput", "Mbps", 1e6),
    Column("goodput_fraction", "of capacity", "%", 0.01),
    Column("jain", "Jain", "", 1.0),
    Column("rtt_mean_s", "RTT", "ms", 1e-3),
)
_APPLICATION_COLUMNS = {
    "page_load_time_p50_s": ("page", "s", 1.0),
    "page_load_time_p95_s": ("p95", "s", 1.0),
    "video_bitrate_bps": ("video", "Mbps", 1e6),
    "stall_share": ("stalled", "%", 0.01),
    "frame_delay_p95_s": ("frame p95", "ms", 1e-3),
    "missed_frame_share": ("missed", "%", 0.01),
    "frame_bitrate_bps": ("frames", "Mbps", 1e6),
    "responsiveness_rpm": ("load", "RPM", 1.0),
}
PERCEIVED_COLUMNS = tuple(Column(name, *_APPLICATION_COLUMNS[name]) for name in APPLICATIONS)
TRANSFER_COLUMNS = (
    Column("completed_flows", "completed", "", 1.0),
    Column("failed_flows", "failed", "", 1.0),
    Column("active_flows", "active", "", 1.0),
    Column("completion_time_s", "completion", "s", 1.0),
    Column("completion_time_p95_s", "p95", "s", 1.0),
)
LINK_COLUMNS = (
    Column("utilization", "utilization", "%", 0.01),
    Column("loss_rate", "loss", "%", 0.01),
    Column("queue_delay_mean_s", "queue delay", "ms", 1e-3),
    Column("queue_delay_p95_s", "p95", "ms", 1e-3),
)
ACCESS_COLUMNS = (*LINK_COLUMNS[:1], LINK_COLUMNS[2], Column("queue_mean_packets", "queue", "packets", 1.0))
# Loss behind the queue, at random or by a policer, is shown beside the queue's own losses if there is any.
LOSSY_LINK_COLUMNS = (*LINK_COLUMNS[:2], Column("random_loss_rate", "lost behind", "%", 0.01), *LINK_COLUMNS[2:])
# The unit in which values of a unit are written, and its size.
WRITTEN = {"s": ("ms", 1e-3), "bps": ("Mbps", 1e6), "share": ("%", 0.01)}
SIGNS = {"better": "▲", "worse": "▼", "different": "◆", "same": "≈"}
LEGEND = "▲ clearly better  ▼ clearly worse  ◆ clearly different  ≈ no difference that matters"
NEUTRAL_LEGEND = "◆ clearly different  ≈ no difference that matters"
OF_ALL_RUNS = f"({ALL_RUNS}): every run has this value; --json has a 95 % interval of a mean with a bound"
# A queue delays packets if 5 % of them wait longer, seconds.
DELAYED_S = 1e-3
# Of a terminal, and the least that is left for names.
WIDTH, NAME_WIDTH = 80, 18
GAP = "  "
MOST_LINKS = 12
