# SPDX-License-Identifier: Apache-2.0
"""Hold what `narrows import` says of a path against the path itself: captures of simulated flows over known paths.

Each path is run, captured at the sender, and inferred from the capture alone. Its base delay, rate, buffer, random
loss, policer and other load must lie inside their 95 % intervals; under a queue management the buffer must be unknown.
Then the scenario that the capture gives is run with the same algorithm, and its goodput and queueing delay stand beside
the numbers of the capture.

Examples:
    .venv/bin/python validation/traces/paths.py --write    # five minutes, and the table into paths.md
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import narrows as nw
from narrows._internal.trace.estimate import Estimate, Found
from narrows._internal.trace.losses import Discipline
from narrows._internal.trace.scenario import BEST
from narrows._internal.trace.shown import Shown

PAGE = Path(__file__).with_name("paths.md")
MARK = "<!-- table -->\n"
RATES, RTTS, BUFFERS = (4.0, 12.0, 35.0, 70.0), (25, 70, 180), (0.5, 1, 2, 4)
ALGORITHMS = ("cubic", "newreno", "bbr3", "htcp")
SECONDS = 20
PACKET_BYTES = 1500


class Case(NamedTuple):
    """A path with its true quantities; None for a quantity that it lacks."""

    name: str
    algorithm: str
    rate_bps: float
    rtt_s: float
    buffer_bytes: float | None = None  # None under a queue management, and where a policer drops
    loss: float = 0.0
    policer: tuple[float, float] | None = None  # rate in bits per second and burst in bytes
    queue: str = ""  # a queue management
    others: str = ""  # the algorithm of a second flow, or the rate of a constant one
    step_s: float = 0.0  # change of the base delay in the middle

    @property
    def scenario(self) -> str:
        """The scenario file."""
        limit = f'{{ kind = "droptail", limit = "{self.buffer_bytes or 4e6:.0f}B" }}'
        queue = f'{{ kind = "{self.queue}" }}' if self.queue else limit
        impairments = []
        if self.policer:
            rate, burst = self.policer
            impairments.append(f'{{ kind = "policer", rate = "{rate:.0f}bps", burst = "{burst:.0f}B" }}')
        if self.step_s:
            steps = f'delays = ["0ms", "{self.step_s * 1e3:.0f}ms"], times = ["0s", "{SECONDS / 2}s"]'
            impairments.append(f'{{ kind = "delay-steps", {steps} }}')
        loss = f'loss = {{ kind = "bernoulli", rate = {self.loss} }}' if self.loss else ""
        lines = [
            f'title = "{self.name}"',
            f'duration = "{SECONDS}s"\nwarmup = "0s"',
            "[path]",
            f'rate = "{self.rate_bps:.0f}bps"\nrtt = "{self.rtt_s * 1e3:.0f}ms"\nqueue = {queue}',
            loss,
            f"impairments = [{', '.join(impairments)}]" if impairments else "",
            f'[[flows]]\nname = "traced"\nalgorithm = "{self.algorithm}"',
            *self._others(),
            "[record]\npackets = true",
        ]
        return "\n".join(filter(None, lines)) + "\n"

    def _others(self) -> Iterator[str]:
        if self.others.endswith("Mbps"):
            yield f'[[flows]]\nname = "others"\nsource = {{ kind = "cbr", rate = "{self.others}" }}'
        elif self.others:
            yield f'[[flows]]\nname = "others"\nalgorithm = "{self.others}"'


def cases() -> list[Case]:
    """Return the forty paths."""
    found = []
    for place, (rate, buffer) in enumerate(itertools.product(RATES, BUFFERS)):
        rtt_s = RTTS[place % 3] / 1e3
        size = max(buffer * rate * 1e6 * rtt_s / 8, 10 * PACKET_BYTES)
        found.append(Case(f"buffer {place}", ALGORITHMS[place // 2 % 4], rate * 1e6, rtt_s, size))
    for place in range(8):
        rate, rtt_s = RATES[place % 4] * 1e6, RTTS[place // 2 % 3] / 1e3
        size = max((1 + place % 3) * rate * rtt_s / 8, 20 * PACKET_BYTES)
        loss = (0.002, 0.005, 0.012)[place % 3]
        found.append(Case(f"random loss {place}", ALGORITHMS[place % 3], rate, rtt_s, size, loss))
    for place, (rate, burst) in enumerate(((2.5e6, 50e3), (6e6, 100e3), (9e6, 70e3), (18e6, 400e3))):
        algorithm = ALGORITHMS[place % 3]
        found.append(Case(f"policer {place}", algorithm, 1e8, RTTS[place % 3] / 1e3, policer=(rate, burst)))
    for place, queue in enumerate(("codel", "fq-codel", "pie", "codel", "red", "pie")):
        rate = RATES[1 + place % 3] * 1e6
        found.append(Case(f"{queue} {place}", ALGORITHMS[place % 2], rate, RTTS[place % 2] / 1e3, queue=queue))
    for place, others in enumerate(("3Mbps", "newreno", "6Mbps", "cubic")):
        rate = (11e6, 22e6, 16e6, 36e6)[place]
        found.append(Case(f"others {place}", "cubic", rate, 0.05, rate * 0.05 / 8, others=others))
    for place in range(2):
        rate, step_s = (18e6, 30e6)[place], (0.03, 0.05)[place]
        found.append(Case(f"step {place}", "cubic", rate, 0.03, rate * 0.03 / 8, step_s=step_s))
    return found


def judged(case: Case, shown: Shown) -> dict[str, bool | None]:
    """Return for each quantity whether its interval has the truth; None if the trace does not show it."""
    path = shown.path
    found: dict[str, bool | None] = {
        "base delay": _holds(path.base_s, case.rtt_s),
        "rate": _holds(path.rate.rate_bps, case.rate_bps),
        "random loss": _holds(path.losses.random_loss, case.loss),
    }
    if case.buffer_bytes is not None:
        found["buffer"] = _holds(path.losses.buffer_bytes, case.buffer_bytes)
    if case.queue:
        found["buffer"] = None if path.losses.discipline is Discipline.MANAGED else False
    if case.policer:
        found["policer"] = _holds(path.losses.policed_bps, case.policer[0])
        found["burst"] = _holds(path.losses.burst_bytes, case.policer[1])
    if case.others:
        known = isinstance(path.rate.others_bps, Estimate) and path.rate.others_bps.low > 0
        found["others"] = path.rate.responsive is not case.others.endswith("Mbps") if known else None
    if case.step_s:
        right = [abs(each.by_s - case.step_s) <= max(each.noise_s, 1e-3) for each in path.steps]
        found["step"] = right == [True] if right else None
    return found


def _holds(found: Found, truth: float) -> bool | None:
    # A value that is exactly a bound may differ from it by rounding.
    return found.low * (1 - 1e-6) <= truth <= found.high * (1 + 1e-6) if isinstance(found, Estimate) else None


def infer(case: Case, folder: Path) -> Shown:
    """Run a path, capture it at the sender, and return what the capture shows."""
    run = folder / case.name.replace(" ", "-")
    nw.Scenario(case.scenario).run(replications=1).keep(run)
    capture = nw.export("pcapng", run, run.with_suffix(".pcapng"))
    # Of two flows the first has the address of the first group.
    return nw.import_trace(capture, source="10.0.0.0")


def replayed(case: Case, shown: Shown, folder: Path) -> tuple[float, float]:
    """Return goodput (Mbps) and 95th percentile of the queueing delay (ms) of the scenario that a capture gives."""
    run = folder / f"{case.name.replace(' ', '-')}-again"
    text = shown.drawn(BEST, case.algorithm) + "[record]\npackets = true\n"
    nw.Scenario(text).run(replications=1).keep(run)
    return numbers(nw.import_trace(nw.export("pcapng", run, run.with_suffix(".pcapng")), source="10.0.0.0"))


def numbers(shown: Shown) -> tuple[float, float]:
    """Return goodput (Mbps) and the 95th percentile of the delay above the least (ms)."""
    rtt = shown.flow.rtt.values
    goodput = shown.path.goodput_bps
    value = goodput.value if isinstance(goodput, Estimate) else 0.0
    return value / 1e6, float(np.quantile(rtt, 0.95) - rtt.min()) * 1e3


def main() -> int:
    """Judge every path, and print or write the tables."""
    parser = argparse.ArgumentParser(description="hold inferred paths against the paths")
    parser.add_argument("--write", action="store_true", help="write the tables into paths.md, beside this file")
    options = parser.parse_args()
    rows, right, close, all_cases = [], 0, 0, cases()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in all_cases:
            shown = infer(case, folder)
            found = judged(case, shown)
            wrong = [what for what, holds in found.items() if holds is False]
            unknown = [what for what, holds in found.items() if holds is None]
            right += not wrong
            (goodput, delay), (again, delay_again) = numbers(shown), replayed(case, shown, folder)
            is_close = abs(again - goodput) <= 0.1 * goodput and abs(delay_again - delay) <= max(0.1 * delay, 2.0)
            close += is_close
            verdict = "outside: " + ", ".join(wrong) if wrong else "inside"
            rows.append(
                f"| {case.name} | {case.algorithm} | {verdict} | {', '.join(unknown) or '-'} | "
                f"{goodput:.3g} → {again:.3g} | {delay:.3g} → {delay_again:.3g} | {'yes' if is_close else 'no'} |"
            )
            sys.stderr.write(rows[-1] + "\n")
    of = len(all_cases)
    head = (
        f"All intervals have the truth on {right} of {of} paths; the scenario repeats goodput and delay within 10 % "
        f"(or 2 ms) on {close}.\n\n"
        "| path | algorithm | the truth is | unknown | goodput, Mbps | 95th percentile of delay, ms | repeated |\n"
        "|---|---|---|---|---|---|---|\n"
    )
    text = head + "\n".join(rows) + "\n"
    if options.write:
        before = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
        PAGE.write_text(before + MARK + "\n" + text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
