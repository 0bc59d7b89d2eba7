# SPDX-License-Identifier: Apache-2.0
"""Pairs of algorithms compared: effect sizes, intervals, and corrections for the number of comparisons.

Sources: L. V. Hedges, Journal of Educational Statistics 6 (1981) 107 (g and its correction); N. Cliff, Psychological
Bulletin 114 (1993) 494 (delta); A. Vargha and H. D. Delaney, Journal of Educational and Behavioral Statistics 25 (2000)
101 (A); B. Efron, Journal of the American Statistical Association 82 (1987) 171 (BCa bootstrap); S. Holm, Scandinavian
Journal of Statistics 6 (1979) 65; Y. Benjamini and Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995)
289; paired t under common random numbers: A. M. Law, "Simulation Modeling and Analysis" (5th ed., 2015), eq. 10.1.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from narrows._internal.analysis.table import AnalysisError, in_order, numbers, varies, words
from narrows._internal.extras import load
from narrows._internal.frozen import frozen
from narrows._internal.statistics import Estimate, paired

if TYPE_CHECKING:
    from narrows._internal.analysis.table import Cells, FloatArray


@frozen
class Comparison:
    """The comparison of two algorithms in one response.

    Attributes:
        of: Name of the first algorithm.
        against: Name of the second algorithm.
        pairs: Number of pairs of cells that differ in the algorithm alone.
        difference: Mean of `of - against` with its 95 % t interval, in the unit of the response.
        bootstrap: Interval of the mean difference by the BCa bootstrap; None with fewer than two pairs.
        hedges_g: The difference of means in pooled standard deviations; None without spread.
        cliffs_delta: Cliff's delta, -1 to 1: probability that a cell of `of` is above one of `against`, minus the
            probability of the reverse.
        a: Vargha and Delaney's A: probability that a cell of `of` is above one of `against`, ties counted half; (1 +
            delta)/2.
        p: P value of the paired t-test; None for a single difference, or differences without spread.
        p_holm: P value with Holm's correction, which bounds the probability of any false positive.
        p_bh: P value with Benjamini and Hochberg's correction, which bounds the expected fraction of false positives.
    """

    of: str
    against: str
    pairs: int
    difference: Estimate
    bootstrap: tuple[float, float] | None
    hedges_g: float | None
    cliffs_delta: float
    a: float
    p: float | None
    p_holm: float | None = None
    p_bh: float | None = None


def hedges_g(one: FloatArray, other: FloatArray) -> float | None:
    """Return the difference of two means in pooled standard deviations, without small-sample bias.

    Args:
        one: Values of one sample.
        other: Values of the other, in the same unit.

    Returns:
        g = J (mean one - mean other)/s, J = Γ(m/2)/(√(m/2) Γ((m - 1)/2)) with m = n1 + n2 - 2 (Hedges 1981, eq. 6e);
        None with fewer than two values on a side or without spread.
    """
    degrees = len(one) + len(other) - 2
    if min(len(one), len(other)) < _TWO:
        return None
    if not (varies(one) or varies(other)):
        return None
    squares = float(((one - one.mean()) ** 2).sum() + ((other - other.mean()) ** 2).sum())
    correction = math.exp(math.lgamma(degrees / 2) - math.lgamma((degrees - 1) / 2)) / math.sqrt(degrees / 2)
    return correction * float(one.mean() - other.mean()) / math.sqrt(squares / degrees)


def cliffs_delta(one: FloatArray, other: FloatArray) -> float:
    """Return Cliff's delta: P(one > other) - P(one < other) over all pairs of values, -1 to 1; 0 for equal samples."""
    import numpy as np

    return float(np.sign(one[:, None] - other[None, :]).mean())


def bootstrap_interval(differences: FloatArray, seed: int, level: float = 0.95) -> tuple[float, float] | None:
    """Return the BCa bootstrap interval of a mean.

    Args:
        differences: Independent values, one per replication.
        seed: Seed of the resamples.
        level: Coverage of the interval, 0 to 1.

    Returns:
        Lower and upper end, in the unit of the values; None with fewer than two values. Both ends are equal for values
        without spread.
    """
    import numpy as np

    bootstrap = load("scipy.stats").bootstrap

    if len(differences) < _TWO:
        return None
    if not varies(differences):
        mean = float(differences.mean())
        return mean, mean
    # The interval moves and grows with the values; at this scale their squares and cubes are harmless.
    middle, scale = float(differences.mean()), float(np.ptp(differences))
    sample = (differences - middle) / scale
    found = bootstrap(
        (sample,), np.mean, confidence_level=level, n_resamples=RESAMPLES, rng=np.random.default_rng(seed)
    ).confidence_interval
    return middle + scale * float(found.low), middle + scale * float(found.high)


