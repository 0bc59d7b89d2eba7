"""The figures of a report, one module each, in the order in which people of this field look at them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.report.run.figures import fairness, queue, rates, rtt, tradeoff, transfers, window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.report.drawing.figure import Figure
    from narrows.report.run.data import Run


def figures(runs: Sequence[Run]) -> list[Figure]:
    """Return every figure of a run (a sequence of one) or of a comparison."""
    return [
        *(module.figure(runs) for module in (window, rates, queue, rtt, tradeoff, fairness)),
        *transfers.figures(runs),
    ]
