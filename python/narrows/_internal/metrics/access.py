# SPDX-License-Identifier: Apache-2.0
"""Access links that are the bottleneck: the FIFOs between hosts and routers in which packets wait longest."""

from __future__ import annotations

UTILIZATION, DELAY, QUEUE = "access_utilization", "access_queue_delay_mean_s", "access_queue_mean_packets"
"""The metrics of the access links of a group."""

SERIES = "access_queue_delay_s"
"""The column of the series of flows."""

AS_OF_LINKS = {UTILIZATION: "utilization", DELAY: "queue_delay_mean_s", QUEUE: "queue_mean_packets"}
"""These metrics by the names that links have for them."""


def is_bottleneck(access_s: float | None, bottleneck_s: float | None) -> bool:
    """Return whether packets wait longer at access links than at the bottleneck of the network, and not only a moment.

    Args:
        access_s: Mean queueing delay at access links, seconds; None without packets.
        bottleneck_s: Delay at the bottleneck of their group, seconds; None if it has none.
    """
    return access_s is not None and access_s > max(LEAST_S, bottleneck_s or 0.0)


LEAST_S = 1e-3
"""A queue that delays packets by less does not limit anything, seconds."""
