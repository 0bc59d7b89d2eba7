# SPDX-License-Identifier: Apache-2.0
"""What a study found, as plain data: means by algorithm, differences between algorithms, effects of factors.

Intervals are taken over replications: a replication gives one value, its mean over all conditions of the study, and
replications are independent. They speak of the average over these conditions and of nothing beyond them.

A finding is what a test supports: the paired t-test of a difference between algorithms, and the F test of a factor in
the analysis of variance that the report shows. All tests of a study are corrected together, by Holm's method: the
chance that any finding is false is below the level.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from narrows.analysis.compare import adjusted
from narrows.analysis.table import AnalysisError, varies
from narrows.analysis.variance import Anova, anova
from narrows.extras import load
from narrows.frozen import frozen
from narrows.metrics import card_of
from narrows.metrics.criteria import Margin, given_margins, margin_of, range_of
from narrows.statistics import Estimate, Range, estimate, paired

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from narrows.experiments.plan import Plan

    Key = tuple[str | None, tuple[object, ...], int]


@frozen
class Mean:
    """The mean of a response over all conditions, or over those with one level of a factor.

    Attributes:
        algorithm: Name of the algorithm.
        mean: The mean, with its interval over replications, in the unit of the response.
        difference: Difference from the first algorithm, paired by replication; None for the first one.
        p: Corrected p value of the paired t-test of the difference; None if the test is impossible.
        matters: Whether the difference exceeds the margin of the metric.
    """

    algorithm: str
    mean: Estimate
    difference: Estimate | None
    p: float | None = None
    matters: bool = True

    @property
    def clear(self) -> bool:
        """Whether the difference is significant and exceeds the margin of the metric."""
        return self.matters and self.p is not None and self.p < LEVEL


@frozen
class Effect:
    """The main effect of a factor: the levels with the lowest and the highest mean of a response.

    Attributes:
        factor: Name of the factor.
        low_level: Level with the lowest mean.
        low: The lowest mean, in the unit of the response.
        high_level: Level with the highest mean.
        high: The highest mean, in the unit of the response.
        difference: Difference of the two means, paired by replication.
        p: Corrected p value of the factor's F test in the analysis of variance; None if the test is impossible.
        matters: Whether the difference exceeds the margin of the metric.
    """

    factor: str
    low_level: str
    low: float
    high_level: str
    high: float
    difference: Estimate
    p: float | None
    matters: bool = True

    @property
    def clear(self) -> bool:
        """Whether the effect is significant and exceeds the margin of the metric."""
        return self.matters and self.p is not None and self.p < LEVEL


@frozen
class ByLevel:
    """The means of algorithms at each level of a factor, and their interaction with it.

    Attributes:
        factor: Name of the factor.
        p: Corrected p value of the F test of its interaction with the algorithm; None if the test is impossible.
        means: Mean of each algorithm by level.
    """

    factor: str
    p: float | None
    means: Mapping[str, Sequence[Mean]]

    @property
    def turns(self) -> bool:
        """Whether the interaction is significant and reverses the sign of a difference between levels."""
        signs: dict[str, set[bool]] = {}
        for mean in (each for means in self.means.values() for each in means):
            if mean.difference is not None and mean.difference["mean"]:
                signs.setdefault(mean.algorithm, set()).add(mean.difference["mean"] > 0)
        return self._interacts and any(len(each) > 1 for each in signs.values())

    @property
    def part(self) -> bool:
        """Whether the interaction is significant and a difference is clear at some levels, but not at all of them."""
        clear: dict[str, set[bool]] = {}
        for mean in (each for means in self.means.values() for each in means):
            if mean.difference is not None:
                clear.setdefault(mean.algorithm, set()).add(mean.clear)
        return self._interacts and any(len(each) > 1 for each in clear.values())

    @property
    def _interacts(self) -> bool:
        return self.p is not None and self.p < LEVEL


@frozen
class Finding:
    """The main results of a response.

    Attributes:
        response: Name of its column.
        replications: Number of replications behind the intervals.
        missing: Number of cells without a value, which are ignored.
        overall: Mean of all cells, in the unit of the response.
        means: Mean of each algorithm; empty if none is under test.
        effects: Main effects of the factors with few levels, except `algorithm`, the largest first.
        by_level: Means of algorithms by level of each of these factors, the strongest interaction first.
    """

    response: str
    replications: int
    missing: int
    overall: Estimate
    means: Sequence[Mean]
    effects: Sequence[Effect]
    by_level: Sequence[ByLevel] = ()

    @property
    def turning(self) -> ByLevel | None:
        """The strongest interaction that reverses the sign of a difference between algorithms; None without one."""
        return next((each for each in self.by_level if each.turns), None)

    @property
    def divided(self) -> ByLevel | None:
        """The interaction over whose levels an average would mislead: one that turns, or of which a part is clear."""
        return self.turning or next((each for each in self.by_level if each.part), None)


def findings(plan: Plan, cells: pa.Table) -> list[Finding]:
    """Return the main results of each response of a study that has a value.

    Args:
        plan: Plan of the study.
        cells: Table of its finished cells.
    """
    margins = given_margins(f"{metric}={value}" for metric, value in plan.margins.items())
    found = []
    for column in plan.columns:
        card = card_of(column.measure, column.of)
        found.append(_finding(plan, cells, column.name, range_of(card), margins.get(column.measure) or margin_of(card)))
    return _corrected([finding for finding in found if finding.overall["mean"] is not None])


def variance_of(plan: Plan, cells: pa.Table, response: str) -> Anova | None:
    """Return the analysis of variance of a response over the factors of a study, the algorithm and the replication.

    Args:
        plan: Plan of the study.
        cells: Table of its finished cells; those without a value of the response are ignored.
        response: Name of its column.

    Returns:
        The analysis; None if no factor varies.

    Raises:
        AnalysisError: The cells do not allow the analysis.
    """
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


def _finding(plan: Plan, cells: pa.Table, response: str, within: Range, margin: Margin) -> Finding:
    table = _Table(plan, cells, response, within, margin)
    try:
        sources = {source.factors: source for source in (variance_of(plan, cells, response) or Anova((), ())).sources}
    except AnalysisError:
        sources = {}

    def tested(*factors: str) -> tuple[float | None, float]:
        source = sources.get(factors)
        return (source.p, source.sum_of_squares) if source else (None, 0.0)

    factors = grouping(plan, cells)
    effects = sorted(
        ((table.effect(factor, tested(factor)[0]), tested(factor)[1]) for factor in factors), key=lambda each: -each[1]
    )
    interacting = sorted(
        (
            (table.by_level(factor, tested(factor, "algorithm")[0]), tested(factor, "algorithm")[1])
            for factor in factors
        ),
        key=lambda each: -each[1],
    )
    return Finding(
        response,
        len(table.whole),
        cells[response].null_count,
        estimate([table.mean(table.names, table.conditions, each) for each in table.whole], within),
        table.means(table.conditions),
        [effect for effect, _ in effects],
        [each for each, _ in interacting if len(table.tested) > 1],
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
            rows.append(Mean(name, mean, difference, _p(courses[name], first), self.matters(difference, first)))
        return rows

    def matters(self, difference: Estimate, against: Sequence[float]) -> bool:
        """Return whether a difference to a mean of replications exceeds the margin."""
        reference, mean = estimate(against)["mean"], difference["mean"]
        return reference is not None and mean is not None and abs(mean) > self.margin.of(reference)

    def at_levels(self, factor: str) -> dict[str, list[tuple[object, ...]]]:
        """Return the conditions at each level of a factor."""
        place = self.factors.index(factor)
        found: dict[str, list[tuple[object, ...]]] = {}
        for condition in self.conditions:
            found.setdefault(str(condition[place]), []).append(condition)
        return found

    def effect(self, factor: str, p: float | None) -> Effect:
        """Return the effect of a factor, with the p value of its test."""
        courses = {
            level: [self.mean(self.names, conditions, each) for each in self.whole]
            for level, conditions in self.at_levels(factor).items()
        }
        means = {level: estimate(course)["mean"] for level, course in courses.items()}
        known = {level: math.nan if mean is None else mean for level, mean in means.items()}
        low, high = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
        difference = paired(courses[high], courses[low], self.within)
        matters = self.matters(difference, courses[low])
        return Effect(factor, low, known[low], high, known[high], difference, p, matters)

    def by_level(self, factor: str, p: float | None) -> ByLevel:
        """Return the algorithms at each level of a factor, with the p value of their interaction."""
        return ByLevel(
            factor, p, {level: self.means(conditions) for level, conditions in self.at_levels(factor).items()}
        )


def _p(of: Sequence[float], against: Sequence[float]) -> float | None:
    """Return the p value of the paired t-test; None with fewer than two pairs, or differences without spread."""
    import numpy as np

    ttest_rel = load("scipy.stats").ttest_rel

    one, other = np.array(of), np.array(against)
    if len(one) < _TWO or not varies(one - other, one, other):
        return None
    return float(ttest_rel(one, other).pvalue)


def _corrected(found: Sequence[Finding]) -> list[Finding]:
    """Correct the p values of all findings together, in the order in which they stand."""
    known = [p for finding in found for p in _tests(finding)]
    corrected = iter(adjusted(known, "holm"))

    def mean(each: Mean) -> Mean:
        return replace(each, p=next(corrected))

    return [
        replace(
            finding,
            means=[mean(each) for each in finding.means],
            effects=[replace(each, p=next(corrected)) for each in finding.effects],
            by_level=[
                ByLevel(
                    each.factor,
                    next(corrected),
                    {level: [mean(row) for row in means] for level, means in each.means.items()},
                )
                for each in finding.by_level
            ],
        )
        for finding in found
    ]


def _tests(finding: Finding) -> list[float | None]:
    tests = [each.p for each in finding.means] + [each.p for each in finding.effects]
    for each in finding.by_level:
        tests += [each.p, *(row.p for means in each.means.values() for row in means)]
    return tests


LEVEL = 0.05
"""A finding is stated where the corrected p value is below it."""
MOST_LEVELS = 12
_TWO = 2
