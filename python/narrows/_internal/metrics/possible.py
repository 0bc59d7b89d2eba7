# SPDX-License-Identifier: Apache-2.0
"""The ranges of the values of metrics in given runs, and whether a run has any value outside of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from narrows._internal.metrics.criteria import range_of
from narrows._internal.metrics.request import card_of
from narrows._internal.statistics import Range

if TYPE_CHECKING:
    from narrows._internal.core import Records


def range_in(records: Sequence[Records], of: str, owner: str, metric: str) -> Range:
    """Return the values that a metric of a group or link can have in given runs, in its unit.

    Args:
        records: The records of runs of the same groups and links.
        of: "group" or "link".
        owner: Name of the group or link.
        metric: Name of the metric.
    """
    flows = records[0].group_sizes.get(owner) if records and of == "group" else None
    bounds, trials = (
        [getattr(each, f"{of}_{what}").get(owner, {}) for each in records] for what in ("bounds", "trials")
    )
    most = max((each[metric] for each in bounds if metric in each), default=None)
    return range_of(card_of(metric, of), flows, most, math.fsum(each.get(metric, 0.0) for each in trials))


def most_of(rates: Iterable[float | None], parts: Iterable[float | None]) -> float | None:
    """Return the greatest capacity in some runs, by rates and the parts of the capacity that they are.

    Args:
        rates: A rate of each run; None or not a number without data.
        parts: What part of the capacity each is, from 0 to 1.

    Returns:
        The capacity in the unit of the rates, with room for the rounding of a mean and for a packet whose transmission
        began in the warm-up; None if it is unknown.
    """
    found = (rate / part * ROOM for rate, part in zip(rates, parts, strict=True) if rate is not None and part)
    return max(filter(math.isfinite, found), default=None)


def check(records: Records, measured: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[str, Any]:
    """Return the check that every metric of a replication has a possible value, given its records.

    Args:
        records: The records of the replication.
        measured: `{"groups": {group: {metric: value}}, "links": {link: {metric: value}}}`, its metrics.
    """
    beyond, count = [], 0
    for of in ("group", "link"):
        for owner, values in measured[f"{of}s"].items():
            for name, value in values.items():
                if not math.isfinite(value):
                    continue
                count += 1
                within = range_in([records], of, owner, name)
                rounding = ROUNDING * max(abs(value), 1.0)
                if not within.low - rounding <= value <= within.high + rounding:
                    beyond.append(f"{name} of {owner} is {value:.6g}, and can be {_words(within.low, within.high)}")
    return {
        "name": NAME,
        "ok": not beyond,
        "level": "caution" if beyond else None,
        "detail": "; ".join(beyond) or f"{count} values",
        "shortfall": float(len(beyond)),
    }


def _words(low: float, high: float) -> str:
    if math.isinf(high):
        return f"{low:.6g} at least"
    return f"{high:.6g} at most" if math.isinf(low) else f"{low:.6g} to {high:.6g}"


NAME = "metrics in their ranges"
# Of a capacity that is computed from rounded means.
ROOM = 1.001
# Relative; by so much rounding takes a value out of its range.
ROUNDING = 1e-9
