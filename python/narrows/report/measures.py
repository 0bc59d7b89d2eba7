"""What the measures of `summary.json` are called, in which unit they are, and which way is better."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

from narrows import core
from narrows.report.scale import (
    BITS_PER_SECOND,
    BYTES,
    COUNT,
    INDEX,
    NARROW_SPACE,
    PACKETS,
    PERCENT,
    SECONDS,
    Unit,
    decimals_of,
    fixed,
)


@dataclass(frozen=True)
class Meaning:
    """How a measure is shown.

    Attributes:
        label: What people call it.
        unit: Its unit.
        better: 1 where more is better, -1 where less is, 0 where neither can be said.
    """

    label: str
    unit: Unit
    better: int = 0


def meaning(name: str) -> Meaning:
    """Return how the measure of this name is shown; an unknown one is read from its suffix."""
    if name in _KNOWN:
        return _KNOWN[name]
    bare, _, choices = name.partition("(")
    card = _cards().get(bare)
    if card is not None:
        words = _words(bare) + (f" ({choices}" if choices else "")
        return Meaning(words, unit_named(card["unit"]), _BETTER[card["better"]])
    for suffix, unit in _SUFFIXES:
        if name.endswith(suffix):
            return Meaning(_words(name.removesuffix(suffix) if suffix in _DROPPED else name), unit)
    return Meaning(_words(name), INDEX)


def unit_named(name: str) -> Unit:
    """Return the unit that the catalogue of measures writes so; an unknown one has no prefixes."""
    return _UNITS.get(name) or Unit(name)


@cache
def _cards() -> dict[str, dict[str, Any]]:
    return {card["name"]: card for card in core.metrics()}


def interval_text(interval: tuple[float, float], mean: float, unit: Unit) -> str:
    """Write a 95 % interval in the prefix of its mean, with enough decimals to tell its ends apart."""
    low, high = interval
    if low == high == mean:
        return ""
    factor, _ = unit.best(abs(mean) if mean else max(abs(low), abs(high)))
    ends = (low / factor, high / factor)
    decimals = decimals_of(mean / factor)
    finer = min(max(decimals, -math.floor(math.log10((ends[1] - ends[0]) / 2))), decimals + 2)
    return _range(fixed(ends[0], finer), fixed(ends[1], finer))


def difference_texts(difference: float, interval: tuple[float, float] | None, unit: Unit) -> tuple[str, str]:
    """Write a difference with its sign and unit, and its interval; all in the prefix of the greatest of them.

    Differences of shares are in percentage points.
    """
    low, high = interval or (difference, difference)
    greatest = max(abs(low), abs(high), abs(difference))
    factor, written = unit.best(greatest)
    written = "pp" if unit is PERCENT else written
    decimals = decimals_of(greatest / factor)
    value, left, right = (_signed(number / factor, decimals) for number in (difference, low, high))
    text = f"{value}{NARROW_SPACE}{written}" if written else value
    return text, _range(left, right) if interval else ""


def _range(low: str, high: str) -> str:
    return f"{low}{NARROW_SPACE}…{NARROW_SPACE}{high}"


def _signed(value: float, decimals: int) -> str:
    return ("+" if value > 0 else "") + fixed(value, decimals)


def _words(name: str) -> str:
    words = name.replace("_", " ").replace("rtt", "RTT").replace("cwnd", "congestion window")
    for part in ("50", "95", "99"):
        words = words.replace(f"p{part}", f"{part}th percentile")
    return words[:1].upper() + words[1:]


_KNOWN = {
    "goodput_bps": Meaning("Goodput", BITS_PER_SECOND, 1),
    "goodput_fraction": Meaning("Goodput, share of capacity", PERCENT, 1),
    "throughput_bps": Meaning("Throughput", BITS_PER_SECOND),
    "jain": Meaning("Jain's index", INDEX, 1),
    "range_fairness": Meaning("(max \N{MINUS SIGN} min) / mean of goodputs", INDEX, -1),
    "loss_rate": Meaning("Loss rate", PERCENT, -1),
    "mark_rate": Meaning("Mark rate", PERCENT),
    "retransmission_rate": Meaning("Retransmission rate", PERCENT, -1),
    "rtt_mean_s": Meaning("RTT, mean", SECONDS, -1),
    "rtt_p50_s": Meaning("RTT, median", SECONDS, -1),
    "rtt_p95_s": Meaning("RTT, 95th percentile", SECONDS, -1),
    "rtt_p99_s": Meaning("RTT, 99th percentile", SECONDS, -1),
    "delay_mean_s": Meaning("One-way delay, mean", SECONDS, -1),
    "delay_p50_s": Meaning("One-way delay, median", SECONDS, -1),
    "delay_p95_s": Meaning("One-way delay, 95th percentile", SECONDS, -1),
    "delay_p99_s": Meaning("One-way delay, 99th percentile", SECONDS, -1),
    "cwnd_mean_packets": Meaning("Congestion window, mean", PACKETS),
    "cwnd_peak_packets": Meaning("Congestion window before a cut", PACKETS),
    "reduction_interval_s": Meaning("Time between cuts", SECONDS),
    "timeouts": Meaning("Timeouts", COUNT, -1),
    "reductions": Meaning("Cuts of the congestion window", COUNT),
    "completed_flows": Meaning("Flows completed", COUNT, 1),
    "completion_time_s": Meaning("Completion time, mean", SECONDS, -1),
    "slowdown": Meaning("Slowdown, mean", INDEX, -1),
    "utilization": Meaning("Utilization", PERCENT, 1),
    "rate_bps": Meaning("Rate", BITS_PER_SECOND, 1),
    "capacity_bps": Meaning("Capacity", BITS_PER_SECOND),
    "random_loss_rate": Meaning("Random loss rate", PERCENT, -1),
    "queue_mean_bytes": Meaning("Queue, mean in bytes", BYTES, -1),
    "queue_peak_packets": Meaning("Queue, peak", PACKETS, -1),
    "queue_mean_packets": Meaning("Queue, mean", PACKETS, -1),
    "queue_delay_mean_s": Meaning("Queueing delay, mean", SECONDS, -1),
    "queue_delay_p50_s": Meaning("Queueing delay, median", SECONDS, -1),
    "queue_delay_p95_s": Meaning("Queueing delay, 95th percentile", SECONDS, -1),
    "queue_delay_p99_s": Meaning("Queueing delay, 99th percentile", SECONDS, -1),
    "dropped_packets": Meaning("Dropped", PACKETS, -1),
    "marked_packets": Meaning("Marked", PACKETS),
}

_SUFFIXES = (
    ("_bps", BITS_PER_SECOND),
    ("_packets", PACKETS),
    ("_bytes", BYTES),
    ("_s", SECONDS),
    ("_rate", PERCENT),
    ("_fraction", PERCENT),
)
_UNITS = {"": INDEX, "bps": BITS_PER_SECOND, "s": SECONDS, "B": BYTES, "packets": PACKETS}
_BETTER = {"higher": 1, "lower": -1, "": 0}
_DROPPED = frozenset({"_bps", "_packets", "_bytes", "_s"})
