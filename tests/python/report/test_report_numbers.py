# SPDX-License-Identifier: Apache-2.0
"""Rules: where ticks fall, and how numbers, units and intervals are written."""

from __future__ import annotations

import math

import pytest

from narrows._internal.drawing.scale import (
    BITS_PER_SECOND,
    COUNT,
    INDEX,
    PACKETS,
    PERCENT,
    SECONDS,
    Scale,
    Unit,
    bound_text,
    linear_ticks,
    log_ticks,
    nice_ceiling,
    quantity,
    significant,
    tick_label,
)
from narrows._internal.page.estimates import difference_texts, estimate_texts, relative_text
from narrows._internal.page.metrics import meaning

SPACE = "\N{NARROW NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("low", "high", "count", "ticks"),
    [
        (0.0, 60.0, 6, [0, 10, 20, 30, 40, 50, 60]),
        (0.0, 1.0, 5, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.031, 0.047, 4, [0.035, 0.04, 0.045]),
        (-3.0, 3.0, 3, [-2, 0, 2]),
    ],
)
def test_linear_ticks_are_round_multiples_inside_the_range(
    low: float, high: float, count: int, ticks: list[float]
) -> None:
    assert linear_ticks(low, high, count) == pytest.approx(ticks, abs=1e-12)


def test_linear_ticks_of_tiny_and_huge_ranges_stay_inside_and_few() -> None:
    for exponent in range(-9, 12):
        low, high = 1.3 * 10.0**exponent, 8.9 * 10.0**exponent
        ticks = linear_ticks(low, high, 5)
        assert 3 <= len(ticks) <= 9
        assert all(low <= tick <= high for tick in ticks)


def test_log_ticks_are_one_two_five_and_thin_out() -> None:
    assert log_ticks(0.009, 0.21, 6) == pytest.approx([0.01, 0.02, 0.05, 0.1, 0.2])
    assert log_ticks(1.0, 1e6, 7) == pytest.approx([1, 10, 100, 1e3, 1e4, 1e5, 1e6])


def test_a_log_axis_too_short_for_round_decades_falls_back_to_even_steps() -> None:
    ticks = log_ticks(0.0412, 0.0488, 5)
    assert len(ticks) >= 2
    assert all(0.0412 <= tick <= 0.0488 for tick in ticks)


def test_an_axis_ends_at_a_round_number_that_holds_the_greatest_value() -> None:
    for value in (0.0013, 0.97, 1.0, 66.7, 20.2e6):
        assert value <= nice_ceiling(value) <= 2 * value
    assert nice_ceiling(0.0) == 1.0


def test_a_log_scale_halves_at_the_geometric_mean() -> None:
    assert Scale(1, 100, 0, 10, log=True).position(10) == pytest.approx(5)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (19.3e6, BITS_PER_SECOND, f"19.3{SPACE}Mbps"),
        (999.6e3, BITS_PER_SECOND, f"1.00{SPACE}Mbps"),
        (0.0311, SECONDS, f"31.1{SPACE}ms"),
        (0.0000042, SECONDS, f"4.20{SPACE}µs"),
        (75.0, SECONDS, f"75.0{SPACE}s"),
        (0.9731, PERCENT, f"97.3{SPACE}%"),
        (0.00041, PERCENT, f"0.0410{SPACE}%"),
        (83.25, PACKETS, f"83.2{SPACE}packets"),
        (0.0, COUNT, "0"),
        (2.0, COUNT, "2"),
        (1.0, INDEX, "1.00"),
        (None, SECONDS, "\N{EN DASH}"),
        (math.nan, SECONDS, "\N{EN DASH}"),
    ],
)
def test_a_quantity_has_three_digits_and_a_fitting_prefix(value: float | None, unit: Unit, text: str) -> None:
    assert quantity(value, unit) == text


def test_rounding_that_carries_does_not_add_a_digit() -> None:
    assert significant(9.996) == "10.0"
    assert significant(0.09996) == "0.100"


def test_large_and_negative_numbers_use_thin_spaces_and_a_true_minus() -> None:
    assert significant(-1234567.0) == "\N{MINUS SIGN}1\N{NARROW NO-BREAK SPACE}230\N{NARROW NO-BREAK SPACE}000"
    assert tick_label(0.2, 1.0) == "0.2"


def test_an_interval_takes_its_means_prefix_and_shows_its_width() -> None:
    texts = estimate_texts(12.8e6, (12.7e6, 12.9e6), BITS_PER_SECOND)
    assert texts == (f"12.80{SPACE}Mbps", f"12.70{SPACE}…{SPACE}12.90")
    assert estimate_texts(130e6, (118e6, 142e6), BITS_PER_SECOND) == (f"130{SPACE}Mbps", f"118{SPACE}…{SPACE}142")
    assert estimate_texts(0.0, (0.0, 0.0), COUNT) == ("0", "")


def test_one_of_a_unit_that_is_a_word_is_in_the_singular() -> None:
    assert bound_text(1.0, PACKETS) == quantity(1.0, PACKETS) == f"1{SPACE}packet"
    assert quantity(-1.0, PACKETS) == f"\N{MINUS SIGN}1{SPACE}packet"
    assert bound_text(2.0, PACKETS) == f"2{SPACE}packets"
    assert quantity(1.0, SECONDS) == f"1.00{SPACE}s"


def test_a_difference_shares_one_prefix_with_its_interval() -> None:
    texts = difference_texts(0.0003, (-0.002, 0.0026), SECONDS)
    assert texts == (f"+0.3{SPACE}ms", f"\N{MINUS SIGN}2.0{SPACE}…{SPACE}+2.6")


def test_a_difference_of_shares_is_in_percentage_points() -> None:
    assert difference_texts(0.01, None, PERCENT) == (f"+1.00{SPACE}pp", "")


def test_a_measure_outside_the_catalogue_goes_by_its_name_in_the_unit_at_its_end() -> None:
    assert meaning("ack_delay_p95_s").title == "ack_delay_p95_s"
    assert meaning("ack_delay_p95_s").unit is SECONDS


def test_a_small_difference_has_a_decimal_and_one_that_rounds_to_nothing_no_sign() -> None:
    minus = "\N{MINUS SIGN}"
    parts = {0.12: f"+12{SPACE}%", -0.003: f"{minus}0.3{SPACE}%", -0.0001: f"0.0{SPACE}%", 0.0: f"0.0{SPACE}%"}
    assert {part: relative_text(part) for part in parts} == parts
    assert difference_texts(0.0, (-0.0001, 0.0001), SECONDS)[0] == f"0{SPACE}µs"


def test_a_difference_and_what_stands_beside_it_have_one_multiple_of_the_unit() -> None:
    interval = (0.26e6, 1.70e6)
    _, other = difference_texts(0.98e6, (0.433e6, 0.9e6), BITS_PER_SECOND, interval)
    assert difference_texts(0.98e6, interval, BITS_PER_SECOND)[1] == "+0.26\u202f…\u202f+1.70"
    assert other == "+0.43\u202f…\u202f+0.90"
