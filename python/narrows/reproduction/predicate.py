"""What a claim says of quantities, and whether the cells bear it out. Pure functions.

Every test comes down to the 95 % interval over replications of one paired number: all of the interval on the claimed
side holds, all of it on the other side fails, and anything else, a single replication too, is inconclusive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from narrows.reproduction.quantity import Combined
from narrows.reproduction.units import unit_of
from narrows.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.reproduction.quantity import Binding, Cells, Quantity

HOLDS, FAILS, INCONCLUSIVE = "holds", "fails", "inconclusive"


class Outcome(NamedTuple):
    """What came of a test.

    Attributes:
        verdict: "holds", "fails" or "inconclusive".
        effect: The number that decided, mean over replications; None without data.
        ci95: Its 95 % interval; None for fewer than two replications.
        seeds: How many replications it rests on.
        of: What that number is.
        unit: What it is counted in; empty for a bare number.
        cells: Digests of the cells' records that it came from.
        held: How many parts of the test hold.
        parts: How many it has.
        clear: How many half intervals the number lies from the nearest bound; negative without an interval.
        bounds: The least and the most that it is claimed to be; None where there is no such bound.
    """

    verdict: str
    effect: float | None
    ci95: tuple[float, float] | None
    seeds: int
    of: str
    unit: str
    cells: tuple[str, ...]
    held: int = 0
    parts: int = 1
    clear: float = -1.0
    bounds: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True)
class Bounded:
    """A quantity lies within bounds.

    Attributes:
        quantity: Which.
        least: Not less than this; None without such a bound.
        most: Not more than this; None without such a bound.
    """

    quantity: Quantity
    least: float | None
    most: float | None

    def judge(self, cells: Cells, binding: Binding) -> Outcome:
        """Return what the cells say."""
        values = self.quantity.values(cells, binding)
        found = estimate(values.values())
        interval = (found["ci95"][0], found["ci95"][1]) if found["ci95"] else None
        verdict, clear = INCONCLUSIVE, -1.0
        if interval is not None and found["mean"] is not None:
            low, high = interval
            away = min(abs(found["mean"] - each) for each in (self.least, self.most) if each is not None)
            clear = 2 * away / (high - low) if high > low else float("inf")
            inside = (self.least is None or low >= self.least) and (self.most is None or high <= self.most)
            outside = (self.least is not None and high < self.least) or (self.most is not None and low > self.most)
            verdict = HOLDS if inside else FAILS if outside else INCONCLUSIVE
        keys = tuple(dict.fromkeys(str(cell["digest"]) for cell in self.quantity.cells(cells, binding)))
        return Outcome(
            verdict, found["mean"], interval, len(values), self.quantity.describe(binding),
            unit_of(self.quantity, binding), keys, int(verdict == HOLDS), 1, clear, (self.least, self.most),
        )  # fmt: skip

    def experiments(self) -> set[str]:
        """Return the experiments that it needs."""
        return self.quantity.experiments()


@dataclass(frozen=True)
class Ordered:
    """Each quantity is greater than the one before it.

    Attributes:
        quantities: At least two, the least first.
        or_equal: Whether equal ones will do.
    """

    quantities: Sequence[Quantity]
    or_equal: bool = False

    def judge(self, cells: Cells, binding: Binding) -> Outcome:
        """Return what the cells say; the weakest step decides."""
        steps = []
        for low, high in zip(self.quantities, self.quantities[1:], strict=False):
            outcome = Bounded(Combined("minus", high, low), 0.0, None).judge(cells, binding)
            if not self.or_equal and outcome.ci95 is not None and outcome.ci95[0] <= 0:
                outcome = outcome._replace(verdict=FAILS if outcome.ci95[1] <= 0 else INCONCLUSIVE, held=0)
            steps.append(outcome)
        return together(steps, len(steps))

    def experiments(self) -> set[str]:
        """Return the experiments that it needs."""
        return set.union(*(each.experiments() for each in self.quantities))


@dataclass(frozen=True)
class Several:
    """Some or all of several tests hold.

    Attributes:
        tests: Each with what its condition binds.
        least: How many must hold.
    """

    tests: Sequence[tuple[Test, Binding]]
    least: int

    def judge(self, cells: Cells, binding: Binding) -> Outcome:
        """Return what the cells say."""
        return together([test.judge(cells, {**binding, **each}) for test, each in self.tests], self.least)

    def experiments(self) -> set[str]:
        """Return the experiments that it needs."""
        return set.union(*(test.experiments() for test, _ in self.tests))


Test = Bounded | Ordered | Several


def together(outcomes: Sequence[Outcome], least: int) -> Outcome:
    """Return what several outcomes say together: so many must hold.

    The effect is that of the part that decides: where the whole holds or fails, the weakest part that makes it do so.
    """
    held = [each for each in outcomes if each.verdict == HOLDS]
    failed = [each for each in outcomes if each.verdict == FAILS]
    if len(held) >= least:
        verdict, deciding = HOLDS, held
    elif len(outcomes) - len(failed) < least:
        verdict, deciding = FAILS, failed
    else:
        verdict, deciding = INCONCLUSIVE, [each for each in outcomes if each.verdict == INCONCLUSIVE]
    weakest = min(deciding, key=lambda each: each.clear)
    cells = tuple(dict.fromkeys(key for each in outcomes for key in each.cells))
    parts, whole = sum(each.parts for each in outcomes), sum(each.held for each in outcomes)
    return weakest._replace(verdict=verdict, cells=cells, held=whole, parts=parts)
