# SPDX-License-Identifier: Apache-2.0
"""Metrics of finite flows that come and go, by class of file and path and by start time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.metrics import series
from narrows._internal.metrics.card import Name, Time, Word, metric
from narrows._internal.metrics.parameters import FROM, MILLS, UNTIL
from narrows._internal.metrics.series import FloatArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from narrows._internal.metrics.card import Choices
    from narrows._internal.metrics.observed import Choice, Observed

    Mask = NDArray[np.bool_]

FILE = Name("file", "class of files", "all")
PATH = Name("path", "class of paths", "all")
SINCE = Time("from", "earliest start of a transfer, as time of the run", "warmup", ("warmup",))
BEFORE = Time("until", "latest start of a transfer, as time of the run, exclusive", "end", ("end",))
OF = Word(
    "of",
    "which transfers count; all: also those in progress at the end of the run, with what has been acknowledged",
    "completed",
    ("completed", "all"),
)
LATE = Time("over", "time to open a connection from which it is late", "1s")


@metric("goodput of a transfer", FILE, PATH, SINCE, BEFORE, OF, of="group", unit="bps", better="higher", source=MILLS)
def class_goodput(seen: Observed, group: str, choices: Choices) -> float:
    """Mean, over completed transfers, of payload divided by the time from start to completion.

    Of transfers of the classes `file` and `path` that started between the times `from` and `until`.
    """
    table = seen.records.tables["transfers"]
    chosen = _completed(seen, group, choices)
    if chosen is None:
        return NAN
    sizes, starts, ends = (table[name][0][chosen] for name in ("bytes", "start_s", "end_s"))
    goodputs = sizes * 8.0 / (ends - starts)
    if choices["of"] == "all":
        table, active = seen.records.tables["unfinished"], _chosen(seen, "unfinished", group, choices)
        acked, starts = (table[name][0][active] for name in ("acked_bytes", "start_s"))
        goodputs = np.concatenate([goodputs, acked * 8.0 / (seen.duration_s - starts)])
    return float(goodputs.mean()) if len(goodputs) else NAN


@metric("transfers completed", FILE, PATH, SINCE, BEFORE, of="group", unit="count", better="higher", source=MILLS)
def class_completed(seen: Observed, group: str, choices: Choices) -> float:
    """Number of completed transfers of the classes `file` and `path` that started between `from` and `until`."""
    chosen = _completed(seen, group, choices)
    return NAN if chosen is None else float(chosen.sum())


@metric(
    "time of a round",
    SINCE,
    BEFORE,
    of="group",
    unit="s",
    better="lower",
    source="Alizadeh et al., SIGCOMM 2010: query completion time",
)
def round_time(seen: Observed, group: str, choices: Choices) -> float:
    """Mean time until the last of the transfers that started together is complete.

    Over rounds of transfers that started between the times `from` and `until`, where all of a round are complete.
    Rounds are what `barrier` of a source of users makes.
    """
    begun = _begun(seen, group, choices)
    if begun is None or not begun.any():
        return NAN
    table = seen.records.tables["transfers"]
    starts, ends, completed = (table[name][0][begun] for name in ("start_s", "end_s", "completed"))
    rounds, number = np.unique(starts, return_inverse=True)
    last = np.full(len(rounds), -np.inf)
    np.maximum.at(last, number, np.where(completed.astype(bool), ends, np.inf))
    times = (last - rounds)[np.isfinite(last)]
    return float(times.mean()) if len(times) else NAN


@metric("time to open a connection", SINCE, BEFORE, of="group", unit="s", better="lower", source=MILLS)
def connection_time(seen: Observed, group: str, choices: Choices) -> float:
    """Mean time to open a connection, over transfers that started between the times `from` and `until`."""
    times = _connection_times(seen, group, choices)
    known = None if times is None else times[~np.isnan(times)]
    return NAN if known is None or not len(known) else float(known.mean())


@metric("connections opened late", LATE, SINCE, BEFORE, of="group", unit="share", better="lower", source=MILLS)
def late_connections(seen: Observed, group: str, choices: Choices) -> float:
    """Share of the transfers started between `from` and `until` whose connection opened after `over`, or never.

    If `over` is the initial retransmission timeout, their SYN or SYN-ACK was lost.
    """
    times = _connection_times(seen, group, choices)
    return NAN if times is None or not len(times) else float(np.mean(~(times < choices["over"])))


@metric("transfers that are connecting, mean", FROM, UNTIL, of="group", unit="count", better="lower", source=MILLS)
def connecting_between(seen: Observed, group: str, choices: Choices) -> float:
    """Number of connections being opened, mean over the ends of intervals between the times `from` and `until`."""
    return _census_between(seen, group, choices, "connecting_flows")


@metric("active transfers, mean", FROM, UNTIL, of="group", unit="count", source=MILLS)
def active_between(seen: Observed, group: str, choices: Choices) -> float:
    """Number of open connections, mean over the ends of intervals between the times `from` and `until`."""
    return _census_between(seen, group, choices, "active_flows")


@metric("transfers completed per second", FROM, UNTIL, of="group", unit="1/s", better="higher", source=MILLS)
def completed_between(seen: Observed, group: str, choices: Choices) -> float:
    """Transfers completed per second between the times `from` and `until`."""
    counts = seen.census(group, "completed_flows")
    return NAN if counts is None else _rate(seen, counts, choices)


@metric("retransmission rate", FROM, UNTIL, of="group", unit="share", better="lower", source=MILLS)
def retransmissions_between(seen: Observed, group: str, choices: Choices) -> float:
    """Data packets retransmitted divided by data packets sent, of transfers, between the times `from` and `until`."""
    again, sent = (seen.census(group, name) for name in ("retransmissions", "sent_packets"))
    if again is None or sent is None:
        return NAN
    of = _rate(seen, sent, choices)
    return _rate(seen, again, choices) / of if of > 0 else NAN


def _census_between(seen: Observed, group: str, choices: Choices, column: str) -> float:
    values = seen.census(group, column)
    within = (seen.ends_s > choices["from"]) & (seen.ends_s <= choices["until"])
    return NAN if values is None or not within.any() else float(values[within].mean())


def _rate(seen: Observed, counts: FloatArray, choices: Choices) -> float:
    if choices["until"] > seen.duration_s:
        return NAN
    return series.mean(seen.ends_s, counts / np.diff(seen.ends_s, prepend=0.0), choices["from"], choices["until"])


def _completed(seen: Observed, group: str, choices: Choices) -> Mask | None:
    chosen = _chosen(seen, "transfers", group, choices)
    return None if chosen is None else chosen & seen.records.tables["transfers"]["completed"][0].astype(bool)


def _chosen(seen: Observed, table: str, group: str, choices: Choices) -> Mask | None:
    """Return which transfers of two classes began between two times; None if the table has no columns."""
    chosen = _begun(seen, group, choices, table)
    if chosen is None:
        return None
    for column, choice in (("file_class", "file"), ("path_class", "path")):
        if choices[choice] != "all":
            chosen = chosen & _labelled(seen, table, column, choices[choice])
    return chosen


def _connection_times(seen: Observed, group: str, choices: Choices) -> FloatArray | None:
    chosen = _begun(seen, group, choices)
    if chosen is None:
        return None
    table = seen.records.tables["transfers"]
    return np.asarray(table["established_s"][0][chosen] - table["start_s"][0][chosen], dtype=np.float64)


def _begun(seen: Observed, group: str, choices: Choices, name: str = "transfers") -> Mask | None:
    """Return which transfers of a group began between two times; None if the table has no columns."""
    table = seen.records.tables[name]
    if "start_s" not in table:
        return None
    starts = table["start_s"][0]
    return np.asarray(
        _labelled(seen, name, "group", group)
        & (starts >= _time(choices["from"], seen))
        & (starts < _time(choices["until"], seen))
    )


def _time(choice: Choice, seen: Observed) -> float:
    words = {"warmup": seen.records.warmup_s, "end": seen.duration_s}
    return words[choice] if isinstance(choice, str) else choice


def _labelled(seen: Observed, table: str, column: str, name: str) -> Mask:
    codes, labels = seen.records.tables[table][column]
    return np.asarray(codes == (labels.index(name) if labels and name in labels else NONE))


NAN = float("nan")
NONE = -1
