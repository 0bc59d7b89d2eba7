# SPDX-License-Identifier: Apache-2.0
"""The figures of a report, one module each, in the order in which people of this field look at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from narrows._internal.drawing.figure import Figure, with_others
from narrows._internal.report.run.data import Run
from narrows._internal.report.run.figures import (
    clients,
    fairness,
    perceived,
    queue,
    rates,
    rtt,
    tradeoff,
    transfers,
    window,
)


def figures(runs: Sequence[Run]) -> list[Figure]:
    """Return every figure of a run (a sequence of one) or of a comparison."""
    return [
        *perceived.figures(runs),
        *([_course(clients.figure, runs)] if clients.is_drawn(runs) else []),
        tradeoff.figure(runs),
        *(_course(module.figure, runs) for module in (window, rates, queue)),
        rtt.figure(runs),
        fairness.figure(runs),
        *transfers.figures(runs),
    ]


def _course(draw: Callable[[Sequence[Run]], Figure], runs: Sequence[Run]) -> Figure:
    """Return a figure over time of the first replication, with a few other replications to choose from."""
    shared = set.intersection(*(set(run.recorded_replications) for run in runs))
    flows = sum(len(run.flow_traces(run.shown_replication)) for run in runs)
    # A page with many flows of many replications would take long to load.
    most = max(1, min(MOST_REPLICATIONS, MOST_FLOWS // max(flows, 1)))
    chosen = sorted(shared)[:most] or [runs[0].shown_replication]
    return with_others({number: draw([run.showing(number) for run in runs]) for number in chosen})


# Replications to choose from at most, and flows in all of them together.
MOST_REPLICATIONS = 10
MOST_FLOWS = 60
