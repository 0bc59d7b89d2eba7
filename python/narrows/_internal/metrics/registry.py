# SPDX-License-Identifier: Apache-2.0
"""All metrics of the series; importing this module declares them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows._internal.metrics import flow_windows, flows, groups, links, pairs, programs, states, transfers
from narrows._internal.metrics.card import DECLARED
from narrows._internal.metrics.series import mean_of_known

if TYPE_CHECKING:
    from narrows._internal.metrics.card import Card, Choices, OfOwner, Parameter
    from narrows._internal.metrics.observed import Observed

# In the order in which they are listed.
MODULES = (groups, transfers, flows, flow_windows, states, pairs, programs, links)


def cards() -> list[Card]:
    """Return the card of every metric of the series."""
    order = [module.__name__ for module in MODULES]
    found = sorted(DECLARED.values(), key=lambda each: order.index(each.function.__module__))
    return [each.card for each in found]


def parameters(owner: str, name: str) -> tuple[Parameter, ...]:
    """Return the parameters of a metric.

    Args:
        owner: "group" or "link".
        name: Name of the metric.

    Raises:
        KeyError: There is no such metric.
    """
    return DECLARED[owner, name].card.parameters


def function(owner: str, name: str) -> OfOwner:
    """Return the function that computes a metric of a group or link.

    Args:
        owner: "group" or "link".
        name: Name of the metric. The value of a metric of flows is the mean over the flows of the group that have one.

    Raises:
        KeyError: There is no such metric.
    """
    declared = DECLARED[owner, name]
    if declared.card.of != "flow":
        taken: OfOwner = declared.function
        return taken

    def mean_over_flows(seen: Observed, group: str, choices: Choices) -> float:
        return mean_of_known([declared.function(seen, group, flow, choices) for flow in seen.parts(group)])

    return mean_over_flows


def catalogue() -> list[dict[str, Any]]:
    """Return the cards of all metrics of the series as dicts, in the form of `core.metrics`."""
    return [card.as_dict() for card in cards()]
