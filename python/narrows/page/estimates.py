# SPDX-License-Identifier: Apache-2.0
"""Estimates as text: intervals and differences, with as many decimals as distinguish their ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from narrows.drawing.scale import NARROW_SPACE, NO_DATA, PERCENT, Unit, decimals_of, fixed, quantity

if TYPE_CHECKING:
    from collections.abc import Sequence


def estimate_text(mean: float | None, interval: Sequence[float] | None, unit: Unit) -> str:
    """Return a mean with its 95 % interval, if it has one, in parentheses; a dash without a mean."""
    ends = "" if mean is None else interval_text(interval, mean, unit)
    return f"{quantity(mean, unit)} ({ends})" if ends else quantity(mean, unit)


def interval_text(interval: Sequence[float] | None, mean: float, unit: Unit) -> str:
    """Return a 95 % interval as text, in the multiple of the unit that suits its mean, with distinguishable ends.

    The text is empty without an interval, and for one that is its mean.
    """
    if not interval or interval[0] == interval[1] == mean:
        return ""
    low, high = interval
    factor, _ = unit.best(abs(mean) if mean else max(abs(low), abs(high)))
    return ends_text(low / factor, high / factor, decimals_of(mean / factor))


def ends_text(low: float, high: float, decimals: int) -> str:
    """Return the ends of an interval as text, with as many decimals as its mean has or up to two more."""
    half = (high - low) / 2
    finer = min(max(decimals, -math.floor(math.log10(half))), decimals + 2) if 0 < half < math.inf else decimals
    return _range(fixed(low, finer), fixed(high, finer))


def difference_texts(
    difference: float, interval: Sequence[float] | None, unit: Unit, beside: Sequence[float] = ()
) -> tuple[str, str]:
    """Return a difference, with sign and unit, and its interval as texts, in the multiple that suits the largest value.

    Differences of shares are in percentage points. Texts that stand beside each other have one multiple if each has the
    values of the others as `beside`.
    """
    low, high = interval or (difference, difference)
    greatest = max(abs(each) for each in (low, high, difference, *beside))
    factor, written = unit.best(greatest)
    written = "pp" if unit is PERCENT else written
    decimals = decimals_of(greatest / factor)
    value, left, right = (_signed(number / factor, decimals) for number in (difference, low, high))
    text = f"{value}{NARROW_SPACE}{written}" if written else value
    return text, _range(left, right) if interval else ""


def difference_text(difference: float | None, interval: Sequence[float] | None, unit: Unit) -> str:
    """Return a difference with its interval, if it has one, in parentheses; a dash without a difference."""
    if difference is None:
        return NO_DATA
    text, ends = difference_texts(difference, interval, unit)
    return f"{text} ({ends})" if ends else text


def relative_text(part: float) -> str:
    """Return a relative difference as text: signed percent, with a decimal below 10 %.

    A difference that is rounded to zero has no sign.
    """
    percent = 100 * part
    return f"{_signed(percent, 0 if abs(percent) >= _WHOLE_PERCENT else 1)}{NARROW_SPACE}%"


def _range(low: str, high: str) -> str:
    return f"{low}{NARROW_SPACE}…{NARROW_SPACE}{high}"


def _signed(value: float, decimals: int) -> str:
    text = fixed(value, decimals)
    return f"+{text}" if value > 0 and float(f"{value:.{decimals}f}") else text


_WHOLE_PERCENT = 10.0
