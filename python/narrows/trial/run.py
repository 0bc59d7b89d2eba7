"""The sequential trial: replications of all scenarios that are not decided, until all are or the budget is spent."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from narrows.errors import InputError, Interrupted
from narrows.metrics import measured, resolve
from narrows.metrics.criteria import GIVEN, Margin, margin_of, read_margin
from narrows.run.execution import execute
from narrows.run.jobs import Share
from narrows.statistics import distinct
from narrows.study.measures import split
from narrows.trial.verdict import UNDECIDED, VERDICTS, WORSE, Judged, judge, row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows import core
    from narrows.metrics import Metric
    from narrows.run.jobs import Watch
    from narrows.trial.scenarios import Pair


@dataclass(frozen=True)
class Wanted:
    """A metric of a group or link of a scenario.

    Attributes:
        owner: Name of the group or link.
        of: "group" or "link".
        metric: The metric.
    """

    owner: str
    of: str
    metric: Metric

    @property
    def card(self) -> Mapping[str, Any]:
        """Card of the metric."""
        return self.metric.cards[self.of]


@dataclass
class Contest:
    """A scenario of the trial with what was measured so far.

    Attributes:
        pair: The scenario with A and with B.
        wanted: The metrics that are judged.
        values: By metric, the values with A and with B by replication.
        digests: The digests of both records, by replication.
    """

    pair: Pair
    wanted: list[Wanted]
    values: dict[int, tuple[list[float], list[float]]] = field(default_factory=dict)
    digests: list[str] = field(default_factory=list)

    @property
    def repeated(self) -> bool:
        """Whether all replications so far are the same pair of runs, so that more of them say nothing more."""
        return len(self.digests) > 1 and len(set(self.digests)) == 1

    def add(self, a: core.Records, b: core.Records) -> None:
        """Add the records of a replication."""
        seen = [
            measured(scenario, records, [each.metric for each in self.wanted])
            for scenario, records in ((self.pair.a, a), (self.pair.b, b))
        ]
        self.digests.append(f"{a.digest} {b.digest}")
        for place, each in enumerate(self.wanted):
            sides = self.values.setdefault(place, ([], []))
            for side, found in zip(sides, seen, strict=True):
                side.append(float(found[f"{each.of}s"][each.owner].get(each.metric.text, math.nan)))

    def judge(self, margin: str, alpha: float) -> list[tuple[Wanted, Judged]]:
        """Return the state of each metric that has a value in some replication."""
        states = []
        for place, each in enumerate(self.wanted):
            a, b = (distinct(side, self.digests) for side in self.values.get(place, ([], [])))
            states.append((each, judge(a, b, str(each.card["better"]), _margin(each, margin), alpha)))
        return [(each, state) for each, state in states if state.replications]


def contests(pairs: Sequence[Pair], measures: Sequence[str]) -> list[Contest]:
    """Return the contests of a trial.

    Args:
        pairs: The scenarios.
        measures: Metrics of groups that are judged instead of the usual ones.

    Raises:
        InputError: A metric has no better direction.
        MetricError: There is no such metric.
    """
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
            wanted = [
                Wanted(name, "group", metric)
                for name in groups
                for metric in (of_tested if name in tested else of_others)
            ]
        found.append(Contest(pair, wanted))
    return found


def trial(  # noqa: PLR0913  # what the command line gives
    found: Sequence[Contest],
    *,
    margin: str,
    alpha: float,
    least: int,
    most: int,
    jobs: int | None,
    watch: Watch,
) -> list[dict[str, Any]]:
    """Run a trial to its end.

    Args:
        found: The contests.
        margin: Margin of every metric, as a part of its value: `2%`.
        alpha: Probability that the trial of equal algorithms finds any metric worse.
        least: Number of replications before the first look.
        most: Greatest number of replications.
        jobs: Maximum number of runs at a time; None is the number of processors.
        watch: Receives the progress and may stop the work.

    Returns:
        The rows of `summary.json`.

    Raises:
        Interrupted: The work was stopped before the first look.
    """
    each_alpha = alpha / max(sum(len(each.wanted) for each in found), 1)
    open_, done = list(found), 0
    while open_ and done < most:
        step = (least if done == 0 else STEP) if done + STEP <= most else most - done
        if not _replicate(open_, range(done, done + step), jobs, Share(watch, done / most, step / most)):
            if done == 0:
                raise Interrupted("nothing had been compared yet")
            break
        done += step
        open_ = [
            each
            for each in open_
            if not each.repeated and any(state.verdict == UNDECIDED for _, state in each.judge(margin, each_alpha))
        ]
    return [
        row(
            state,
            {
                "scenario": each.pair.name,
                "owner": wanted.owner,
                "metric": wanted.metric.text,
                "unit": wanted.metric.unit,
                "better": wanted.card["better"],
                "repeated": each.repeated,
            },
        )
        for each in found
        for wanted, state in each.judge(margin, each_alpha)
    ]


def counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of rows with each verdict."""
    return {verdict: sum(each["verdict"] == verdict for each in rows) for verdict in VERDICTS}


def is_worse(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a metric is worse."""
    return any(each["verdict"] == WORSE for each in rows)


def _replicate(found: Sequence[Contest], replications: range, jobs: int | None, watch: Watch) -> bool:
    """Run replications of contests and keep what they measure; return False if the work was stopped."""
    plan = [(each, index) for index in replications for each in found]
    chunks = [plan[start : start + CHUNK] for start in range(0, len(plan), CHUNK)]
    for place, chunk in enumerate(chunks):
        runs = [job for each, index in chunk for job in ((each.pair.a, index), (each.pair.b, index))]
        records = execute(runs, jobs, Share(watch, place / len(chunks), 1 / len(chunks)))
        if any(each is None for each in records):
            return False
        for (each, _), a, b in zip(chunk, records[::2], records[1::2], strict=True):
            if a is not None and b is not None:
                each.add(a, b)
    return True


def _named(text: str) -> Wanted:
    owner, name = split(text)
    of, _, whose = owner.partition(".")
    return Wanted(whose, of, resolve(name))


def _margin(wanted: Wanted, given: str) -> Margin:
    asked = read_margin(given, wanted.metric.unit)
    # A part of nothing is nothing: what is absolutely small does not matter, whatever part of the value it is.
    return Margin(asked.relative, max(asked.absolute, margin_of(wanted.card).absolute), GIVEN)


# The mean delay as well as the 95th percentile, which is that of a full buffer in many drop-tail queues.
USUAL = ("goodput_bps", "delay_mean_s", "delay_p95_s", "loss_rate", "jain", "completion_time_p95_s")
USUAL_OF_OTHERS = ("goodput_bps", "delay_mean_s", "delay_p95_s", "completion_time_p95_s")
LEAST, STEP, MOST = 10, 2, 40
# Runs whose records are in memory at a time, in pairs.
CHUNK = 16
