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
    """The result of a test.

    Attributes:
        verdict: "holds", "fails" or "inconclusive".
        effect: The deciding quantity, mean over replications; None without data.
        ci95: Its 95 % interval; None for fewer than two replications.
        seeds: Number of replications.
        of: Description of that quantity.
        unit: Its unit; empty for a pure number.
        cells: Digests of the records of the cells used.
        held: Number of parts of the test that hold.
        parts: Number of parts of the test.
        clear: Distance of the effect from the nearest bound, in half-widths of the interval; negative without one.
        bounds: Claimed lower and upper bound of the effect; None without one.
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
    """The test that a quantity is within bounds.

    Attributes:
        quantity: The quantity.
        least: Lower bound, inclusive; None without one.
        most: Upper bound, inclusive; None without one.
    """

    quantity: Quantity
    least: float | None
    most: float | None

    def judge(self, cells: Cells, binding: Binding) -> Outcome:
        """Return the result of the test for these cells."""
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
        """Return the names of the experiments whose cells the test uses."""
        return self.quantity.experiments()


@dataclass(frozen=True)
class Ordered:
    """The test that quantities are in ascending order.

    Attributes:
        quantities: At least two quantities, the smallest first.
        or_equal: Whether equal values are allowed.
    """

    quantities: Sequence[Quantity]
    or_equal: bool = False

    def judge(self, cells: Cells, binding: Binding) -> Outcome:
        """Return the result of the test for these cells; the step with the least margin decides."""
        steps = []
        for low, high in zip(self.quantities, self.quantities[1:], strict=False):
            outcome = Bounded(Combined("minus", high, low), 0.0, None).judge(cells, binding)
            if not self.or_equal and outcome.ci95 is not None and outcome.ci95[0] <= 0:
                outcome = outcome._replace(verdict=FAILS if outcome.ci95[1] <= 0 else INCONCLUSIVE, held=0)
            steps.append(outcome)
        return together(steps, len(steps))

    def experiments(self) -> set[str]:
        """Return the names of the experiments whose cells the test uses."""
        return set.union(*(each.experiments() for each in self.quantities))


@dataclass(frozen=True)
class Several:
    """The test that some or all of several tests hold.

    Attributes:
        tests: Tests, each with the bindings of its condition.
        least: Number of tests that must hold.
    """

    tests: Sequence[tuple[Test, Binding]]
    least: int

    def judge(self, cells: Cells, binding: Binding) -> Outcome:
        """Return the result of the test for these cells."""
        return together([test.judge(cells, {**binding, **each}) for test, each in self.tests], self.least)

    def experiments(self) -> set[str]:
        """Return the names of the experiments whose cells the test uses."""
        return set.union(*(test.experiments() for test, _ in self.tests))


Test = Bounded | Ordered | Several


def together(outcomes: Sequence[Outcome], least: int) -> Outcome:
    """Return the combined result of several tests, of which at least `least` must hold.

    The effect is that of the deciding part: the one with the least margin among those that decide the verdict.
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
