# SPDX-License-Identifier: Apache-2.0
"""The contents of a run folder or a comparison folder as typed values and numpy arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from narrows._internal import core
from narrows._internal.comparison import ALGORITHMS, BACKENDS, Contrast, Replaced
from narrows._internal.drawing.style import Style, style_of
from narrows._internal.emulate import hosts
from narrows._internal.frozen import frozen
from narrows._internal.metrics import access

if TYPE_CHECKING:
    import numpy.typing as npt

    from narrows._internal.drawing.svg import FloatArray
    from narrows._internal.run.wording import Said

Columns = dict[str, Any]


@frozen
class Measure:
    """A mean over replications with its 95 % interval, in the unit of the metric; None without data."""

    mean: float | None
    interval: tuple[float, float] | None
    margin: float | None = None
    verdict: str = ""
    method: str | None = None


@frozen
class Check:
    """A check of the sanity section."""

    name: str  # the condition that should hold
    ok: bool | None  # whether it does; None if the check does not apply
    level: str  # "broken", "caution" or "note" for one that fails, empty for others
    detail: str  # the figures behind it

    @property
    def state(self) -> str:
        """The level of one that fails, else "ok" or "absent"."""
        return self.level or ("ok" if self.ok else "absent")


@frozen
class Trace:
    """The series of a flow or a link in one replication."""

    name: str  # name of the flow ("cubic[0]") or link
    group: str  # group of the flow; empty for a link
    # Columns by name, each of shape (samples,), ascending in `time_s`; NaN without a value.
    columns: Mapping[str, FloatArray]

    @property
    def time(self) -> FloatArray:
        """Ends of the intervals of the series, seconds."""
        return self.columns["time_s"]

    def first_with_data(self, *names: str) -> FloatArray | None:
        """Return the first of these columns that has a value; None if none has."""
        for name in names:
            values = self.columns.get(name)
            if values is not None and np.isfinite(values).any():
                return values
        return None


@frozen
class Expectation:
    """An `[[expect]]` clause with its verdict."""

    of: str  # name of the group or link
    owner: str  # "group" or "link"
    measure: str  # name of the metric
    at_least: float | None  # lower bound, in the unit of the metric; None without one
    at_most: float | None  # upper bound, in the unit of the metric; None without one
    found: Measure  # the measured value
    verdict: str  # "holds", "fails" or "inconclusive"


@frozen
class Histogram:
    """The distribution of a quantity of a group or link: values, and the number of packets with each."""

    values: FloatArray
    packets: FloatArray


@frozen
class Run:
    """The results of one scenario, with all replications."""

    name: str  # name of the run in a comparison; the title of a single run
    title: str  # title of the scenario
    seed: int  # master seed
    replications: int  # number of replications
    digest: str  # digest of the records
    groups: Mapping[str, Mapping[str, Measure]]  # metrics by flow group
    # The bottleneck of each group; None if its packets share no link.
    bottlenecks: Mapping[str, str | None]
    links: Mapping[str, Mapping[str, Measure]]  # metrics by link
    checks: Sequence[Check]  # checks of the sanity section
    expectations: Sequence[Expectation]  # `[[expect]]` clauses with their verdicts
    performance: Mapping[str, float]  # cost of the run, as in `summary.json`
    manifest: Mapping[str, Any]  # contents of `manifest.json`: versions, hashes and the description
    scenario: Mapping[str, Any]  # the resolved scenario file, parsed
    # Texts of the resolved scenario and of the files that it names, by their paths in the folder; files that are no
    # text, or long, are left out.
    sources: Mapping[str, str]
    flow_rows: Columns = field(repr=False)  # columns of `flows.parquet`
    series_rows: Columns = field(repr=False)  # columns of `series.parquet`
    distribution_rows: Columns = field(repr=False)  # columns of `distributions.parquet`
    group_rows: Columns = field(repr=False)  # columns of `groups.parquet`: the metrics of each group by replication
    census_rows: Columns = field(repr=False)  # columns of `census.parquet`; none if every flow is endless
    transfer_rows: Columns = field(repr=False)  # columns of `transfers.parquet`; none if every flow is endless
    # Columns of `applications.parquet`; none if no group has an application.
    application_rows: Columns = field(repr=False, default_factory=dict)
    # The files `clients.parquet` and `client_events.parquet`; None for one that the run does not have.
    client_files: tuple[Path | None, Path | None] = (None, None)
    paragraph: str = ""  # methods and results for the text of a paper
    # Columns of `events.parquet`; empty if events are not logged.
    event_rows: Columns = field(repr=False, default_factory=dict)
    folder: str = "."  # folder of the run, relative to the folder of the page
    packet_file: Path | None = None  # the file `packets.parquet`; None if packets are not logged
    # End of the warm-up by replication, seconds; empty if the scenario gives it.
    found_warmups_s: Sequence[float] = ()
    at_most: int | None = None  # limit of the replications, if their number depended on the results
    chosen: int | None = None  # number of the replication whose series are drawn; None for the first
    look: Style | None = None  # the style of the run beside others; None for the style of its name
    # Its algorithm, and its level of the other factors, beside others; empty texts for none.
    factors: tuple[str, str] = ("", "")
    # The events of flows, by replication and flow, as the pages that show them have found them.
    explained: dict[tuple[int, str], Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def in_real_time(self) -> bool:
        """Whether programs ran over the network in real time."""
        return bool(self.manifest.get("backend", {}).get("on") == hosts.NAME)

    @property
    def style(self) -> Style:
        """The style of the run beside others: the style of its algorithm, or of its levels."""
        return self.look or style_of(self.name)

    @property
    def shown_replication(self) -> int:
        """Number of the replication whose series are drawn: the first, or the one that was chosen by `showing`."""
        if self.chosen is not None:
            return self.chosen
        return self.recorded_replications[0] if self.recorded_replications else 0

    @cached_property
    def recorded_replications(self) -> list[int]:
        """Numbers of the replications that have series, ascending."""
        return _distinct(self.series_rows.get("replication"))

    def showing(self, replication: int) -> Run:
        """Return this run with the series of another replication to be drawn."""
        return self._with(chosen=replication)

    def alone(self) -> Run:
        """Return this run of a comparison as the run of its own folder."""
        return self._with(name=self.title, folder=".", look=None, factors=("", ""))

    def _with(self, **values: Any) -> Run:
        other = copy(self)
        # A shallow copy keeps cached values; none of them depends on these fields.
        other.__dict__.update(values)
        return other

    @cached_property
    def recorded_s(self) -> float:
        """End of the last interval of the series, seconds; 1 without series."""
        rows = self.series_rows.get("time_s", np.empty(0))
        return float(rows.max(where=np.isfinite(rows), initial=0.0)) or 1.0

    def first_start_s(self, replications: Sequence[int]) -> float:
        """Return the start of the first flow in these, seconds; 0 unless every group is recorded flow by flow."""
        rows = self.flow_rows
        if "start_s" not in rows or not set(rows["group"].tolist()) >= set(self.groups):
            return 0.0
        starts = rows["start_s"][np.isin(rows["replication"], replications)]
        return float(np.min(starts, where=np.isfinite(starts), initial=np.inf)) if np.isfinite(starts).any() else 0.0

    @cached_property
    def replication_numbers(self) -> list[int]:
        """Numbers of the replications that have metrics of groups."""
        return _distinct(self.group_rows.get("replication"))

    @cached_property
    def algorithms(self) -> Mapping[str, str]:
        """The algorithm of each flow group; with its parameters if flows of the group are recorded one by one."""
        rows = self.flow_rows
        found = {each["name"]: each["algorithm"]["name"] for each in self.scenario.get("flows", ())}
        if "algorithm" in rows:
            found |= dict(zip(rows["group"].tolist(), rows["algorithm"].tolist(), strict=True))
        return {group: str(found.get(group, group)) for group in self.groups}

    @cached_property
    def warmup_s(self) -> float:
        """End of the warm-up, seconds; of the first replication if it was searched."""
        written = self.scenario.get("warmup", "0s")
        return self.found_warmups_s[0] if self.found_warmups_s else core.quantity(written, "time")

    @cached_property
    def shared_links(self) -> Sequence[str]:
        """The links that are the bottleneck of some flow group, in the order of the groups."""
        return list(dict.fromkeys(link for link in self.bottlenecks.values() if link))

    @property
    def busiest_link(self) -> str | None:
        """The link with the highest mean utilization; the first bottleneck if several are equal."""
        used = {link: found.mean for link, each in self.links.items() if (found := each.get("utilization"))}
        order = [*self.shared_links, *(link for link in used if link not in self.shared_links)]
        return max(
            (link for link in order if used.get(link) is not None), key=lambda link: used[link] or 0.0, default=None
        )

    @cached_property
    def access_links(self) -> Mapping[str, Mapping[str, Measure]]:
        """The metrics of the access links of each group whose bottleneck they are, named as metrics of links."""
        return {
            group: {of: measures[name] for name, of in access.AS_OF_LINKS.items()}
            for group, measures in self.groups.items()
            if access.DELAY in measures
            and access.is_bottleneck(measures[access.DELAY].mean, self._wait_at_bottleneck_s(group))
        }

    def _wait_at_bottleneck_s(self, group: str) -> float | None:
        found = self.links.get(self.bottlenecks.get(group) or "", {}).get("queue_delay_mean_s")
        return found.mean if found else None

    def access_wait(self, replication: int, group: str) -> tuple[FloatArray, FloatArray] | None:
        """Return ends of intervals and the mean queueing delay at access links: seconds, shape (samples,)."""
        # The mean over the flows of the group that were recorded one by one; None without any.
        own = [trace for trace in self.flow_traces(replication) if trace.group == group]
        waits = [(trace.time, found) for trace in own if (found := trace.first_with_data(access.SERIES)) is not None]
        if not waits:
            return None
        times, values = (np.concatenate(each) for each in zip(*waits, strict=True))
        known = np.isfinite(values)
        time, place = np.unique(times[known], return_inverse=True)
        return time, np.bincount(place, weights=values[known]) / np.bincount(place)

    def sharing(self, link: str | None) -> Sequence[str]:
        """Return the flow groups with this bottleneck; for None the groups without one."""
        return [group for group, bottleneck in self.bottlenecks.items() if bottleneck == link]

    def values(self, group: str, metric: str) -> Mapping[int, float]:
        """Return a metric of a group by replication; those without data are left out."""
        rows = self.group_rows
        if metric not in rows:
            return {}
        chosen = (rows["group"] == group) & np.isfinite(rows[metric])
        return dict(zip(rows["replication"][chosen].tolist(), rows[metric][chosen].tolist(), strict=True))

    def census(self, replication: int, group: str) -> Trace | None:
        """Return the series of all flows of a group of finite flows together; None for other groups."""
        return _of_group(self.census_rows, replication, group, group + TRANSFERS)

    def application(self, replication: int, group: str) -> Trace | None:
        """Return the series of all connections of a group with an application together; None for other groups."""
        return _of_group(self.application_rows, replication, group, group)

    def transfers(self, group: str) -> Columns:
        """Return the transfers of a group that completed after the warm-up, of all replications."""
        rows = self.transfer_rows
        if "end_s" not in rows:
            return {}
        warmups = np.array(self.found_warmups_s or [self.warmup_s] * (1 + int(rows["replication"].max(initial=0))))
        chosen = (rows["group"] == group) & (rows["completed"] > 0) & (rows["end_s"] > warmups[rows["replication"]])
        return {name: values[chosen] for name, values in rows.items()}

    def flow_traces(self, replication: int) -> list[Trace]:
        """Return the series of all flows, in the order of the groups."""
        traces = [trace for (number, kind, _), trace in self._traces.items() if (number, kind) == (replication, "flow")]
        place = {group: index for index, group in enumerate(self.groups)}
        return sorted(traces, key=lambda trace: (place.get(trace.group, len(place)), _number_of(trace.name)))

    def link_trace(self, replication: int, link: str) -> Trace | None:
        """Return the series of a link; None if it was not recorded."""
        return self._traces.get((replication, "link", link))

    def active(self, replication: int, flow: str, edges: FloatArray) -> npt.NDArray[np.bool_]:
        """Return for each window between `edges`, in seconds, whether a flow is active in all of it."""
        start, end = self._spans.get((replication, flow), (0.0, np.inf))
        inside: npt.NDArray[np.bool_] = (edges[:-1] >= start) & (edges[1:] <= end)
        return inside

    @property
    def has_events(self) -> bool:
        """Whether events of flows are logged."""
        return bool(self.event_rows)

    def flow_events(self, flow: str) -> Columns:
        """Return the events of a flow in the shown replication, in order of time; empty without a log."""
        # Shape (events,): `time_s`, seconds, and the columns of the table `events`; texts are empty and numbers NaN
        # without a value.
        if not self.has_events:
            return {}
        return self._events_by_flow.get((self.shown_replication, flow)) or {
            name: values[:0] for name, values in self.event_rows.items()
        }

    @cached_property
    def _events_by_flow(self) -> Mapping[tuple[int, str], Columns]:
        rows = self.event_rows
        groups, codes = np.unique(rows["group"], return_inverse=True)
        key = np.stack([rows["replication"], codes, rows["flow"]])
        order = np.lexsort(key[::-1])
        key = key[:, order]
        sorted_rows = {name: values[order] for name, values in rows.items()}
        starts = np.flatnonzero(np.r_[len(order) > 0, (np.diff(key) != 0).any(axis=0)])
        found = {}
        for start, end in zip(starts, np.r_[starts[1:], len(order)], strict=True):
            replication, group, flow = (int(part) for part in key[:, start])
            columns = {name: values[start:end] for name, values in sorted_rows.items()}
            found[replication, f"{groups[group]}[{flow}]"] = columns
        return found

    def histogram(self, owner: str, quantity: str) -> Histogram | None:
        """Return the distribution of a quantity of a group or link in all replications; None without packets."""
        rows = self.distribution_rows
        if "owner" not in rows:
            return None
        chosen = (rows["owner"] == owner) & (rows["quantity"] == quantity) & (rows["packets"] > 0)
        chosen &= np.isfinite(rows["value_s"])
        if not chosen.any():
            return None
        values, place = np.unique(rows["value_s"][chosen], return_inverse=True)
        return Histogram(values, np.bincount(place, weights=rows["packets"][chosen]).astype(np.float64))

    @cached_property
    def _spans(self) -> Mapping[tuple[int, str], tuple[float, float]]:
        rows = self.flow_rows
        if "start_s" not in rows:
            return {}
        names = [_flow_name(str(group), str(flow)) for group, flow in zip(rows["group"], rows["flow"], strict=True)]
        completed = rows.get("completed_s", np.full(len(names), np.nan))
        ends = np.where(np.isfinite(completed), completed, np.inf)
        keys = zip(rows["replication"].tolist(), names, strict=True)
        return dict(zip(keys, zip(rows["start_s"].tolist(), ends.tolist(), strict=True), strict=True))

    @cached_property
    def _traces(self) -> Mapping[tuple[int, str, str], Trace]:
        rows = self.series_rows
        if not len(rows.get("time_s", ())):
            return {}
        names, codes = np.unique(rows["name"], return_inverse=True)
        links = rows["kind"] == "link"
        order = np.lexsort((rows["time_s"], codes, links, rows["replication"]))
        # An interval ends after the start of the run.
        order = order[np.isfinite(rows["time_s"][order]) & (rows["time_s"][order] > 0)]
        if not len(order):
            return {}
        key = np.stack([rows["replication"][order], links[order], codes[order]])
        starts = np.flatnonzero(np.r_[True, (np.diff(key) != 0).any(axis=0)])
        ends = np.r_[starts[1:], len(order)]
        numeric = [name for name, values in rows.items() if values.dtype.kind == "f"]
        traces = {}
        for start, end in zip(starts, ends, strict=True):
            picked = order[start:end]
            replication, is_link, code = (int(part) for part in key[:, start])
            name = str(names[code])
            traces[replication, "link" if is_link else "flow", name] = Trace(
                name, str(rows["group"][picked[0]]), {column: rows[column][picked] for column in numeric}
            )
        return traces


@frozen
class Difference:
    """Paired differences of the metrics of a run from the first run, by position of the group or link."""

    of: str
    against: str
    groups: Sequence[Mapping[str, Measure]]
    links: Sequence[Mapping[str, Measure]]


@frozen
class Comparison:
    """Runs of one scenario with several algorithms, at several levels or backends, with common random numbers."""

    title: str  # title of the scenario
    seed: int  # master seed
    replications: int  # number of replications
    digest: str  # digest of the records of all runs
    runs: Sequence[Run]  # the runs, in order
    differences: Sequence[Difference]  # paired differences between them
    manifest: Mapping[str, Any]  # contents of `manifest.json`
    folders: Mapping[str, str] = field(default_factory=dict)  # the folder of each run, by its name
    kind: str = ALGORITHMS  # kind of the compared runs: `algorithms`, `backends` or `levels`
    contrasts: Sequence[Contrast] = ()  # which runs stand beside each other
    unlike: str = ""  # other differences of the algorithms; empty for none
    replaced: Replaced | None = None  # the groups whose algorithm was replaced, if not all
    said: Sequence[Sequence[Said]] = ()  # the sentences of the answer
    paragraph: str = ""  # methods and results for the text of a paper
    at_most: int | None = None  # limit of the replications, if their number depended on the results

    @property
    def backends(self) -> bool:
        """Whether the runs differ in the backend."""
        return self.kind == BACKENDS

    @property
    def in_real_time(self) -> bool:
        """Whether programs in real time are compared with a simulation."""
        return self.backends and any(run.in_real_time for run in self.runs)

    def run(self, name: str) -> Run:
        """Return the run of this name."""
        return next(run for run in self.runs if run.name == name)

    def difference(self, of: str, against: str) -> Difference | None:
        """Return the differences of a run from another; None if they share no replication."""
        return next((each for each in self.differences if (each.of, each.against) == (of, against)), None)


def _distinct(numbers: npt.NDArray[Any] | None) -> list[int]:
    return [] if numbers is None else sorted(set(numbers.tolist()))


def _of_group(rows: Columns, replication: int, group: str, name: str) -> Trace | None:
    if "group" not in rows:
        return None
    chosen = (rows["group"] == group) & (rows["replication"] == replication)
    columns = {column: values[chosen].astype(np.float64) for column, values in rows.items() if column != "group"}
    return Trace(name, group, columns) if chosen.any() else None


def _number_of(flow: str) -> int:
    # Flow 10 comes after flow 9, unlike in the order of letters.
    number = flow.rpartition("[")[2].removesuffix("]")
    return int(number) if number.isdigit() else 0


def _flow_name(group: str, flow: str) -> str:
    # The table of flows may number them within their group; the series name them in full.
    return f"{group}[{flow}]" if flow.isdigit() else flow


TRANSFERS = " (transfers)"
"""What a group's name is followed by where all its transfers are one record over time."""
