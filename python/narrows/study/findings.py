"""What a study found, as plain data: means by algorithm, differences between algorithms, what each factor moves.

Intervals are taken over replications: a replication gives one value, its mean over all conditions of the study, and
replications are independent. They speak of the average over these conditions and of nothing beyond them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from narrows.statistics import Estimate, estimate, paired

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from narrows.study.plan import Plan


@dataclass(frozen=True)
class Mean:
    """The mean of a response over all conditions.

    Attributes:
        algorithm: Whose.
        mean: With its interval over replications.
        difference: To the first algorithm, paired by replication; None for that one.
    """

    algorithm: str
    mean: Estimate
    difference: Estimate | None


@dataclass(frozen=True)
class Moved:
    """What a factor moves by itself: the levels with the least and the greatest mean of a response."""

    factor: str
    low_level: str
    low: float
    high_level: str
    high: float


@dataclass(frozen=True)
class Finding:
    """What was found of one response.

    Attributes:
        response: Its column.
        replications: How many the intervals rest on.
        missing: Cells without a value, which do not count.
        overall: Mean of all.
        means: A row per algorithm; empty where none is under test.
        moved: By factor that has a few levels, the strongest first; `algorithm` is not among them.
    """

    response: str
    replications: int
    missing: int
    overall: Estimate
    means: Sequence[Mean]
    moved: Sequence[Moved]


def findings(plan: Plan, cells: pa.Table) -> list[Finding]:
    """Say what was found of each response of a study that has any value.

    Args:
        plan: The study's.
        cells: Its finished cells.
    """
    found = [_finding(plan, cells, column.name) for column in plan.columns]
    return [finding for finding in found if finding.overall["mean"] is not None]


def grouping(plan: Plan, cells: pa.Table) -> list[str]:
    """Return the factors whose levels are few enough to be compared level by level."""
    return [name for name in plan.factors if 1 < len(set(cells[name].to_pylist())) <= MOST_LEVELS]


def _finding(plan: Plan, cells: pa.Table, response: str) -> Finding:
    values = cells[response].to_pylist()
    replications = cells["replication"].to_pylist()
    algorithms = cells["algorithm"].to_pylist()
    conditions = list(zip(*(cells[name].to_pylist() for name in plan.factors), strict=True)) or [()] * len(values)
    by_cell = {
        (algorithm, condition, replication): value
        for algorithm, condition, replication, value in zip(algorithms, conditions, replications, values, strict=True)
        if value is not None
    }
    names = list(dict.fromkeys(algorithms))
    places = list(dict.fromkeys(conditions))
    # A replication counts if it has every condition with every algorithm, so that all means are over the same ones.
    whole = [
        replication
        for replication in sorted(set(replications))
        if all((name, condition, replication) in by_cell for name in names for condition in places)
    ]

    def course(name: str | None) -> list[float]:
        return [
            math.fsum(by_cell[name, condition, replication] for condition in places) / len(places)
            for replication in whole
        ]

    courses = {name: course(name) for name in names}
    together = [math.fsum(each) / len(each) for each in zip(*courses.values(), strict=True)]
    tested = [name for name in names if name is not None]
    means = [
        Mean(name, estimate(courses[name]), paired(courses[name], courses[tested[0]]) if place else None)
        for place, name in enumerate(tested)
    ]
    moved = [_moved(cells, response, factor) for factor in grouping(plan, cells)]
    ordered = sorted(moved, key=lambda each: each.low - each.high)
    return Finding(response, len(whole), values.count(None), estimate(together), means, ordered)


def _moved(cells: pa.Table, response: str, factor: str) -> Moved:
    gathered: dict[str, list[float]] = {}
    for level, value in zip(cells[factor].to_pylist(), cells[response].to_pylist(), strict=True):
        if value is not None:
            gathered.setdefault(str(level), []).append(value)
    means = {level: math.fsum(values) / len(values) for level, values in gathered.items()} or {"": math.nan}
    low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    return Moved(factor, low, means[low], high, means[high])


MOST_LEVELS = 12
