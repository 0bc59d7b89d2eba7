# SPDX-License-Identifier: Apache-2.0
"""Hold our DualPI2 against the kernel's `sch_dualpi2`: the same hosts of one kernel over either.

Linux has it since 6.17, so the kernel is one that is named.

Examples:
    narrows linux build --source linux-source-7.3_*.deb --name 7.3
    .venv/bin/python validation/linux/dualpi2.py --kernel 7.3            # about a quarter of an hour of processor time
    .venv/bin/python validation/linux/dualpi2.py --kernel 7.3 --write    # also write the table into dualpi2.md
    .venv/bin/python validation/linux/dualpi2.py --cause --write    # variants of one condition that does not agree
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from judge import Column, Row, table

from narrows._internal.linux import cache
from narrows._internal.run.scenario import Scenario, load

HERE = Path(__file__).parent
PAGE = HERE / "dualpi2.md"
MARK = "<!-- table -->\n"
CAUSE = "<!-- cause -->\n"
# One change each of the condition at which the shares differ.
VARIANTS = ("path.queue.min_qlen_step=0", "path.queue.step=1s", "linux.gso=false")
RATES = ("4Mbps", "12Mbps", "40Mbps", "120Mbps")
RTTS = ("10ms", "50ms")
SEEDS = 3
COLUMNS = (
    Column("group.l4s.goodput_fraction", "low-latency share of the link, %", 0.01, 1.0, relative=False),
    Column("group.classic.goodput_fraction", "classic share of the link, %", 0.01, 1.0, relative=False),
    Column("group.l4s.mark_rate", "low-latency packets marked, %", 0.01, 0.02, relative=True),
    Column("group.classic.loss_rate", "classic packets dropped, %", 0.01, 0.02, relative=True),
    Column("group.l4s.delay_mean_s", "low-latency one-way delay, ms", 1e-3, 0.02, relative=True),
    Column("group.classic.delay_mean_s", "classic one-way delay, ms", 1e-3, 0.02, relative=True),
)


def main() -> int:
    """Run every condition, and print or write the table; return 0 if every row agrees, else 1."""
    parser = argparse.ArgumentParser(description="hold our DualPI2 against the kernel's")
    parser.add_argument("--kernel", metavar="NAME", default="7.3", help="a kernel that has it (%(default)s)")
    parser.add_argument("--write", action="store_true", help="write the table into dualpi2.md, beside this file")
    parser.add_argument("--cause", action="store_true", help="run variants of 40 Mbps and 10 ms, one change each")
    options = parser.parse_args()
    kernel = cache.find(options.kernel)
    on = cache.option(kernel.name)
    if options.cause:
        rows = [row for change in VARIANTS for row in compared(on, "40Mbps", "10ms", change)]
    else:
        rows = [row for rate in RATES for rtt in RTTS for row in compared(on, rate, rtt)]
    text = table(rows)
    sys.stdout.write(text + "\n")
    if options.write:
        mark = CAUSE if options.cause else MARK
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(mark)
        _, _, after = rest.partition(mark)
        stated = f"Kernel {kernel.version}, timer {kernel.timer_hz} Hz.\n\n{text}\n"
        PAGE.write_text(before + mark + stated + mark + after, encoding="utf-8")
    return int(any(row.agrees is False for row in rows))


def compared(on: str, rate: str, rtt: str, change: str = "") -> list[Row]:
    """Return a row for each metric, our queue as the simulator's, with a change of the scenario on both."""
    changes = [f"path.rate={rate}", f"path.rtt={rtt}", *filter(None, [change])]
    ours, theirs = (measured(on, queue, changes) for queue in ("", "linux"))
    rows = []
    for column in COLUMNS:
        of, owner, metric = column.metric.split(".")
        values = ([each[f"{of}s"][owner][metric] for each in one] for one in (ours, theirs))
        rows.append(Row(", ".join(filter(None, [rate, rtt, change])), column, *values))
    return rows


def measured(on: str, queue: str, changes: list[str]) -> list[dict[str, Any]]:
    """Return the metrics of each replication over our queue, or over the kernel's."""
    file = HERE / "dualpi2-scenario.toml"
    scenario = Scenario(load(file, on=on).text, str(file), HERE, changes, on=on, queue=queue)
    return list(scenario.run(SEEDS).measured.values())


if __name__ == "__main__":
    sys.exit(main())
