# SPDX-License-Identifier: Apache-2.0
"""Harm and shares of pairs. Truth: rule (Ware et al., HotNets 2019, §3), by numbers worked by hand."""

from __future__ import annotations

import math

import pytest

from narrows._internal.analysis.pairs import Meeting, Seen, meetings

FAST, SLOW = ("100Mbps",), ("10Mbps",)


def seen(condition: tuple[str, ...], who: str, beside: str | None, replication: int, values: list[float]) -> Seen:
    """Return one side of a run: goodput in Mbps, delay in ms, loss in per cent."""
    goodput, delay, loss = values
    return Seen(
        condition,
        who,
        beside,
        replication,
        {
            "share": goodput / 5,
            "goodput_bps": goodput * 1e6,
            "delay_s": delay / 1000,
            "loss_rate": loss / 100,
            "retransmission_rate": loss / 100,
            "queue_delay_s": 0.01,
        },
    )


def pair(found: list[Meeting], condition: tuple[str, ...] | None, contender: str, incumbent: str) -> Meeting:
    """Return the meeting of a pair."""
    (one,) = [each for each in found if (each.condition, each.contender, each.incumbent) ==
              (condition, contender, incumbent)]  # fmt: skip
    return one


def replication(number: int, *, kept: float, condition: tuple[str, ...] = SLOW) -> list[Seen]:
    """Return what two algorithms measured: "mild" keeps so much beside "hard"."""
    return [
        seen(condition, "mild", None, number, [10, 20, 0]),
        seen(condition, "hard", None, number, [10, 40, 1]),
        seen(condition, "mild", "mild", number, [5, 25, 0]),
        seen(condition, "hard", "hard", number, [5, 50, 2]),
        seen(condition, "mild", "hard", number, [kept, 50, 1]),
        seen(condition, "hard", "mild", number, [10 - kept, 50, 1]),
    ]


def test_intervals_of_pairs_keep_within_what_is_possible() -> None:
    found = meetings([*replication(0, kept=0.1), *replication(1, kept=2)], ["mild", "hard"])
    beside = pair(found, SLOW, "hard", "mild").found
    low, high = beside["share"]["ci95"] or [math.nan, math.nan]
    assert 0 < low < high
    assert beside["share"]["interval_method"] == "log t"
    low, high = beside["harm"]["ci95"] or [math.nan, math.nan]
    assert low < high < 1
    assert beside["harm"]["interval_method"] == "log t"
    assert beside["excess_harm"]["interval_method"] == "t"


def test_harm_is_the_part_of_a_performance_alone_that_a_contender_takes() -> None:
    found = meetings([*replication(0, kept=2), *replication(1, kept=3)], ["mild", "hard"])
    beside = pair(found, SLOW, "hard", "mild").found
    assert beside["harm"]["mean"] == pytest.approx(((10 - 2) / 10 + (10 - 3) / 10) / 2)
    # Beside its own kind it loses half.
    assert beside["excess_harm"]["mean"] == pytest.approx(0.25)
    # Where less is better: (with - alone) / with.
    assert beside["delay_harm"]["mean"] == pytest.approx((50 - 20) / 50)
    assert beside["excess_delay_harm"]["mean"] == pytest.approx(0.6 - (25 - 20) / 25)
    assert beside["loss_harm"]["mean"] == 1
    assert beside["share"]["mean"] == pytest.approx(0.5)
    low, high = beside["harm"]["ci95"] or [math.nan, math.nan]
    # Student's t with one degree of freedom, 12.706 times the standard error, 0.05, of the logarithm of what is left.
    factor = math.exp(12.706 * 0.05 / 0.25)
    assert (1 - low, 1 - high) == pytest.approx((0.25 * factor, 0.25 / factor), rel=1e-3)


def test_no_loss_with_and_without_a_contender_is_no_harm() -> None:
    found = meetings(replication(0, kept=2), ["mild", "hard"])
    own = pair(found, SLOW, "mild", "mild").found
    assert own["loss_harm"] == {"mean": 0.0, "ci95": None, "interval_method": None}
    assert own["excess_harm"]["mean"] == 0


def test_the_mean_over_conditions_counts_replications_that_have_all_of_them() -> None:
    whole = [*replication(0, kept=2), *replication(0, kept=4, condition=FAST), *replication(1, kept=1)]
    found = meetings(whole, ["mild", "hard"])
    harm = pair(found, None, "hard", "mild").found["harm"]
    assert harm == {"mean": pytest.approx(0.7), "ci95": None, "interval_method": None}
    assert [each.condition for each in found if each.incumbent == each.contender == "mild"] == [None, SLOW, FAST]


def test_a_pair_without_its_incumbent_alone_has_no_value() -> None:
    sides = [each for each in replication(0, kept=2) if (each.incumbent, each.contender) != ("mild", None)]
    found = meetings(sides, ["mild", "hard"])
    assert pair(found, None, "hard", "mild").found["harm"] == {"mean": None, "ci95": None, "interval_method": None}
    assert pair(found, None, "mild", "hard").found["harm"]["mean"] == pytest.approx(0.2)
