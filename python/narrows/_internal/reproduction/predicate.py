# SPDX-License-Identifier: Apache-2.0
"""The tests of claims on quantities, and their verdicts from cells. Pure functions.

A test is decided by the interval over replications of one paired number: it holds if the whole interval is on the
claimed side, fails if the whole interval is on the other side, and is inconclusive otherwise, also with a single
replication.

If any of several parts decides, each needs a narrower level. If at least m of k parts are to hold, a part holds at the
level divided by k - m + 1 and fails at the level divided by m; so a conjunction (m = k) holds at the full level (the
intersection-union test) and fails at a k-th of it. With j false parts among k, a false claim needs j - (k - m) of them
to seem true, the chance of which is at most j / (j - (k - m)) times the level of a part (Markov), greatest for
j = k - m + 1. This is Bonferroni's correction, which for one part that suffices is the first step of Holm's.

Replications whose cells have the same records are one run and count once. If all replications, two or more, have the
same results in everything, the run has no randomness: its value is that of every replication, and decides as it is.

Sources: R. L. Berger, Technometrics 24 (1982) 295 (intersection-union tests); S. Holm, Scandinavian Journal of
Statistics 6 (1979) 65.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from narrows._internal.frozen import frozen
from narrows._internal.reproduction.computed import Combined, Named, Probability
from narrows._internal.reproduction.intervals import (
    ALPHA,
    EQUAL,
    Frequency,
    Interval,
    Mean,
    Needed,
    Resampled,
    Sample,
    method_of,
    possible,
    same_side,
    seeds_that_decide,
)
from narrows._internal.reproduction.quantity import different, repeated
from narrows._internal.reproduction.resampling import stages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows._internal.reproduction.quantity import Binding, Cell, Cells, Quantity

HOLDS, FAILS, INCONCLUSIVE = "holds", "fails", "inconclusive"
NEVER = Needed(math.inf, math.inf)
# Half-widths from which on a part is as sure as one without randomness.
CERTAIN = 1000.0
# The method of an interval without a width.
REPEATED = "one run without randomness"


class Rule(NamedTuple):
    """The levels that a verdict must reach."""

    holds: float = ALPHA  # probability of a false "holds", of a two-sided interval
    fails: float = ALPHA  # probability of a false "fails"
    growing: bool = False  # whether the number of replications depends on the observed values
    deterministic: bool = False  # whether one run without randomness decides, such as a check of the implementation
    repeated: bool = False  # whether all replications are one and the same run


class Outcome(NamedTuple):
    """The result of a test."""

    verdict: str  # "holds", "fails" or "inconclusive"
    effect: float | None  # mean of the deciding quantity over replications; None without data
    ci95: Interval | None
    seeds: int  # number of different replications
    of: str  # description of the deciding quantity
    unit: str  # empty for a pure number
    cells: tuple[str, ...]  # digests of the records of the cells used
    held: int = 0  # number of parts of the test that hold
    parts: int = 1  # number of parts of the test
    # Distance of the effect from the nearest bound, in half-widths of the interval; negative without one.
    clear: float = -1.0
    bounds: tuple[float | None, float | None] = (None, None)  # claimed lower and upper bound of the effect
    level: float = ALPHA  # level of the deciding interval
    method: str = ""  # method of the interval
    leaning: str = FAILS  # the verdict if the effect stayed the same: "holds" or "fails"
    needed: Needed = NEVER  # numbers of replications that would decide
    same: int = 0  # number of replications that are the same run as an earlier one
    late: int = 0  # number of replications that do not count, since the timed event had not happened by their end
    neither: bool = False  # whether in one of these neither of two compared events had happened
    strict: bool = False  # whether the lower bound itself is not claimed


class Test(ABC):
    """A test of quantities."""

    @abstractmethod
    def judge(self, cells: Cells, binding: Binding, rule: Rule = Rule()) -> Outcome:  # noqa: B008  # a constant
        """Return the result of the test for these cells."""

    @abstractmethod
    def compared(self, binding: Binding) -> list[tuple[Quantity, Binding]]:
        """Return the quantities that the test compares, with the condition of each."""

    def parts(self, _binding: Binding, _rule: Rule) -> list[Part]:
        """Return the tests of which this one consists, with the binding and the rule of each; none if it is simple."""
        return []

    def experiments(self) -> set[str]:
        """Return the names of the experiments whose cells the test uses."""
        return {name for quantity, _ in self.compared({}) for name in quantity.experiments()}


Part = tuple[Test, "Binding", Rule]


@frozen
class Bounded(Test):
    """The test that a quantity is within bounds."""

    quantity: Quantity
    least: float | None  # inclusive unless `strict`; None without a lower bound
    most: float | None  # inclusive; None without an upper bound
    strict: bool = False

    def judge(self, cells: Cells, binding: Binding, rule: Rule = Rule()) -> Outcome:  # noqa: B008  # a constant
        """Return the result of the test for these cells."""
        used = self.quantity.cells(cells, binding)
        taken = self._taken(cells, binding, used, rule)
        sample, beyond = taken.sample, taken.beyond
        rule = rule._replace(repeated=taken.repeated)
        within = self.quantity.domain(binding).range
        at_95 = _interval(sample, ALPHA, rule)
        verdict = INCONCLUSIVE
        if self._inside(opened(possible(_interval(sample, rule.holds, rule), sample, within), beyond)):
            verdict = HOLDS
        elif self._outside(opened(possible(_interval(sample, rule.fails, rule), sample, within), beyond)):
            verdict = FAILS
        effect = sample.effect
        leaning = HOLDS if effect is not None and self._inside((effect, effect)) else FAILS
        level = rule.holds if leaning == HOLDS else rule.fails
        clear, needed = self._margin(sample, at_95, level, rule)
        if effect is not None and not self._settled(effect, beyond):
            needed = NEVER
        keys = tuple(dict.fromkeys(str(cell["digest"]) for cell in used))
        unit = self.quantity.domain(binding).unit
        method = REPEATED if taken.repeated else method_of(sample, growing=rule.growing)
        return Outcome(
            verdict, effect, possible(at_95, sample, within), sample.seeds, self.quantity.describe(binding), unit, keys,
            int(verdict == HOLDS), 1, clear, (self.least, self.most), level, method, leaning, needed, taken.same,
            len(taken.late), taken.neither, self.strict,
        )  # fmt: skip

    def _inside(self, interval: Interval | None) -> bool:
        if interval is None:
            return False
        low, high = interval
        above = self.least is None or (low > self.least if self.strict else low >= self.least)
        return above and (self.most is None or high <= self.most)

    def _outside(self, interval: Interval | None) -> bool:
        if interval is None:
            return False
        low, high = interval
        below = self.least is not None and (high <= self.least if self.strict else high < self.least)
        return below or (self.most is not None and low > self.most)

    def _settled(self, value: float, beyond: Beyond) -> bool:
        """Return whether a value and its possible true values lie on one side of the bounds."""
        all_of_it = opened((value, value), beyond)
        return self._inside(all_of_it) or self._outside(all_of_it)

    def _taken(self, cells: Cells, binding: Binding, used: Sequence[Cell], rule: Rule) -> _Taken:
        """Return the sample of the quantity."""
        # A value that is only a bound counts if it settles the side of the bounds. Two times of events that had not
        # happened by the end are in no order.
        every, once = {cell["replication"] for cell in used}, different(used)
        counted, same = every if rule.deterministic else once, len(every) - len(once)
        unsure = self.quantity.unsure(cells, binding)
        if self.quantity.of_means():
            alike = len(once) == 1 and repeated(self.quantity, cells, binding)
            beyond = Beyond(bool(unsure.lower & counted), bool(unsure.higher & counted))
            drawn = Resampled(stages(self.quantity, cells, binding, counted))
            return _Taken(drawn, same, beyond=beyond, repeated=alike)
        values = self.quantity.values(cells, binding)
        kept = {
            each: value
            for each, value in sorted(values.items())
            if each in counted and self._settled(value, Beyond(each in unsure.lower, each in unsure.higher))
        }
        late = (unsure.any & counted) - set(kept)
        numbers = list(kept.values())
        return _Taken(
            Frequency(numbers) if isinstance(_plain(self.quantity), Probability) else Mean(numbers),
            same,
            late,
            Beyond(bool(unsure.lower & set(kept)), bool(unsure.higher & set(kept))),
            bool(late & unsure.lower & unsure.higher),
            len(set(values.values())) == 1 and repeated(self.quantity, cells, binding),
        )

    def _margin(self, sample: Sample, at_95: Interval | None, level: float, rule: Rule) -> tuple[float, Needed]:
        """Return the distance from the nearest bound in half-widths, and the replications that would decide."""
        if sample.effect is None:
            return -1.0, NEVER
        if sample.method == EQUAL and not (rule.deterministic or rule.repeated):
            few = float(same_side(level, growing=rule.growing))
            return (math.inf if at_95 else -1.0), Needed(few, few)
        # A growing number of replications is at first too small for an interval.
        known = at_95 or sample.interval(ALPHA, growing=False)
        if known is None:
            return -1.0, NEVER
        away = min(abs(sample.effect - each) for each in (self.least, self.most) if each is not None)
        half = (known[1] - known[0]) / 2
        if half <= 0:
            return math.inf, Needed(sample.seeds, sample.seeds)
        clear = away / half if at_95 else -1.0
        return clear, (seeds_that_decide(half, sample.seeds, away, level) if sample.seeds > 1 else NEVER)

    def compared(self, binding: Binding) -> list[tuple[Quantity, Binding]]:
        """Return the quantity."""
        return [(self.quantity, binding)]


def _interval(sample: Sample, level: float, rule: Rule) -> Interval | None:
    if sample.effect is not None and (rule.repeated or (rule.deterministic and sample.method == EQUAL)):
        return sample.effect, sample.effect
    return sample.interval(level, growing=rule.growing)


class Beyond(NamedTuple):
    """Whether a true value may be lower, or higher, than the known one."""

    lower: bool = False
    higher: bool = False


class _Taken(NamedTuple):
    """The sample of a quantity."""

    sample: Sample  # the values that count
    same: int  # number of replications that repeat an earlier one
    late: frozenset[int] = frozenset()  # replications whose side of the bounds is open
    beyond: Beyond = Beyond()  # whether the true mean of the others may be beyond theirs
    neither: bool = False  # whether the value may be both in one of the late ones
    repeated: bool = False  # whether all replications are one and the same run, which has no randomness


def opened(interval: Interval | None, beyond: Beyond) -> Interval | None:
    """Return an interval without a lower end if the true value may be lower, and without an upper end if higher."""
    if interval is None:
        return None
    low, high = interval
    return (-math.inf if beyond.lower else low), (math.inf if beyond.higher else high)


def _plain(quantity: Quantity) -> Quantity:
    return _plain(quantity.quantity) if isinstance(quantity, Named) else quantity


class _Composed(Test):
    """A test of which some or all parts must hold."""

    def judge(self, cells: Cells, binding: Binding, rule: Rule = Rule()) -> Outcome:  # noqa: B008  # a constant
        return together([test.judge(cells, each, own) for test, each, own in self.parts(binding, rule)], self.needed())

    @abstractmethod
    def needed(self) -> int:
        """Return the number of parts that must hold."""


@frozen
class Ordered(_Composed):
    """The test that quantities are in ascending order: every step is a part."""

    quantities: Sequence[Quantity]  # at least two quantities, the smallest first
    or_equal: bool = False

    def needed(self) -> int:
        """Return the number of steps."""
        return len(self.quantities) - 1

    def parts(self, binding: Binding, rule: Rule) -> list[Part]:
        """Return the test of each step."""
        own = _for_parts(rule, self.needed(), self.needed())
        return [
            (Bounded(Combined("minus", high, low), 0.0, None, strict=not self.or_equal), binding, own)
            for low, high in zip(self.quantities, self.quantities[1:], strict=False)
        ]

    def compared(self, binding: Binding) -> list[tuple[Quantity, Binding]]:
        """Return the quantities in ascending order."""
        return [(each, binding) for each in self.quantities]


@frozen
class Several(_Composed):
    """The test that some or all of several tests hold."""

    tests: Sequence[tuple[Test, Binding]]  # each with the bindings of its condition
    least: int  # number of tests that must hold

    def needed(self) -> int:
        """Return the number of tests that must hold."""
        return self.least

    def parts(self, binding: Binding, rule: Rule) -> list[Part]:
        """Return the tests."""
        own = _for_parts(rule, len(self.tests), self.least)
        return [(test, {**binding, **each}, own) for test, each in self.tests]

    def compared(self, binding: Binding) -> list[tuple[Quantity, Binding]]:
        """Return the quantities of all tests."""
        return [taken for test, each in self.tests for taken in test.compared({**binding, **each})]


def _for_parts(rule: Rule, parts: int, least: int) -> Rule:
    """Return the rule for each of several parts, of which at least `least` must hold."""
    return rule._replace(holds=rule.holds / (parts - least + 1), fails=rule.fails / max(least, 1))


def together(outcomes: Sequence[Outcome], least: int) -> Outcome:
    """Return the combined result of several tests, of which at least `least` must hold."""
    # The effect is the effect of the deciding part, without which the verdict would not be there yet, if the clearest
    # parts count first: of a conjunction that holds the least clear part, of one that fails the clearest failing part,
    # and of an open one the part that would decide it with the fewest replications.
    held = sorted((each for each in outcomes if each.verdict == HOLDS), key=_clearest)
    failed = sorted((each for each in outcomes if each.verdict == FAILS), key=_clearest)
    many = len(outcomes) - least + 1
    if len(held) >= least:
        verdict, deciding = HOLDS, held[least - 1]
    elif len(failed) >= many:
        verdict, deciding = FAILS, failed[many - 1]
    else:
        verdict, deciding = INCONCLUSIVE, _next(outcomes, least - len(held), many - len(failed))
    cells = tuple(dict.fromkeys(key for each in outcomes for key in each.cells))
    parts, whole = sum(each.parts for each in outcomes), sum(each.held for each in outcomes)
    leaning = deciding.leaning if verdict == INCONCLUSIVE else verdict
    return deciding._replace(verdict=verdict, cells=cells, held=whole, parts=parts, leaning=leaning)


def _clearest(outcome: Outcome) -> tuple[float, float]:
    """Return a key that is least for the part furthest from its bound: in half-widths, then in its own unit."""
    # A part without randomness is infinitely many half-widths away, even if it barely misses its bound.
    bounds = [each for each in outcome.bounds if each is not None]
    away = min((abs((outcome.effect or 0.0) - each) for each in bounds), default=0.0)
    return -min(outcome.clear, CERTAIN), -away


def _next(outcomes: Sequence[Outcome], to_hold: int, to_fail: int) -> Outcome:
    """Return the open part that would complete the parts `to_hold` or `to_fail`, if all effects stayed the same."""
    still_open = sorted((each for each in outcomes if each.verdict == INCONCLUSIVE), key=lambda each: each.needed)
    for each in still_open:
        if each.leaning == HOLDS:
            to_hold -= 1
        else:
            to_fail -= 1
        if to_hold == 0 or to_fail == 0:
            return each
    return still_open[-1]
