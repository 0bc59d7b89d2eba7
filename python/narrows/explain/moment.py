"""Explains what happened to a flow around a moment, from the log of events and, where there is one, of packets.

The log of events (`events.parquet`) has the causes: which packet a link lost and why, by which rule the sender noticed,
what it did to its window. Losses are matched to the sender's events by the number of the segment: a segment that is
declared lost was lost the last time before.
"""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from narrows import core
from narrows.errors import InputError
from narrows.explain.rules import LOST, NOTICED
from narrows.export.source import RunFolder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    Row = dict[str, Any]


@dataclass(frozen=True)
class Sentence:
    """One thing that happened.

    Attributes:
        time_s: When, seconds of the run.
        place: `sender`, `receiver`, or a link.
        event: Name of the event, as in the table `events` or `packets`.
        text: What happened, as a sentence.
    """

    time_s: float
    place: str
    event: str
    text: str


@dataclass(frozen=True)
class Explanation:
    """What happened to a flow around a moment.

    Attributes:
        flow: The flow as `group[number]`.
        algorithm: Its congestion control.
        replication: Number of the replication.
        at_s: The moment, seconds of the run.
        answer: One or two sentences: what changed the window, and why.
        sentences: Everything that led to it and followed, in order of time.
    """

    flow: str
    algorithm: str
    replication: int
    at_s: float
    answer: str
    sentences: list[Sentence]

    def as_json(self) -> dict[str, Any]:
        """Return the explanation as plain data."""
        return asdict(self)


def explain(folder: Path, flow: str, at: str, replication: int | None = None, window: str = "1s") -> Explanation:
    """Explain what happened to a flow around a moment.

    Args:
        folder: Folder of a run.
        flow: The flow: its number in the table `flows` of a replication, from 0, or `GROUP[NUMBER]`, or its group.
        at: The moment, as a time of the run with its unit.
        replication: Number of the replication; None is the first.
        window: How far from the moment a change of the window may be, as a time with its unit.

    Raises:
        InputError: The folder is not that of a run with a log of events, or flow, time or replication are not in it.
    """
    run = RunFolder(folder)
    number = run.replication(replication)
    at_s, reach_s = _seconds("--at", at), _seconds("--window", window)
    group, index, algorithm = _flow(run, flow, number)
    duration_s = core.quantity(str(run.scenario["duration"]), "time")
    if at_s > duration_s:
        raise InputError(f"--at {at}", f"is after the end of the run, {duration_s:g}s")
    table = run.table("events", "has no log of events: run it with record.events=true")
    events = [
        row for row in table.to_pylist()
        if (row["replication"], row["group"], row["flow"]) == (number, group, index)
    ]  # fmt: skip
    story = _Story(events, f"{group}[{index}]", algorithm)
    start, end = at_s - reach_s, at_s + reach_s
    changes = [row for row in events if row["event"] in CHANGES and start <= _time(row) <= end]
    if not changes:
        answer = story.nothing(at_s, reach_s)
        inside = [row for row in events if start <= _time(row) <= end]
        sentences = story.sentences(inside)
    else:
        change = min(changes, key=lambda row: abs(_time(row) - at_s))
        answer = story.answer(change)
        sentences = story.sentences(story.around(change))
        sentences = sorted([*sentences, *_retransmissions(run, story, change, (number, group, index))], key=_when)
    return Explanation(story.flow, algorithm, number, at_s, answer, sentences)


