# SPDX-License-Identifier: Apache-2.0
"""The ranges of the values of metrics in given runs, and whether a run has any value outside of them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from narrows.frozen import frozen
from narrows.metrics.criteria import range_of
from narrows.metrics.request import card_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from narrows.core import Records
    from narrows.statistics import Range

    Bounds = Mapping[str, Mapping[str, float]]


@frozen
class Limits:
    """The limits of the metrics of groups or links in given runs, in addition to their cards.

    Attributes:
        of: "group" or "link".
        sizes: Number of flows by group, None if it is random.
        bounds: Greatest values by owner and metric.
        trials: Number of trials of a metric that is a share, in all runs together, by owner and metric.
    """

    of: str
    sizes: Mapping[str, int | None]
    bounds: Bounds
    trials: Bounds

    def range(self, owner: str, metric: str) -> Range:
        """Return the values that a metric of an owner can have in the runs."""
        most, trials = (found.get(owner, {}).get(metric) for found in (self.bounds, self.trials))
        return range_of(card_of(metric, self.of), self.sizes.get(owner), most, trials or 0.0)


def limits_of(records: Sequence[Records], of: str) -> Limits:
    """Return the limits of the metrics in some runs.

    Args:
        records: The records of runs of the same groups and links.
        of: "group" or "link".
    """
    trials: dict[str, dict[str, float]] = {}
    for each in records:
        for owner, counts in (each.group_trials if of == "group" else each.link_trials).items():
            known = trials.setdefault(owner, {})
            for name, count in counts.items():
                known[name] = known.get(name, 0.0) + count
    sizes = records[0].group_sizes if records and of == "group" else {}
    return Limits(of, sizes, bounds_of(records, of), trials)


def bounds_of(records: Iterable[Records], of: str) -> dict[str, dict[str, float]]:
    """Return the greatest values that metrics can have in any of some runs, such as the rate of a link.

    Args:
        records: The records of runs of the same groups and links.
        of: "group" or "link".

    Returns:
        `{owner: {metric: value}}`, in the unit of the metric, where it is bounded by more than its card.
    """
    found: dict[str, dict[str, float]] = {}
    for each in records:
        for owner, bounds in (each.group_bounds if of == "group" else each.link_bounds).items():
            known = found.setdefault(owner, {})
            for name, most in bounds.items():
                known[name] = max(most, known.get(name, most))
    return found


def check(records: Records, measured: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[str, Any]:
    """Return the check that every metric of a replication has a value that it can have, as those of its records.

    Args:
        records: The records of the replication.
        measured: `{"groups": {group: {metric: value}}, "links": {link: {metric: value}}}`, its metrics.
    """
    beyond, count = [], 0
    for of in ("group", "link"):
        bounds = bounds_of([records], of)
        for owner, values in measured[f"{of}s"].items():
            flows = records.group_sizes.get(owner) if of == "group" else None
            most = bounds.get(owner, {})
            for name, value in values.items():
                if not math.isfinite(value):
                    continue
                count += 1
                within = _range(name, of, flows, most.get(name))
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


@lru_cache(maxsize=4096)
def _range(name: str, of: str, flows: int | None, most: float | None) -> Range:
    return range_of(card_of(name, of), flows, most)


def _words(low: float, high: float) -> str:
    if math.isinf(high):
        return f"{low:.6g} at least"
    return f"{high:.6g} at most" if math.isinf(low) else f"{low:.6g} to {high:.6g}"


NAME = "metrics in their ranges"
# Relative; by so much a value leaves its range where it was rounded.
ROUNDING = 1e-9
