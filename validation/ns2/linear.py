# SPDX-License-Identifier: Apache-2.0
"""Run environments 1 to 10 of study 001 in ns-2, and write cells by which its claims are judged.

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
from itertools import product, repeat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from narrows._internal.library import STUDIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

HERE = Path(__file__).parent


class Cell(NamedTuple):
    """A run of ns-2: its levels in an experiment of the study, and a seed."""

    setting: str
    environment: str
    algorithm: str
    seed: int

    def levels(self) -> dict[str, object]:
        """Return the columns by which a row is known."""
        return {
            "setting": self.setting, "environment": self.environment, "algorithm": self.algorithm,
            "replication": self.seed - 1,
        }  # fmt: skip


class Experiment(NamedTuple):
    """What a file of cells holds.

    Attributes:
        settings: Loss recoveries and queues, as the study names them.
        algorithms: The algorithms.
        limit: Limit of the queue, packets.
        overhead_s: Longest random delay of a packet in its sender, s.
    """

    settings: tuple[str, ...]
    algorithms: tuple[str, ...]
    limit: int = 1500
    overhead_s: float = 0.0


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
            for row in pool.map(_row, repeat(EXPERIMENTS[experiment]), cells):
                writer.writerow(row)
                opened.flush()
    return 0


def _levels(row: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in LEVELS)


def _cells(experiment: str, seeds: int) -> Iterator[Cell]:
    wanted = EXPERIMENTS[experiment]
    for levels in product(wanted.settings, ENVIRONMENTS, wanted.algorithms, range(1, seeds + 1)):
        yield Cell(*levels)


def _row(experiment: Experiment, cell: Cell) -> dict[str, object]:
    left = _environment(cell.environment, cell.seed)
    rates = " ".join(f"{time_s} {rate}" for time_s, rate in left)
    recovery, queue = cell.setting.split()
    words = [
        RULES[cell.algorithm], AGENTS[recovery], queue, str(experiment.limit), str(experiment.overhead_s), rates,
        str(WARMUP_S), str(END_S), str(cell.seed),
    ]  # fmt: skip
    done = subprocess.run(  # noqa: S603  # ns-2 and our own words
        ["ns", str(HERE / "linear.tcl"), *words],  # noqa: S607  # found as the shell would
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    pairs = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("= ")]
    measured = {name: float(value) for name, value in pairs if name != "flow"}
    flows = np.array([float(value) for name, value in pairs if name == "flow"])
    measured |= {"goodput_bps": flows.sum(), "range_fairness": np.ptp(flows) / flows.mean()}
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


RATE_BPS, INTERVAL_S = 100e6, 5
# The duration and the warm-up of the study's medium size.
END_S, WARMUP_S = 200, 20
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
AGENTS = {"Reno": "Reno", "SACK": "Sack1"}
FOUR = ("aimd(a=1,b=0.8)", "aiad", "mimd", "miad")
# The last is `main` with random delays of up to the time of a packet, as in the variant "random send delays".
EXPERIMENTS = {
    "main": Experiment(("Reno DRR", "SACK DRR", "Reno DropTail", "SACK DropTail"), FOUR),
    "others": Experiment(("SACK DRR",), ("mimd(a=1.125,b=0.5)",)),
    "buffers": Experiment(("Reno DropTail", "SACK DropTail"), FOUR, limit=150),
    "overhead": Experiment(("SACK DropTail",), FOUR, overhead_s=80e-6),
}
LEVELS = ("setting", "environment", "algorithm", "replication")
MEASURES = (
    "goodput_bps", "range_fairness", "loss_rate", "group.cross.goodput_bps", "link.bottleneck.capacity_bps",
    "link.bottleneck.utilization",
)  # fmt: skip
COLUMNS = (*LEVELS, *MEASURES)

if __name__ == "__main__":
    sys.exit(main())
