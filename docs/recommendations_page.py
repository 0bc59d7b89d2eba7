# SPDX-License-Identifier: Apache-2.0
"""The page of recommendations: the text in `studies/modern/page.md`, with tables from the cells of `studies/modern`.

A line `{table: NAME}` of the text is replaced by a table of that name. Every value is the mean over replications of a
replication's mean over its cells' conditions, and ± is the half-width of Student's 95 % interval over replications.
Values that are relative to others are ratios of cells of the same replication and conditions.

Run as a program it joins the results of runs: `python docs/recommendations_page.py FOLDER`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from narrows._internal.reproduction.intervals import ALPHA, Mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Cell = Mapping[str, Any]
    # Values by replication and conditions.
    Values = Mapping[tuple[int, str], float]

STUDY = Path(__file__).parent.parent / "studies/modern"
LABELS = {"newreno": "NewReno", "cubic": "CUBIC", "bbr3": "BBR 3", "prague": "Prague"}
PORTS = {
    "ample": "drop-tail, a round trip", "small": "drop-tail, small", "DualPI2": "DualPI2", "FQ-CoDel": "FQ-CoDel",
}  # fmt: skip
LINKS = {"droptail": "drop-tail, one bandwidth-delay product", "dualpi2": "DualPI2", "fq-codel": "FQ-CoDel"}


def page() -> str:
    """Return the text of the page."""
    cells = Cells(pl.read_parquet(STUDY / "cells.parquet").to_dicts())
    text = (STUDY / "page.md").read_text(encoding="utf-8")
    return re.sub(r"^\{table: (.+)\}$", lambda found: TABLES[found[1]](cells), text, flags=re.MULTILINE)


@dataclass(frozen=True)
class Cells:
    """The cells of all studies."""

    rows: Sequence[Cell]

    def values(self, study: str, measure: str, *, by: Sequence[str], **where: str) -> Values:
        """Return a metric of a study's cells under some conditions, by replication and the columns `by`."""
        found = {}
        for row in self.rows:
            fits = row["study"] == study and all(row[name] == value for name, value in where.items())
            if fits and row[measure] is not None:
                found[row["replication"], ", ".join(str(row[name]) for name in by)] = float(row[measure])
        return found


def over(values: Values, others: Values) -> Values:
    """Return the ratios of values to others of the same seed and conditions."""
    return {key: value / others[key] for key, value in values.items() if others.get(key)}


def estimate(values: Values, digits: int = 2, scale: float = 1) -> str:
    """Return a mean over replications with the half-width of its 95 % interval."""
    by_replication: dict[int, list[float]] = defaultdict(list)
    for (replication, _), value in values.items():
        by_replication[replication].append(value * scale)
    means = [sum(each) / len(each) for each in by_replication.values()]
    interval = Mean(means).interval(ALPHA, growing=False)
    mean = sum(means) / len(means)
    half = (interval[1] - interval[0]) / 2 if interval else 0
    return f"{mean:.{digits}f}" + (f" ± {half:.{digits}f}" if half >= 0.5 * 10**-digits else "")


