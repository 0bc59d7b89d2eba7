# SPDX-License-Identifier: Apache-2.0
"""The metrics of a cell that are analysed, and the names of their columns.

A bare name of a group's metric means the group under test; if there are several, each has a column of its own. A bare
name of a link's metric means the bottleneck of the group under test; if groups or points have different bottlenecks,
each link has a column of its own. `group.NAME.METRIC` and `link.NAME.METRIC` are the full names. A metric of a run's
series may have parameters, as in `cov(bin=10s)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from narrows._internal.experiments.document import Document, Node
from narrows._internal.metrics.criteria import Margin, read_margin
from narrows._internal.metrics.request import Metric, MetricError, counted_names, resolve
from narrows.metrics import card_of

Measured = Mapping[str, Mapping[str, Mapping[str, float | None]]]


class Column(NamedTuple):
    """A metric of the results."""

    name: str  # name of the column
    of: str  # "group" or "link"
    owner: str  # name of the group or link; empty for the group under test, or for its bottleneck
    measure: str  # the metric with its parameters

    def value(self, measured: Measured, tested: Tested) -> float | None:
        """Return the value of the metric in a cell."""
        own = tested.subjects if self.of == "group" else tested.bottlenecks
        owner = self.owner or own[0]
        return measured[f"{self.of}s"].get(owner, {}).get(self.measure)


def half_width(text: str, column: Column) -> Margin | None:
    """Return the greatest half-width of an interval of a metric; None if the text is not a width."""
    try:
        found = read_margin(text, str(card_of(column.measure, column.of)["unit"]))
    except ValueError:
        return None
    return found if 0 < found.relative < 1 or found.absolute > 0 else None


class Tested(Protocol):
    """The groups under test at a point of a study, and their bottlenecks."""

    @property
    def subjects(self) -> Sequence[str]:
        """Names of the groups under test."""

    @property
    def bottlenecks(self) -> Sequence[str]:
        """Names of their bottlenecks, each once; empty if their packets share no link."""


class Known(NamedTuple):
    """The groups and links of the scenarios of a study."""

    groups: set[str]  # names of the flow groups of all points
    links: set[str]  # names of the recorded links
    points: Sequence[Tested]  # groups under test and their bottlenecks, by point


def columns(document: Document, written: Sequence[Node] | None, known: Known) -> list[Column]:
    """Resolve the metrics of a study; unknown ones are added to the errors of the document."""
    if written is None:
        main = (*MAIN_OF_GROUP, *MAIN_OF_LINK)
        return [column for name in main for column in _bare(resolve(name), known)]
    found: list[Column] = []
    for node in written:
        for column in _resolve(document, node, known):
            if column in found:
                document.complain(node, "is there twice", allowed="each measure once")
            else:
                found.append(column)
    return found


def added(text: str, known: Known) -> list[Column]:
    """Resolve a metric that the command line adds."""
    document = Document(text, "--metric")
    found = columns(document, [Node(text, (0, len(text.encode())), "measure")], known)
    document.check()
    return found


def asked(chosen: Iterable[Column]) -> tuple[str, ...]:
    """Return the metrics of the series among columns, each once."""
    names = dict.fromkeys(column.measure for column in chosen)
    counted = {*counted_names("group"), *counted_names("link")}
    return tuple(name for name in names if name not in counted)


def split(name: str) -> tuple[str, str]:
    """Split `NAME.METRIC` at the last dot before the parameters."""
    head, bracket, choices = name.partition("(")
    owner, _, measure = head.rpartition(".")
    return owner, measure + bracket + choices


def _resolve(document: Document, node: Node, known: Known) -> list[Column]:
    name = "".join(str(node.value).split())
    owner, text = split(name)
    if not owner:
        measure = _measure(document, node, text, known)
        resolved = _bare(measure, known) if measure else []
        if measure and not resolved:
            message = "the packets of the groups under test share no link that could be their bottleneck"
            document.complain(node, message, allowed=_every("link", known.links, text))
        return resolved
    of, _, owner = owner.partition(".")
    owners = {"group": known.groups, "link": known.links}.get(of)
    if owners is None:
        document.unknown(node, f"`{of}` is neither group nor link", of, ["group", "link"])
        return []
    if owner not in owners:
        document.unknown(node, f"unknown {of} `{owner}`", owner, owners)
        return []
    measure = _measure(document, node, text, known)
    if measure is None:
        return []
    if of not in measure.owners:
        document.unknown(node, f"a {of} has no metric `{measure.name}`", measure.name, counted_names(of))
        return []
    return [Column(f"{of}.{owner}.{measure.text}", of, owner, measure.text)]


def _measure(document: Document, node: Node, text: str, known: Known) -> Metric | None:
    counted = {*counted_names("group"), *counted_names("link")}
    try:
        measure = resolve(text)
    except MetricError as error:
        if error.given == text and "(" not in text:
            document.unknown(node, "unknown metric", text, counted)
        else:
            document.complain(node, f"{error.message}: {error.given}", allowed=error.allowed, hint=error.hint)
        return None
    to = measure.choices.get("to", "own")
    if to not in {"own", "other", *known.groups}:
        document.unknown(node, f"unknown group `{to}`", str(to), known.groups)
        return None
    return measure


def _bare(measure: Metric, known: Known) -> list[Column]:
    name = measure.text
    if "group" in measure.owners:
        owners = known.points[0].subjects
        # A single group under test may have the name of its algorithm, which changes from point to point.
        if len(owners) == 1:
            return [Column(name, "group", "", name)]
        return [Column(f"group.{owner}.{name}", "group", owner, name) for owner in owners]
    if all(len(point.bottlenecks) == 1 for point in known.points):
        return [Column(name, "link", "", name)]
    links = sorted({link for point in known.points for link in point.bottlenecks})
    return [Column(f"link.{link}.{name}", "link", link, name) for link in links]


def _every(of: str, owners: Iterable[str], measure: str) -> str:
    return ", ".join(f"{of}.{owner}.{measure}" for owner in sorted(owners)[:SOME])


MAIN_OF_GROUP = ("goodput_bps", "goodput_fraction", "jain", "rtt_mean_s", "loss_rate")
MAIN_OF_LINK = ("utilization", "queue_delay_mean_s")
SOME = 10
