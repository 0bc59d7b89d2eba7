"""Metrics of the states of an algorithm, from the events of its flows."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from narrows.metrics.card import Name, metric

if TYPE_CHECKING:
    from narrows.metrics.card import Choices
    from narrows.metrics.observed import Flow, Observed

STATE = Name("state", "name of the state, as in the table `events`")
SOURCE = "the table `events`, which `record.events` asks for"


@metric(of="flow", unit="s", better="", label="longest stay in a state", source=SOURCE, parameters=(STATE,))
def longest_stay_s(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Longest time that the algorithm of a flow stays in `state`, up to the end of the run where it is not left.

    No value if it is never entered, or events are not recorded.
    """
    stays = _stays(seen, flow, choices["state"])
    return max((stop - start for start, stop in stays), default=NAN)


@metric(of="flow", unit="s", better="", label="longest absence from a state", source=SOURCE, parameters=(STATE,))
def longest_absence_s(seen: Observed, _group: str, flow: Flow, choices: Choices) -> float:
    """Longest time from the end of a stay of the algorithm of a flow in `state` to the start of the next.

    No value with fewer than two stays, or if events are not recorded.
    """
    stays = _stays(seen, flow, choices["state"])
    return max((after[0] - before[1] for before, after in itertools.pairwise(stays)), default=NAN)


def _stays(seen: Observed, flow: Flow, state: str) -> list[tuple[float, float]]:
    """Return start and end of each stay of a flow in a state, seconds."""
    changes = seen.states(flow)
    ends = [*(start_s for start_s, _ in changes[1:]), flow.stop_s]
    return [(start_s, end_s) for (start_s, name), end_s in zip(changes, ends, strict=False) if name == state]


NAN = float("nan")
