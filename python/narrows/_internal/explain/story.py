# SPDX-License-Identifier: Apache-2.0
"""The events of one flow, and the explanation that they give of a given time."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from narrows._internal.frozen import frozen

Row = dict[str, Any]


@frozen
class Sentence:
    """One thing that happened."""

    time_s: float
    place: str
    event: str
    text: str


class Story:
    """The events of one flow."""

    def __init__(
        self, events: Sequence[Row], flow: str, algorithm: str, packets: Callable[[Row], list[Row]] | None = None
    ) -> None:
        """Take the events of a flow."""
        self.events = events = sorted(events, key=seconds)
        self.flow = flow
        self.algorithm = algorithm
        self.changes = [row for row in events if row["event"] in CHANGES]
        self._packets = packets
        self._times = [seconds(row) for row in events]
        self._ends = [row for row in events if row["event"] == "recovery-end"]
        self._losses: dict[tuple[str, float], list[Row]] = defaultdict(list)
        for row in events:
            if row["event"] in {"dropped", "lost"}:
                self._losses[row["kind"], row["number"]].append(row)

    def moment(self, at_s: float, reach_s: float) -> tuple[str, list[Sentence]]:
        """Return the explanation of a moment, in one or two sentences, and all events related to it."""
        near = self.nearest(at_s)
        if near is not None and at_s - reach_s <= seconds(near) <= at_s + reach_s:
            return self.change(near)
        inside = [
            run
            for run in _runs(self.events)
            if seconds(run[-1]) >= at_s - reach_s and seconds(run[0]) <= at_s + reach_s
        ]
        return self.nothing(reach_s) + (self.elsewhere(near) if near else ""), [_said(run) for run in inside]

    def whole(self) -> tuple[str, list[Sentence]]:
        """Return how often the window changed, in a sentence, and each change."""
        if not self.changes:
            return f"Nothing cut or restored the congestion window of {self.flow} ({self.algorithm}).", []
        times = "once" if len(self.changes) == 1 else f"{len(self.changes)} times"
        answer = f"The congestion window of {self.flow} ({self.algorithm}) was cut or restored {times}."
        return answer, [_said([row]) for row in self.changes]

    def nearest(self, at_s: float) -> Row | None:
        """Return the change of the window that is nearest to a moment; None without any."""
        return min(self.changes, key=lambda row: abs(seconds(row) - at_s), default=None)

    def deepest(self) -> Row:
        """Return the change that took most of the window; there must be one."""
        return max(self.changes, key=depth)

    def change(self, change: Row) -> tuple[str, list[Sentence]]:
        """Return a change of the window, with its causes and consequences, in order of time."""
        declared = self._declared(change)
        said = [_said(run) for run in _runs(self._around(change, declared))]
        said += self._sent_again(declared)
        return self._answer(change, declared), sorted(said, key=lambda each: each.time_s)

    def nothing(self, reach_s: float) -> str:
        """Return the answer if no event within a time changed the window."""
        return f"Nothing cut or restored the congestion window of {self.flow} ({self.algorithm}) within {reach_s:g} s."

    @staticmethod
    def elsewhere(change: Row) -> str:
        """Return the sentence that names the nearest change, to follow the sentence of `nothing`."""
        return f" The nearest change was at {_stamp(change)}: {change['event']} because of {_why(change)}."

    def runs(self) -> list[tuple[float, float, str]]:
        """Return all events as sentences, equal ones that follow one another in one: start and end in seconds, text."""
        return [(seconds(run[0]), seconds(run[-1]), _said(run).text) for run in _runs(self.events)]

    def _around(self, change: Row, declared: Sequence[Row]) -> list[Row]:
        """Return the events of a change of the window: the losses before, their detection, and the end."""
        at = seconds(change)
        rows = [*filter(None, map(self._loss_of, declared)), *declared]
        place = bisect_left(self._ends, at, key=seconds)
        end = self._ends[place] if place < len(self._ends) else None
        until = min(seconds(end), at + LONGEST_S) if end else at + BESIDE_S
        own = [
            row for row in self._between(at - BESIDE_S, until)
            if row["place"] == "sender" and row["event"] != "declared-lost"
        ]  # fmt: skip
        # Events after the end of the recovery at the same time belong to another change.
        own = own[: next((index + 1 for index, row in enumerate(own) if row is end), len(own))]
        marks = []
        if change["rule"] == "mark":
            before = self.events[: bisect_right(self._times, at)]
            marks = [next((row for row in reversed(before) if row["event"] == "marked"), None)]
        return sorted([*filter(None, marks), *rows, *own], key=seconds)

    def _declared(self, change: Row) -> list[Row]:
        """Return the segments that were declared lost when the window changed, the one that led to it first."""
        near = self._between(seconds(change) - BESIDE_S, seconds(change) + BESIDE_S)
        return [row for row in near if row["event"] == "declared-lost"]

    def _loss_of(self, declared: Row) -> Row | None:
        """Return the last loss of a segment declared lost; None if it was not lost, or the log lacks it."""
        same = self._losses.get((declared["kind"], declared["number"]), [])
        return next((row for row in reversed(same) if row["time_ps"] <= declared["time_ps"]), None)

    def _between(self, start_s: float, end_s: float) -> Sequence[Row]:
        return self.events[bisect_left(self._times, start_s) : bisect_right(self._times, end_s)]

    def _answer(self, change: Row, declared: Sequence[Row]) -> str:
        before, after = change["cwnd_before_packets"], change["cwnd_packets"]
        if change["event"] == "undo":
            cut = f"was restored from {_windows(before)} to {_windows(after)} packets"
        else:
            cut = f"went from {_windows(before)} to {_windows(after)} packets"
            cut += f" ({after / before:.2f} of it)" if before and after is not None else ""
        text = f"At {_stamp(change)} the congestion window of {self.flow} ({self.algorithm}) {cut}, because of "
        text += f"{_why(change)}."
        losses = [(row, self._loss_of(row)) for row in declared]
        found = next(((row, loss) for row, loss in losses if loss is not None), None)
        if found is not None:
            row, loss = found
            earlier = (seconds(row) - seconds(loss)) * 1e3
            text += f" {_loss(loss)}, {earlier:.3g} ms before the sender noticed."
            if len(losses) > 1:
                text += f" {len(losses)} segments were declared lost at this time."
        elif losses:
            text += " No link had lost the segment: it was delayed or reordered, or the log of events is full."
        return text

    def _sent_again(self, declared: Sequence[Row]) -> list[Sentence]:
        """Return the packet log of the first lost segment: when it was sent, sent again, and received."""
        first = next((row for row in declared if row["number"] is not None), None)
        if self._packets is None or first is None:
            return []
        near = [row for row in self._packets(first) if abs(seconds(row) - seconds(first)) <= LONGEST_S]
        name = _numbers([first])
        sent = [row for row in near if row["event"] == "sent"]
        received = [row for row in near if row["event"] == "received"]
        words = ["for the first time", *["again"] * (len(sent) - 1)]
        return [
            *(
                Sentence(seconds(row), "sender", "sent", f"The sender sent {name} {how}.")
                for row, how in zip(sent, words, strict=False)
            ),
            *(Sentence(seconds(row), "receiver", "received", f"The receiver got {name}.") for row in received[:1]),
        ]


def depth(change: Row) -> float:
    """Return the part of the window that a change took; below 0 if it restored some."""
    before, after = change["cwnd_before_packets"], change["cwnd_packets"]
    return 1.0 - float(after) / float(before) if before and after is not None else 0.0


def _runs(rows: Iterable[Row]) -> list[list[Row]]:
    """Return events in order of time, equal ones that follow one another closely together."""
    runs: list[list[Row]] = []
    for row in rows:
        kind = tuple(row[key] for key in ("place", "event", "rule", "kind"))
        last = runs[-1][-1] if runs else None
        alike = last is not None and kind == tuple(last[key] for key in ("place", "event", "rule", "kind"))
        if last is not None and alike and row["number"] is not None and seconds(row) - seconds(last) <= CLOSE_S:
            runs[-1].append(row)
        else:
            runs.append([row])
    return runs


def _said(run: Sequence[Row]) -> Sentence:
    return Sentence(seconds(run[0]), run[0]["place"], run[0]["event"], _sentence(run))


def _sentence(rows: Sequence[Row]) -> str:  # noqa: PLR0911  # one for each event
    row = rows[0]
    why = _why(row)
    numbers = _numbers(rows)
    match row["event"]:
        case "dropped" | "lost":
            return _loss(row, numbers) + "."
        case "marked":
            return f"{row['place']} marked {numbers} (congestion experienced)."
        case "declared-lost":
            return f"The sender declared {numbers} lost: {why}."
        case "probe":
            return f"The sender sent {numbers} as a tail loss probe (RFC 8985, section 7.2)."
        case "timeout":
            return f"The retransmission timer expired: {why}."
        case "reduction" | "idle-restart" | "undo":
            word = "restored" if row["event"] == "undo" else "reduced"
            return (
                f"The algorithm {word} its window from {_windows(row['cwnd_before_packets'])} to "
                f"{_windows(row['cwnd_packets'])} packets, and its slow-start threshold from "
                f"{_windows(row['ssthresh_before_packets'])} to {_windows(row['ssthresh_packets'])}: {why}."
            )
        case "recovery-start":
            return f"Loss recovery began: {why}."
        case "recovery-end":
            return f"Loss recovery ended with a window of {_windows(row['cwnd_packets'])} packets."
        case "state":
            by = f", by {row['rule']}" if row["rule"] else ""
            return f"The algorithm went from {row['state_before'] or 'its start'} to {row['state']}{by}."
    return FLOW_CONTROL.get(row["event"], f"{row['place']}: {row['event']} {numbers}.")


def _loss(row: Row, numbers: str = "") -> str:
    verb = "dropped" if row["event"] == "dropped" else "lost"
    return f"{row['place']} {verb} {numbers or _numbers([row])}, as {LOST.get(row['rule'], row['rule'])}"


def _numbers(rows: Sequence[Row]) -> str:
    numbers = [int(row["number"]) for row in rows if row["number"] is not None]
    if not numbers:
        return "packets"
    word = WORDS.get(rows[0]["kind"], rows[0]["kind"])
    listed = ", ".join(map(str, numbers[:LISTED]))
    more = f" and {len(numbers) - LISTED} more" if len(numbers) > LISTED else ""
    return f"{word}{'s' if len(numbers) > 1 else ''} {listed}{more}"


def _why(row: Row) -> str:
    return str(NOTICED.get(row["rule"] or row["event"], row["rule"]))


def seconds(row: Row) -> float:
    """Return the time of an event, seconds of the run."""
    return float(row["time_ps"]) * 1e-12


def _stamp(row: Row) -> str:
    return f"{seconds(row):.4f} s"


def _windows(value: float | None) -> str:
    return "unset" if value is None or not math.isfinite(value) else f"{value:.4g}"


# Sentences for the events of the receiver's window.
FLOW_CONTROL = {
    "window-closed": "The receiver's window closed: its application has not read what fills its buffer.",
    "window-probe": "The sender probed the closed window of the receiver (RFC 9293, section 3.8.6.1).",
    "window-opened": "The receiver's window opened again.",
}
# Events that change the window.
CHANGES = frozenset({"reduction", "idle-restart", "undo", "timeout"})
# Events at most this long before or after belong to the same change, seconds.
BESIDE_S = 1e-3
# How long a recovery is followed, seconds.
LONGEST_S = 5.0
# Equal events at most so far apart are one sentence, seconds.
CLOSE_S = 0.1
LISTED = 5
WORDS = {"data": "segment", "ack": "acknowledgement", "datagram": "datagram", "syn": "SYN"}
LOST = {
    "overflow": "its queue was full",
    "early": "its queue discipline drops before the queue is full",
    "random": "the link loses packets at random",
    "periodic": "the link loses packets at fixed distances",
    "listed": "it is on the list of the link's loss model",
    "policer": "a policer found the rate exceeded",
    "ecn": "the link drops packets that are ECN-capable",
    "ack-thinning": "the link thins out acknowledgements",
    "arq": "the link gave up to repeat it",
    "link-failure": "the link had failed",
}
"""Why a link or its queue lost a packet, by the rule of an event `dropped` or `lost`."""

NOTICED = {
    "duplicate-acks": "three duplicate acknowledgements (RFC 5681)",
    "partial-ack": "an acknowledgement that covered only a part of what was outstanding (RFC 6582)",
    "sack": "selective acknowledgements of enough later segments (RFC 6675)",
    "rack": "the acknowledgement of a segment that was sent sufficiently later (RACK, RFC 8985)",
    "probe": "the acknowledgement of a tail loss probe, which repaired the loss (RFC 8985, section 7.4)",
    "timeout": "the expiry of the retransmission timer (RFC 6298)",
    "syn-timeout": "the expiry of the timer of the SYN (RFC 6298)",
    "mark": "an echo of a congestion mark (RFC 3168)",
    "later-echoes": "echoes of later datagrams",
    "report": "a report of the receiver",
    "stack": "a rule of the hosted stack",
    "idle-restart": "an idle period longer than the retransmission timeout (RFC 5681, section 4.1)",
    "algorithm": "the algorithm's own rule, such as one of delay",
    "duplicate-sacks": "reports of duplicate segments, which showed that the retransmissions were spurious (RFC 3708)",
    "timestamps": "the timestamps of acknowledgements, which showed that the retransmissions were spurious (RFC 3522)",
    "f-rto": "an acknowledgement of data sent before the timeout and not again, so that nothing was lost (RFC 5682)",
}
"""By what the sender noticed or decided something, by the rule of its event, or by the event that has none."""
