"""The range of the quantity of a claim, from the ranges of its measures."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from narrows.metrics.criteria import range_of as range_of_card
from narrows.metrics.request import MetricError, card_of
from narrows.reproduction.quantity import (
    Chosen,
    Combined,
    Constant,
    Correlation,
    Folded,
    Measured,
    Named,
    Number,
    Probability,
    Ranked,
)
from narrows.statistics import POSITIVE, REAL, SHARE, Range
from narrows.study.measures import split

if TYPE_CHECKING:
    from narrows.reproduction.quantity import Binding, Quantity


def range_of(quantity: Quantity, binding: Binding) -> Range:
    """Return the values that a quantity can have.

    A measure has the range of its card, and so have its mean, its greatest and its least value over several cells or
    conditions. Sums, products and ratios of what is never negative are never negative; a difference can have any value.

    Args:
        quantity: The quantity.
        binding: The condition under which it is taken.
    """
    match quantity:
        case Measured():
            found = _folded(quantity.over, _of_measure(quantity.column(binding)))
        case Named() | Constant():
            found = range_of(quantity.quantity, binding)
        case Chosen():
            found = range_of(quantity.under(binding), binding)
        case Number():
            found = POSITIVE if quantity.value >= 0 else REAL
        case Folded():
            ranges = [range_of(part, {**binding, **each}) for part in quantity.parts for each in quantity.over]
            found = _folded(quantity.how, _around(ranges))
        case Combined():
            both = _around([range_of(quantity.first, binding), range_of(quantity.second, binding)])
            found = POSITIVE if quantity.how != "minus" and both.low >= 0 else REAL
        case Correlation():
            found = Range(-1.0, 1.0)
        case Probability():
            found = SHARE
        case Ranked():
            found = Range(1.0, float(len(quantity.among)))
    return found


def _of_measure(column: str) -> Range:
    owner, measure = split(column)
    # A bare name is that of a group's metric or of its bottleneck's.
    for kind in [owner.partition(".")[0]] if owner else ["group", "link"]:
        with suppress(MetricError):
            return range_of_card(card_of(measure, kind))
    return REAL


def _folded(how: str, within: Range) -> Range:
    if how in {"sum", "spread"}:
        return POSITIVE if within.low >= 0 else REAL
    return within


def _around(ranges: list[Range]) -> Range:
    """Return the least range that has all of them inside."""
    if len(set(ranges)) == 1:
        return ranges[0]
    return Range(min(each.low for each in ranges), max(each.high for each in ranges))
