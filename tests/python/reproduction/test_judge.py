# SPDX-License-Identifier: Apache-2.0
"""Truth: statistics. How often the judge is wrong, against the level that it states, by many small experiments.

Bounds on counted errors are six standard errors of a binomial wide, so that a right judge fails once in a billion.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from narrows._internal.reproduction.agreement import estimated
from narrows._internal.reproduction.computed import Combined, Correlation, Folded, Probability, Ranked, RatioOfMeans
from narrows._internal.reproduction.intervals import Frequency, Mean, possible, same_side, seeds_that_decide
from narrows._internal.reproduction.predicate import Bounded, Ordered, Rule, Several, together
from narrows._internal.reproduction.quantity import Asked, Awaited, Measured, Number
from narrows._internal.reproduction.resampling import stages
from narrows._internal.statistics import SHARE, estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from narrows._internal.reproduction.predicate import Outcome, Test
    from narrows._internal.reproduction.quantity import Binding, Cells, Values

TRIALS = 1500
# Where each of them judges many conditions.
FEW = [300, pytest.param(TRIALS, marks=pytest.mark.full("narrower bounds, by five times as many experiments"))]


def generator() -> np.random.Generator:
    """Return the random numbers of a test."""
    return np.random.Generator(np.random.PCG64(15))


def cells(values: NDArray[np.float64]) -> dict[str, Asked]:
    """Return the cells of experiment `e`: `values` has a row per condition k and a column per replication."""
    return {
        "e": Asked(
            {"k": k, "replication": r, "m": float(value), "digest": f"{k} {r}"}
            for k, row in enumerate(values)
            for r, value in enumerate(row)
        )
    }


def measured(k: int | str) -> Measured:
    """Return the measure of condition k."""
    return Measured("e", "m", {"k": k})


def at_most(rate: float, level: float, trials: int = TRIALS) -> bool:
    """Return whether a counted error rate is compatible with one of at most `level`."""
    return rate <= level + 6 * math.sqrt(level * (1 - level) / trials)


def wrong(test: Test, trials: int, seeds: int, verdict: str, rule: Rule | None = None) -> float:
    """Return how often a test has a verdict that is wrong, with normal values around 0 under 8 conditions."""
    draw = generator()
    found = 0
    for _ in range(trials):
        values = draw.normal(0.0, 1.0, (8, seeds))
        found += test.judge(cells(values), {}, rule or Rule()).verdict == verdict
    return found / trials


@pytest.mark.parametrize("trials", FEW)
def test_a_part_that_suffices_is_asked_more_strictly(trials: int) -> None:
    # All eight means lie on the bound, so that any verdict is wrong. Half of the level is on either side.
    parts: list[tuple[Test, dict[str, int]]] = [(Bounded(measured(k), 0.0, None), {}) for k in range(8)]
    for least, verdict in ((1, "holds"), (8, "fails"), (3, "holds"), (3, "fails")):
        rate = wrong(Several(parts, least), trials, 6, verdict)
        assert at_most(rate, 0.025, trials), (least, verdict, rate)
    # Without a correction some part of eight would seem to hold in a fifth of the trials.
    assert wrong(Several(parts, 1), trials, 6, "holds", Rule(holds=0.4)) > 0.1


@pytest.mark.parametrize("trials", FEW)
def test_an_order_of_many_steps_seldom_fails_by_chance(trials: int) -> None:
    assert at_most(wrong(Ordered([measured(k) for k in range(8)]), trials, 6, "fails"), 0.025, trials)


def outcome(verdict: str, clear: float, leaning: str = "holds", even: float = math.inf) -> Outcome:
    """Return the result of a part."""
    found = Bounded(measured(0), 0.0, None).judge(cells(np.array([[1.0, 2.0]])), {})
    needed = found.needed._replace(even=even, sure=even)
    return found._replace(verdict=verdict, clear=clear, leaning=leaning, needed=needed, of=f"{verdict} {clear}")


def test_the_clearest_part_of_a_failing_conjunction_is_reported() -> None:
    parts = [outcome("fails", 1.1), outcome("fails", 9.0), outcome("holds", 2.0)]
    assert together(parts, 3).of == "fails 9.0"
    # Of one that holds, the part with the least margin.
    assert together([outcome("holds", 1.5), outcome("holds", 7.0)], 2).of == "holds 1.5"
    # One that suffices: the clearest of those that hold; the least clear of all where all must fail.
    assert together([outcome("holds", 1.5), outcome("holds", 7.0)], 1).of == "holds 7.0"
    assert together([outcome("fails", 1.5), outcome("fails", 7.0)], 1).of == "fails 1.5"


def test_of_parts_that_are_all_equal_the_one_furthest_from_its_bound_is_reported() -> None:
    near = outcome("fails", math.inf)._replace(effect=-0.003, bounds=(0.0, None), of="near")
    far = near._replace(effect=-0.8, of="far")
    assert together([near, far], 2).of == together([far, near], 2).of == "far"
    # As does one whose values hardly differ.
    far = far._replace(clear=3.6e5)
    assert together([near, far], 2).of == together([far, near], 2).of == "far"


def test_the_seeds_that_decide_are_those_of_the_part_that_decides_first() -> None:
    parts = [
        outcome("inconclusive", 0.5, "holds", 40), outcome("inconclusive", 0.6, "fails", 20),
        outcome("inconclusive", 0.7, "holds", 10), outcome("holds", 3.0),
    ]  # fmt: skip
    assert together(parts, 4).needed.even == 20  # A conjunction fails with the first part that does.
    assert together(parts, 2).needed.even == 10
    assert together(parts, 3).needed.even == 40
    assert (together(parts, 4).leaning, together(parts, 3).leaning) == ("fails", "holds")


@pytest.mark.parametrize("effect", [0.3, 0.8])
def test_as_many_seeds_as_are_said_to_decide_do_so_with_the_stated_chance(effect: float) -> None:
    needed = seeds_that_decide(half=1.0, seeds=10, away=effect, level=0.05)
    # The spread of which 10 seeds have a half interval of 1: sqrt(10) / 2.262.
    deviation = math.sqrt(10) / 2.262157
    draw = generator()
    for seeds, chance in ((needed.even, 0.5), (needed.sure, 0.9)):
        values = draw.normal(effect, deviation, (TRIALS, int(seeds)))
        decided = sum(found[0] > 0 for row in values if (found := Mean(list(row)).interval(0.05, growing=False)))
        assert decided / TRIALS == pytest.approx(chance, abs=0.07)


def test_an_always_valid_interval_covers_the_mean_at_all_times_at_once() -> None:
    draw = generator()
    trials, longest = 600, 80
    missed = {True: 0, False: 0}
    for values in draw.normal(0.0, 1.0, (trials, longest)):
        for growing in missed:
            intervals = (Mean(list(values[:n])).interval(0.05, growing=growing) for n in range(3, longest))
            missed[growing] += any(not low <= 0.0 <= high for each in intervals if each for low, high in [each])
    assert at_most(missed[True] / trials, 0.05, trials)
    # Student's interval, looked at after each replication, misses it far more often.
    assert missed[False] / trials > 0.15


def test_an_always_valid_interval_of_a_probability_covers_it() -> None:
    draw = generator()
    trials = 400
    for share in (0.1, 0.5):
        missed = 0
        for values in draw.random((trials, 80)) < share:
            intervals = (Frequency(list(values[:n].astype(float))).interval(0.05, growing=True) for n in range(1, 80))
            missed += any(not low <= share <= high for each in intervals if each for low, high in [each])
        assert at_most(missed / trials, 0.05, trials)


def test_two_regimes_are_judged_by_their_probability() -> None:
    # A collapse in three of ten runs: the mean is that of neither regime, and its interval holds none of the values.
    values = np.array([[0.1] * 3 + [0.9] * 7])
    collapse = Probability(measured(0), None, 0.5)
    found = Bounded(collapse, 0.05, None).judge(cells(values), {})
    # Clopper and Pearson for 3 of 10: 0.067 to 0.652.
    low, high = found.ci95 or (0.0, 0.0)
    assert (round(low, 4), round(high, 4)) == (0.0667, 0.6525)
    assert (found.verdict, found.method) == ("holds", "binomial")
    draw = generator()
    missed = sum(
        not low <= 0.3 <= high
        for row in draw.random((TRIALS, 12)) < 0.3
        for low, high in [Frequency(list(row.astype(float))).interval(0.05, growing=False) or (0.0, 0.0)]
    )
    assert at_most(missed / TRIALS, 0.05)


def test_the_interval_of_a_rank_correlation_stays_possible_and_covers_that_of_the_means() -> None:
    # The means have a correlation of 0.8: two neighbours are exchanged.
    first, second = [0.0, 1.0, 2.0, 3.0], [0.0, 2.0, 1.0, 3.0]
    quantity = Correlation(
        Measured("e", "m", {"k": "{a}"}), Measured("e", "m", {"k": "{b}"}), [{"a": k, "b": k + 4} for k in range(4)]
    )
    draw = generator()
    missed, trials = 0, 150
    for _ in range(trials):
        values = draw.normal(np.array(first + second)[:, None], 0.7, (8, 6))
        low, high = Bounded(quantity, 0.0, None).judge(cells(values), {}).ci95 or (2.0, 2.0)
        assert -1 <= low <= high <= 1
        missed += not low <= 0.8 <= high
    assert at_most(missed / trials, 0.05, trials)


def test_a_rank_is_that_of_the_means_and_sharper_than_the_mean_of_ranks() -> None:
    draw = generator()
    # Differences of half a deviation: the rank in one replication is mostly noise, that of 30 means is not.
    values = draw.normal(np.array([0.0, 0.5, 1.0, 1.5])[:, None], 1.0, (4, 60))
    among = [{"k": k} for k in range(4)]
    quantity = Ranked(Measured("e", "m", {"k": "{k}"}), {"k": 3}, among, highest=True)
    found = Bounded(quantity, None, 1.5).judge(cells(values), {})
    assert (found.effect, found.verdict, found.method) == (1.0, "holds", "bootstrap")
    ranks = quantity.values(cells(values), {})
    assert sum(ranks.values()) / len(ranks) > 1.5
    # So is a fold of ranks.
    both = Folded("mean", [quantity, quantity], [{}])
    assert Bounded(both, None, 1.5).judge(cells(values), {}).effect == 1.0


def test_equal_values_decide_only_when_there_are_many_and_of_different_runs() -> None:
    bounded = Bounded(measured(0), None, 1.0)
    verdicts = [bounded.judge(cells(np.zeros((1, seeds))), {}).verdict for seeds in (2, 5, 6)]
    assert verdicts == ["inconclusive", "inconclusive", "holds"]
    assert (same_side(0.05, growing=False), same_side(0.05, growing=True)) == (6, 9)


def shifted(values: list[list[float]], **other: list[float]) -> dict[str, Asked]:
    """Return cells whose records differ by the shift of a start alone, unless `other` results differ."""
    rows = cells(np.array(values))["e"]
    rest = [{name: own[row["replication"]] for name, own in other.items()} for row in rows]
    return {"e": Asked({**row, "packet_hops": 10 + row["k"], **own} for row, own in zip(rows, rest, strict=True))}


def test_a_run_without_randomness_decides_as_it_is() -> None:
    below = Bounded(measured(0), None, 1.0)
    order = Bounded(Combined("minus", measured(1), measured(0)), 0.0, None, strict=True)
    for rule in (Rule(), Rule(growing=True)):
        for test, found in ((below, shifted([[0.5, 0.5]])), (order, shifted([[0.5, 0.5], [0.7, 0.7]]))):
            judged = test.judge(found, {}, rule)
            assert (judged.verdict, judged.method, judged.seeds) == ("holds", "one run without randomness", 2)
            assert judged.ci95 == (judged.effect, judged.effect)
    assert below.judge(shifted([[1.5, 1.5]]), {}).verdict == "fails"
    # A probability, too.
    assert Bounded(Probability(measured(0), None, 1.0), 0.9, None).judge(shifted([[0.5, 0.5]]), {}).verdict == "holds"


def test_equal_values_of_runs_with_randomness_are_no_whole_population() -> None:
    below = Bounded(measured(0), None, 1.0)
    # One seed; another result that differs, such as the packets on the links; and other implementations' cells.
    assert below.judge(shifted([[0.5]]), {}).verdict == "inconclusive"
    assert below.judge(shifted([[0.5, 0.5]], packet_hops=[9, 8]), {}).verdict == "inconclusive"
    assert below.judge(shifted([[0.5, 0.5]], loss=[0.0, 0.1]), {}).verdict == "inconclusive"
    assert below.judge(cells(np.array([[0.5, 0.5]])), {}).verdict == "inconclusive"
    # One of two cells has randomness.
    mixed = shifted([[0.5, 0.5], [0.7, 0.7]])["e"]
    mixed = Asked({**row, "packet_hops": 10 + row["k"] * row["replication"]} for row in mixed)
    smaller = Bounded(Combined("minus", measured(1), measured(0)), 0.0, None)
    assert smaller.judge({"e": mixed}, {}).verdict == "inconclusive"


def test_a_ratio_of_means_is_the_ratio_of_totals_and_its_interval_covers_it() -> None:
    ratio = RatioOfMeans("ratio", measured(0), measured(1))
    # A small divisor in one replication makes the mean of ratios 4.0; the totals have 1.25.
    values = np.array([[1.0, 2.0, 2.0], [0.1, 1.95, 1.95]])
    found = Bounded(ratio, 0.0, 3.0).judge(cells(values), {})
    assert found.method == "bootstrap"
    assert found.effect == pytest.approx(1.25)
    assert Bounded(Combined("ratio", measured(0), measured(1)), 3.9, None).judge(cells(values), {}).leaning == "holds"
    assert found == Bounded(ratio, 0.0, 3.0).judge(cells(values), {})
    draw, trials, missed = generator(), 300, 0
    for _ in range(trials):
        values = draw.gamma(2.0, 1.0, (2, 20)) * np.array([[1.5], [1.0]])
        low, high = Bounded(ratio, 0.0, None).judge(cells(values), {}).ci95 or (2.0, 2.0)
        missed += not low <= 1.5 <= high
    # The bootstrap is approximate: its error rate is near the level, not below it.
    assert at_most(missed / trials, 0.08, trials)


def test_a_ratio_of_means_with_bounds_is_a_bound() -> None:
    rows = [{**row, "completion_time_s": row["m"]} for row in cells(np.array([[1.0, 1.1, 0.9, 1.0]] * 2))["e"]]
    first = Awaited("e", "completion_time_s", {"k": 0}, never=1.1)
    ratio = RatioOfMeans("ratio", first, Measured("e", "completion_time_s", {"k": 1}))
    assert Bounded(ratio, None, 3.0).judge({"e": rows}, {}).verdict == "inconclusive"
    assert Bounded(ratio, 0.5, None).judge({"e": rows}, {}).verdict == "holds"


@pytest.mark.parametrize("growing", [False, True])
def test_an_interval_has_only_what_is_possible_and_covers_as_often(*, growing: bool) -> None:
    # A ratio of times of which one in ten is long, and a share that is mostly 1: the plain intervals leave both ranges.
    ratio = Combined("ratio", Measured("e", "rtt_mean_s", {"k": 0}), Measured("e", "rtt_mean_s", {"k": 1}))
    share = Measured("e", "utilization", {"k": 0})
    draw, trials = generator(), 300
    cut = 0
    for quantity, low, high, mean in ((ratio, 0.0, math.inf, 0.19), (share, 0.0, 1.0, 0.98)):
        for _ in range(trials):
            long = draw.random(6) < 0.1
            times = np.where(long, 1.0, 0.1) * draw.uniform(0.9, 1.1, 6)
            shares = np.where(long, 0.8, 1.0) - draw.uniform(0.0, 0.0001, 6)
            rows = [
                {"k": k, "replication": r, "digest": f"{k} {r}", "utilization": shares[r],
                 "rtt_mean_s": times[r] if k == 0 else 1.0}
                for k in range(2)
                for r in range(6)
            ]  # fmt: skip
            found = Bounded(quantity, 0.0, None).judge({"e": Asked(rows)}, {}, Rule(growing=growing))
            plain = Mean(list(quantity.values({"e": Asked(rows)}, {}).values())).interval(0.05, growing=growing)
            if found.ci95 is None or plain is None:
                assert found.ci95 == plain
                continue
            assert low <= found.ci95[0] <= found.ci95[1] <= high
            assert (found.ci95[0] <= mean <= found.ci95[1]) == (plain[0] <= mean <= plain[1])
            cut += found.ci95 != plain
    assert cut > trials / 10


def test_an_estimate_beyond_its_range_is_not_cut() -> None:
    sample = Mean([1.2, 1.3, 1.4])
    plain = sample.interval(0.05, growing=False)
    assert possible(plain, sample, SHARE) == plain
    assert possible(None, sample, SHARE) is None


def test_a_repeated_run_counts_once() -> None:
    rows = [*cells(np.array([[1.0, 2.0, 3.0]]))["e"]]
    rows += [{**row, "replication": row["replication"] + 3} for row in rows]
    found = Bounded(measured(0), 0.0, None).judge({"e": rows}, {})
    assert (found.seeds, found.same, found.effect) == (3, 3, 2.0)


def test_a_growing_number_of_seeds_needs_wider_intervals() -> None:
    found = cells(np.array([[1.0, 2.0, 3.0, 1.5, 2.5, 2.0, 1.2, 2.8]]))
    bounded = Bounded(measured(0), 0.9, None)
    assert bounded.judge(found, {}).verdict == "holds"
    assert bounded.judge(found, {}, Rule(growing=True)).verdict == "inconclusive"
    assert bounded.judge(found, {}).method == "t"
    assert bounded.judge(found, {}, Rule(growing=True)).method == "confidence sequence of a mean"
    equal = Bounded(measured(0), 0.9, None).judge(cells(np.ones((1, 12))), {}, Rule(growing=True))
    assert (equal.verdict, equal.method) == ("holds", "confidence sequence of equal values")
    assert isinstance(bounded.quantity, Measured)
    assert Number(1.0).values({}, {}) == {}


def test_terms_that_occur_many_times_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = generator()
    values = draw.normal(0.0, 1.0, (4, 6))
    among = [{"k": k} for k in range(4)]
    # How far condition a stays behind the best of all, ranked among all: 4 · 5 occurrences of 4 measures.
    behind = Combined("minus", Folded("max", [measured("{k}")], among), measured("{a}"))
    rank = Ranked(behind, {"a": 2}, [{"a": a} for a in range(4)], highest=False)
    read: list[str] = []
    plain = Measured.values

    def counted(self: Measured, cells: Cells, binding: Binding) -> Values:
        read.append(self.describe(binding))
        return plain(self, cells, binding)

    monkeypatch.setattr(Measured, "values", counted)
    (drawn,) = stages(rank, cells(values), {}, set(range(6)))[-1:]
    assert len(read) == len(set(read)) == 4
    # The same resamples, of the values themselves: the higher the mean, the less far behind.
    chosen = np.random.Generator(np.random.PCG64(6)).integers(0, 6, (len(drawn.resamples), 6))
    means = values[:, chosen].mean(axis=2)
    assert drawn.resamples.tolist() == (1 + (means > means[2]).sum(axis=0)).tolist()
    assert drawn.statistic == 1 + (values.mean(axis=1) > values[2].mean()).sum()


def test_replications_that_are_the_same_run_count_once() -> None:
    once = np.random.default_rng(4).normal(10.0, 1.0, (4, 1))
    rows = cells(np.repeat(once, 20, axis=1))["e"]
    same = {"e": Asked({**row, "digest": str(row["k"])} for row in rows)}
    rank = Ranked(measured("{k}"), {"k": 1}, [{"k": k} for k in range(4)], highest=False)
    for quantity in (measured(1), rank):
        for rule in (Rule(), Rule(growing=True)):
            found = Bounded(quantity, 0.0, None).judge(same, {}, rule)
            assert (found.verdict, found.ci95) == ("holds", (found.effect, found.effect))
            assert (found.seeds, found.same, found.method) == (1, 19, "one run without randomness")
    assert estimated(measured(1), same, {}) == estimate([once[1, 0]])
    # Of some that differ, all of these count.
    another = {"e": Asked([*same["e"][:20], {**same["e"][20], "digest": "another"}, *same["e"][21:]])}
    assert Bounded(measured(1), 0.0, None).judge(another, {}).seeds == 2