def table(corner: str, columns: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    names = list(columns)
    lines = [f"| {corner} | {' | '.join(names)} |", "|---|" + "--:|" * len(names)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _alone(cells: Cells, measure: str, load: str, algorithm: str, ports: str) -> Values:
    # Under a load and with a kind of ports, the delay says which condition of the fractional design it is.
    of = {"load": load, "algorithm": algorithm, "ports": ports}
    return cells.values("network", measure, by=("delay",), **of)


def _to_cubic(measure: str, title: str) -> Callable[[Cells], str]:
    """Return a table of a metric where all users have one algorithm, relative to CUBIC's with the same queues."""

    def made(cells: Cells) -> str:
        rows = [
            [f"{load} load, {PORTS[ports]}"]
            + [
                estimate(over(_alone(cells, measure, load, each, ports), _alone(cells, measure, load, "cubic", ports)))
                for each in LABELS
            ]
            for load in ("low", "heavy")
            for ports in PORTS
        ]
        return table(f"{title}, CUBIC = 1", LABELS.values(), rows)

    return made


def _to_ample(measure: str, title: str) -> Callable[[Cells], str]:
    """Return a table of a metric of an algorithm, relative to its own with drop-tail buffers of a round trip."""

    def made(cells: Cells) -> str:
        rows = [
            [f"{load} load, {PORTS[ports]}"]
            + [
                estimate(over(_alone(cells, measure, load, each, ports), _alone(cells, measure, load, each, "ample")))
                for each in LABELS
            ]
            for load in ("low", "heavy")
            for ports in ("small", "DualPI2", "FQ-CoDel")
        ]
        return table(f"{title}, drop-tail with buffers of a round trip = 1", LABELS.values(), rows)

    return made


def alone_network(cells: Cells) -> str:
    """Return losses, round trips and the goodput of movies where all users have one algorithm, under heavy load."""
    measures = (
        ("packets lost, %", "loss_rate", 100, 1),
        ("mean round trip, ms", "rtt_mean_s", 1e3, 0),
        ("goodput of movies, Mbps", "class_goodput(file=movie)", 1e-6, 0),
    )
    rows = [
        [f"{title}: {PORTS[ports]}"]
        + [estimate(_alone(cells, measure, "heavy", each, ports), digits, scale) for each in LABELS]
        for title, measure, scale, digits in measures
        for ports in PORTS
    ]
    return table("heavy load", LABELS.values(), rows)


def _beside(cells: Cells, measure: str, load: str, algorithm: str, ports: str) -> Values:
    of = {"load": load, "algorithm": algorithm, "ports": ports}
    return cells.values("mixed", measure, by=("delay",), **of)


def _left(measure: str) -> Callable[[Cells], str]:
    def made(cells: Cells) -> str:
        others = [each for each in LABELS if each != "cubic"]
        rows = [
            [f"{load} load, {PORTS[ports]}"]
            + [
                estimate(
                    over(_beside(cells, measure, load, each, ports), _beside(cells, measure, load, "cubic", ports))
                )
                for each in others
            ]
            for load in ("low", "heavy")
            for ports in PORTS
        ]
        return table("all with CUBIC = 1", [f"beside {LABELS[each]}" for each in others], rows)

    return made


def four(cells: Cells) -> str:
    """Return the share of the payload of each of four algorithms that share the network."""
    rows = []
    for load in ("low", "heavy"):
        for ports, title in PORTS.items():
            rates = {
                each: cells.values("medley", f"group.{each}.goodput_bps", by=(), load=load, ports=ports)
                for each in LABELS
            }
            total = {key: sum(rate[key] for rate in rates.values()) for key in rates["cubic"]}
            rows.append([f"{load} load, {title}", *(estimate(over(rate, total)) for rate in rates.values())])
    return table("share of the payload", LABELS.values(), rows)


def access(cells: Cells) -> str:
    """Return completion times, round trips and losses of users of four algorithms behind one link."""
    measures = (
        ("completion time, s", "completion_time_s", 1, 2),
        ("mean round trip, ms", "rtt_mean_s", 1e3, 0),
        ("packets lost, %", "loss_rate", 100, 1),
    )
    rows = [
        [f"{title}: {LINKS[queue]}"]
        + [
            estimate(cells.values("access", f"group.{each}.{measure}", by=(), queue=queue), digits, scale)
            for each in LABELS
        ]
        for title, measure, scale, digits in measures
        for queue in LINKS
    ]
    return table("sixteen users of each", LABELS.values(), rows)


def joined(folder: Path) -> pl.DataFrame:
    """Return the cells of the runs in a folder, with the levels and metrics that the page needs.

    Args:
        folder: It has the folders of the runs, named after the study files, those of the variant with `-managed`.
    """
    frames = []
    for study, levels in LEVELS.items():
        measures = tomllib.loads((STUDY / f"{study}.toml").read_text(encoding="utf-8"))["measures"]
        for run in (folder / study, folder / f"{study}-managed"):
            if run.is_dir():
                columns = [
                    pl.lit(study).alias("study"),
                    *(pl.col(column).cast(pl.String).alias(name) for name, column in levels.items()),
                    pl.col("replication").cast(pl.Int32),
                    *(pl.col(measure).cast(pl.Float64) for measure in measures),
                    pl.col("digest"),
                    pl.col("cpu_s").cast(pl.Float32),
                ]
                frames.append(pl.read_parquet(run / "cells.parquet").select(columns))
    kind = pl.col("queue").str.extract('"kind" = "([a-z0-9-]+)"', 1)
    return pl.concat(frames, how="diagonal").with_columns(kind)


LEVELS = {
    "network": {name: name for name in ("load", "ports", "delay", "algorithm")},
    "mixed": {name: name for name in ("load", "ports", "delay", "algorithm")},
    "medley": {name: name for name in ("load", "ports")},
    "access": {"queue": "path.queue"},
}
TIME = "completion_time_s"
TABLES: Mapping[str, Callable[[Cells], str]] = {
    "times": _to_cubic(TIME, "completion time"),
    "payload": _to_cubic("goodput_bps", "payload"),
    "transfers": _to_cubic("completed_flows", "completed transfers"),
    "queues": _to_ample(TIME, "completion time"),
    "losses": _to_ample("loss_rate", "packets lost"),
    "network": alone_network,
    "payload left": _left("group.tcp.goodput_bps"),
    "times beside": _left("group.tcp.completion_time_s"),
    "four": four,
    "access": access,
}

if __name__ == "__main__":
    joined(Path(sys.argv[1])).write_parquet(STUDY / "cells.parquet", compression_level=19)
