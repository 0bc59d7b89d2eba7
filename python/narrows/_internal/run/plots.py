# SPDX-License-Identifier: Apache-2.0
"""Plots of results for a paper, with matplotlib, in the look of the reports."""

from __future__ import annotations

from typing import Any

from narrows._internal.arguments import typed
from narrows._internal.comparison import factors_of
from narrows._internal.drawing.figure import Figure
from narrows._internal.drawing.scale import BITS_PER_SECOND, PACKETS, SECONDS
from narrows._internal.extras import require
from narrows._internal.page.picture import picture_of
from narrows._internal.run.courses import Course, course_of
from narrows._internal.run.means import means_of
from narrows._internal.run.tables import Tabular


class Plots:
    """Plots of a run or comparison: each returns a figure of matplotlib, which a notebook shows.

    The colour is the algorithm, dash and marker are the level of the other factor, a panel is a flow, group or link.
    What stands alone of these has colour and dash. The attribute `caption` of the figure says what it shows, and how
    its intervals were made.
    """

    def __init__(self, shown: Tabular) -> None:
        """Make the plots of some results."""
        self._shown = shown

    @typed
    def cwnd(self, ax: Any = None, replication: int = 0) -> Any:
        """Plot the congestion window of each flow over time; arguments and errors as `rate`."""
        return self._over_time(Course("flow", "cwnd_packets", PACKETS, "Congestion window"), ax, replication)

    @typed
    def rate(self, ax: Any = None, replication: int = 0) -> Any:
        """Plot the goodput of each flow over time.

        Args:
            ax: Axes of matplotlib that take all lines; None makes a figure, of a comparison with a panel per flow.
            replication: Number of the replication.

        Returns:
            The `matplotlib.figure.Figure`, with `savefig`, `axes` and `caption`; the figure of `ax` if it is given.

        Raises:
            InputError: Matplotlib is not installed, or the replication did not finish.
        """
        return self._over_time(Course("flow", "goodput_bps", BITS_PER_SECOND, "Goodput"), ax, replication)

    @typed
    def rtt(self, ax: Any = None, replication: int = 0) -> Any:
        """Plot the round-trip time of each flow over time; arguments and errors as `rate`."""
        return self._over_time(Course("flow", "rtt_s", SECONDS, "Round-trip time"), ax, replication)

    @typed
    def queue(self, ax: Any = None, replication: int = 0) -> Any:
        """Plot the queue of each link over time, a panel per link; arguments and errors as `rate`."""
        return self._over_time(Course("link", "queue_packets", PACKETS, "Queue"), ax, replication)

    @typed
    def metric(self, name: str, ax: Any = None) -> Any:
        """Plot a metric: its mean over the replications with its 95 % confidence interval, and each replication.

        Args:
            name: Name of a metric of groups or links that the summary has, as `frame_delay_p95_s`.
            ax: Axes of matplotlib, if one panel suffices; None makes a figure, of a comparison with a panel for each
                group or link that has the metric.

        Returns:
            As `rate`. The `caption` says how the intervals were made.

        Raises:
            InputError: Matplotlib is not installed, the summary has no such metric, or `ax` would need several panels.
        """
        return _printed(means_of(self._shown, name, factors_of(self._shown.summary)), ax)

    def _over_time(self, course: Course, ax: Any, replication: int) -> Any:
        algorithms, factors = {}, factors_of(self._shown.summary)
        if not factors:
            flows = self._shown.table("flows")
            columns = (flows[name].to_pylist() for name in ("group", "flow", "algorithm"))
            algorithms = {f"{group}[{flow}]": each for group, flow, each in zip(*columns, strict=True)}
        figure = course_of(course, self._shown, replication, factors, algorithms, one=ax is not None)
        return _printed(figure, ax)


def _printed(figure: Figure, ax: Any) -> Any:
    require("matplotlib")
    from narrows._internal.page.printed import onto, printed

    picture = picture_of(figure)
    return printed(picture, WIDTH_MM) if ax is None else onto(ax, picture)


# Between the margins of A4.
WIDTH_MM = 160.0