class _Story:
    """The events of one flow."""

    def __init__(self, events: Sequence[Row], flow: str, algorithm: str) -> None:
        self.events = events
        self.flow = flow
        self.algorithm = algorithm

    def around(self, change: Row) -> list[Row]:
        """Return what belongs to a change of the window: the losses before, how they were noticed, and the end."""
        declared = self.declared(change)
        rows = [*filter(None, map(self.loss_of, declared)), *declared]
        end = next((row for row in self._after(change) if row["event"] == "recovery-end"), None)
        until = min(_time(end), _time(change) + LONGEST_S) if end else _time(change) + BESIDE_S
        own = [
            row for row in self.events
            if row["place"] == "sender" and row["event"] != "declared-lost"
            and _time(change) - BESIDE_S <= _time(row) <= until
        ]  # fmt: skip
        if end is not None and end in own:
            own = own[: own.index(end) + 1]
        marks = [row for row in self._before(change) if row["event"] == "marked"] if change["rule"] == "mark" else []
        return sorted([*marks[-1:], *rows, *own], key=_time)

    def declared(self, change: Row) -> list[Row]:
        """Return the segments that were declared lost when the window changed, the one that led to it first."""
        return [
            row for row in self.events
            if row["event"] == "declared-lost" and abs(_time(row) - _time(change)) <= BESIDE_S
        ]  # fmt: skip

    def loss_of(self, declared: Row) -> Row | None:
        """Return the loss of the segment that was declared lost; None if it was not lost, or the log lacks it."""
        same = [
            row for row in self._before(declared)
            if row["event"] in {"dropped", "lost"}
            and (row["kind"], row["number"]) == (declared["kind"], declared["number"])
        ]  # fmt: skip
        return same[-1] if same else None

    def answer(self, change: Row) -> str:
        """Return what changed the window, and why."""
        before, after = change["cwnd_before_packets"], change["cwnd_packets"]
        if change["event"] == "undo":
            cut = f"was restored from {_packets(before)} to {_packets(after)} packets"
        else:
            cut = f"went from {_packets(before)} to {_packets(after)} packets"
            cut += f" ({after / before:.2f} of it)" if before and after is not None else ""
        text = f"At {_stamp(change)} the congestion window of {self.flow} ({self.algorithm}) {cut}, because of "
        text += f"{NOTICED.get(change['rule'], change['rule'])}."
        losses = [(row, self.loss_of(row)) for row in self.declared(change)]
        found = next(((row, loss) for row, loss in losses if loss is not None), None)
        if found is not None:
            row, loss = found
            earlier = (_time(row) - _time(loss)) * 1e3
            text += f" {_loss(loss)}, {earlier:.3g} ms before the sender noticed."
            if len(losses) > 1:
                text += f" {len(losses)} segments were declared lost at this time."
        elif losses:
            text += " No link had lost the segment: it was delayed or reordered, or the log of events is full."
        return text

    def nothing(self, at_s: float, reach_s: float) -> str:
        """Return the answer where no event changed the window."""
        text = f"Nothing cut or restored the congestion window of {self.flow} ({self.algorithm}) within {reach_s:g} s."
        changes = [row for row in self.events if row["event"] in CHANGES]
        if changes:
            near = min(changes, key=lambda row: abs(_time(row) - at_s))
            why = NOTICED.get(near["rule"], near["rule"])
            text += f" The nearest change was at {_stamp(near)}: {near['event']} because of {why}."
        return text

    def sentences(self, rows: Iterable[Row]) -> list[Sentence]:
        """Return a sentence per event, with equal events that follow one another in one sentence."""
        runs: list[list[Row]] = []
        for row in rows:
            kind = tuple(row[key] for key in ("place", "event", "rule", "kind"))
            alike = runs and kind == tuple(runs[-1][0][key] for key in ("place", "event", "rule", "kind"))
            if alike and row["number"] is not None:
                runs[-1].append(row)
            else:
                runs.append([row])
        return [Sentence(_time(same[0]), same[0]["place"], same[0]["event"], _sentence(same)) for same in runs]

    def _before(self, row: Row) -> list[Row]:
        return [each for each in self.events if each["time_ps"] <= row["time_ps"]]

    def _after(self, row: Row) -> list[Row]:
        return [each for each in self.events if each["time_ps"] >= row["time_ps"]]


