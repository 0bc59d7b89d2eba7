# SPDX-License-Identifier: Apache-2.0
"""The findings of a study as plain data: means by algorithm, differences between algorithms, effects of factors.

Intervals are taken over replications: a replication gives one value, its mean over all conditions of the study, and
replications are independent. They hold for the average over these conditions only.

A finding is supported by a test: the paired t-test of a difference between algorithms, or the F test of a factor in the
analysis of variance that the report shows. All tests of a study are corrected together, by Holm's method: the chance
that any finding is false is below the level.

No finding averages over a factor that changes it: algorithms are compared at each combination of the factors that
interact with the algorithm, and a factor's effect is given at each combination of the factors that interact with it. Of
more combinations than a page can show, the smallest and the largest difference are given, at each level of the factor
with the strongest interaction. An interaction counts by its uncorrected p value if it exceeds the margin, since it
makes no claim of its own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from narrows._internal.analysis.table import AnalysisError, varies
from narrows._internal.experiments.measures import Column
from narrows._internal.experiments.store import MEASURED
from narrows._internal.extras import load
from narrows._internal.frozen import frozen
from narrows._internal.metrics.criteria import Margin, given_margins, margin_of, range_of
from narrows._internal.metrics.possible import most_of
from narrows._internal.statistics import Estimate, Range, estimate, mean_of, paired
from narrows.analysis.compare import adjusted
from narrows.analysis.variance import Anova, anova
from narrows.metrics import card_of

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.experiments.plan import Plan

    Key = tuple[str | None, tuple[object, ...], int]


@frozen
class Mean:
    """The mean of a response over all conditions, or over those with one level of a factor."""

    algorithm: str  # name of the algorithm
    mean: Estimate  # the mean, with its interval over replications, in the unit of the response
    difference: Estimate | None  # difference from the first algorithm, paired by replication; None for the first one
    p: float | None = None  # corrected p value of the paired t-test of the difference; None if the test is impossible
    matters: bool = True  # whether the difference exceeds the margin of the metric
    margin: float = 0.0  # the margin, in the unit of the response
    # Statistic of the test, over the root of the number of replications; None if the test is impossible.
    t: float | None = None
    tests: int = 1  # number of tests that were corrected together

    @property
    def clear(self) -> bool:
        """Whether the difference is significant and exceeds the margin of the metric."""
        return self.matters and self.is_apart

    @property
    def is_small(self) -> bool:
        """Whether the interval of the difference lies within the margin of the metric."""
        low, high = (self.difference and self.difference["ci95"]) or (-math.inf, math.inf)
        return max(-low, high) <= self.margin

    @property
    def is_apart(self) -> bool:
        """Whether the difference is significant."""
        return self.p is not None and self.p < LEVEL

    @property
    def needed(self) -> int | None:
        """Replications that would show the difference with the same mean and spread; None above `MOST_NEEDED`."""
        import numpy as np

        survival = load("scipy.stats").t.sf
        if not self.t:
            return None
        counts = np.arange(_TWO, MOST_NEEDED + 1)
        enough = 2 * self.tests * survival(abs(self.t) * np.sqrt(counts), counts - 1) < LEVEL
        return int(counts[enough][0]) if enough.any() else None


@frozen
class Effect:
    """The main effect of a factor: the levels with the lowest and the highest mean of a response."""

    factor: str  # name of the factor
    low_level: str  # level with the lowest mean
    low: float  # the lowest mean, in the unit of the response
    high_level: str  # level with the highest mean
    high: float  # the highest mean, in the unit of the response
    difference: Estimate  # difference of the two means, paired by replication
    # Corrected p value of the factor's F test in the analysis of variance; None if the test is impossible.
    p: float | None
    matters: bool = True  # whether the difference exceeds the margin of the metric
    # The effect at each combination of the factors that change it, by its words, as "with cubic at queue = codel";
    # empty if none does.
    given: Mapping[str, Effect] = field(default_factory=dict)
    changed_by: Sequence[str] = ()  # the factors that change the effect, the strongest first
    # Further factors that change the effect, with which the design does not combine each level of the factor.
    averaged: Sequence[str] = ()

    @property
    def clear(self) -> bool:
        """Whether the effect is significant and exceeds the margin of the metric."""
        return self.matters and self.p is not None and self.p < LEVEL


@frozen
class Interaction:
    """The interaction of the algorithm with a factor."""

    factor: str  # name of the factor
    p: float | None  # corrected p value of its F test; None if the test is impossible


@frozen
class Span:
    """The differences of an algorithm from the first at each combination of the levels of several factors."""

    algorithm: str  # name of the algorithm
    # The combinations with the smallest and the largest difference, by their words, with the difference there.
    least: tuple[str, Estimate]
    most: tuple[str, Estimate]
    less: int  # number of combinations with a smaller value, by more than the margin of the metric
    more: int  # number of combinations with a larger value, by more than the margin of the metric
    of: int  # number of combinations


@frozen
class Finding:
    """The main results of a response."""

    response: str  # name of its column
    replications: int  # number of replications behind the intervals
    missing: int  # number of cells without a value, which are ignored
    overall: Estimate  # mean of all cells, in the unit of the response
    means: Sequence[Mean]  # mean of each algorithm; empty if none is under test
    effects: Sequence[Effect]  # main effects of the factors with few levels, except `algorithm`, the largest first
    # Interactions of the algorithm with factors that change a difference by more than the margin, the strongest first.
    interactions: Sequence[Interaction] = ()
    # Means of algorithms at each combination of the levels of these factors, by its words; empty if no factor
    # interacts.
    conditions: Mapping[str, Sequence[Mean]] = field(default_factory=dict)
    # If there are too many combinations: the differences of the other algorithms at one or more levels of the factor
    # with the strongest interaction, by its words.
    spans: Mapping[str, Sequence[Span]] = field(default_factory=dict)

    @property
    def depends(self) -> list[str]:
        """The factors whose interaction with the algorithm is significant."""
        return [each.factor for each in self.interactions if each.p is not None and each.p < LEVEL]

    @property
    def turns(self) -> bool:
        """Whether the sign of a difference between algorithms is not the same under all conditions."""
        signs: dict[str, set[bool]] = {}
        for mean in (each for means in self.conditions.values() for each in means):
            if mean.difference is not None and mean.difference["mean"]:
                signs.setdefault(mean.algorithm, set()).add(mean.difference["mean"] > 0)
        for span in (each for spans in self.spans.values() for each in spans):
            signs.setdefault(span.algorithm, set()).update({False} if span.less else (), {True} if span.more else ())
        return any(len(each) > 1 for each in signs.values())


def findings(plan: Plan, cells: pa.Table) -> list[Finding]:
    """Return the main results of each response of a study that has a value."""
    margins = given_margins(f"{metric}={value}" for metric, value in plan.margins.items())
    found = []
    for column in plan.columns:
        card = card_of(column.measure, column.of)
        margin = margins.get(column.measure) or margin_of(card)
        found.append(_finding(plan, cells, column.name, within(plan, cells, column), margin))
    return _corrected([finding for finding in found if finding.overall["mean"] is not None])


def variance_of(plan: Plan, cells: pa.Table, response: str) -> Anova | None:
    """Return the analysis of variance of a response over the factors of a study, the algorithm and the replication."""
    import pyarrow.compute as pc

    cells = cells.filter(pc.is_valid(cells[response]))
    factors = [*plan.factors, *(["algorithm"] if len(plan.algorithms) > 1 else [])]
    if not factors:
        return None
    # Replications share their random numbers over all conditions: they are blocks.
    again = ["replication"] if len(set(cells["replication"].to_pylist())) > 1 else []
    return anova(cells, response, [*factors, *again], list(itertools.combinations(factors, 2)))


def grouping(plan: Plan, cells: pa.Table) -> list[str]:
    """Return the factors whose levels are few enough to be compared level by level."""
    return [name for name in plan.factors if 1 < len(set(cells[name].to_pylist())) <= MOST_LEVELS]


def _finding(plan: Plan, cells: pa.Table, response: str, possible: Range, margin: Margin) -> Finding:
    table = _Table(plan, cells, response, possible, margin)
    try:
        sources = {source.factors: source for source in (variance_of(plan, cells, response) or Anova((), ())).sources}
    except AnalysisError:
        sources = {}

    def tested(*factors: str) -> tuple[float | None, float]:
        source = sources.get(factors) or sources.get(factors[::-1])
        return (source.p, source.sum_of_squares) if source else (None, 0.0)

    def interact(one: str, other: str) -> bool:
        p = tested(one, other)[0]
        return p is not None and p < LEVEL and table.changes(one, other)

    def strongest(changing: Iterable[str], of: str) -> list[str]:
        return sorted(changing, key=lambda factor: -tested(factor, of)[1])

    factors = grouping(plan, cells)
    several = ["algorithm"] if len(table.tested) > 1 else []
    effects = sorted(
        (
            table.effect(
                factor,
                tested(factor)[0],
                strongest((each for each in [*plan.factors, *several] if interact(factor, each)), factor),
            )
            for factor in factors
        ),
        key=lambda each: -tested(each.factor)[1],
    )
    changing = strongest((each for each in plan.factors if several and interact(each, "algorithm")), "algorithm")
    crossed = table.cross(changing) if changing else {}
    few = len(crossed) <= MOST_CONDITIONS
    return Finding(
        response,
        len(table.whole),
        cells[response].null_count,
        estimate([table.mean(table.names, table.conditions, each) for each in table.whole], possible),
        table.means(table.conditions),
        effects,
        [Interaction(factor, tested(factor, "algorithm")[0]) for factor in changing],
        {words: table.means(conditions) for words, (_, conditions) in crossed.items()} if few else {},
        {} if few else table.spans(changing),
    )


class _Table:
    """The values of a response by algorithm, condition and replication, of the replications that have all of them."""

    def __init__(self, plan: Plan, cells: pa.Table, response: str, within: Range, margin: Margin) -> None:
        self.within, self.margin = within, margin
        self.factors = list(plan.factors)
        values, replications = cells[response].to_pylist(), cells["replication"].to_pylist()
        algorithms = cells["algorithm"].to_pylist()
        levels = list(zip(*(cells[name].to_pylist() for name in plan.factors), strict=True)) or [()] * len(values)
        self.values: dict[Key, float] = {
            key: value
            for key, value in zip(zip(algorithms, levels, replications, strict=True), values, strict=True)
            if value is not None
        }
        self.names: list[str | None] = list(dict.fromkeys(algorithms))
        self.tested: list[str] = [name for name in self.names if name is not None]
        self.conditions: list[tuple[object, ...]] = list(dict.fromkeys(levels))
        # A replication counts if it has every condition with every algorithm, so that all means are over the same ones.
        self.whole = [
            number
            for number in sorted(set(replications))
            if all((name, condition, number) in self.values for name in self.names for condition in self.conditions)
        ]

    def mean(self, names: Sequence[str | None], conditions: Sequence[tuple[object, ...]], replication: int) -> float:
        """Return the mean over algorithms and conditions in a replication."""
        chosen = [self.values[name, condition, replication] for name in names for condition in conditions]
        return math.fsum(chosen) / len(chosen)

    def means(self, conditions: Sequence[tuple[object, ...]]) -> list[Mean]:
        """Return a row per algorithm: its mean over conditions, and the difference to the first."""
        courses = {name: [self.mean([name], conditions, each) for each in self.whole] for name in self.tested}
        rows = []
        for place, name in enumerate(self.tested):
            first = courses[self.tested[0]]
            mean = estimate(courses[name], self.within)
            if not place:
                rows.append(Mean(name, mean, None))
                continue
            difference = paired(courses[name], first, self.within)
            p, t = _test(courses[name], first)
            margin = self.margin.of(estimate(first)["mean"] or 0.0)
            rows.append(Mean(name, mean, difference, p, self.matters(difference, first), margin, t))
        return rows

    def matters(self, difference: Estimate, against: Sequence[float]) -> bool:
        """Return whether a difference to a mean of replications exceeds the margin."""
        reference, mean = estimate(against)["mean"], difference["mean"]
        return reference is not None and mean is not None and abs(mean) > self.margin.of(reference)

    def cross(
        self, factors: Sequence[str], of: Sequence[tuple[object, ...]] | None = None
    ) -> dict[str, tuple[Sequence[str | None], list[tuple[object, ...]]]]:
        """Return algorithms and conditions at each combination of the levels of factors, by its words."""
        own = [(factor, self.factors.index(factor)) for factor in factors if factor != "algorithm"]
        names = [[name] for name in self.names] if "algorithm" in factors else [self.names]
        found: dict[str, tuple[Sequence[str | None], list[tuple[object, ...]]]] = {}
        for several in names:
            for condition in self.conditions if of is None else of:
                at = ", ".join(f"{factor} = {condition[place]}" for factor, place in own)
                parts = [f"with {several[0]}" if "algorithm" in factors else "", f"at {at}" if at else ""]
                found.setdefault(" ".join(filter(None, parts)), (several, []))[1].append(condition)
        return found

    def spans(self, changing: Sequence[str]) -> dict[str, list[Span]]:
        """Return the differences between algorithms at one or more levels of the first of the factors, by its words."""
        first, *others = changing
        at = {words[3:]: conditions for words, (_, conditions) in self.cross([first]).items()}
        groups = [[words] for words in at]
        means = {words: [mean_of(each.difference or each.mean) for each in self.means(at[words])[1:]] for words in at}

        def apart(place: int) -> float:
            ends = zip(means[groups[place][-1]], means[groups[place + 1][0]], strict=True)
            return max(abs(one - other) for one, other in ends)

        # Neighbouring levels whose differences are most alike have one sentence.
        while len(groups) > MOST_SPANS:
            place = min(range(len(groups) - 1), key=apart)
            groups[place : place + 2] = [groups[place] + groups[place + 1]]
        found = {}
        for group in groups:
            words = group[0] if len(group) == 1 else f"{group[0]} to {group[-1].removeprefix(f'{first} = ')}"
            within = [condition for each in group for condition in at[each]]
            # Of several levels, the words of a combination name the level.
            there = self.cross(others if len(group) == 1 and others else changing, within)
            found[f"at {words}"] = self._spans({each: self.means(those) for each, (_, those) in there.items()})
        return found

    def _spans(self, means: Mapping[str, Sequence[Mean]]) -> list[Span]:
        found = []
        for place, name in enumerate(self.tested[1:], 1):
            of = {words: each[place].difference or each[place].mean for words, each in means.items()}
            order = sorted(of, key=lambda words: mean_of(of[words]))
            signs = [mean_of(of[words]) > 0 for words, each in means.items() if each[place].matters]
            ends = [(words, of[words]) for words in (order[0], order[-1])]
            found.append(Span(name, ends[0], ends[1], signs.count(False), signs.count(True), len(of)))
        return found

    def levels(
        self, factor: str, names: Sequence[str | None], conditions: Sequence[tuple[object, ...]]
    ) -> dict[str, list[float]]:
        """Return the mean over algorithms and conditions at each level of a factor, by replication."""
        place = self.factors.index(factor)
        at: dict[str, list[tuple[object, ...]]] = {}
        for condition in conditions:
            at.setdefault(str(condition[place]), []).append(condition)
        return {level: [self.mean(names, there, each) for each in self.whole] for level, there in at.items()}

    def effect(self, factor: str, p: float | None, changing: Sequence[str]) -> Effect:
        """Return the effect of a factor with the p value of its test, also at each level of factors that change it."""
        whole = self._effect(factor, p, self.names, self.conditions)
        place, kept, given = self.factors.index(factor), list[str](), {}
        levels = {condition[place] for condition in self.conditions}
        for each in changing:
            # Of a design with a part of the combinations, not all have each level of the factor.
            crossed = self.cross([*kept, each])
            if all({condition[place] for condition in there} == levels for _, there in crossed.values()):
                kept, given = [*kept, each], crossed
        by_words = {words: self._effect(factor, None, *there) for words, there in given.items()}
        return replace(whole, given=by_words, changed_by=kept, averaged=[each for each in changing if each not in kept])

    def _effect(
        self,
        factor: str,
        p: float | None,
        names: Sequence[str | None],
        conditions: Sequence[tuple[object, ...]],
    ) -> Effect:
        courses = self.levels(factor, names, conditions)
        known = {level: mean_of(estimate(course)) for level, course in courses.items()}
        low, high = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
        difference = paired(courses[high], courses[low], self.within)
        matters = self.matters(difference, courses[low])
        return Effect(factor, low, known[low], high, known[high], difference, p, matters)

    def changes(self, factor: str, other: str) -> bool:
        """Return whether the effect of a factor at the levels of another differs by more than the margin."""
        if not self.whole:
            return False
        at = [self.levels(factor, *there) for there in self.cross([other]).values()]
        means = [{level: mean_of(estimate(course)) for level, course in each.items()} for each in at]
        common = [level for level in means[0] if all(level in each for each in means)]
        if len(common) < _TWO:
            return False
        steps = [[each[level] - each[common[0]] for each in means] for level in common]
        reference = min(abs(value) for each in means for value in each.values())
        return max(max(step) - min(step) for step in steps) > self.margin.of(reference)


def _test(of: Sequence[float], against: Sequence[float]) -> tuple[float | None, float | None]:
    """Return p value and statistic, over the root of the pairs, of the paired t-test; None if it is impossible."""
    import numpy as np

    ttest_rel = load("scipy.stats").ttest_rel

    one, other = np.array(of), np.array(against)
    if len(one) < _TWO or not varies(one - other, one, other):
        return None, None
    found = ttest_rel(one, other)
    return float(found.pvalue), float(found.statistic) / math.sqrt(len(one))


def _corrected(found: Sequence[Finding]) -> list[Finding]:
    """Correct the p values of all findings together, in the order in which they stand."""
    known = [p for finding in found for p in _tests(finding)]
    corrected = iter(adjusted(known, "holm"))
    tests = sum(p is not None for p in known)

    def mean(each: Mean) -> Mean:
        return replace(each, p=next(corrected), tests=tests)

    return [
        replace(
            finding,
            means=[mean(each) for each in finding.means],
            effects=[replace(each, p=next(corrected)) for each in finding.effects],
            interactions=[replace(each, p=next(corrected)) for each in finding.interactions],
            conditions={words: [mean(row) for row in means] for words, means in finding.conditions.items()},
        )
        for finding in found
    ]


def _tests(finding: Finding) -> list[float | None]:
    tests = [each.p for each in finding.means] + [each.p for each in finding.effects]
    tests += [each.p for each in finding.interactions]
    return tests + [row.p for means in finding.conditions.values() for row in means]


def within(plan: Plan, cells: pa.Table, column: Column) -> Range:
    """Return the values that a metric of a study can have in its cells."""
    # The capacity of the bottleneck limits a goodput, the capacity of the link a rate, and the length of the run a time
    # that ends in the run.
    owners = [column.owner] if column.owner else _tested(plan, column.of)
    found = [_most(cells, f"{column.of}.{owner}", column.measure) for owner in owners]
    if card_of(column.measure, column.of)["unit"] == "s" and column.of == "group" and column.measure not in UNLIMITED:
        found += [max((point.duration_s for point in plan.points), default=None)]
    known = [each for each in found if each is not None]
    return range_of(card_of(column.measure, column.of), None, max(known) if known else None)


def _tested(plan: Plan, of: str) -> list[str]:
    known = (point.subjects if of == "group" else point.bottlenecks for point in plan.points)
    return list(dict.fromkeys(owner for owners in known for owner in owners))


def _most(cells: pa.Table, owner: str, measure: str) -> float | None:
    """Return the greatest value of a rate, by the capacity that the cells have measured beside it."""
    import pyarrow.compute as pc

    if measure not in CAPACITY or MEASURED not in cells.column_names:
        return None
    rates, parts = (
        pc.map_lookup(cells[MEASURED], f"{owner}.{name}", "first").to_pylist() if name else [1.0] * cells.num_rows
        for name in CAPACITY[measure]
    )
    return most_of(rates, parts)


LEVEL = 0.05
"""A finding is stated where the corrected p value is below it."""
MOST_LEVELS = 12
# Largest number of combinations of levels, each of which has a sentence; of more, the largest number of sentences.
MOST_CONDITIONS = 24
MOST_SPANS = 4
# Largest number of replications that is proposed.
MOST_NEEDED = 1000
_TWO = 2
# The metrics that determine the capacity that limits a metric: the second is the first as a share of the capacity.
CAPACITY = {"goodput_bps": ("goodput_bps", "goodput_fraction"), "rate_bps": ("capacity_bps", None)}
# A wait at access links is counted at its start, and may end after the run.
UNLIMITED = frozenset({"access_queue_delay_mean_s"})
