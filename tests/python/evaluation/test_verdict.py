# SPDX-License-Identifier: Apache-2.0
"""Verdicts of predicates by hand-made values."""

from __future__ import annotations

import math

from narrows._internal.evaluation.definition import Measure, Predicate
from narrows._internal.evaluation.verdict import judge, lenient
from narrows.metrics import resolve

LOSS = Measure("group.test.loss_rate", resolve("loss_rate"), "group")
GOODPUT = Measure("group.test.goodput_bps", resolve("goodput_bps"), "group")


def test_a_measure_wholly_beyond_the_bound_of_a_reference_is_worse() -> None:
    predicate = Predicate("relative", upper=True, factor=1.0, plus=0.01, than="any")
    found = judge(LOSS, predicate, [0.05, 0.06, 0.055], [0.01, 0.012, 0.011])
    assert found.verdict == "worse"
    assert found.decided


def test_a_measure_clearly_on_the_better_side_is_better() -> None:
    predicate = Predicate("relative", upper=False, factor=0.9, than="cubic")
    assert judge(GOODPUT, predicate, [9e6, 9.1e6, 9.2e6], [5e6, 5.2e6, 5.1e6]).verdict == "better"


def test_an_interval_across_the_bound_is_within_and_not_decided() -> None:
    predicate = Predicate("bound", upper=True, factor=0.02)
    found = judge(LOSS, predicate, [0.01, 0.03, 0.025], None)
    assert (found.verdict, found.decided) == ("within", False)


def test_the_pairing_decides_where_the_values_of_replications_differ_much() -> None:
    predicate = Predicate("relative", upper=False, factor=0.95, than="cubic")
    against = [4e6, 5e6, 6e6]
    assert judge(GOODPUT, predicate, [0.8 * each for each in against], against).verdict == "worse"
    assert judge(GOODPUT, predicate, [0.99 * each for each in against], against).verdict == "within"


def test_a_difference_below_the_margin_of_the_metric_is_no_finding() -> None:
    predicate = Predicate("relative", upper=False, factor=1.0, than="cubic")
    against = [10e6, 10.01e6, 10.02e6]
    assert judge(GOODPUT, predicate, [0.99 * each for each in against], against).verdict == "within"
    assert judge(GOODPUT, predicate, [0.97 * each for each in against], against).verdict == "worse"


def test_a_liveness_bound_is_broken_and_one_replication_decides_it() -> None:
    predicate = Predicate("liveness", upper=False, factor=500_000.0)
    assert judge(GOODPUT, predicate, [0.0], None).verdict == "broken"
    assert judge(GOODPUT, predicate, [600_000.0], None).verdict == "within"


def test_an_absolute_bound_is_judged_by_the_interval_that_is_printed() -> None:
    # With two replications the plain interval of the mean goes from -28 to 98 Mbps, that of its logarithm from 5.7 on.
    values = [30e6, 40e6]
    low, high = judge(GOODPUT, Predicate("bound", upper=True, factor=0.0), values, None).measured["ci95"] or (0.0, 0.0)
    assert 5e6 < low < 6e6
    for bound, verdict, decided in ((5e6, "broken", True), (35e6, "within", False), (high + 1, "within", True)):
        found = judge(GOODPUT, Predicate("liveness", upper=True, factor=bound), values, None)
        assert (found.verdict, found.decided) == (verdict, decided)
        assert found.excess["ci95"] == [low - bound, high - bound]


def test_a_measure_without_a_value_is_not_measured() -> None:
    predicate = Predicate("bound", upper=True, factor=0.02)
    assert judge(LOSS, predicate, [math.nan, math.nan], None).verdict == "not measured"


def test_the_most_lenient_reference_is_chosen_in_each_replication() -> None:
    references = [[1.0, 5.0, math.nan], [2.0, 4.0, math.nan]]
    assert lenient(references, upper=True)[:2] == [2.0, 5.0]
    assert lenient(references, upper=False)[:2] == [1.0, 4.0]
    assert math.isnan(lenient(references, upper=True)[2])
