# SPDX-License-Identifier: Apache-2.0
"""Hold the simulator against the kernel, and write the table of differences.

Examples:
    .venv/bin/python validation/linux/judge.py                    # about twenty minutes of processor time
    .venv/bin/python validation/linux/judge.py --write            # also write the tables into README.md
    .venv/bin/python validation/linux/judge.py --size wide --write    # two other rates and round trips, into wide.md
    .venv/bin/python validation/linux/judge.py --size full        # every rate and round trip, ten seeds: days
    .venv/bin/python validation/linux/judge.py --study alone      # one table
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow.parquet as pq

from narrows._internal.cli import program
from narrows._internal.linux import cache, library
from narrows._internal.run.scenario import Scenario, load
from narrows._internal.statistics import paired

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

HERE = Path(__file__).parent
# The page of each size.
PAGES = {"quick": "README.md", "wide": "wide.md", "full": "full.md"}
QUEUES_TABLE = "queues"
# The name of each study and of its table, and the columns of the table.
STUDIES = {
    "alone": "alone",
    "marked": "marked",
    "pairs": "pairs",
    "papers-alone": "alone",
    "papers-pairs": "pairs",
}
QUEUES = (
    '{ kind = "fq-codel" }',
    '{ kind = "cake" }',
    '{ kind = "codel" }',
    '{ kind = "pie" }',
    '{ kind = "fq-pie" }',
    '{ kind = "red", min = "20pkt" }',
)
QUEUE_SEEDS = 3


class Column(NamedTuple):
    """A metric of the tables.

    Attributes:
        metric: Name of its column in the cells.
        title: Heading, with the unit.
        unit: That unit in the unit of the metric.
        tolerance: The aim: how far the simulator may be from the kernel, in `unit`, or as a part of the kernel's value.
        relative: Whether it is a part.
    """

    metric: str
    title: str
    unit: float
    tolerance: float
    relative: bool


DELAY = Column("link.bottleneck.queue_delay_mean_s", "queueing delay, ms", 1e-3, 0.02, relative=True)
COLUMNS = {
    "alone": (
        Column("group.judged.goodput_fraction", "goodput, %", 0.01, 1.0, relative=False),
        DELAY,
        Column("group.judged.cwnd_before_reduction_packets", "window before a reduction", 1.0, 2.0, relative=False),
        Column("group.judged.reduction_interval_s", "time between reductions, s", 1.0, 0.02, relative=True),
    ),
    "marked": (
        Column("group.judged.goodput_fraction", "goodput, %", 0.01, 1.0, relative=False),
        DELAY,
        Column("group.judged.cwnd_mean_packets", "window", 1.0, 2.0, relative=False),
        Column("group.judged.mark_rate", "marked, %", 0.01, 0.02, relative=True),
    ),
    "pairs": (Column("group.judged.goodput_fraction", "share of the link, %", 0.01, 0.0, relative=False), DELAY),
}


class Row(NamedTuple):
    """The values of one metric under one condition, by backend and replication."""

    label: str
    column: Column
    simulator: list[float]
    linux: list[float]

    @property
    def agrees(self) -> bool | None:
        """Whether the aim is reached: the difference within the tolerance, or zero within its interval."""
        if not self.linux or not self.simulator:
            return None
        found = paired(self.linux, self.simulator)
        mean, ends = found["mean"], found["ci95"]
        if mean is None:
            return None
        level = sum(self.linux) / len(self.linux)
        tolerance = self.column.tolerance * (abs(level) if self.column.relative else self.column.unit)
        return abs(mean) <= tolerance or (ends is not None and ends[0] <= 0.0 <= ends[1])

    def cells(self) -> list[str]:
        """Return the row as text: metric, both means, the difference with its interval, the verdict."""
        agrees = self.agrees
        if agrees is None:
            return [self.column.title, _mean(self.simulator, self.column), _mean(self.linux, self.column), "-", "-"]
        found = paired(self.linux, self.simulator)
        ends = found["ci95"]
        half = (ends[1] - ends[0]) / 2 / self.column.unit if ends else 0.0
        return [
            self.column.title,
            _mean(self.simulator, self.column),
            _mean(self.linux, self.column),
            f"{(found['mean'] or 0.0) / self.column.unit:+.4g} ± {half:.2g}",
            "yes" if agrees else "**no**",
        ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the studies that have not run, and print or write the tables.

    Returns:
        0 if every row agrees, else 1.
    """
    parser = argparse.ArgumentParser(description="hold the simulator against the kernel")
    parser.add_argument("--size", choices=["quick", "wide", "full"], default="quick", help="(%(default)s)")
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("runs/judge"), help="folder (%(default)s)")
    parser.add_argument("--study", choices=[*STUDIES, QUEUES_TABLE], action="append", help="a table (all)")
    parser.add_argument(
        "--write", action="store_true", help="write the tables into the page of the size, beside this file"
    )
    options = parser.parse_args(arguments)
    page = HERE / PAGES[options.size]
    asked = options.study or (*STUDIES, *([QUEUES_TABLE] if options.size == "quick" else []))
    tables = {
        name: queues() if name == QUEUES_TABLE else rows(STUDIES[name], cells(name, options.size, options.out))
        for name in asked
    }
    text = {name: table(found) for name, found in tables.items()}
    sys.stdout.write("\n\n".join(text.values()) + "\n")
    if options.write:
        write(page, text)
    return int(any(row.agrees is False for found in tables.values() for row in found))


