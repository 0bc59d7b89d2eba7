# SPDX-License-Identifier: Apache-2.0
"""The view of one replication that metrics are computed from: series as arrays, by flow and by link."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from narrows._internal import core
from narrows._internal.metrics import series
from narrows._internal.metrics.series import FloatArray

if TYPE_CHECKING:
    from narrows._internal.core import Records, Scenario

    Choices = Mapping[str, Any]

Choice = str | float
PICOSECOND = 1e-12


class Flow(NamedTuple):
    """A flow.

    Attributes:
        name: Name in the series.
        start_s: Start, seconds; not a number if it never started.
        stop_s: Completion, or the end of the run, seconds.
        of_transfers: Whether it stands for all finite flows of the group of that name together.
    """

    name: str
    start_s: float
    stop_s: float
    of_transfers: bool = False


class Observed:
    """One replication of a scenario.

    Attributes:
        scenario: The resolved scenario.
        records: The records of the replication.
        interval_s: Length of an interval of the series, seconds.
        duration_s: Duration of the run, seconds.
    """

    def __init__(self, scenario: Scenario, records: Records) -> None:
        """Make the view of a replication.

        Args:
            scenario: The resolved scenario.
            records: The records of the replication.
        """
        self.scenario = scenario
        self.records = records
        self.interval_s = scenario.interval_s
        self.duration_s = scenario.duration_s
        self._bottlenecks = {name: link for name, link, _ in scenario.paths}
        self._rtts_s = {name: rtt_s for name, _, rtt_s in scenario.paths}

    @cached_property
    def _coming(self) -> set[str]:
        """Names of the groups whose flows come and go, so that none of them is recorded on its own."""
        return self._groups("census") - self._groups("flows")

    def _groups(self, table: str) -> set[str]:
        """Return the names of the groups that have rows in a table."""
        columns = self.records.tables[table]
        if "group" not in columns:
            return set()
        codes, labels = columns["group"]
        return {(labels or [])[code] for code in set(codes.tolist())}

    @cached_property
    def ends_s(self) -> FloatArray:
        """End of each interval of the series, seconds, ascending."""
        # Without an index, numpy would load its masked arrays.
        return np.unique(self.records.tables["series"]["time_s"][0], return_index=True)[0].astype(float)

    def flow(self, flow: Flow, column: str) -> FloatArray | None:
        """Return a column of the series of a flow, by interval; None where flows have no series."""
        if not flow.of_transfers:
            return self._column(flow.name, column)
        return self.census(flow.name, column)

    def census(self, group: str, column: str) -> FloatArray | None:
        """Return a column of the census of a group, by interval; None where its flows are recorded one by one."""
        if group not in self._coming or column not in self.records.tables["census"]:
            return None
        codes, labels = self.records.tables["census"]["group"]
        own = codes == (labels or []).index(group)
        return np.asarray(self.records.tables["census"][column][0][own], dtype=np.float64)

    def link(self, link: str, column: str) -> FloatArray:
        """Return a column of the series of a link, by interval.

        Raises:
            KeyError: The link has no series.
        """
        found = self._column(link, column)
        if found is None:
            raise KeyError(link)
        return found

    def flows(self, group: str) -> list[Flow]:
        """Return the flows of a group that started."""
        table = self.records.tables["flows"]
        codes, labels = table["group"]
        own = codes == (labels or []).index(group)
        numbers, starts, stops = (table[name][0][own] for name in ("flow", "start_s", "completed_s"))
        return [
            Flow(f"{group}[{number}]", float(start), self.duration_s if np.isnan(stop) else float(stop))
            for number, start, stop in zip(numbers, starts, stops, strict=True)
            if not np.isnan(start)
        ]

    def states(self, flow: Flow) -> list[tuple[float, str]]:
        """Return start in seconds and name of each state of the algorithm of a flow; empty without recorded events."""
        table = self.records.tables.get("events")
        if not table or flow.of_transfers:
            return []
        of_group, numbers = flow.name.removesuffix("]").rsplit("[", 1)
        kinds, kind_names = table["event"]
        groups, group_names = table["group"]
        if "state" not in (kind_names or []) or of_group not in (group_names or []):
            return []
        own = (kinds == (kind_names or []).index("state")) & (groups == (group_names or []).index(of_group))
        own &= table["flow"][0] == int(numbers)
        codes, names = table["state"]
        return [
            (float(time) * PICOSECOND, (names or [])[code])
            for time, code in zip(table["time_ps"][0][own], codes[own], strict=True)
        ]

    def inner(self, flow: Flow, variable: str) -> tuple[FloatArray, FloatArray]:
        """Return the samples of an internal variable of a flow's algorithm.

        Returns:
            The times of the samples in seconds, and the values in the variable's own unit: two arrays of equal length,
            both empty if the algorithm has no such variable, or internal variables are not recorded.
        """
        table = self.records.tables.get("internals")
        (flows, flow_names), (variables, variable_names) = (
            table[name] if table else (np.empty(0), None) for name in ("name", "variable")
        )
        if flow.of_transfers or flow.name not in (flow_names or []) or variable not in (variable_names or []):
            return np.empty(0), np.empty(0)
        own = (flows == (flow_names or []).index(flow.name)) & (variables == (variable_names or []).index(variable))
        times_s, values = (np.asarray((table or {})[name][0][own], dtype=np.float64) for name in ("time_s", "value"))
        return times_s, values

    def parts(self, group: str) -> list[Flow]:
        """Return the flows of a group that started; finite flows of a process count as one over the whole run."""
        if group in self._coming:
            return [Flow(group, 0.0, self.duration_s, of_transfers=True)]
        return self.flows(group)

    def rates(self, flows: Sequence[Flow]) -> list[FloatArray] | None:
        """Return the goodput over time of each flow; None without flows or series."""
        found = [each for each in (self.flow(flow, "goodput_bps") for flow in flows) if each is not None]
        return found or None

    def bottleneck(self, group: str) -> str | None:
        """Return the link that is a group's bottleneck; None where its packets share no link."""
        return self._bottlenecks[group] or None

    def rtt_s(self, group: str) -> float:
        """Return the two-way propagation delay of a group, seconds."""
        return self._rtts_s[group]

    def link_rtt_s(self, link: str) -> float:
        """Return the longest two-way propagation delay of the groups with this bottleneck, seconds; NaN without any."""
        own = [rtt_s for name, rtt_s in self._rtts_s.items() if self._bottlenecks[name] == link]
        return max(own, default=float("nan"))

    def after_s(self, after: Choice, rates: FloatArray) -> float:
        """Return the time from which values count, seconds; not a number where `auto` finds none.

        Args:
            after: A time in seconds, `warmup` for the end of the warm-up, or `auto` for where `rates` is stationary.
            rates: A rate by interval.
        """
        if after == "auto":
            return self.settled_s(rates)
        return self.records.warmup_s if after == "warmup" else float(after)

    def settled_s(self, rates: FloatArray) -> float:
        """Return from when on a series is stationary, seconds; not a number if it is too short.

        The rule is MSER-5 (White, Cobb and Spratt, WSC 2000).
        """
        intervals = core.stationary_after(np.ascontiguousarray(rates, dtype=np.float64))
        return float("nan") if intervals is None else intervals * self.interval_s

    def bin_s(self, choice: Choice, rtt_s: float) -> float:
        """Return the length of a bin in whole intervals, seconds.

        Args:
            choice: A time in seconds, or `rtt`.
            rtt_s: The round trip that `rtt` stands for, seconds; not a number if there is none.
        """
        span_s = rtt_s if choice == "rtt" else float(choice)
        return float("nan") if math.isnan(span_s) else series.whole_intervals(span_s, self.interval_s)

    def mean_between(self, rates: FloatArray | None, choices: Choices) -> float:
        """Return the mean of a rate between two times of the run.

        Args:
            rates: A rate by interval; None if there is none.
            choices: The parameters `from` and `until`, seconds.

        Returns:
            The mean; not a number without rates, or if the run ends before `until`.
        """
        if rates is None or choices["until"] > self.duration_s:
            return float("nan")
        return series.mean(self.ends_s, rates, choices["from"], choices["until"])

    def deviation(
        self, values: FloatArray, choices: Choices, rtt_s: float, spread: Callable[[FloatArray], float]
    ) -> float:
        """Return the dispersion of the means of bins.

        Args:
            values: A quantity by interval.
            choices: The parameters `after` and `bin`.
            rtt_s: The round trip that a bin of `rtt` stands for, seconds.
            spread: A measure of dispersion, such as the standard deviation, of the means of bins.
        """
        start_s = self.after_s(choices["after"], values)
        bin_s = self.bin_s(choices["bin"], rtt_s)
        if math.isnan(start_s) or math.isnan(bin_s):
            return float("nan")
        return spread(series.bins(self.ends_s, values, start_s, self.duration_s, bin_s))

    def goodput_bps(self, group: str) -> float:
        """Return the goodput of a group after the warm-up, bits per second."""
        return self.records.group_metrics[group]["goodput_bps"]

    def _column(self, name: str, column: str) -> FloatArray | None:
        rows = self._rows.get(name)
        return None if rows is None else self.records.tables["series"][column][0][rows].astype(float)

    @cached_property
    def _rows(self) -> dict[str, np.ndarray[tuple[int], np.dtype[np.int64]]]:
        codes, labels = self.records.tables["series"]["name"]
        # Rows of a name stay in the order of time.
        order = np.argsort(codes, kind="stable")
        present, begins = np.unique(codes[order], return_index=True)
        pieces = np.split(order, begins[1:])
        return {(labels or [])[code]: piece for code, piece in zip(present, pieces, strict=True)}
