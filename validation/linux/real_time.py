# SPDX-License-Identifier: Apache-2.0
"""Hold programs in real time against the same programs on a kernel in simulated time: `iperf3` over the same paths.

Links, queues and their random numbers are the same code on both sides, so the clock, the machine and the versions of
both kernels make the differences.

Examples:
    .venv/bin/python validation/linux/real_time.py --write    # a quarter of an hour, and the table into real-time.md
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from judge import DELAY, Column, Row, table

from narrows._internal.emulate import hosts
from narrows._internal.linux import cache
from narrows._internal.run.scenario import Scenario

PAGE = Path(__file__).with_name("real-time.md")
MARK = "<!-- table -->\n"
PATHS = ("10Mbps, 20ms", "10Mbps, 100ms", "100Mbps, 20ms")
BUFFERS = ("0.5bdp", "1bdp", "4bdp")
SECONDS = 30
# The kernels are of different versions, for which the delays and periods may differ by a tenth.
COLUMNS = (
    Column("utilization", "use of the bottleneck, %", 0.01, 1.0, relative=False),
    DELAY._replace(metric="queue_delay_mean_s", tolerance=0.1),
    Column("loss_period_s", "time between episodes of losses, s", 1.0, 0.1, relative=True),
)
SCENARIO = """\
title = "iperf3 over a path"
duration = "{seconds}s"
warmup = "6s"
[path]
rate = "{rate}"
rtt = "{rtt}"
queue = {{ kind = "droptail", limit = "{buffer}" }}
[[flows]]
name = "iperf3"
algorithm = "linux:{algorithm}"
program = {{ client = "iperf3 -c $SERVER -t {seconds}", server = "iperf3 -s" }}
"""


def main() -> int:
    """Run every row, and print or write the table; return 0 if every row agrees, else 1."""
    parser = argparse.ArgumentParser(description="hold programs in real time against simulated time")
    parser.add_argument("--write", action="store_true", help="write the table into real-time.md, beside this file")
    parser.add_argument("--algorithms", default="reno,cubic", help="of both kernels (%(default)s)")
    options = parser.parse_args()
    rows: list[Row] = []
    for algorithm in options.algorithms.split(","):
        for path in PATHS:
            for buffer in BUFFERS:
                rows += compared(algorithm, path, buffer)
                sys.stderr.write(f"{algorithm}, {path}, {buffer}\n")
                if options.write:
                    write(rows)
    sys.stdout.write(page(rows))
    return int(any(row.agrees is False for row in rows))


def page(rows: list[Row]) -> str:
    """Return the table, with what was compared."""
    text = table(rows).replace("| simulator | kernel |", "| real time | simulated time |")
    load = f"load at the end {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    kernels = f"Real time: Linux {platform.release().partition('-')[0]}, {load}. Simulated time: Linux {{}}."
    return f"{kernels.format(cache.find('default').version)}\n\n{text}\n"


def write(rows: list[Row]) -> None:
    """Write the table of the rows so far into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
    _, _, after = rest.partition(MARK)
    PAGE.write_text(f"{before}{MARK}{page(rows)}{MARK}{after}", encoding="utf-8")


def compared(algorithm: str, path: str, buffer: str) -> list[Row]:
    """Return a row for each metric of one path."""
    rate, rtt = path.split(", ")
    text = SCENARIO.format(seconds=SECONDS, rate=rate, rtt=rtt, buffer=buffer, algorithm=algorithm)
    with ThreadPoolExecutor(2) as both:
        real, simulated = both.map(measured, (text, text), (hosts.NAME, "linux"))
    name = f"{algorithm}, {path}, {buffer}"
    return [Row(name, each, [real[each.metric]], [simulated[each.metric]]) for each in COLUMNS]


def measured(text: str, on: str) -> dict[str, float]:
    """Return the metrics of the bottleneck on one backend."""
    run = Scenario(text, trust=True, on=on).run(1)
    (measured,) = run.measured.values()
    link = dict(measured["links"]["bottleneck"])
    duration = run.scenario.duration_s - (run.scenario.warmup_s or 0.0)
    return {**link, "loss_period_s": duration / max(link["loss_episodes"], 1)}


if __name__ == "__main__":
    sys.exit(main())
