# SPDX-License-Identifier: Apache-2.0
"""Scales that map values to positions, ticks at round numbers, and numbers with SI prefixes."""

from __future__ import annotations

import math

from narrows._internal.frozen import frozen
from narrows._internal.rounding import decimals_of


@frozen
class Unit:
    """A unit of values, and the multiples in which they are written."""

    name: str
    prefixes: tuple[tuple[float, str], ...] = ()

    def best(self, magnitude: float) -> tuple[float, str]:
        """Return factor and text of the multiple that suits values of this magnitude."""
        for factor, written in self.prefixes:
            if magnitude >= factor * _ALMOST_ONE:
                return factor, written
        return self.prefixes[-1] if self.prefixes else (1.0, self.name)


@frozen
class Scale:
    """A map from values to positions; `end` may lie left of or above `start`."""

    # Drawn at `start`; positive on a logarithmic scale.
    low: float
    # Drawn at `end`; greater than `low`.
    high: float
    start: float
    end: float
    log: bool = False

    def position(self, value: float) -> float:
        """Return the position of `value`, in drawing units; it is finite even for a value far beyond the scale."""
        if self.log:
            part = math.log(max(value / self.low, _FAR_BELOW)) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        part = min(max(part, -_FAR), _FAR)
        return self.start + part * (self.end - self.start)

    def ticks(self, count: int) -> list[float]:
        """Return about `count` round values inside the scale."""
        return log_ticks(self.low, self.high, count) if self.log else linear_ticks(self.low, self.high, count)


def proper_range(low: float, high: float, *, log: bool) -> tuple[float, float]:
    """Return a valid range of an axis: finite, increasing, and positive if `log` is set."""
    least, most = (_LEAST if log else -_MOST), _MOST
    known = [min(end, most) for end in (low, high) if math.isfinite(end) and end >= least]
    if not known:
        return (0.1, 1.0) if log else (0.0, 1.0)
    first, last = min(known), max(known)
    size = max(abs(first), abs(last))
    if last - first > max(_ALIKE * size, _LEAST / 10.0):
        return first, last
    if log and len(known) > 1:
        return first / _WIDER, last * _WIDER
    if log:
        return (first, first * _DECADES) if first == low else (last / _DECADES, last)
    room = size / 10.0 if size > _LEAST else 0.5
    return first - room, last + room


def linear_ticks(low: float, high: float, count: int) -> list[float]:
    """Return the multiples of a round step inside [low, high], at least two."""
    # A step may be up to 2.5 times the part of the range that was asked for, and leave one multiple inside.
    for wanted in range(max(count, 1), _ENOUGH + 1):
        ticks = _multiples(low, high, nice_step((high - low) / wanted))
        if len(ticks) > 1:
            return ticks
    return _multiples(low, high, nice_step((high - low) / max(count, _ENOUGH)))


def _multiples(low: float, high: float, step: float) -> list[float]:
    first = math.ceil(low / step - _ROUNDING)
    last = math.floor(high / step + _ROUNDING)
    digits = max(0, 1 - math.floor(math.log10(step)))
    return [round(index * step, digits) for index in range(first, last + 1)]


def log_ticks(low: float, high: float, count: int) -> list[float]:
    """Return values 1, 2 and 5 times powers of ten inside [low, high], thinned to about `count`."""
    exponents = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    for multiples in (_EVERY, (1.0, 2.0, 5.0), (1.0, 3.0), (1.0,)):
        values = [multiple * 10.0**exponent for exponent in exponents for multiple in multiples]
        inside = [v for v in values if low * (1 - _ROUNDING) <= v <= high * (1 + _ROUNDING)]
        if len(inside) <= max(count, 2):
            break
    return inside if len(inside) > 1 else linear_ticks(low, high, count)


def nice_step(raw: float) -> float:
    """Return the least of 1, 2 and 5 times a power of ten that is not below `raw`; 1 if that is not positive."""
    if not (math.isfinite(raw) and raw > 0):
        return 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    for multiple in (1.0, 2.0, 5.0):
        if raw <= multiple * power * (1 + _ROUNDING):
            return multiple * power
    return 10.0 * power


