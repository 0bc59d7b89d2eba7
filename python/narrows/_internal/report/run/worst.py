# SPDX-License-Identifier: Apache-2.0
"""The worst moment of each application and flow group, with the command that explains it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from itertools import groupby

from narrows._internal.drawing.svg import Markup, element
from narrows._internal.explain.client import worst_of
from narrows._internal.explain.moment import REACH_S
from narrows._internal.frozen import frozen
from narrows._internal.page import document
from narrows._internal.report.run.data import Run
from narrows._internal.report.run.figures.moments import explanations
from narrows._internal.report.run.reading import recorded_clients


@frozen
class Moment:
    """The worst moment of a group in the shown replication."""

    run: str
    subject: str
    at_s: float
    what: str
    command: str


def section(runs: Sequence[Run]) -> list[document.Part]:
    """Return the section of a page; none if no run records what it needs."""
    # Applications of all runs first: what people perceive.
    found = [moment for of in (_of_clients, _of_flows) for run in runs for moment in of(run)]
    if not found:
        return []
    left = len(found) - MOST
    note = NOTE + (f" The first {MOST} of {len(found)}." if left > 0 else "")
    entries = element("ul", *(_entry(each, several=len(runs) > 1) for each in found[:MOST]))
    if len(found) > MOST_OPEN:
        entries = element("details", element("summary", f"{min(len(found), MOST)} moments"), entries, class_="more")
    return [
        document.section("worst", "The worst moments", element("p", note, class_="note"), entries, link="Worst moments")
    ]


def _entry(moment: Moment, *, several: bool) -> Markup:
    subject = f"{moment.run}, {moment.subject}" if several else moment.subject
    return element("li", f"{subject}, at {moment.at_s:.4g} s: {moment.what} ", element("code", moment.command))


def _of_clients(run: Run) -> Iterator[Moment]:
    for group, clients in groupby(recorded_clients(run), key=lambda each: each.group):
        found = worst_of(list(clients), REACH_S, run.warmup_s)
        if found is not None:
            client, worst = found
            yield _moment(run, client.name, worst.at_s, client.perceived(worst.at_s, REACH_S)[0], group)


def _of_flows(run: Run) -> Iterator[Moment]:
    """Yield for each group the deepest cut of a window of its flows after the warm-up."""
    for group, traces in groupby(run.flow_traces(run.shown_replication), key=lambda each: each.group):
        found = explanations(run, [trace.name for trace in traces][:MOST_FLOWS])
        cuts = [(each.worst, name) for name, each in found.items() if each.worst is not None]
        if cuts:
            cut, name = max(cuts, key=lambda each: each[0].part)
            yield _moment(run, name, cut.at_s, cut.what, group)


def _moment(run: Run, name: str, at_s: float, what: str, group: str) -> Moment:
    words = ["narrows", "why", run.folder, "--flow", name, "--at", f"{at_s:.4f}s"]
    if run.shown_replication != (run.recorded_replications or [0])[0]:
        words += ["--replication", str(run.shown_replication)]
    return Moment(run.name, f"{name} ({run.algorithms.get(group, group)})", at_s, what, shlex.join(words))


# Moments, those that are not folded, and flows of a group that are looked at.
MOST = 24
MOST_OPEN = 6
MOST_FLOWS = 10
NOTE = (
    "Of each application, when its user perceived the worst in the first replication after the warm-up; of other "
    "flows, the deepest cut of a window. The commands run in the folder of this page."
)
