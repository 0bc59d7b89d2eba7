"""Transfers that come and go, by class of file and path and by when they began."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from narrows.measures import series

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from narrows.measures.observed import Choice, Observed
    from narrows.measures.series import FloatArray

    Choices = Mapping[str, Any]
    Mask = NDArray[np.bool_]


def class_goodput(seen: Observed, group: str, choices: Choices) -> float:
    """Return the mean rate of completed transfers, bits per second."""
    chosen = _completed(seen, group, choices)
    if chosen is None or not chosen.any():
        return NAN
    table = seen.records.transfers
    sizes, starts, ends = (table[name][0][chosen] for name in ("bytes", "start_s", "end_s"))
    return float(np.mean(sizes * 8.0 / (ends - starts)))


def class_completed(seen: Observed, group: str, choices: Choices) -> float:
    """Return how many transfers completed."""
    chosen = _completed(seen, group, choices)
    return NAN if chosen is None else float(chosen.sum())


def connection_time(seen: Observed, group: str, choices: Choices) -> float:
    """Return the mean time that opening a connection took, seconds."""
    times = _connection_times(seen, group, choices)
    known = None if times is None else times[~np.isnan(times)]
    return NAN if known is None or not len(known) else float(known.mean())


def late_connections(seen: Observed, group: str, choices: Choices) -> float:
    """Return the share of connections that took long, or were not opened."""
    times = _connection_times(seen, group, choices)
    return NAN if times is None or not len(times) else float(np.mean(~(times < choices["over"])))


def census_between(column: str) -> Callable[[Observed, str, Choices], float]:
    """Return a measure: the mean of a column of the census over interval ends between two times."""

    def taken(seen: Observed, group: str, choices: Choices) -> float:
        values = seen.census(group, column)
        within = (seen.ends_s > choices["from"]) & (seen.ends_s <= choices["until"])
        return NAN if values is None or not within.any() else float(values[within].mean())

    return taken


def completed_between(seen: Observed, group: str, choices: Choices) -> float:
    """Return transfers completed per second between two times."""
    counts = seen.census(group, "completed_flows")
    return NAN if counts is None else _rate(seen, counts, choices)


def retransmissions_between(seen: Observed, group: str, choices: Choices) -> float:
    """Return the share of data packets that were sent again between two times."""
    again, sent = (seen.census(group, name) for name in ("retransmissions", "sent_packets"))
    if again is None or sent is None:
        return NAN
    of = _rate(seen, sent, choices)
    return _rate(seen, again, choices) / of if of > 0 else NAN


def _rate(seen: Observed, counts: FloatArray, choices: Choices) -> float:
    if choices["until"] > seen.duration_s:
        return NAN
    return series.mean(seen.ends_s, counts / np.diff(seen.ends_s, prepend=0.0), choices["from"], choices["until"])


def _completed(seen: Observed, group: str, choices: Choices) -> Mask | None:
    chosen = _begun(seen, group, choices)
    if chosen is None:
        return None
    for column, choice in (("file_class", "file"), ("path_class", "path")):
        if choices[choice] != "all":
            chosen = chosen & _labelled(seen, column, choices[choice])
    return np.asarray(chosen & seen.records.transfers["completed"][0].astype(bool))


def _connection_times(seen: Observed, group: str, choices: Choices) -> FloatArray | None:
    chosen = _begun(seen, group, choices)
    if chosen is None:
        return None
    table = seen.records.transfers
    return np.asarray(table["established_s"][0][chosen] - table["start_s"][0][chosen], dtype=np.float64)


def _begun(seen: Observed, group: str, choices: Choices) -> Mask | None:
    """Return which transfers of a group began between two times; None where there is no row for each."""
    table = seen.records.transfers
    if "start_s" not in table:
        return None
    starts = table["start_s"][0]
    return np.asarray(
        _labelled(seen, "group", group)
        & (starts >= _time(choices["from"], seen))
        & (starts < _time(choices["until"], seen))
    )


def _time(choice: Choice, seen: Observed) -> float:
    words = {"warmup": seen.records.warmup_s, "end": seen.duration_s}
    return words[choice] if isinstance(choice, str) else choice


def _labelled(seen: Observed, column: str, name: str) -> Mask:
    codes, labels = seen.records.transfers[column]
    return np.asarray(codes == (labels.index(name) if labels and name in labels else NONE))


NAN = float("nan")
NONE = -1