def adjusted(p: Sequence[float | None], method: Literal["holm", "bh"]) -> list[float | None]:
    """Return p values corrected for multiple tests by Holm or Benjamini and Hochberg; None is skipped and kept."""
    import numpy as np

    known = np.array([each for each in p if each is not None])
    order, count = np.argsort(known), len(known)
    if method == "holm":
        rising = np.maximum.accumulate(known[order] * np.arange(count, 0, -1))
    else:
        rising = np.minimum.accumulate((known[order] / (np.arange(1, count + 1) / count))[::-1])[::-1]
    found = np.empty(count)
    found[order] = np.minimum(rising, 1.0)
    corrected = iter(found.tolist())
    return [None if each is None else next(corrected) for each in p]


def compare(
    cells: Cells,
    response: str,
    conditions: Sequence[str] = (),
    *,
    reference: str | None = None,
    treatment: str = "algorithm",
) -> list[Comparison]:
    """Compare algorithms in pairs of cells that share the condition and the replication, and so the random numbers.

    Args:
        cells: The table of cells, with the column `replication`.
        response: Name of the column to compare; a pair with a missing value does not count.
        conditions: Names of the factor columns.
        reference: Compare all others with this algorithm; None compares every two.
        treatment: Name of the column of the algorithms.

    Returns:
        A row per pair of algorithms; p values are corrected for the number of rows. The interval and the test assume
        independent pairs: over several conditions they hold for the average over these conditions alone.

    Raises:
        AnalysisError: The reference is unknown, two cells have the same condition, algorithm and replication, or two
            algorithms share no pair.
    """
    sample = _keyed(cells, response, [*conditions, "replication"], treatment)
    if reference is not None and reference not in sample:
        raise AnalysisError(f"unknown algorithm {reference!r}; allowed: {', '.join(sample)}")
    couples = (
        list(itertools.combinations(sample, 2))
        if reference is None
        else [(name, reference) for name in sample if name != reference]
    )
    rows = [_compared(of, against, sample[of], sample[against]) for of, against in couples]
    p = [row.p for row in rows]
    return [
        Comparison(**{**row.__dict__, "p_holm": holm, "p_bh": bh})
        for row, holm, bh in zip(rows, adjusted(p, "holm"), adjusted(p, "bh"), strict=True)
    ]


def _keyed(cells: Cells, response: str, keys: Sequence[str], treatment: str) -> dict[str, dict[tuple[str, ...], float]]:
    names, values = words(cells, treatment), numbers(cells, response).tolist()
    sample: dict[str, dict[tuple[str, ...], float]] = {name: {} for name in in_order(names)}
    levels = zip(*(words(cells, key) for key in keys), strict=True)
    for name, key, value in zip(names, levels, values, strict=True):
        if key in sample[name]:
            described = ", ".join(f"{factor} = {level}" for factor, level in zip(keys, key, strict=True))
            raise AnalysisError(f'two cells of "{name}" have {described}; name all factors as conditions')
        sample[name][key] = value
    return {
        name: {key: value for key, value in found.items() if math.isfinite(value)} for name, found in sample.items()
    }


def _compared(
    of: str, against: str, one: dict[tuple[str, ...], float], other: dict[tuple[str, ...], float]
) -> Comparison:
    import numpy as np

    ttest_rel = load("scipy.stats").ttest_rel

    shared = [key for key in one if key in other]
    if not shared:
        raise AnalysisError(f'"{of}" and "{against}" have no condition and replication in common')
    first, second = (np.array([each[key] for key in shared]) for each in (one, other))
    differences = first - second
    spread = varies(differences, first, second)
    delta = cliffs_delta(first, second)
    return Comparison(
        of,
        against,
        len(shared),
        paired(first.tolist(), second.tolist()),
        bootstrap_interval(differences if spread else np.full(len(differences), differences.mean()), SEED),
        hedges_g(first, second),
        delta,
        (1 + delta) / 2,
        float(ttest_rel(first, second).pvalue) if spread else None,
    )


# Of the bootstrap in `compare`: the same cells give the same interval.
SEED = 1
RESAMPLES = 9999
_TWO = 2
