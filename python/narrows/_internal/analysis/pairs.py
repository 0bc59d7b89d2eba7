# SPDX-License-Identifier: Apache-2.0
"""Every algorithm beside every other: the share that an incumbent keeps, and its loss compared with running alone.

Sources: R. Ware, M. K. Mukerjee, S. Seshan and J. Sherry, "Beyond Jain's Fairness Index: Setting the Bar for the
Deployment of Congestion Control Algorithms", ACM HotNets 2019, §3 and §4: harm, and that a newcomer may do as much of
it as the incumbent's own kind does. A. Philip et al., "Prudentia: Findings of an Internet fairness watchdog", ACM
SIGCOMM 2024: the share of the max-min fair rate, contenders as rows, incumbents as columns.

Deviations: if a performance is the same with and without competitors, zero included, harm is 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from narrows._internal.analysis.harm import harm
from narrows._internal.frozen import frozen
from narrows._internal.statistics import POSITIVE, REAL, SHARE, Estimate, Range, estimate

Values = Mapping[str, float]
Key = tuple[tuple[str, ...], str, str | None, int]


@frozen
class Seen:
    """The measurements of one side of one run.

    Attributes:
        condition: Levels of the factors, in their order.
        incumbent: Algorithm of this side.
        contender: Algorithm of the other side; None if this side is alone on the path.
        replication: Number of the replication, from 0.
        values: Value of each metric in `MEASURED`, in its unit; NaN without data.
    """

    condition: tuple[str, ...]
    incumbent: str
    contender: str | None
    replication: int
    values: Values


@frozen
class Meeting:
    """The performance of an incumbent beside a contender.

    Attributes:
        condition: Levels of the factors; None for the mean over all conditions.
        contender: Algorithm of the contender.
        incumbent: Algorithm of the incumbent.
        found: Estimates over replications by name, with the names of `MEASURED` and `DERIVED`.
    """

    condition: tuple[str, ...] | None
    contender: str
    incumbent: str
    found: Mapping[str, Estimate]


def meetings(seen: Sequence[Seen], names: Sequence[str]) -> list[Meeting]:
    """Estimate the performance of every incumbent beside every contender, replication by replication.

    Args:
        seen: Every side of every run, including each incumbent alone and beside itself under every condition.
        names: Algorithms in the order of the matrix.

    Returns:
        Means over all conditions, of the replications that have all of them, then the results of each condition.
    """
    values: dict[Key, Values] = {
        (each.condition, each.incumbent, each.contender, each.replication): each.values for each in seen
    }
    conditions = list(dict.fromkeys(each.condition for each in seen))
    replications = sorted({each.replication for each in seen})
    found = []
    for contender in names:
        for incumbent in names:
            courses = [
                {
                    index: harms
                    for index in replications
                    if (harms := _all_harms(values, place, incumbent, contender, index))
                }
                for place in conditions
            ]
            whole = [index for index in replications if all(index in course for course in courses)]
            together = [_mean([course[index] for course in courses]) for index in whole]
            found.append(Meeting(None, contender, incumbent, _estimates(together)))
            found += [
                Meeting(place, contender, incumbent, _estimates(list(course.values())))
                for place, course in zip(conditions, courses, strict=True)
            ]
    return sorted(found, key=lambda each: -1 if each.condition is None else conditions.index(each.condition))


def _all_harms(
    values: Mapping[Key, Values], condition: tuple[str, ...], incumbent: str, contender: str, replication: int
) -> dict[str, float] | None:
    here = values.get((condition, incumbent, contender, replication))
    alone = values.get((condition, incumbent, None, replication))
    own = values.get((condition, incumbent, incumbent, replication))
    if here is None or alone is None or own is None:
        return None
    done = _harms(alone, here)
    expected = _harms(alone, own)
    excess = {f"excess_{name}": done[name] - expected[name] for name in ("harm", "delay_harm", "loss_harm")}
    return {**{name: here[name] for name in MEASURED}, **done, **excess}


def _harms(alone: Values, here: Values) -> dict[str, float]:
    return {
        "harm": _harm(alone["goodput_bps"], here["goodput_bps"], more_is_better=True),
        "delay_harm": _harm(alone["delay_s"], here["delay_s"], more_is_better=False),
        "loss_harm": _harm(alone["loss_rate"], here["loss_rate"], more_is_better=False),
    }


def _harm(alone: float, here: float, *, more_is_better: bool) -> float:
    return 0.0 if alone == here else harm(alone, here, more_is_better=more_is_better)


def _mean(values: Sequence[Values]) -> dict[str, float]:
    return {name: math.fsum(each[name] for each in values) / len(values) for name in values[0]}


def _estimates(values: Sequence[Values]) -> dict[str, Estimate]:
    return {name: estimate((each[name] for each in values), within) for name, within in RANGES.items()}


# share: goodput over the max-min fair one. delay_s: mean one-way delay of its data packets. queue_delay_s: mean time in
# the bottleneck's queue of both sides' packets. The others are the group's own, as `narrows list metrics` has them.
MEASURED = {
    "share": POSITIVE,
    "goodput_bps": POSITIVE,
    "delay_s": POSITIVE,
    "loss_rate": SHARE,
    "retransmission_rate": SHARE,
    "queue_delay_s": POSITIVE,
}
# Parts of the incumbent's performance alone; excess: beyond the harm by its own algorithm.
DERIVED = {
    **dict.fromkeys(("harm", "delay_harm", "loss_harm"), Range(high=1.0)),
    **dict.fromkeys(("excess_harm", "excess_delay_harm", "excess_loss_harm"), REAL),
}
# The values that each of them can have.
RANGES = {**MEASURED, **DERIVED}
