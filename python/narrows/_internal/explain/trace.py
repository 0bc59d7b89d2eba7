# SPDX-License-Identifier: Apache-2.0
"""Explains what happened to a flow in a trace of real programs around a given time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from narrows._internal.errors import InputError
from narrows._internal.explain.moment import Explanation, seconds_of
from narrows._internal.explain.story import Sentence
from narrows._internal.plural import counted
from narrows._internal.trace.events import Event, events
from narrows._internal.trace.read import read
from narrows._internal.trace.record import Flow, Trace


def explain_trace(file: Path, flow: str, at: str | None, window: str) -> Explanation:
    """Explain a flow of a trace around a moment, or list all its events; times count from the trace's first record."""
    trace = read(file)
    chosen = _flow(trace, flow)
    found = events(chosen)
    at_s = None if at is None else seconds_of("--at", at)
    reach_s = seconds_of("--window", window)
    if at_s is not None and not chosen.start_s <= at_s <= chosen.end_s:
        raise InputError(
            f"--at {at}", f"is outside the flow, which lasts from {chosen.start_s:g}s to {chosen.end_s:g}s"
        )
    if at_s is None:
        answer, shown = _whole(chosen, found), found
    else:
        shown = [each for each in found if each.time_s <= at_s + reach_s and each.end_s >= at_s - reach_s]
        answer = _moment(chosen, found, shown, at_s)
    answer += _limits(chosen, trace)
    sentences = [Sentence(each.time_s, chosen.place.value, each.kind, each.text) for each in shown]
    return Explanation(chosen.name, chosen.controller or "not known", 0, at_s, answer, sentences)


def _whole(flow: Flow, found: Sequence[Event]) -> str:
    counts = Counter(each.kind for each in found)
    if not found:
        return f"Nothing held {flow.name} back that the trace shows."
    said = [counted(count, *NAMES[kind]) for kind, count in counts.most_common()]
    return f"{flow.name}: {', '.join(said)}."


def _moment(flow: Flow, found: Sequence[Event], shown: Sequence[Event], at_s: float) -> str:
    if not found:
        return _whole(flow, found)

    def distance(each: Event) -> tuple[bool, float]:
        # A stall is a consequence.
        return each.kind == "stall", max(each.time_s - at_s, at_s - each.end_s, 0.0)

    nearest = min(shown or found, key=distance)
    before = "At" if shown else "Nothing happened near this time that the trace shows. The nearest event, at"
    return f"{before} {nearest.time_s:.4g} s: {nearest.text}"


def _limits(flow: Flow, trace: Trace) -> str:
    """Return the limits of the trace, as parts of a sentence."""
    said, unknown = f" It was observed {flow.place.value}", []
    if not len(flow.window) and not len(flow.in_flight):
        unknown.append("the bytes in flight at the sender")
    if flow.application_limited is None:
        unknown.append("whether the program had data to send")
    if flow.receiver_limited is None:
        unknown.append("whether the receive window held it back")
    said += f", which does not show {', nor '.join(unknown)}." if unknown else "."
    if len(trace.flows) > 1:
        said += f" The trace has {len(trace.flows)} flows; --flow selects one."
    return said


def _flow(trace: Trace, text: str) -> Flow:
    if text.isdecimal() and int(text) < len(trace.flows):
        return trace.flows[int(text)]
    for flow in trace.flows:
        if flow.name == text:
            return flow
    names = ", ".join(f"'{flow.name}'" for flow in trace.flows[:MOST_NAMED])
    raise InputError(
        f"--flow {text}", f"unknown flow of {trace.file}; allowed: 0 to {len(trace.flows) - 1}, or {names}"
    )


NAMES: dict[str, tuple[str, ...]] = {
    "loss": ("episode of loss", "episodes of loss"),
    "spurious": ("spurious retransmission",),
    "timeout": ("timeout",),
    "reduction": ("reduction without a loss", "reductions without a loss"),
    "mark": ("round trip with marks", "round trips with marks"),
    "stall": ("stall",),
    "receiver-limited": ("interval in which the receive window held the sender back",
                         "intervals in which the receive window held the sender back"),
    "application-limited": ("interval without data to send", "intervals without data to send"),
}  # fmt: skip
MOST_NAMED = 6