def cells(name: str, size: str, out: Path) -> list[dict[str, Any]]:
    """Return the cells of a study, which is run or resumed first."""
    folder = out / f"{name}-{size}"
    if folder.exists():
        _narrows("study", "resume", str(folder))
    else:
        sized = [] if size == "quick" else ["--size", size]
        _narrows("study", "run", str(HERE / f"{name}.toml"), "--out", str(folder), *sized)
    found: list[dict[str, Any]] = pq.read_table(folder / "cells.parquet").to_pylist()
    return found


def rows(columns: str, found: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Return a row for each condition of a study and each of the metrics `columns`."""
    values: dict[tuple[str, Column], dict[str, dict[int, float]]] = {}
    for cell in found:
        rtt = f", {cell['rtt']}" if "rtt" in cell else ""
        depth = cell.get("path.queue.threshold") or cell["path.queue.limit"]
        label = f"{cell['algorithm']}, {cell['path.rate']}{rtt}, {depth}"
        for column in COLUMNS[columns]:
            value = cell[column.metric]
            by = values.setdefault((label, column), {"simulator": {}, "linux": {}})
            if value is not None:
                by[cell["on"]][cell["replication"]] = value
    made = []
    for (label, column), by in values.items():
        shared = sorted(set(by["simulator"]) & set(by["linux"]))
        made.append(Row(label, column, [by["simulator"][at] for at in shared], [by["linux"][at] for at in shared]))
    return made


def queues() -> list[Row]:
    """Return rows for the queue disciplines: the kernel's hosts over our queue, and over the kernel's."""
    file = HERE / "pair-scenario.toml"
    columns = (*COLUMNS["pairs"], Column("link.bottleneck.loss_rate", "loss, %", 0.01, 0.02, relative=True))
    made = []
    for queue in QUEUES:
        sets = [f"path.queue={queue}", "flows.judged.algorithm=cubic"]
        measured = [
            Scenario(load(file, on="linux").text, str(file), HERE, sets, on="linux", queue=own)
            .run(QUEUE_SEEDS)
            .measured
            for own in ("", "linux")
        ]
        for column in columns:
            of, owner, metric = column.metric.split(".")
            ours, theirs = ([each[f"{of}s"][owner][metric] for each in one.values()] for one in measured)
            made.append(Row(queue.split('"')[1], column, ours, theirs))
    return made


def table(found: Sequence[Row]) -> str:
    """Return rows as a table in Markdown, with their number and how many agree."""
    lines = ["| scenario | metric | simulator | kernel | difference | agrees |", "|---|---|--:|--:|--:|---|"]
    before = ""
    for row in found:
        label = row.label if row.label != before else ""
        before = row.label
        lines.append(f"| {' | '.join([label, *row.cells()])} |")
    judged = [row.agrees for row in found if row.agrees is not None]
    return "\n".join([f"{sum(judged)} of {len(judged)} agree.", "", *lines])


def write(file: Path, text: Mapping[str, str]) -> None:
    """Put tables between their marks in a page, which is made if it is not there, with the kernel that judged."""
    page = file.read_text(encoding="utf-8") if file.exists() else "# Simulator and kernel\n"
    kernel = cache.find(cache.DEFAULT)
    marked = {**text, "kernel": f"Kernel {kernel.version}, timer {kernel.timer_hz} Hz."}
    for name, each in marked.items():
        mark = f"<!-- {name} -->\n"
        page += "" if mark in page else f"\n{mark}{mark}"
        before, _, rest = page.partition(mark)
        _, _, after = rest.partition(mark)
        page = f"{before}{mark}{each}\n{mark}{after}"
    file.write_text(page, encoding="utf-8")


def _mean(values: Sequence[float], column: Column) -> str:
    return f"{sum(values) / len(values) / column.unit:.4g}" if values else "-"


def _narrows(*command: str) -> None:
    status = program.run(command)
    if status:
        sys.exit(status)


if __name__ == "__main__":
    library.find()
    sys.exit(main())
