# SPDX-License-Identifier: Apache-2.0
"""Run study 004's first experiment in ns-2, and write what was measured as cells by which its claims are judged.

Example:
    .venv/bin/python validation/ns2/restart.py --seeds 5
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from narrows._internal.library import STUDIES
from narrows._internal.metrics import series
from narrows._internal.metrics.losses import stabilization

HERE = Path(__file__).parent
CELLS = STUDIES / "bansal-2001" / "ns2-restart.csv"


def main() -> int:
    """Run every agent with every seed; return 0."""
    parser = argparse.ArgumentParser(description="Run study 004's first experiment in ns-2, and write its cells.")
    parser.add_argument("--seeds", type=int, default=5, help="how many runs of each algorithm (5)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time (one per processor)")
    options = parser.parse_args()
    wanted = [(name, agent, seed) for name, agent in AGENTS.items() for seed in range(1, options.seeds + 1)]
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda each: _row(*each), wanted))
    with CELLS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return 0


def _row(name: str, agent: str, seed: int) -> dict[str, object]:
    command = ["ns", str(HERE / "restart.tcl"), agent, str(seed), f"{END_S + STEP_S}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  # ns-2 and our own words
    lines = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("= ")]
    counts = np.array(lines, dtype=np.float64)[: round(END_S / STEP_S)]
    arrived, dropped = (np.diff(counts[:, place], prepend=0.0).astype(np.float64) / STEP_S for place in (0, 1))
    ends_s = (STEP_S * np.arange(1, len(counts) + 1)).astype(np.float64)

    def lost(start_s: float, stop_s: float) -> float:
        ends = np.array([start_s, stop_s])
        gone, came = (np.diff(series.total(ends_s, each, ends))[0] for each in (dropped, arrived))
        return float(gone / came)

    begins = ends_s[(ends_s >= RETURN_S) & (ends_s <= RETURN_S + WITHIN_S)]
    after = stabilization(ends_s, arrived, dropped, after_s=20.0, at_s=RETURN_S, rtt_s=RTT_S, factor=1.5)
    measured = {
        "stabilization_time(at=180s)": after.time_rtt,
        "stabilization_cost(at=180s)": after.cost,
        "loss_between(from=20s,until=150s)": lost(20.0, 150.0),
        "loss_between(from=155s,until=180s)": lost(155.0, RETURN_S),
        "loss_between(from=220s,until=240s)": lost(220.0, END_S),
        "loss_peak(at=180s)": max(lost(begin, begin + RTT_S) for begin in begins),
    }
    sys.stdout.write(f"{name} {seed} {measured}\n")
    sys.stdout.flush()
    return {
        "algorithm": name,
        "replication": seed - 1,
        **{f"link.bottleneck.{metric}": f"{value:.6g}" for metric, value in measured.items()},
    }


def _tcp(gamma: int) -> str:
    part = 1 / gamma
    return f"sack:{4 * (2 * part - part**2) / 3:.6f}:{1 - part:.6f}"


END_S, RETURN_S, WITHIN_S, STEP_S = 240.0, 180.0, 0.25, 0.025
# The longest round trip, as the metrics take it.
RTT_S = 0.055
# Those by which claims are judged. ns-2's RAP is no judge in company: its agents fall into one oscillation of all.
AGENTS = {
    "tcp(gamma=2)": _tcp(2),
    "tcp(gamma=256)": _tcp(256),
    "sqrt(gamma=256)": f"sack:{1.5 / 256:.6f}:{1 - 1 / 256:.6f}:0.5:0.5",
    "tfrc(k=256)": "tfrc:256",
    "tfrc(k=256,conservative=true)": "tfrc:256:1.1",
    "tfrc(k=256,conservative=true,c=10)": "tfrc:256:10",
}

if __name__ == "__main__":
    sys.exit(main())
