# SPDX-License-Identifier: Apache-2.0
"""How punctual `narrows emulate` is on this machine, and what it costs.

Programs of this machine send over paths of several rates, `iperf3` in one direction, and `ping` over an idle path. Each
run records the lateness of every packet. The load says what else the machine does.

Examples:
    .venv/bin/python benches/emulate.py
    .venv/bin/python benches/emulate.py --seconds 20 --repeats 5
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

PATH = """\
title = "A path in real time"
duration = "{seconds}s"
[path]
rate = "{rate}"
rtt = "{rtt}"
queue = "{queue}"
[[flows]]
name = "mine"
algorithm = "newreno"
"""
# Rate, round-trip time and queue of each row with iperf3.
ROWS = (
    ("10Mbps", "40ms", "droptail"),
    ("100Mbps", "40ms", "droptail"),
    ("100Mbps", "40ms", "fq-codel"),
    ("1Gbps", "20ms", "droptail"),
    ("1Gbps", "20ms", "fq-codel"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print two tables.

    Returns:
        0.
    """
    parser = argparse.ArgumentParser(description="Lateness and cost of paths in real time.")
    parser.add_argument("--seconds", type=int, default=10, help="seconds of each run")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each row")
    options = parser.parse_args(arguments)
    say("| path | queue | packets/s | half, µs | 99 %, µs | last, ms | processor, % |")
    say("|---|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            runs = [iperf(Path(folder), row, options.seconds) for _ in range(options.repeats)]
            rate, rtt, queue = row
            cells = [statistics.median(each) for each in zip(*runs, strict=True)]
            shown = " | ".join(f"{cell:,.{digits}f}" for cell, digits in zip(cells, (0, 0, 0, 1, 0), strict=True))
            say(f"| {rate}, {rtt} | {queue} | {shown} |")
        times = sorted(time for _ in range(options.repeats) for time in ping(Path(folder), options.seconds))
    half, most = (times[int(share * (len(times) - 1))] for share in (0.5, 0.99))
    say(f"\n{len(times)} times ping over an idle path of 50 ms: {half:.2f} ms (half), {most:.2f} ms (99 %).")
    say(f"Medians of {options.repeats} runs of {options.seconds} s; load at the end {os.getloadavg()[0]:.1f}.")
    return 0


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def iperf(folder: Path, row: tuple[str, str, str], seconds: int) -> tuple[float, float, float, float, float]:
    """Return packets a second, lateness (half and 99 %, µs; last, ms) and processor time (%) of one run with iperf3."""
    rate, rtt, queue = row
    text = PATH.format(seconds=seconds + 2, rate=rate, rtt=rtt, queue=queue)
    summary, _ = run(folder, text, f"iperf3 -c far -t {seconds}", "iperf3 -s -1")
    (detail,) = (each["detail"] for each in summary["checks"] if each["name"] == "packets on time")
    packets, half, most, last = map(int, re.findall(r"(\d+)(?: packets| µs)", detail)[:4])
    return packets / seconds, half, most, last / 1e3, summary["performance"]["cpu_s"] / (seconds + 2) * 100


def ping(folder: Path, seconds: int) -> list[float]:
    """Return the round-trip times, in ms, that `ping` finds over an idle path of 50 ms."""
    text = PATH.format(seconds=seconds + 2, rate="100Mbps", rtt="50ms", queue="droptail")
    _, output = run(folder, text, f"ping -c {seconds * 20} -i 0.05 far", "")
    return [float(found) for found in re.findall(r"time=([\d.]+) ms", output)]


def run(folder: Path, text: str, near: str, far: str) -> tuple[dict[str, Any], str]:
    """Run two commands over a path; return the summary and the output.

    Raises:
        CalledProcessError: The command failed.
    """
    of_run = Path(tempfile.mkdtemp(dir=folder))
    file, out = of_run / "path.toml", of_run / "out"
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "narrows", "emulate", str(file), "--out", str(out), "--far", far]
    done = subprocess.run([*command, "--", near], check=True, capture_output=True, text=True)  # noqa: S603
    return json.loads((out / "summary.json").read_text("utf-8")), done.stdout


if __name__ == "__main__":
    sys.exit(main())
