# SPDX-License-Identifier: Apache-2.0
"""Results for interactive use: as a table in a notebook, as data frames, and as plots for a paper."""

from __future__ import annotations

from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from narrows.arguments import typed
from narrows.comparison import runs_of
from narrows.drawing.style import style_of, tone_of
from narrows.errors import InputError
from narrows.metrics import card_of
from narrows.names import UnknownNameError
from narrows.plural import counted
from narrows.rounding import plus_minus

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa


class Displayed:
    """What all results have: a summary and tables. The summary is as in `summary.json`."""

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
        """Plots of the series: `plot.cwnd()`, `plot.rate()`, `plot.queue()`, `plot.rtt()`."""
        return Plots(self)

    def __repr__(self) -> str:
        """Return title, groups and digest in a line."""
        summary = self.summary
        times = counted(summary["replications"], "replication")
        return (
            f"<{type(self).__name__} {summary['title']!r}: {times}, seed {summary['seed']}, {summary['digest'][:19]}…>"
        )

    def _repr_html_(self) -> str:
        rows = "".join(_row(cells) for cells in _rows(self.summary))
        titles = ("", "", *(card_of(name, "group")["label"] for name in LEADING))
        head = "".join(f"<th>{escape(each)}</th>" for each in titles)
        return (
            f"<p><b>{escape(str(self.summary['title']))}</b><br>seed {self.summary['seed']}, "
            f"{counted(self.summary['replications'], 'replication')}; ± is half of a 95 % interval</p>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
            f"<p><code>{escape(str(self.summary['digest']))}</code></p>"
        )


class Plots:
    """Plots of the series of a run or comparison with matplotlib, one figure each, in the colours of the reports."""

    def __init__(self, shown: Displayed) -> None:
        """Make the plots of some results."""
        self._shown = shown

    @typed
    def cwnd(self, ax: Any = None, replication: int = 0) -> Any:
        """Plot the congestion window of each flow over time; arguments and errors as `rate`."""
        return self._draw("flow", "cwnd_packets", 1.0, "Congestion window (packets)", ax, replication)

    @typed
    def rate(self, ax: Any = None, replication: int = 0) -> Any:
        """Plot the goodput of each flow over time.

        Args:
            ax: Axes of matplotlib; None makes a figure.
            replication: Number of the replication.

        Returns:
            The axes.

        Raises:
            InputError: Matplotlib is not installed and no axes are given, or the replication did not finish.
        """
        return self._draw("flow", "goodput_bps", 1e6, "Goodput (Mbps)", ax, replication)

    @typed
    def rtt(self, ax: Any = None, replication: int = 0) -> Any:
        """Plot the round-trip time of each flow over time; arguments and errors as `rate`."""
        return self._draw("flow", "rtt_s", 1e-3, "Round-trip time (ms)", ax, replication)

    @typed
    def queue(self, ax: Any = None, replication: int = 0) -> Any:
        """Plot the queue of each link over time; arguments and errors as `rate`."""
        return self._draw("link", "queue_packets", 1.0, "Queue (packets)", ax, replication)

    def _draw(  # noqa: PLR0913, PLR0917  # what is drawn, and where
        self, kind: str, column: str, scale: float, label: str, ax: Any, replication: int
    ) -> Any:
        series = self._shown.table("series")
        known = sorted(set(series["replication"].to_pylist())) if series.num_rows else []
        if replication not in known:
            raise InputError(f"replication {replication}", f"has no series; allowed: {', '.join(map(str, known))}")
        lines = dict(self._lines(series, kind, column, replication))
        if not lines:
            raise InputError("plot", f'there are no series of {kind}s: run the scenario with record.flows = "all"')
        ax = ax if ax is not None else _axes()
        algorithms = self._algorithms()
        used: dict[str, int] = {}
        for key, (times, values) in lines.items():
            algorithm = algorithms.get(key, "")
            place = used[algorithm] = used.get(algorithm, -1) + 1
            style = style_of(algorithm).variant(place)
            colour = tuple(part / 255 for part in tone_of(style.colour, style.tone, "light")) if algorithm else "0.25"
            name = " ".join(filter(None, key))
            ax.plot(times, [value and value / scale for value in values], label=name, color=colour, linewidth=1)
        ax.set_xlabel("Time (s)")
        ax.set_ylabel(label)
        ax.set_ylim(bottom=0)
        ax.legend(frameon=False)
        return ax

    @staticmethod
    def _lines(series: pa.Table, kind: str, column: str, replication: int) -> Iterator[tuple[tuple[str, str], Any]]:
        """Return times and values of each flow or link by its subject, which is empty in a run, and its name."""
        import pyarrow.compute as pc

        series = series.filter((pc.field("kind") == kind) & (pc.field("replication") == replication))
        subjects = _subjects(series)
        found: dict[tuple[str, str], tuple[list[float], list[float | None]]] = {}
        columns = (series[name].to_pylist() for name in ("name", "time_s", column))
        for subject, name, time, value in zip(subjects, *columns, strict=True):
            times, values = found.setdefault((subject, name), ([], []))
            times.append(time)
            values.append(value)
        yield from found.items()

    def _algorithms(self) -> dict[tuple[str, str], str]:
        flows = self._shown.table("flows")
        subjects = _subjects(flows)
        columns = (flows[name].to_pylist() for name in ("group", "flow", "algorithm"))
        return {
            (subject, f"{group}[{flow}]"): algorithm
            for subject, group, flow, algorithm in zip(subjects, *columns, strict=True)
        }


