# SPDX-License-Identifier: Apache-2.0
"""Estimates as text: intervals and differences, with as many decimals as distinguish their ends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from narrows._internal.drawing.scale import NARROW_SPACE, NO_DATA, PERCENT, Unit, fixed, quantity
from narrows._internal.rounding import ALL_RUNS, MOST_DIGITS, SYMMETRIC, decimals_of, estimate_decimals, other_end
from narrows._internal.statistics import EQUAL, SEQUENCE


def estimate_text(mean: float | None, interval: Sequence[float] | None, unit: Unit, method: str | None = None) -> str:
    """Return a mean with its 95 % interval, if it has one, in parentheses; a dash without a mean."""
    value, ends = estimate_texts(mean, interval, unit, method)
    return f"{value} ({ends})" if ends else value


def estimate_texts(
    mean: float | None,
    interval: Sequence[float] | None,
    unit: Unit,
    method: str | None = None,
    most: int = MOST_DIGITS,
) -> tuple[str, str]:
    """Return a mean with its unit, and its 95 % interval in the same multiple of it and with as many decimals."""
    if mean is None or not math.isfinite(mean) or not interval or method == EQUAL:
        return quantity(mean, unit), ALL_RUNS if method == EQUAL else ""
    low, high = interval
    factor, written = unit.best(abs(mean) if mean else max(abs(low), abs(high)))
    decimals = estimate_decimals(mean / factor, low / factor, high / factor, most)
    if decimals is None:
        return quantity(mean, unit), ""
    value = fixed(mean / factor, decimals)
    text = f"{value}{NARROW_SPACE}{written}" if written else value
    return text, ends_text(mean / factor, low / factor, high / factor, decimals)


def rounded_text(estimate: Mapping[str, Any] | None, unit: Unit) -> str:
    """Return an estimate for a sentence: a mean with three digits, with its interval if three digits show one.

    Examples:
        >>> rounded_text({"mean": 53.012, "ci95": [52.955, 53.069]}, Unit(""))
        '53.0'
    """
    found = estimate or {"mean": None, "ci95": None}
    low, high = found["ci95"] or (0.0, 0.0)
    greatest = max(abs(low), abs(high))
    # Rounded ends of an interval that is narrower than the last digit would be wider than it.
    shown = greatest and high - low >= 2 * 10.0 ** (math.floor(math.log10(greatest)) + 1 - SPOKEN_DIGITS)
    method = found.get("interval_method")
    interval = found["ci95"] if shown or method == EQUAL else None
    value, ends = estimate_texts(found["mean"], interval, unit, method, most=SPOKEN_DIGITS)
    return f"{value} ({ends})" if ends else value


def ends_text(mean: float, low: float, high: float, decimals: int) -> str:
    """Return the ends of an interval as text, with as many decimals as their mean has."""
    return _ends(*(fixed(each, decimals) for each in (mean, low, high)))


def difference_texts(
    difference: float, interval: Sequence[float] | None, unit: Unit, beside: Sequence[float] = ()
) -> tuple[str, str]:
    """Return a difference, with sign and unit, and its interval as texts, in one multiple of the unit."""
    low, high = interval or (difference, difference)
    greatest = max(abs(each) for each in (low, high, difference, *beside))
    factor, written = unit.best(greatest)
    written = "pp" if unit is PERCENT else written
    shared = estimate_decimals(difference / factor, low / factor, high / factor)
    decimals = decimals_of(greatest / factor) if shared is None else shared
    value, left, right = (_signed(number / factor, decimals) for number in (difference, low, high))
    text = f"{value}{NARROW_SPACE}{written}" if written else value
    return text, "" if shared is None else _ends(value, left, right)


def difference_text(difference: float | None, interval: Sequence[float] | None, unit: Unit) -> str:
    """Return a difference with its interval, if it has one, in parentheses; a dash without a difference."""
    if difference is None:
        return NO_DATA
    text, ends = difference_texts(difference, interval, unit)
    return f"{text} ({ends})" if ends else text


def changed_texts(
    before: float, after: float, difference: float, interval: Sequence[float] | None, unit: Unit
) -> tuple[str, str, str]:
    """Return two values and the uncertainty of their difference for a sentence, in one multiple and precision."""
    greatest = max(abs(before), abs(after))
    factor, written = unit.best(greatest) if greatest else unit.best(abs(difference))
    low, high = (end / factor for end in interval or (difference, difference))
    smallest = min((abs(each) for each in (before, after) if each), default=0.0) / factor
    half, middle = (high - low) / 2, (low + high) / 2
    wanted = max(-math.floor(math.log10(half)) if 0 < half < math.inf else 0, decimals_of(smallest, 2))
    decimals = max(min(wanted, decimals_of(greatest / factor)), 0)
    space = f"{NARROW_SPACE}{written}" if written else ""
    first, second = (f"{fixed(each / factor, decimals)}{space}" for each in (before, after))
    if not interval or not float(f"{half:.{decimals}f}"):
        return first, second, ""
    points = f"{NARROW_SPACE}pp" if unit is PERCENT else space
    if abs(middle - difference / factor) <= SYMMETRIC * half:
        return first, second, f"±{fixed(half, decimals)}{points}"
    value, left, right = (_signed(each, decimals) for each in (difference / factor, low, high))
    return first, second, f"a difference of {value}{points}, {_ends(value, left, right)}"


def relative_text(part: float, interval: Sequence[float] | None = None) -> str:
    """Return a relative difference as text: signed percent, with its interval, if it has one, in parentheses."""
    percent, ends = 100 * part, [100 * end for end in interval or (part, part)]
    decimals = estimate_decimals(percent, ends[0], ends[1])
    if decimals is None:
        return f"{_signed(percent, 0 if abs(percent) >= _WHOLE_PERCENT else 1)}{NARROW_SPACE}%"
    value, left, right = (f"{_signed(each, decimals)}{NARROW_SPACE}%" for each in (percent, *ends))
    return f"{value} ({_ends(value, left, right)})"


def how_made(methods: Iterable[str | None], replications: int, what: str = "Error bars are") -> str:
    """Return the sentence that says how the intervals of a figure or table were made, for its caption.

    Examples:
        >>> how_made(["t"], 5)[:70]
        'Error bars are 95 % confidence intervals of the mean over 5 independen'
    """
    known = [method for method in dict.fromkeys(methods) if method is not None]
    if replications < _TWO or not known:
        return "One replication gives no confidence interval." if replications < _TWO else ""
    equal = "; where all values are equal, from their bound alone" if EQUAL in known else ""
    if SEQUENCE in known:
        return (
            f"{what} 95 % confidence sequences of the mean, which are valid at every number of replications, after "
            f"{replications}{equal}."
        )
    scales = [name for method, name in _SCALES.items() if method in known]
    on = f"on the {' or '.join(scales)} scale of the mean, transformed back (delta method)" if scales else ""
    plain = "on the scale of the values" if scales and "t" in known else ""
    parts = " or ".join(filter(None, (on, plain)))
    return (
        f"{what} 95 % confidence intervals of the mean over {replications} independent replications, from "
        f"Student's t distribution with {replications - 1} {'degree' if replications == _TWO else 'degrees'} of freedom"
        f"{', ' + parts if parts else ''}{equal}."
    )


def _ends(mean: str, low: str, high: str) -> str:
    return other_end(mean, low, high) or f"{low}{NARROW_SPACE}…{NARROW_SPACE}{high}"


def _signed(value: float, decimals: int) -> str:
    text = fixed(value, decimals)
    return f"+{text}" if value > 0 and float(f"{value:.{decimals}f}") else text


# Of a value in a sentence.
SPOKEN_DIGITS = 3
_WHOLE_PERCENT = 10.0
_TWO = 2
# By the method, the scale on which a t interval is symmetric (`narrows._internal.statistics`).
_SCALES = {"log t": "logarithmic", "logit t": "logit", "square-root t": "square-root"}
