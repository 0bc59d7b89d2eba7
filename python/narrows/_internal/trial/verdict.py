# SPDX-License-Identifier: Apache-2.0
"""The verdict on a change in one metric, from paired values, at any number of replications.

With the margin m, the greater of a part of the value of A and the absolute margin of the metric (`docs/metrics.md`),
the cost of B in a replication is how much worse B is than A:

| verdict | the always-valid interval |
|---|---|
| `worse` | of the cost is above 0, and its mean above m |
| `better` | of the cost is below 0, and its mean below -m |
| `no worse` | of cost - m is at or below 0 |
| `undecided` | none of these |

So `worse` and `better` are defined as in comparisons (`narrows._internal.metrics.criteria.verdict`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from narrows._internal.analysis.sequences import confidence_sequence
from narrows._internal.metrics.criteria import Margin, verdict


class Judged(NamedTuple):
    """The state of a metric after some replications."""

    verdict: str
    difference: float | None  # mean of B - A, in the unit of the metric; None without data
    interval: tuple[float, float] | None  # always-valid interval of the difference; None while it is infinite
    a: float | None  # mean of A; None without data
    b: float | None  # mean of B; None without data
    margin: float  # mean of the margin, in the unit of the metric
    replications: int  # number of pairs with data


def judge(a: Sequence[float], b: Sequence[float], better: str, margin: Margin, alpha: float) -> Judged:
    """Judge a metric."""
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if math.isfinite(x) and math.isfinite(y)]
    if not pairs:
        return Judged(UNDECIDED, None, None, None, None, 0.0, 0)
    sign = 1.0 if better == "lower" else -1.0
    costs = [sign * (y - x) for x, y in pairs]
    margins = [margin.of(x) for x, _ in pairs]
    count = len(pairs)
    low, high = confidence_sequence([y - x for x, y in pairs], alpha)
    over = confidence_sequence([cost - each for cost, each in zip(costs, margins, strict=True)], alpha)
    mean, margin_mean = math.fsum(y - x for x, y in pairs) / count, math.fsum(margins) / count
    found = verdict({"mean": mean, "ci95": [low, high], "interval_method": None}, margin_mean, better)
    if found not in {WORSE, BETTER}:
        found = NO_WORSE if over[1] <= 0.0 else UNDECIDED
    return Judged(
        found,
        mean,
        (low, high) if math.isfinite(low) else None,
        math.fsum(x for x, _ in pairs) / count,
        math.fsum(y for _, y in pairs) / count,
        margin_mean,
        count,
    )


def row(judged: Judged, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of `summary.json` of a metric."""
    relative = None
    if judged.a and judged.difference is not None:
        relative = judged.difference / abs(judged.a)
    return {
        **about,
        "verdict": judged.verdict,
        "a": judged.a,
        "b": judged.b,
        "difference": judged.difference,
        "interval": None if judged.interval is None else list(judged.interval),
        "relative": relative,
        "margin": judged.margin,
        "replications": judged.replications,
    }


NO_WORSE, WORSE, BETTER, UNDECIDED = VERDICTS = ("no worse", "worse", "better", "undecided")