def frame_of(table: pa.Table, library: str | None = None) -> Any:
    """Return an Arrow table as a data frame of polars or pandas; arguments and errors as `Displayed.frame`."""
    if library not in {None, *FRAMES}:
        raise UnknownNameError("library for data frames", str(library), FRAMES)
    for name in FRAMES if library is None else [library]:
        try:
            if name == "polars":
                import polars as pl

                return pl.from_arrow(table)
            import_module("pandas")
            return table.to_pandas()
        except ImportError:
            continue
    if library is not None:
        raise InputError(library, "is not installed")
    raise InputError("frame", "needs a library for data frames: `pip install polars` or `pip install pandas`")


def _subjects(table: pa.Table) -> list[str]:
    """Return the name of the run of each row of a comparison; empty texts of a run."""
    column = next((name for name in ("subject", "backend", "level") if name in table.column_names), None)
    return [str(each) for each in table[column].to_pylist()] if column else [""] * int(table.num_rows)


def _axes() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise InputError("plot", "needs matplotlib: `pip install matplotlib`, or give it axes") from None
    return plt.subplots(figsize=(7, 3), layout="constrained")[1]


def _rows(summary: Mapping[str, Any]) -> Iterator[list[str]]:
    for subject, each in (runs_of(summary) or {"": summary}).items():
        for group, metrics in each["groups"].items():
            yield [subject, group, *(_cell(metrics.get(name), card_of(name, "group")["unit"]) for name in LEADING)]


def _row(cells: list[str]) -> str:
    first, second, *values = (escape(each) for each in cells)
    return f"<tr><th>{first}</th><th>{second}</th>{''.join(f'<td>{each}</td>' for each in values)}</tr>"


def _cell(value: Mapping[str, Any] | None, unit: str) -> str:
    if value is None or value["mean"] is None:
        return "-"
    scale, name = SCALES.get(unit, (1.0, unit if unit != "count" else ""))
    return f"{plus_minus({'ci95': None, **value}, scale)} {name}".rstrip()


FRAMES = ("polars", "pandas")
# What is seen first in a notebook; the summary has all.
LEADING = ("goodput_bps", "jain", "loss_rate", "rtt_mean_s", "cwnd_mean_packets")
SCALES = {"bps": (1e6, "Mbps"), "s": (1e-3, "ms"), "share": (0.01, "%")}
