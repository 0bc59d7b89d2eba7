# SPDX-License-Identifier: Apache-2.0
"""The quantities of a path in words, with their intervals or the reasons why they are unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from narrows._internal.plural import counted
from narrows._internal.trace.estimate import Estimate, Found, Unknown
from narrows._internal.trace.losses import Discipline
from narrows._internal.trace.path import Path
from narrows._internal.trace.record import Flow


def amount(value: float, unit: str) -> str:
    """Return a value in a unit that suits its size; `unit` is `s`, `bps`, `bytes`, `share`, or empty for a number."""
    if unit == "s":
        return f"{value * 1e3:.4g} ms"
    if unit == "bps":
        return f"{value / 1e6:.4g} Mbps" if value >= MEGA else f"{value / 1e3:.4g} kbps"
    if unit == "bytes":
        return f"{value / 1e3:.4g} kB"
    return f"{value * 100:.3g} %" if unit == "share" else f"{value:.3g}"


def interval(found: Estimate, unit: str) -> str:
    """Return a value with its interval."""
    if found.low == found.high:
        return amount(found.value, unit)
    if not found.bounded:
        return f"{amount(found.value, unit)} (at least {amount(found.low, unit)})"
    return f"{amount(found.value, unit)} ({amount(found.low, unit)} to {amount(found.high, unit)})"


def said(found: Found, unit: str) -> str:
    """Return a quantity with its interval and basis, or why it is unknown."""
    if isinstance(found, Unknown):
        return f"unknown: {found.why}"
    return f"{interval(found, unit)}: {found.basis}"


def rows(path: Path, flow: Flow) -> Iterator[tuple[str, str, str]]:
    """Return name, value with 95 % interval, and basis of each quantity; or `unknown` and why."""
    length = f"{flow.end_s - flow.start_s:.3g} s"
    yield "observed", flow.place.value, f"{length}, {counted(len(flow.data), 'packet')} with data"
    vain = int(np.count_nonzero(flow.lost.spurious))
    yield (
        "losses",
        str(len(flow.lost) - vain),
        f"{counted(vain, 'more was', 'more were')} taken for lost and had arrived",
    )
    for name, unit, of in QUANTITIES:
        found = of(path)
        if isinstance(found, Unknown):
            yield name, "unknown", found.why
        else:
            yield name, interval(found, unit), found.basis
    for step in path.steps:
        change = f"{step.by_s * 1e3:+.4g} ms (± {step.noise_s * 1e3:.2g} ms)"
        yield f"base delay from {step.time_s:.4g} s", change, "a jump that no queue explains"
    if len(path.rate.rates):
        least, most = (amount(float(each), "bps") for each in np.quantile(path.rate.rates.values, [0, 1]))
        yield "rate over time", f"{least} to {most}", counted(len(path.rate.rates), "period")
    yield "how it drops", DROPS[path.losses.discipline], "the delays of packets before losses"
    if isinstance(path.rate.others_bps, Estimate) and path.rate.others_bps.low > 0:
        yield "other load responds", RESPONDS[path.rate.responsive], "whether the flow's share depends on its window"


QUANTITIES: tuple[tuple[str, str, Callable[[Path], Found]], ...] = (
    ("goodput", "bps", lambda path: path.goodput_bps),
    ("base delay", "s", lambda path: path.base_s),
    ("queueing delay, 95 % below", "s", lambda path: path.queue_s),
    ("rate of the bottleneck", "bps", lambda path: path.rate.rate_bps),
    ("rate of a policer", "bps", lambda path: path.losses.policed_bps),
    ("burst of a policer", "bytes", lambda path: path.losses.burst_bytes),
    ("buffer", "bytes", lambda path: path.losses.buffer_bytes),
    ("losses whatever the queue", "share", lambda path: path.losses.random_loss),
    ("other load", "bps", lambda path: path.rate.others_bps),
    ("packets per acknowledgement", "", lambda path: path.per_acknowledgement),
    ("sent again although arrived", "share", lambda path: path.spurious),
    ("nothing to send", "share", lambda path: path.application_limited),
    ("receive window full", "share", lambda path: path.receiver_limited),
)
"""Name, unit and value of each quantity."""

DROPS = {
    Discipline.DROPTAIL: "when the buffer is full (droptail)",
    Discipline.MANAGED: "before the buffer is full (queue management)",
    Discipline.POLICED: "above a rate (policer)",
    Discipline.UNKNOWN: "unknown",
}
RESPONDS = {True: "yes", False: "no", None: "unknown"}
MEGA = 1e6
