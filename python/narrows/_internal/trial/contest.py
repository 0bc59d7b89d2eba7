# SPDX-License-Identifier: Apache-2.0
"""The contests of a trial: a scenario with both algorithms, the judged metrics, and their values."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal import core
from narrows._internal.errors import InputError
from narrows._internal.experiments.measures import split
from narrows._internal.frozen import frozen
from narrows._internal.metrics.criteria import GIVEN, Margin, margin_of, read_margin
from narrows._internal.metrics.printed import NAMES, carried
from narrows._internal.statistics import distinct
from narrows._internal.trial.verdict import Judged, judge
from narrows.metrics import Metric, measured, resolve

if TYPE_CHECKING:
    from narrows._internal.trial.scenarios import Pair


@frozen
class Wanted:
    """A metric of a group or link of a scenario."""

    owner: str  # name of the group or link
    of: str  # "group" or "link"
    metric: Metric

    @property
    def card(self) -> Mapping[str, Any]:
        """Card of the metric."""
        return self.metric.cards[self.of]


class Side(NamedTuple):
    """The metrics of a run of a replication."""

    values: list[float]  # the values of the wanted metrics
    digest: str  # the digest of the records


class Values(NamedTuple):
    """The metrics of a replication with A and with B."""

    a: list[float]  # the values of the wanted metrics with A
    b: list[float]  # the values of the same metrics with B
    records: str  # the digests of both records


@dataclass
class Contest:
    """A scenario of the trial with its values so far."""

    pair: Pair  # the scenario with A and with B
    wanted: list[Wanted]  # the metrics that are judged
    # Values with A and with B by replication, by metric.
    values: dict[int, tuple[list[float], list[float]]] = field(default_factory=dict)
    digests: list[str] = field(default_factory=list)  # the digests of both records, by replication

    @property
    def repeated(self) -> bool:
        """Whether all replications so far are the same pair of runs, so that more of them add nothing."""
        return len(self.digests) > 1 and len(set(self.digests)) == 1

    def side(self, scenario: core.Scenario, records: core.Records) -> Side:
        """Return the wanted metrics of the records of a replication with A or with B."""
        found = measured(scenario, records, [wanted.metric for wanted in self.wanted])
        values = [float(found[f"{each.of}s"][each.owner].get(each.metric.text, math.nan)) for each in self.wanted]
        return Side(values, records.digest)

    @property
    def asked(self) -> list[str]:
        """The wanted metrics as text."""
        return [f"{each.of}.{each.owner}.{each.metric.text}" for each in self.wanted]

    def add(self, values: Values) -> None:
        """Add the values of a replication."""
        # Programs are run anew each time, even if they send the same packets, or none.
        turn = f" {len(self.digests)}" if self.pair.programs else ""
        self.digests.append(values.records + turn)
        for place, of_metric in enumerate(zip(values.a, values.b, strict=True)):
            for side, value in zip(self.values.setdefault(place, ([], [])), of_metric, strict=True):
                side.append(value)

    def judge(self, margin: str, alpha: float) -> list[tuple[Wanted, Judged]]:
        """Return the state of each metric that has a value in some replication."""
        states = []
        for place, each in enumerate(self.wanted):
            a, b = (distinct(side, self.digests) for side in self.values.get(place, ([], [])))
            states.append((each, judge(a, b, str(each.card["better"]), _margin(each, margin), alpha)))
        return [(each, state) for each, state in states if state.replications]


def contests(pairs: Sequence[Pair], measures: Sequence[str]) -> list[Contest]:
    """Return the contests of a trial."""
    for text in measures:
        if not resolve(text, "group").cards["group"]["better"]:
            raise InputError(text, "neither more nor less of it is better, so no change of it is worse")
    found = []
    for pair in pairs:
        groups = [name for name, _ in pair.a.groups]
        if groups != [name for name, _ in pair.b.groups]:
            raise InputError(pair.name, 'its groups under test need names of their own (name = "…")')
        if pair.wanted:
            wanted = [_named(text) for text in pair.wanted]
        else:
            tested = [name for name, subject in pair.a.groups if subject] or groups
            of_tested = [resolve(text) for text in (measures or USUAL)]
            of_others = [resolve(text) for text in (measures or USUAL_OF_OTHERS)]
            finite = () if measures else _finite(pair.a)
            programs = [name for name, _ in carried(pair.a)]
            wanted = [
                Wanted(name, "group", metric)
                for name in groups
                for metric in (of_tested if name in tested else of_others)
                if not (metric.text == JAIN and name in finite) and not (metric.name in NAMES and name not in programs)
            ]
        found.append(Contest(pair, wanted))
    return found


def _finite(scenario: core.Scenario) -> set[str]:
    """Return the groups of transfers, whose shares depend on sizes and arrivals, and not on fairness."""
    return {each["name"] for each in tomllib.loads(scenario.resolved)["flows"] if each.get("size", ENDLESS) != ENDLESS}


def _named(text: str) -> Wanted:
    owner, name = split(text)
    of, _, whose = owner.partition(".")
    return Wanted(whose, of, resolve(name))


def _margin(wanted: Wanted, given: str) -> Margin:
    asked = read_margin(given, wanted.metric.unit)
    # The relative margin of a value near zero is near zero, so the absolute margin of the metric is the least.
    return Margin(asked.relative, max(asked.absolute, margin_of(wanted.card).absolute), GIVEN)


JAIN = "jain"
# The size of flows that always have data.
ENDLESS = "unlimited"
# The mean delay as well as the 95th percentile, which in many drop-tail queues is the delay of a full buffer.
USUAL = ("goodput_bps", "delay_mean_s", "delay_p95_s", "loss_rate", JAIN, "completion_time_p95_s")
USUAL_OF_OTHERS = ("goodput_bps", "delay_mean_s", "delay_p95_s", "completion_time_p95_s")
