# SPDX-License-Identifier: Apache-2.0
"""Metrics of the states of an algorithm, from the events of its flows, and of its inner variables."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.metrics.card import Name, metric
from narrows._internal.metrics.parameters import FROM, UNTIL

if TYPE_CHECKING:
    from narrows._internal.metrics.card import Choices
    from narrows._internal.metrics.observed import Flow, Observed
    from narrows._internal.metrics.series import FloatArray

STATE = Name("state", "name of the state, as in the table `events`")
VARIABLE = Name("variable", "inner variable of the algorithm, as on its card")
SOURCE = "the table `events`, which `record.events` asks for"
INNER = "the table `internals`, which `record.internals` asks for"

of_variable = functools.partial(metric, of="flow", source=INNER)


@metric("longest stay in a state", STATE, of="flow", unit="s", source=SOURCE)
def longest_stay_s(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Longest time that the algorithm of a flow stays in `state`, up to the end of the run where it is not left.

    No value if it is never entered, or events are not recorded.
    """
    stays = _stays(seen, flow, choices["state"])
    return max((stop - start for start, stop in stays), default=NAN)


@metric("longest absence from a state", STATE, of="flow", unit="s", source=SOURCE)
def longest_absence_s(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Longest time from the end of a stay of the algorithm of a flow in `state` to the start of the next.

    No value with fewer than two stays, or if events are not recorded.
    """
    stays = _stays(seen, flow, choices["state"])
    return max((after[0] - before[1] for before, after in itertools.pairwise(stays)), default=NAN)


@metric("time in a state", STATE, FROM, UNTIL, of="flow", unit="share", source=SOURCE)
def state_share(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Share of the time between `from` and `until` in which the algorithm of a flow is in `state`.

    No value if the algorithm has no states, events are not recorded, or the run ends before `until`.
    """
    start_s, end_s = choices["from"], choices["until"]
    if not seen.states(flow) or not start_s < end_s <= seen.duration_s:
        return NAN
    stays = _stays(seen, flow, choices["state"])
    within_s = (max(min(stop, end_s) - max(start, start_s), 0.0) for start, stop in stays)
    return float(sum(within_s) / (end_s - start_s))


@of_variable("least value of an inner variable", VARIABLE, FROM, UNTIL)
def inner_least(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Least value of an inner `variable` of a flow's algorithm at the ends of intervals between `from` and `until`.

    In the unit of the variable. No value if it has none there, or inner variables are not recorded.
    """
    values = _between(seen, flow, choices)
    return float(values.min()) if values.size else NAN


@of_variable("greatest value of an inner variable", VARIABLE, FROM, UNTIL)
def inner_greatest(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Greatest value of an inner `variable` of a flow's algorithm at the ends of intervals between `from` and `until`.

    In the unit of the variable. No value if it has none there, or inner variables are not recorded.
    """
    values = _between(seen, flow, choices)
    return float(values.max()) if values.size else NAN


def _between(seen: Observed, flow: Flow, choices: Choices) -> FloatArray:
    """Return the values of an inner variable at the ends of intervals after `from`, up to `until`."""
    ends_s, values = seen.inner(flow, choices["variable"])
    found: FloatArray = values[(ends_s > choices["from"]) & (ends_s <= choices["until"]) & np.isfinite(values)]
    return found


def _stays(seen: Observed, flow: Flow, state: str) -> list[tuple[float, float]]:
    """Return start and end of each stay of a flow in a state, seconds."""
    changes = seen.states(flow)
    ends = [*(start_s for start_s, _ in changes[1:]), flow.stop_s]
    return [(start_s, end_s) for (start_s, name), end_s in zip(changes, ends, strict=False) if name == state]


NAN = float("nan")
