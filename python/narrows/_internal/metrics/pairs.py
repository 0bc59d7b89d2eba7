# SPDX-License-Identifier: Apache-2.0
"""Metrics of a group of flows that is compared with another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from narrows._internal import core
from narrows._internal.metrics import fairness
from narrows._internal.metrics.card import metric
from narrows._internal.metrics.parameters import HA, TO

if TYPE_CHECKING:
    from narrows._internal.metrics.card import Choices
    from narrows._internal.metrics.observed import Observed


def _per_flow(seen: Observed, group: str) -> float:
    """Return the mean goodput of a flow; not a number if the number of flows is random."""
    size = seen.records.group_sizes[group]
    return NAN if size is None else seen.goodput_bps(group) / size


def _pair(seen: Observed, group: str, choices: Choices) -> tuple[float, float, str]:
    to = choices["to"]
    if to == "other":
        to = next((name for name, _, _ in seen.scenario.paths if name != group), group)
    return _per_flow(seen, group), _per_flow(seen, to), to


@metric("goodput of a flow over that of the other group", TO, of="pair", source="RFC 5166 §2.3.1; Ha et al., §3")
def throughput_ratio(seen: Observed, group: str, choices: Choices) -> float:
    """Mean goodput of the group's flows divided by that of the group `to`: 1 is TCP-friendly if that group is TCP."""
    own, other, _ = _pair(seen, group, choices)
    return own / other if other > 0 else NAN


@metric("Jain's index of two groups", TO, of="pair", better="higher", source=HA)
def jain_of_means(seen: Observed, group: str, choices: Choices) -> float:
    """Jain's index of the mean goodputs per flow of the group and of the group `to`."""
    own, other, _ = _pair(seen, group, choices)
    return core.jain(np.array([own, other]))


@metric("RTT bias", TO, of="pair", better="lower", source="Lakshman and Madhow, IEEE/ACM ToN 5(3), 1997")
def rtt_bias(seen: Observed, group: str, choices: Choices) -> float:
    """Exponent e for which the mean goodputs per flow of the two groups are as their propagation round trips to the -e.

    0 is fair; at 1 goodputs are inversely proportional to round trips.
    """
    own, other, to = _pair(seen, group, choices)
    return fairness.rtt_bias(own / other, seen.rtt_s(group) / seen.rtt_s(to)) if other > 0 else NAN


NAN = float("nan")
