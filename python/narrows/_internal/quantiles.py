# SPDX-License-Identifier: Apache-2.0
"""Quantiles that intervals of means need, so that running and comparing take no library of statistics.

Sources: M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions" (1964), 26.7.3 and 26.7.4 (Student's t
with an integer number of degrees of freedom), 26.7.5 (its expansion for many), 6.5.29 (series of the incomplete gamma
function) and 6.1.41 (Stirling); W. J. Lentz, Applied Optics 15 (1976) 668 (continued fractions), for 6.5.31.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import count


@lru_cache(maxsize=256)
def t_quantile(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t distribution."""
    if degrees > MANY:
        return _expanded(degrees)
    log_top = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(math.pi * degrees) / 2
    # The probability between -t and t is concave in t, so that Newton's steps approach the root from below.
    found = NORMAL
    while True:
        density = math.exp(log_top - (degrees + 1) / 2 * math.log1p(found * found / degrees))
        further = found + (0.95 - _within(found, degrees)) / (2 * density)
        if further <= found * (1 + CLOSE):
            return further
        found = further


def _within(t: float, degrees: int) -> float:
    """Return the probability of values between -t and t."""
    angle = math.atan(t / math.sqrt(degrees))
    odd = degrees % 2
    # 1 + (1/2) cos² + (1 3)/(2 4) cos⁴ + …, and for odd numbers cos + (2/3) cos³ + (2 4)/(3 5) cos⁵ + …
    factors = [1.0] if degrees > 1 else []
    for last in range(2 + odd, degrees - 1, 2):
        factors.append(factors[-1] * (last - 1) / last)
    # The cosine of so small an angle loses what its power needs.
    log_cosine = -math.log1p(t * t / degrees) / 2
    terms = (factor * math.exp(power * log_cosine) for power, factor in zip(count(odd, 2), factors))
    total = math.sin(angle) * math.fsum(terms)
    return 2 / math.pi * (angle + total) if odd else total


def _expanded(degrees: int) -> float:
    x = NORMAL
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + math.fsum(term / degrees**power for power, term in enumerate(terms, 1))


def gamma_quantile(shape: float, tail: float, *, upper: bool = False) -> float:
    """Return a quantile of the gamma distribution with scale 1."""
    start = _start(shape, tail, upper=upper)
    if start < LEAST_LOG:
        return 0.0
    y, wanted = start, math.log(tail)
    # The logarithm of either tail is concave in y = ln x: after the first of Newton's steps all come from one side.
    for _ in range(MOST_STEPS):
        x = math.exp(y)
        density = _power(shape, x) * shape
        found = _tail(shape, x, upper=upper)
        step = (wanted - math.log(found)) * found / (-density if upper else density)
        y += step
        if abs(step) <= CLOSE * max(abs(y), 1.0):
            break
    return math.exp(y)


def _start(shape: float, tail: float, *, upper: bool) -> float:
    """Return the logarithm of about the quantile: by Wilson and Hilferty, or by the first term of the series."""
    normal = (NORMAL if upper else -NORMAL) / math.sqrt(9 * shape)
    cube = 1 - 1 / (9 * shape) + normal
    if cube > 0 and shape >= 1:
        return math.log(shape) + 3 * math.log(cube)
    return (math.log(1 - tail if upper else tail) + math.lgamma(shape + 1)) / shape


def _power(shape: float, x: float) -> float:
    """Return x^a e^-x / Γ(a + 1) for the shape a."""
    if shape < STIRLING:
        return math.exp(shape * math.log(x) - x - math.lgamma(shape + 1))
    beyond = (x - shape) / shape
    rest = 1 / (12 * shape) - 1 / (360 * shape**3) + 1 / (1260 * shape**5)
    return math.exp(-shape * (beyond - math.log1p(beyond)) - rest) / math.sqrt(2 * math.pi * shape)


def _tail(shape: float, x: float, *, upper: bool) -> float:
    """Return the probability of values below x, or above it."""
    if x < shape + 1:
        term = total = 1.0
        above = shape
        while term > CLOSE * total:
            above += 1
            term *= x / above
            total += term
        below = _power(shape, x) * total
        return 1 - below if upper else below
    b = x + 1 - shape
    c = fraction = b
    n, change, d = 0, 0.0, 0.0
    while abs(change - 1) > CLOSE:
        n += 1
        a = n * (shape - n)
        b += 2
        d = 1 / (a * d + b)
        c = b + a / c
        change = c * d
        fraction *= change
    rest = _power(shape, x) * shape / fraction
    return rest if upper else 1 - rest


# The 97.5 % quantile of the normal distribution.
NORMAL = 1.959963984540054
# Relative; twice the spacing of double-precision numbers.
CLOSE = 4.5e-16
# From this number of degrees of freedom, the first term that the expansion omits is below `CLOSE`.
MANY = 1000
# From this shape on the three terms of Stirling's series are exact.
STIRLING = 100.0
# Logarithm below the least number.
LEAST_LOG = -700.0
MOST_STEPS = 60
