# SPDX-License-Identifier: Apache-2.0
"""Results for interactive use: as a table in a notebook, and as data frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from narrows._internal.arguments import typed
from narrows._internal.comparison import runs_of
from narrows._internal.drawing.svg import escape
from narrows._internal.extras import load, require
from narrows._internal.metrics.perceived import PERCEIVED, perceived
from narrows._internal.names import UnknownNameError
from narrows._internal.page.estimates import estimate_text
from narrows._internal.page.metrics import meaning
from narrows._internal.plural import counted
from narrows._internal.statistics import intervals_of
from narrows.metrics import card_of

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.run.plots import Plots


class Displayed:
    """Results with a summary, as in `summary.json`, and tables."""

    summary: Any

    def table(self, name: str) -> pa.Table:
        """Return the table of a run with this name."""
        raise NotImplementedError

    @typed
    def frame(self, table: str = "flows", library: str | None = None) -> Any:
        """Return a table as a data frame.

        Args:
            table: Name of the table, such as `flows`, `links`, `series` or `events`.
            library: `polars` or `pandas`; None is the one that is installed, polars first.

        Raises:
            InputError: There is no such library, or it is not installed.
            KeyError: There is no such table.
        """
        return frame_of(self.table(table), library)

    @property
    def plot(self) -> Plots:
        """Plots: `plot.metric(name)`, and over time `plot.cwnd()`, `plot.rate()`, `plot.queue()`, `plot.rtt()`."""
        from narrows._internal.run.plots import Plots

        return Plots(self)

    def __repr__(self) -> str:
        """Return title, groups and digest in a line."""
        summary = self.summary
        times = counted(summary["replications"], "replication")
        return (
            f"<{type(self).__name__} {summary['title']!r}: {times}, seed {summary['seed']}, {summary['digest'][:19]}…>"
        )

    def _repr_html_(self) -> str:
        leading = _leading(self.summary)
        rows = "".join(_row(cells) for cells in _rows(self.summary, leading))
        titles = ("", "", *(card_of(name, "group")["label"] for name in leading))
        head = "".join(f"<th>{escape(each)}</th>" for each in titles)
        return (
            f"<p><b>{escape(self.summary['title'])}</b><br>seed {self.summary['seed']}, "
            f"{counted(self.summary['replications'], 'replication')}; in parentheses "
            f"{intervals_of(self.summary.get('at_most'))}</p>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
            f"<p><code>{escape(self.summary['digest'])}</code></p>"
        )


def frame_of(table: pa.Table, library: str | None = None) -> Any:
    """Return an Arrow table as a data frame of polars or pandas; arguments and errors as `Displayed.frame`."""
    if library not in {None, *FRAMES}:
        raise UnknownNameError("library for data frames", str(library), FRAMES)
    chosen = library or next(filter(find_spec, FRAMES), FRAMES[0])
    require(chosen)
    return load("polars").from_arrow(table) if chosen == "polars" else table.to_pandas()


def _leading(summary: Mapping[str, Any]) -> list[str]:
    """Return the metrics that are shown first: the perceived metrics of any group, and the metrics of all groups."""
    groups = [metrics for each in (runs_of(summary) or {"": summary}).values() for metrics in each["groups"].values()]
    found = {name for metrics in groups for name in perceived(_known(metrics))}
    return [*(name for name in PERCEIVED if name in found), *LEADING]


def _known(metrics: Mapping[str, Any]) -> list[str]:
    return [name for name, each in metrics.items() if isinstance(each, dict) and each.get("mean") is not None]


def _rows(summary: Mapping[str, Any], leading: Sequence[str]) -> Iterator[list[str]]:
    for subject, each in (runs_of(summary) or {"": summary}).items():
        for group, metrics in each["groups"].items():
            yield [subject, group, *(_cell(metrics.get(name), name) for name in leading)]


def _row(cells: list[str]) -> str:
    first, second, *values = (escape(each) for each in cells)
    return f"<tr><th>{first}</th><th>{second}</th>{''.join(f'<td>{each}</td>' for each in values)}</tr>"


def _cell(value: Mapping[str, Any] | None, name: str) -> str:
    if value is None or value["mean"] is None:
        return "-"
    return estimate_text(value["mean"], value.get("ci95"), meaning(name).unit, value.get("interval_method"))


FRAMES = ("polars", "pandas")
# The metrics shown first in a notebook; the summary has all.
LEADING = ("goodput_bps", "jain", "loss_rate", "rtt_mean_s", "cwnd_mean_packets")
