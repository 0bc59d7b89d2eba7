# SPDX-License-Identifier: Apache-2.0
"""How a metric is judged: the values that it can have, and the margin below which differences do not matter.

Both follow from the unit of the metric, with exceptions by name. The range decides how the interval over replications
is computed (`narrows._internal.statistics`); the margin, which words a difference gets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from narrows._internal import core
from narrows._internal.errors import InputError
from narrows._internal.frozen import frozen
from narrows._internal.metrics.request import MetricError, resolve
from narrows._internal.statistics import COUNT, POSITIVE, REAL, SHARE, Estimate, Range


def range_of(
    card: Mapping[str, Any], flows: int | None = None, most: float | None = None, trials: float = 0.0
) -> Range:
    """Return the range of values that a metric can have, in its unit.

    Args:
        card: Card of the metric.
        flows: Number of flows of the group; None if it is unknown. Jain's index of n flows is 1/n at least.
        most: Greatest value in the runs that it is of, such as the rate of their link; None if only the card bounds it.
        trials: Number of things in these runs of which it is the share; 0 if it is unknown.
    """
    name = str(card["name"])
    if name in OF_SHARES and flows is not None and flows > 0:
        return Range(1.0 / flows, 1.0)
    found = BY_NAME.get(name) or BY_UNIT.get(str(card["unit"]), POSITIVE)
    return found._replace(high=found.high if most is None else most, trials=trials)


@frozen
class Margin:
    """The margin that a difference must exceed to be relevant: the larger of two bounds.

    Attributes:
        relative: Relative bound, as a fraction of the reference value.
        absolute: Absolute bound, in the unit of the metric.
        reason: Reason why smaller differences are irrelevant.
    """

    relative: float
    absolute: float
    reason: str

    def of(self, reference: float) -> float:
        """Return the bound for differences from `reference`, in the unit of the metric."""
        return max(self.relative * abs(reference), self.absolute)


def margin_of(card: Mapping[str, Any]) -> Margin:
    """Return the margin of the metric with this card."""
    return MARGIN_BY_NAME.get(str(card["name"])) or MARGIN_BY_UNIT.get(str(card["unit"]), RELATIVE)


def read_margin(text: str, unit: str) -> Margin:
    """Parse a margin.

    Args:
        text: `5%` of the value compared with, or a difference in the unit of the metric: `1ms`, `100kbps`, `2pp` of a
            share, `0.01`, `3`.
        unit: The unit of the metric.

    Raises:
        ValueError: The text is not a margin.
    """
    if text.endswith("%"):
        return Margin(_from_zero(text[:-1]) / 100.0, 0.0, GIVEN)
    if unit in QUANTITIES and not text[-1:].isdigit():
        return Margin(0.0, core.quantity(text, QUANTITIES[unit]), GIVEN)
    if unit == "share" and text.endswith("pp"):
        return Margin(0.0, _from_zero(text[:-2]) / 100.0, GIVEN)
    return Margin(0.0, _from_zero(text), GIVEN)


def given_margins(texts: Iterable[str]) -> dict[str, Margin]:
    """Return the margins that texts such as `rtt_mean_s=1ms` give, by metric.

    Raises:
        InputError: A text has no value.
        MetricError: There is no such metric, or it cannot have such a margin.
    """
    found = {}
    for text in texts:
        # A metric with parameters has equals signs of its own.
        name, equals, value = text.rpartition("=")
        if not equals:
            raise InputError(f"margin {text}", "has no value; allowed: as in goodput_bps=5% or rtt_mean_s=1ms")
        metric = resolve(name)
        try:
            found[metric.text] = read_margin(value.strip(), metric.unit)
        except ValueError:
            allowed = (
                "a part of the value compared with, as 5%, or a difference in the unit of the metric, as 1ms or 0.01"
            )
            raise MetricError(metric.text, "its margin cannot have this value", value, allowed) from None
    return found


def _from_zero(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(text)
    return value


def verdict(difference: Estimate, margin: float, better: str) -> str:
    """Return the verdict on a difference.

    Args:
        difference: The paired difference.
        margin: Margin that it must exceed to be relevant, in the unit of the metric.
        better: "higher", "lower", or empty where neither is better.

    Returns:
        `better`, `worse` or, where neither is better, `different`, if the interval excludes zero and the mean exceeds
        the margin; `same` if the interval lies within the margin; else `undecided`.
    """
    mean, ends = difference["mean"], difference["ci95"]
    if mean is None or ends is None:
        return "undecided"
    low, high = ends
    if -margin <= low and high <= margin:
        return "same"
    if low <= 0.0 <= high or abs(mean) <= margin:
        return "undecided"
    if not better:
        return "different"
    return "better" if (mean > 0) == (better == "higher") else "worse"


def words(within: Range) -> str:
    """Return a range in words, as `from 0 to 1`."""
    return WORDS[within]


RELATIVE = Margin(0.05, 0.0, "users hardly notice a twentieth more or less")
GIVEN = "as given"
EVENT = Margin(0.05, 1.0, "one event more or less is chance")
CAPACITY = Margin(0.0, 0.01, "a hundredth of the capacity serves no further user")
LOSS = Margin(0.1, 1e-5, "throughput goes with the root of the loss rate, so a tenth of it is 5 % of the rate")
INDEX = Margin(0.0, 0.01, "an index of 0.99 is 55:45 between two flows")
MARGIN_BY_UNIT = {
    "bps": Margin(0.02, 0.0, "measured rates of one path differ more from hour to hour"),
    "bps/s": RELATIVE,
    "share": CAPACITY,
    "count": EVENT,
    "s": RELATIVE,
    "packets": RELATIVE,
    "B": RELATIVE,
    "rpm": RELATIVE,
}
MARGIN_BY_NAME = {
    **dict.fromkeys(("jain", "jain_of_means", "min_max", "product"), INDEX),
    **dict.fromkeys(("loss_rate", "random_loss_rate", "mark_rate", "retransmission_rate", "loss_event_rate"), LOSS),
    **dict.fromkeys(("dropped_packets", "marked_packets"), EVENT),
    **dict.fromkeys(("cov", "aggregate_cov", "range_fairness"), Margin(0.05, 0.01, "a hundredth of the mean rate")),
}
# The name of a quantity of a unit in text.
QUANTITIES = {"bps": "rate", "s": "time"}
OF_SHARES = frozenset({"jain"})
BY_UNIT = {"share": SHARE, "count": COUNT}
BY_NAME = {
    # Pure numbers, of which the unit says nothing.
    "jain": SHARE,
    "jain_of_means": Range(0.5, 1.0),
    "min_max": SHARE,
    "product": SHARE,
    "range_fairness": POSITIVE,
    "slowdown": POSITIVE,
    "cov": POSITIVE,
    "aggregate_cov": POSITIVE,
    "loss_spread": POSITIVE,
    "smoothness": POSITIVE,
    "window_cov": POSITIVE,
    "window_swing": POSITIVE,
    "window_changes": POSITIVE,
    "throughput_ratio": POSITIVE,
    "loss_window_correlation": Range(-1.0, 1.0),
    "rtt_bias": REAL,
    # Variables of algorithms, each with a unit of its own.
    "inner_least": REAL,
    "inner_greatest": REAL,
    # Shares of something that they can exceed.
    "loss_synchronisation": POSITIVE,
    "share_after": POSITIVE,
    "rate_kept": POSITIVE,
    "window_kept": POSITIVE,
    "harm": Range(high=1.0),
    # Packets that are counted.
    "dropped_packets": COUNT,
    "marked_packets": COUNT,
    # Changes, which have a sign.
    "growth_after_cut": REAL,
    "aggressiveness": REAL,
}
WORDS = {
    REAL: "any",
    POSITIVE: "from 0",
    COUNT: "counts from 0",
    SHARE: "from 0 to 1",
    Range(0.5, 1.0): "from 1/2 to 1",
    Range(-1.0, 1.0): "from -1 to 1",
    Range(high=1.0): "up to 1",
}