def nice_ceiling(value: float, count: int = 5) -> float:
    """Return the round number at or above `value` at which an axis from zero may end."""
    if value <= 0 or not math.isfinite(value):
        return 1.0
    step = nice_step(value / count)
    return step * math.ceil(value / step - _ROUNDING)


def fixed(value: float, decimals: int) -> str:
    """Return a number with this number of decimals, a true minus and no-break spaces between thousands."""
    text = f"{value:,.{decimals}f}".replace(",", NARROW_SPACE)
    return text.replace("-", MINUS) if float(f"{value:.{decimals}f}") else text.lstrip("-")


def significant(value: float, digits: int = 3) -> str:
    """Return a number as text with `digits` significant digits, never in exponent notation."""
    if not abs(value) < _MOST:
        return NO_DATA
    rounded = round(value, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0.0
    return fixed(rounded, decimals_of(value, digits))


def quantity(value: float | None, unit: Unit, *, sign: bool = False) -> str:
    """Return a value as text, in the multiple of its unit that suits it."""
    if value is None or not math.isfinite(value):
        return NO_DATA
    factor, written = unit.best(abs(value)) if value else unit.best(1.0)
    # Counts have no decimals unless they are means that fall between.
    number = fixed(value, 0) if unit in {COUNT, PACKETS} and value == round(value) else significant(value / factor)
    if sign and value > 0:
        number = "+" + number
    return with_unit(number, written)


def with_unit(number: str, written: str) -> str:
    """Return a number as text with its unit, which is in the singular after 1."""
    if number.lstrip(f"+{MINUS}") == "1":
        written = SINGULARS.get(written, written)
    return f"{number}{NARROW_SPACE}{written}" if written else number


def bound_text(value: float, unit: Unit) -> str:
    """Return a bound as text: a quantity without trailing zeros."""
    factor, written = unit.best(abs(value)) if value else unit.best(1.0)
    return with_unit(tick_label(float(f"{value / factor:.3g}"), 1.0), written)


def tick_label(value: float, factor: float) -> str:
    """Return the text of a tick at `value`, divided by `factor` and without trailing zeros."""
    return f"{value / factor:,.10g}".replace("-", MINUS).replace(",", NARROW_SPACE)


MINUS = "\N{MINUS SIGN}"
# Of units that are words.
SINGULARS = {"packets": "packet", "round trips": "round trip"}
NO_DATA = "\N{EN DASH}"
NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"

BITS_PER_SECOND = Unit("bps", ((1e9, "Gbps"), (1e6, "Mbps"), (1e3, "kbps"), (1.0, "bps")))
SECONDS = Unit("s", ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")))
BYTES = Unit("B", ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")))
PACKETS = Unit("packets")
PERCENT = Unit("%", ((0.01, "%"),))
# Of differences of shares.
PERCENT_POINTS = Unit("pp", ((0.01, "pp"),))
COUNT = Unit("")
INDEX = Unit("", ((1.0, ""),))

# A value a hair below a prefix takes it, because three digits round it up to 1.
_ALMOST_ONE = 0.9995
# Slack for binary fractions: 0.3 / 0.1 is just below 3.
_ROUNDING = 1e-9
# Steps of at most so many parts of a range leave two multiples inside, for a step is at most 2.5 times its part.
_ENOUGH = 5
# Ends of the range of an axis; beyond, products of them have no representation.
_LEAST, _MOST = 1e-150, 1e150
# Relative: ends that are as close are equal.
_ALIKE = 1e-9
# How much a logarithmic range without extent is widened, and what follows of an end that is known alone.
_WIDER, _DECADES = 1.1, 1000.0
# As a part of the low end of a logarithmic scale, and in lengths of any scale.
_FAR_BELOW, _FAR = 1e-6, 100.0
_EVERY = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