def _sentence(rows: Sequence[Row]) -> str:  # noqa: PLR0911  # one for each event
    row = rows[0]
    why = NOTICED.get(row["rule"], row["rule"])
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
        case "reduction" | "undo":
            word = "reduced" if row["event"] == "reduction" else "restored"
            return (
                f"The algorithm {word} its window from {_packets(row['cwnd_before_packets'])} to "
                f"{_packets(row['cwnd_packets'])} packets, and its slow-start threshold from "
                f"{_packets(row['ssthresh_before_packets'])} to {_packets(row['ssthresh_packets'])}: {why}."
            )
        case "recovery-start":
            return f"Loss recovery began: {why}."
        case "recovery-end":
            return f"Loss recovery ended with a window of {_packets(row['cwnd_packets'])} packets."
        case "state":
            by = f", by {row['rule']}" if row["rule"] else ""
            return f"The algorithm went from {row['state_before'] or 'its start'} to {row['state']}{by}."
    return f"{row['place']}: {row['event']} {numbers}."


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


def _retransmissions(run: RunFolder, story: _Story, change: Row, flow: tuple[int, str, int]) -> list[Sentence]:
    """Return what the packet log has of the first lost segment: when it was sent, sent again, and received."""
    packets = run.optional("packets")
    declared = next((row for row in story.declared(change) if row["number"] is not None), None)
    if packets is None or declared is None:
        return []
    import pyarrow.compute as pc

    number, group, index = flow
    chosen = packets.filter(
        (pc.field("replication") == number)
        & (pc.field("group") == group)
        & (pc.field("flow") == index)
        & (pc.field("kind") == declared["kind"])
        & (pc.field("number") == int(declared["number"]))
    ).to_pylist()
    near = [row for row in chosen if abs(_time(row) - _time(declared)) <= LONGEST_S]
    name = _numbers([declared])
    sent = [row for row in near if row["event"] == "sent"]
    received = [row for row in near if row["event"] == "received"]
    words = ["for the first time", *["again"] * (len(sent) - 1)]
    return [
        *(
            Sentence(_time(row), "sender", "sent", f"The sender sent {name} {how}.")
            for row, how in zip(sent, words, strict=False)
        ),
        *(Sentence(_time(row), "receiver", "received", f"The receiver got {name}.") for row in received[:1]),
    ]


def _flow(run: RunFolder, text: str, replication: int) -> tuple[str, int, str]:
    """Return group, number within it, and algorithm of a flow."""
    table = run.table("flows", "has no table of flows")
    flows = [
        (row["group"], int(row["flow"]), row["algorithm"])
        for row in table.select(["replication", "group", "flow", "algorithm"]).to_pylist()
        if row["replication"] == replication
    ]
    if text.isdecimal() and int(text) < len(flows):
        return flows[int(text)]
    named = re.fullmatch(r"(.+?)(?:\[(\d+)\])?", text)
    for group, number, algorithm in flows:
        if named and (group, number) == (named[1], int(named[2] or 0)):
            return group, number, algorithm
    known = ", ".join(f"{group}[{number}]" for group, number, _ in flows[:MOST_NAMED])
    raise InputError(f"--flow {text}", f"is no flow of {run.path}; allowed: 0 to {len(flows) - 1}, or {known}")


def _seconds(flag: str, text: str) -> float:
    try:
        return core.quantity(text, "time")
    except ValueError as error:
        raise InputError(f"{flag} {text}", f"{error}; a time has a unit, as in 12.3s") from None


def _time(row: Row) -> float:
    return float(row["time_ps"]) * 1e-12


def _when(sentence: Sentence) -> float:
    return sentence.time_s


def _stamp(row: Row) -> str:
    return f"{_time(row):.4f} s"


def _packets(value: float | None) -> str:
    return "unset" if value is None or not math.isfinite(value) else f"{value:.4g}"


# Events that change the window.
CHANGES = frozenset({"reduction", "undo", "timeout"})
# What happens at most so long before or after belongs to the same change, seconds.
BESIDE_S = 1e-3
# How long a recovery is followed, seconds.
LONGEST_S = 5.0
LISTED = 5
MOST_NAMED = 10
WORDS = {"data": "segment", "ack": "acknowledgement", "datagram": "datagram", "syn": "SYN"}
