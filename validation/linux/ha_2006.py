# SPDX-License-Identifier: Apache-2.0
"""Run on a kernel what it can run of study 002's first experiment, and write cells by which its claims are judged.

FAST is in no kernel: its cells are the simulator's, of the study's reproduction at its quick size.

Example:
    .venv/bin/narrows reproduce ha-2006 --quick --out runs/ha-2006
    .venv/bin/python validation/linux/ha_2006.py --simulator runs/ha-2006    # about half an hour of processor time
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

from narrows._internal.cli import program
from narrows._internal.experiments.stored import stored
from narrows._internal.library import STUDIES

STUDY = Path(__file__).parent / "ha-2006.toml"
EXPERIMENT = "friendly"
CELLS = STUDIES / "ha-2006" / f"linux-{EXPERIMENT}.csv"
DIGITS = 6


def main() -> int:
    """Run the cells that have not run, and write all; return 0, or the status of a run that failed."""
    parser = argparse.ArgumentParser(description="Run study 002's first experiment on a kernel, and write its cells.")
    about = "folder of the study's reproduction at its quick size"
    parser.add_argument("--simulator", metavar="DIR", type=Path, required=True, help=about)
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=Path("runs/judge/ha-2006"), help="folder (%(default)s)"
    )
    options = parser.parse_args()
    begun = options.out.exists()
    command = ["resume", str(options.out)] if begun else ["run", str(STUDY), "--out", str(options.out)]
    if status := program.run(["study", *command]):
        return status
    kernel = stored(options.out).table().to_pylist()
    simulator = stored(options.simulator / EXPERIMENT).table().to_pylist()
    fast = [row for row in simulator if row["setup"].startswith("FAST,") and row["setup"].endswith("off")]
    measures = [name for name in kernel[0] if name.startswith(("link.", "group."))]
    columns = ["setup", "algorithm", "replication", *measures]
    with CELLS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_text(row[name]) for name in columns] for row in [*kernel, *fast])
    return 0


def _text(value: object) -> object:
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else value


if __name__ == "__main__":
    sys.exit(main())
