# SPDX-License-Identifier: Apache-2.0
"""The user-perceived course of a client of an application, its worst moment, and what lay behind a moment."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from narrows._internal.explain.story import CLOSE_S, Row, Sentence, Story, seconds
from narrows._internal.frozen import frozen
from narrows._internal.plural import counted


@frozen
class Worst:
    """The worst moment of a client: its time, and a number to compare clients of one application by."""

    at_s: float
    badness: tuple[float, float]


class Client:
    """A client of an application that is recorded over time: its series and its events in one replication."""

    def __init__(self, group: str, number: int, algorithm: str, series: Sequence[Row], events: Sequence[Row]) -> None:
        """Take the rows of the tables `clients` and `client_events`, of one client in order of time."""
        self.name = f"{group}[{number}]"
        self.group = group
        self.algorithm = algorithm
        self.series = series
        self.events = events
        self.interval_s = series[0]["time_s"] if series else 0.0
        # Segments are numbered by connection, of which a browser has several.
        of: dict[tuple[float, float], list[Row]] = defaultdict(list)
        for row in events:
            if row["event"] not in PERCEIVED:
                of[row["slot"], row["turn"]].append(row)
        self.stories = [Story(rows, self.name, algorithm) for rows in of.values()]

    def has(self, *columns: str) -> bool:
        """Return whether one of these columns has a value that is not zero."""
        return any(row[name] for row in self.series for name in columns)

    def around(self, at_s: float, reach_s: float) -> list[Row]:
        """Return the intervals that overlap a time by at most `reach_s`; the one at that time at least."""
        found = [
            row for row in self.series
            if row["time_s"] > at_s - reach_s and row["time_s"] - self.interval_s < at_s + reach_s
        ]  # fmt: skip
        return found or [min(self.series, key=lambda row: abs(row["time_s"] - at_s))]

    def near(self, at_s: float, reach_s: float) -> Client:
        """Return the client with what lies around a moment alone."""
        events = [row for row in self.events if abs(seconds(row) - at_s) <= reach_s]
        return Client(self.group, int(self.series[0]["client"]), self.algorithm, self.around(at_s, reach_s), events)

    def at(self, at_s: float) -> Row:
        """Return the interval at a time."""
        return next((row for row in self.series if row["time_s"] >= at_s), self.series[-1])

    def worst(self, reach_s: float, from_s: float = 0.0) -> Worst | None:
        """Return the worst moment after a time; None if nothing of it was bad, and nothing is known."""
        rows = [row for row in self.series if row["time_s"] > from_s] or list(self.series)
        if self.has("captured_frames", "skipped_frames", "received_frames"):
            return self._worst_frames(rows, reach_s)
        if self.has("loaded_pages") or any(row["loading_s"] is not None for row in rows):
            return self._worst_page(rows, from_s)
        if self.has("probe_time_s"):
            row = max(rows, key=lambda row: row["probe_time_s"] or 0.0)
            return _worst(row["time_s"], (row["probe_time_s"] or 0.0, 0.0))
        return self._worst_of_video(rows, from_s)

    def _worst_frames(self, rows: Sequence[Row], reach_s: float) -> Worst:
        half = max(round(reach_s / self.interval_s), 1)
        missed = [row["skipped_frames"] + row["late_frames"] for row in rows]
        sums = [0, *_running(missed)]
        last = len(rows)

        def badness(at: int) -> tuple[float, float]:
            inside = sums[min(at + half, last)] - sums[max(at - half, 0)]
            return float(inside), rows[at]["frame_delay_max_s"] or 0.0

        at = max(range(last), key=badness)
        return _worst(rows[at]["time_s"], badness(at))

    def _worst_page(self, rows: Sequence[Row], from_s: float) -> Worst | None:
        pages = [row for row in self.events if row["event"] == "page" and seconds(row) > from_s]
        # A page that is not loaded at the end has no event.
        open_s = rows[-1]["loading_s"] or 0.0
        longest = max(pages, key=lambda row: row["duration_s"], default=None)
        if longest is None or open_s > longest["duration_s"]:
            return _worst(rows[-1]["time_s"], (open_s, 0.0)) if open_s else None
        # In the middle of the object for which it waited.
        return _worst(max(seconds(longest) - longest["object_s"] / 2, 0.0), (longest["duration_s"], 0.0))

    def _worst_of_video(self, rows: Sequence[Row], from_s: float) -> Worst | None:
        stalls = [row for row in self.events if row["event"] == "stall" and seconds(row) > from_s]
        longest = max(stalls, key=lambda row: row["duration_s"], default=None)
        still = 0.0
        for row in reversed(rows):
            if not row["stalled_s"]:
                break
            still += row["stalled_s"]
        if longest is not None and longest["duration_s"] >= still:
            return _worst(max(seconds(longest) - longest["duration_s"] / 2, 0.0), (longest["duration_s"], 0.0))
        if still:
            return _worst(rows[-1]["time_s"], (still, 0.0))
        known = [row for row in rows if row["bitrate_bps"] is not None]
        if not known:
            return None
        row = min(known, key=lambda row: (row["bitrate_bps"], row["buffer_s"] or 0.0))
        return _worst(row["time_s"], (0.0, -row["bitrate_bps"]))

    def perceived(self, at_s: float, reach_s: float) -> tuple[str, dict[str, Any]]:
        """Return what its user perceived around a moment, in a sentence, and the numbers in it."""
        if self.has("captured_frames", "skipped_frames", "received_frames"):
            return self._frames(at_s, reach_s)
        if self.has("loaded_pages") or any(row["loading_s"] is not None for row in self.series):
            return self._page(at_s)
        if self.has("probe_time_s"):
            return self._probes(at_s, reach_s)
        return self._video(at_s, reach_s)

    def _frames(self, at_s: float, reach_s: float) -> tuple[str, dict[str, Any]]:
        rows, now = self.around(at_s, reach_s), self.at(at_s)
        captured, skipped, received, late = (
            sum(row[name] for row in rows)
            for name in ("captured_frames", "skipped_frames", "received_frames", "late_frames")
        )
        delay_s = max((row["frame_delay_max_s"] for row in rows if row["frame_delay_max_s"] is not None), default=None)
        rates = [row["bitrate_bps"] for row in rows if row["bitrate_bps"] is not None]
        values = {
            "captured_frames": captured, "skipped_frames": skipped, "received_frames": received, "late_frames": late,
            "frame_delay_max_s": delay_s, "bitrate_bps": now["bitrate_bps"],
        }  # fmt: skip
        span = f"From {rows[0]['time_s'] - self.interval_s:.4g} to {rows[-1]['time_s']:.4g} s"
        said = f"{span}, {skipped} of {counted(captured + skipped, 'frame')} of {self.name} were skipped"
        said += f", {received or 'none'} arrived"
        said += f", up to {ms(delay_s)} after the capture" if late and delay_s is not None else ""
        said += f", and {late or 'none'} {'was' if late == 1 else 'were'} late"
        if rates:
            said += f"; the bit rate was {mbps(now['bitrate_bps'] or rates[-1])}"
            said += f" (from {mbps(max(rates))} to {mbps(min(rates))})" if max(rates) > 1.05 * min(rates) else ""
        if now["waiting_bytes"]:
            said += f", and {now['waiting_bytes'] / 1000:.3g} kB waited at the source"
            values["waiting_bytes"] = now["waiting_bytes"]
        return f"{said}.", values

    def _page(self, at_s: float) -> tuple[str, dict[str, Any]]:
        pages = [row for row in self.events if row["event"] == "page"]
        over = next((row for row in pages if seconds(row) - row["duration_s"] <= at_s <= seconds(row)), None)
        if over is not None:
            start_s = seconds(over) - over["duration_s"]
            values = {
                name: over[name] for name in ("duration_s", "object_level", "object", "object_bytes", "object_waited_s",
                                              "object_s")
            }  # fmt: skip
            waited = (
                f", of which it waited {ms(over['object_waited_s'])} for a connection"
                if over["object_waited_s"]
                else ""
            )
            which = f"number {over['object']:.0f} of level {over['object_level']:.0f}"
            size = f"{over['object_bytes'] / 1000:.3g} kB"
            return (
                f"A page of {self.name} was loading, from {start_s:.4g} to {seconds(over):.4g} s, "
                f"in {ms(over['duration_s'])}. "
                f"Its slowest object, {which} with {size}, took {ms(over['object_s'])}{waited}."
            ), values
        now = self.at(at_s)
        if now["loading_s"] is not None:
            end = "it was not loaded when the run ended" if not _after(pages, at_s) else "when it ended is not logged"
            return f"A page of {self.name} was loading for {ms(now['loading_s'])}; {end}.", {
                "loading_s": now["loading_s"]
            }
        nearest = min(pages, key=lambda row: abs(seconds(row) - at_s), default=None)
        known = (
            ""
            if nearest is None
            else f" The nearest page was there at {seconds(nearest):.4g} s, after {ms(nearest['duration_s'])}."
        )
        return f"{self.name} loaded no page at this time.{known}", {}

    def _video(self, at_s: float, reach_s: float) -> tuple[str, dict[str, Any]]:
        rows, now = self.around(at_s, reach_s), self.at(at_s)
        stall = next(
            (
                row
                for row in self.events
                if row["event"] == "stall" and seconds(row) - row["duration_s"] <= at_s <= seconds(row)
            ),
            None,
        )
        values = {name: now[name] for name in ("bitrate_bps", "buffer_s")}
        values["stalled_s"] = sum(row["stalled_s"] for row in rows)
        rate = f" at {mbps(now['bitrate_bps'])}" if now["bitrate_bps"] else ""
        buffer = "" if now["buffer_s"] is None else f", with {now['buffer_s']:.3g} s in its buffer"
        if stall is not None:
            values["duration_s"] = stall["duration_s"]
            start_s = seconds(stall) - stall["duration_s"]
            still = f"stood still from {start_s:.4g} to {seconds(stall):.4g} s, for {ms(stall['duration_s'])}"
            return f"The video of {self.name} {still}; it goes on{rate}.", values
        if now["stalled_s"]:
            return f"The video of {self.name} stood still and did not play again before the run ended.", values
        if now["played_s"]:
            return f"The video of {self.name} played{rate}{buffer}.", values
        return f"The video of {self.name} had not begun to play.", values

    def _probes(self, at_s: float, reach_s: float) -> tuple[str, dict[str, Any]]:
        rows = [row for row in self.around(at_s, reach_s) if row["probe_time_s"] is not None]
        if not rows:
            return f"No probe of {self.name} ended at this time.", {}
        mean_s = sum(row["probe_time_s"] for row in rows) / len(rows)
        longest_s = max(row["probe_time_s"] for row in rows)
        said = f"Probes of {self.name} took {ms(mean_s)} on average, and up to {ms(longest_s)}"
        return f"{said}, {60 / mean_s:.3g} round trips per minute.", {"probe_time_s": mean_s, "longest_s": longest_s}

    def decision(self, at_s: float, reach_s: float) -> tuple[str, list[Sentence]]:
        """Return what its controller permitted at a moment and why it had lowered that, and the events near it."""
        now = self.at(at_s)
        parts = [mbps(now["permitted_bps"])] if now["permitted_bps"] is not None else []
        parts += [f"a window of {now['cwnd_packets']:.3g} packets"] if now["cwnd_packets"] is not None else []
        said = f"Its controller ({self.algorithm}) permitted {' with '.join(parts)}" if parts else ""
        before = [
            row for row in self.series if at_s - BEFORE_S <= row["time_s"] <= at_s and row["permitted_bps"] is not None
        ]
        most = max(before, key=lambda row: row["permitted_bps"], default=None)
        if (
            most is not None
            and now["permitted_bps"] is not None
            and most["permitted_bps"] > LOWER * now["permitted_bps"]
        ):
            said += f", after {mbps(most['permitted_bps'])} at {most['time_s']:.4g} s"
        said = said and f"{said}."
        sentences = [sentence for story in self.stories for sentence in story.moment(at_s, reach_s)[1]]
        changes = [(abs(seconds(change) - at_s), story, change) for story in self.stories
                   if (change := story.nearest(at_s)) is not None]  # fmt: skip
        near_s, story, change = min(changes, key=lambda each: each[0], default=(math.inf, None, None))
        if story is not None and change is not None and near_s <= reach_s:
            said += f" {story.change(change)[0]}"
        elif (state := self._state(at_s)) is not None:
            said += f" {state}"
        return said.strip(), sentences

    def _state(self, at_s: float) -> str | None:
        """Return the sentence on the state that its controller entered last, at most a while before a moment."""
        own = [row for row in self.events if row["event"] == "state" and at_s - BEFORE_S <= seconds(row) <= at_s]
        lowered = [row for row in own if (self.algorithm.partition("(")[0], row["state"]) in LOWERING]
        if not own:
            return None
        row = (lowered or own)[-1]
        by = f", by {row['rule']}" if row["rule"] else ""
        by += f", as {LOWERING[self.algorithm.partition('(')[0], row['state']]}" if lowered else ""
        times = f", {counted(len(lowered), 'time')} in {BEFORE_S:g} s" if len(lowered) > 1 else ""
        states = f"from {row['state_before'] or 'its start'} to {row['state']}"
        return f"It last went {states} at {seconds(row):.4g} s{by}{times}."

    def said(self, at_s: float, reach_s: float) -> list[Sentence]:
        """Return what its user perceived near a moment, equal events that follow one another in one sentence."""
        runs: list[list[Row]] = []
        for row in self.events:
            if row["event"] not in PERCEIVED or abs(seconds(row) - at_s) > reach_s:
                continue
            last = runs[-1][-1] if runs else None
            if last is not None and last["event"] == row["event"] and seconds(row) - seconds(last) <= CLOSE_S:
                runs[-1].append(row)
            else:
                runs.append([row])
        return [Sentence(seconds(run[0]), run[0]["place"], run[0]["event"], _sentence(run)) for run in runs]

    def losses(self, at_s: float, reach_s: float) -> Mapping[str, int]:
        """Return how many packets of its servers each link dropped or lost around a moment."""
        found: dict[str, int] = defaultdict(int)
        for row in self.events:
            if row["event"] in {"dropped", "lost"} and abs(seconds(row) - at_s) <= reach_s:
                found[row["place"]] += 1
        return found


def _sentence(run: Sequence[Row]) -> str:  # noqa: PLR0911  # one for each event
    longest = max(run, key=lambda row: row["duration_s"] or 0.0)
    took = ms(longest["duration_s"])
    several = len(run) > 1
    match longest["event"]:
        case "late-frame":
            return (
                f"{counted(len(run), 'frame')} {'were' if several else 'was'} late, "
                f"{'up to ' if several else ''}{took} after the capture."
            )
        case "skipped-frame":
            return (
                f"{counted(len(run), 'frame')} {'were' if several else 'was'} skipped: "
                f"{(longest['waiting_bytes'] or 0.0) / 1000:.3g} kB waited, since {took}."
            )
        case "page":
            return f"A page was loaded, in {took}."
        case "startup":
            return f"Video began to play, {took} after the start."
        case "stall":
            return f"Video played again after it had stood still for {took}."
        case "switch":
            return f"A segment had another bit rate, {mbps(longest['bitrate_bps'])}."
    word = {"probe-tcp": "TCP handshake", "probe-tls": "TLS handshake", "probe-http": "small object",
            "probe-loaded": "small object over a loaded connection"}[longest["event"]]  # fmt: skip
    return f"A probe ended: {word}, {'up to ' if several else ''}{took}."


def _worst(at_s: float, badness: tuple[float, float]) -> Worst:
    # As commands give it: 0.1 ms, which no user notices.
    return Worst(round(at_s, 4), badness)


def clients_of(
    group: str, algorithm: str, series: Sequence[Row], events: Sequence[Row], number: int | None = None
) -> list[Client]:
    """Return the recorded clients of a group, or the one with a number, from rows of one replication."""
    own: dict[int, list[Row]] = defaultdict(list)
    for row in series:
        if row["group"] == group and number in {None, row["client"]}:
            own[int(row["client"])].append(row)
    said: dict[int, list[Row]] = defaultdict(list)
    for row in events:
        if row["group"] == group:
            said[int(row["client"])].append(row)
    return [Client(group, client, algorithm, rows, said[client]) for client, rows in sorted(own.items())]


def worst_of(clients: Sequence[Client], reach_s: float, from_s: float = 0.0) -> tuple[Client, Worst] | None:
    """Return the client with the worst moment of all, and that moment."""
    found = [(client, worst) for client in clients if (worst := client.worst(reach_s, from_s)) is not None]
    return max(found, key=lambda each: each[1].badness, default=None)


def ms(value_s: float | None) -> str:
    """Return a duration as text."""
    if value_s is None or not math.isfinite(value_s):
        return "-"
    return f"{value_s * 1e3:.3g} ms" if value_s < 1.0 else f"{value_s:.3g} s"


def mbps(value: float | None) -> str:
    """Return a rate as text."""
    if value is None:
        return "-"
    return f"{value / 1e6:.3g} Mbps" if value >= LEAST_MBPS else f"{value / 1e3:.3g} kbps"


def _running(values: Sequence[int]) -> list[int]:
    total, found = 0, []
    for value in values:
        total += value
        found.append(total)
    return found


def _after(rows: Sequence[Row], at_s: float) -> bool:
    return any(seconds(row) > at_s for row in rows)


PERCEIVED = frozenset({
    "late-frame", "skipped-frame", "page", "startup", "stall", "switch", "probe-tcp", "probe-tls", "probe-http",
    "probe-loaded",
})  # fmt: skip
"""The events of the table `client_events` that a user perceives; all others are also in the table `events`."""

# How far back a change of the permitted rate explains a moment, seconds, and from which ratio on it is one.
BEFORE_S = 10.0
LOWER = 1.1
# Rates below are given in kbps.
LEAST_MBPS = 1e5
# States in which a controller lowers its rate without an event that says so, and why it enters them.
LOWERING = {("gcc", "decrease"): "its detector found that delay grows (draft-ietf-rmcat-gcc-02, section 5.5)"}
