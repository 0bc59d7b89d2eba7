"""One replication as measures see it: series as arrays, by flow and by link."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from narrows.analysis.table import AnalysisError
from narrows.analysis.warmup import mser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.core import Records, Scenario
    from narrows.measures.series import FloatArray

Choice = str | float


class Flow(NamedTuple):
    """A flow.

    Attributes:
        name: Its name in the series.
        start_s: When it started; not a number if it never did.
        stop_s: When it completed, or the end of the run.
        of_transfers: It stands for all transfers of the group of that name, which come and go.
    """

    name: str
    start_s: float
    stop_s: float
    of_transfers: bool = False


class Observed:
    """A replication."""

    def __init__(self, scenario: Scenario, records: Records) -> None:
        """Look at a replication.

        Args:
            scenario: What was run.
            records: What came of it.
        """
        self.scenario = scenario
        self.records = records
        self.interval_s = scenario.interval_s
        self.duration_s = scenario.duration_s
        self._bottlenecks = {name: link for name, link, _ in scenario.paths}
        self._rtts_s = {name: rtt_s for name, _, rtt_s in scenario.paths}

    @cached_property
    def _coming(self) -> set[str]:
        """Names of the groups whose transfers come and go."""
        if "group" not in self.records.census:
            return set()
        codes, labels = self.records.census["group"]
        return {(labels or [])[code] for code in np.unique(codes)}

    @cached_property
    def ends_s(self) -> FloatArray:
        """Where each interval of the series ends, seconds."""
        return np.unique(self.records.series["time_s"][0]).astype(float)

    def flow(self, flow: Flow, column: str) -> FloatArray | None:
        """Return a column of a flow's series; None where flows have none."""
        if not flow.of_transfers:
            return self._column(flow.name, column)
        return self.census(flow.name, column)

    def census(self, group: str, column: str) -> FloatArray | None:
        """Return a column of the census of a group; None where its flows stay."""
        if group not in self._coming or column not in self.records.census:
            return None
        codes, labels = self.records.census["group"]
        own = codes == (labels or []).index(group)
        return np.asarray(self.records.census[column][0][own], dtype=np.float64)

    def link(self, link: str, column: str) -> FloatArray:
        """Return a column of a link's series."""
        found = self._column(link, column)
        if found is None:
            raise KeyError(link)
        return found

    def flows(self, group: str) -> list[Flow]:
        """Return the flows of a group that started."""
        table = self.records.flows
        codes, labels = table["group"]
        own = codes == (labels or []).index(group)
        numbers, starts, stops = (table[name][0][own] for name in ("flow", "start_s", "completed_s"))
        return [
            Flow(f"{group}[{number}]", float(start), self.duration_s if np.isnan(stop) else float(stop))
            for number, start, stop in zip(numbers, starts, stops, strict=True)
            if not np.isnan(start)
        ]

    def parts(self, group: str) -> list[Flow]:
        """Return the flows of a group that started; transfers that come and go count as one, from begin to end."""
        if group in self._coming:
            return [Flow(group, 0.0, self.duration_s, of_transfers=True)]
        return self.flows(group)

    def rates(self, flows: Sequence[Flow], column: str = "goodput_bps") -> list[FloatArray] | None:
        """Return a column of each flow's series; None where flows have none, or where there are no flows."""
        found = [each for each in (self.flow(flow, column) for flow in flows) if each is not None]
        return found or None

    def bottleneck(self, group: str) -> str:
        """Return the link that is a group's bottleneck."""
        return self._bottlenecks[group]

    def rtt_s(self, group: str) -> float:
        """Return the two-way propagation delay of a group."""
        return self._rtts_s[group]

    def link_rtt_s(self, link: str) -> float:
        """Return the longest round trip of the groups whose bottleneck a link is; not a number where there is none."""
        own = [rtt_s for name, rtt_s in self._rtts_s.items() if self._bottlenecks[name] == link]
        return max(own, default=float("nan"))

    def after_s(self, after: Choice, rates: FloatArray) -> float:
        """Return from when on values count.

        Args:
            after: A time, `warmup`, or `auto`: where `rates` settles; not a number where they do not.
            rates: By interval.
        """
        if after == "auto":
            return self.settled_s(rates)
        return self.records.warmup_s if after == "warmup" else float(after)

    def settled_s(self, rates: FloatArray) -> float:
        """Return when a series is stationary by MSER-5; not a number where it is too short to tell."""
        try:
            truncation = mser(rates)
        except AnalysisError:
            return float("nan")
        return truncation.index * self.interval_s if truncation.settled else float("nan")

    def _column(self, name: str, column: str) -> FloatArray | None:
        rows = self._rows.get(name)
        return None if rows is None else self.records.series[column][0][rows].astype(float)

    @cached_property
    def _rows(self) -> dict[str, np.ndarray[tuple[int], np.dtype[np.int64]]]:
        codes, labels = self.records.series["name"]
        # Rows of a name stay in the order of time.
        order = np.argsort(codes, kind="stable")
        present, begins = np.unique(codes[order], return_index=True)
        pieces = np.split(order, begins[1:])
        return {(labels or [])[code]: piece for code, piece in zip(present, pieces, strict=True)}
