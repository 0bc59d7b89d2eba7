# SPDX-License-Identifier: Apache-2.0
"""Run environments 1 to 10 of study 001 with SACK and DRR in ns-2, and write cells by which its claims are judged.

Example:
    .venv/bin/python validation/ns2/linear.py --seeds 3
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from narrows.library import STUDIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

HERE = Path(__file__).parent


class Cell(NamedTuple):
    """A run of ns-2: its levels in the study's experiment, and a seed."""

    environment: str
    algorithm: str
    seed: int

    def levels(self) -> dict[str, object]:
        """Return the columns by which a row is known."""
        return {
            "setting": "SACK DRR", "environment": self.environment, "algorithm": self.algorithm,
            "replication": self.seed - 1,
        }  # fmt: skip


class Rates(NamedTuple):
    """The rates that are left to the flows, each drawn between two limits, bps.

    Attributes:
        first: Limits of the first rate.
        following: Limits of another by the rate before it and its place.
    """

    first: tuple[float, float]
    following: Callable[[float, int], tuple[float, float]]


def main() -> int:
    """Run the cells of every experiment that its file has not got yet; return 0."""
    parser = argparse.ArgumentParser(description="Run environments of study 001 in ns-2, and write its cells.")
    parser.add_argument("--seeds", type=int, default=3, help="how many runs of each cell (3)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time (one per processor)")
    parser.add_argument("--experiments", nargs="*", default=list(EXPERIMENTS), help="as main; all unless given")
    options = parser.parse_args()
    for experiment in options.experiments:
        file = STUDIES / "akella-2002" / f"ns2-{experiment}.csv"
        there = {_levels(row) for row in csv.DictReader(file.open(encoding="utf-8"))} if file.exists() else set()
        cells = [cell for cell in _cells(experiment, options.seeds) if _levels(cell.levels()) not in there]
        with ThreadPoolExecutor(options.jobs) as pool, file.open("a", encoding="utf-8", newline="") as opened:
            writer = csv.DictWriter(opened, COLUMNS, lineterminator="\n")
            if not there:
                writer.writeheader()
            for row in pool.map(_row, cells):
                writer.writerow(row)
                opened.flush()
    return 0


def _levels(row: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in LEVELS)


def _cells(experiment: str, seeds: int) -> Iterator[Cell]:
    for environment in ENVIRONMENTS:
        for algorithm in EXPERIMENTS[experiment]:
            for seed in range(1, seeds + 1):
                yield Cell(environment, algorithm, seed)


def _row(cell: Cell) -> dict[str, object]:
    left = _environment(cell.environment, cell.seed)
    rates = " ".join(f"{time_s} {rate}" for time_s, rate in left)
    words = [RULES[cell.algorithm], rates, str(WARMUP_S), str(END_S), str(cell.seed)]
    done = subprocess.run(  # noqa: S603  # ns-2 and our own words
        ["ns", str(HERE / "linear.tcl"), *words],  # noqa: S607  # found as the shell would
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    pairs = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("= ")]
    measured = {name: float(value) for name, value in pairs if name != "flow"}
    flows = np.array([float(value) for name, value in pairs if name == "flow"])
    measured |= {"goodput_bps": flows.sum(), "range_fairness": np.ptp(flows) / flows.mean()}
    measured["group.cross.throughput_bps"] = _sent_by_others(left)
    return {**cell.levels(), **{name: f"{measured[name]:.6g}" for name in MEASURES}}


def _environment(name: str, seed: int) -> list[tuple[int, float]]:
    """Return what is left to the flows from each time on, s and bps, as the study's `main.toml` describes it."""
    draw = np.random.default_rng(seed)
    first, following = ENVIRONMENTS[name]
    rates: list[float] = []
    for place in range(END_S // INTERVAL_S):
        limits = following(rates[-1], place) if rates else first
        rates.append(float(np.clip(draw.uniform(*limits), 0.0, RATE_BPS)))
    return [(INTERVAL_S * place, rate) for place, rate in enumerate(rates)]


def _sent_by_others(left: Sequence[tuple[int, float]]) -> float:
    """Return what the sources send after the warm-up, bps: as many as `linear.tcl` lets send, 5 % above their shares.

    Args:
        left: What is left to the flows from each time on, s and bps.
    """
    rates = [rate for time_s, rate in left if time_s >= WARMUP_S]
    sending = [min(round(FLOWS * (RATE_BPS - rate) / rate), SOURCES) if rate > 0 else SOURCES for rate in rates]
    return float(np.mean([1.05 * RATE_BPS * each / (FLOWS + each) for each in sending]))


RATE_BPS, INTERVAL_S = 100e6, 5
# Numbers of flows and of sources that may send beside them.
FLOWS, SOURCES = 10, 200
# The duration and the warm-up of the study's quick size.
END_S, WARMUP_S = 40, 10
HIGH, HALF, LOW = 100e6, 50e6, 10e6
ENVIRONMENTS = {
    "CL": Rates((LOW, LOW), lambda _rate, _place: (LOW, LOW)),
    "CH": Rates((HIGH, HIGH), lambda _rate, _place: (HIGH, HIGH)),
    "SQL": Rates((HIGH, HIGH), lambda _rate, place: (HALF, HALF) if place % 2 else (HIGH, HIGH)),
    "SQH": Rates((HIGH, HIGH), lambda _rate, place: (LOW, LOW) if place % 2 else (HIGH, HIGH)),
    "RWL": Rates((LOW, LOW), lambda rate, _place: (rate - 0.5 * LOW, rate + 0.5 * LOW)),
    "RWH": Rates((HIGH, HIGH), lambda rate, _place: (rate - 0.5 * HIGH, rate + 0.5 * HIGH)),
    "RDL": Rates((0.0, LOW), lambda _rate, _place: (0.0, LOW)),
    "RDH": Rates((0.0, HIGH), lambda _rate, _place: (0.0, HIGH)),
    "RWA": Rates((LOW, LOW), lambda rate, _place: (0.0, rate + 0.25 * LOW)),
    "RWM": Rates((LOW, LOW), lambda rate, _place: (0.0, rate * 5 / 3)),
}
# ns-2's windowOption 6 (see dumbbell.tcl): W += A / W^K a round trip, W -= (1 - B) W^L at a loss.
RULES = {
    "aimd(a=1,b=0.8)": "1:0.8",
    "aiad": "1:-2:0:0",
    "mimd": "0.125:0.8:-1:1",
    "miad": "0.125:-2:-1:0",
    "mimd(a=1.125,b=0.5)": "0.125:0.5:-1:1",
}
# The algorithms of each experiment of the study.
EXPERIMENTS = {
    "main": ("aimd(a=1,b=0.8)", "aiad", "mimd", "miad"),
    "others": ("mimd(a=1.125,b=0.5)",),
}
LEVELS = ("setting", "environment", "algorithm", "replication")
MEASURES = (
    "goodput_bps", "range_fairness", "loss_rate", "group.cross.goodput_bps", "group.cross.throughput_bps",
    "link.bottleneck.capacity_bps", "link.bottleneck.utilization",
)  # fmt: skip
COLUMNS = (*LEVELS, *MEASURES)

if __name__ == "__main__":
    sys.exit(main())
