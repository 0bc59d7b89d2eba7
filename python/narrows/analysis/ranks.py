# SPDX-License-Identifier: Apache-2.0
"""Ranks of algorithms over many conditions: mean ranks, and the difference from which they are significant.

Sources: F. E. Grubbs, "Procedures for detecting outlying observations in samples", Technometrics 11 (1969) 1;
J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning Research 7
(2006) 1, section 3.2.2 (Friedman, Iman-Davenport, Nemenyi); A. H. Copeland, "A reasonable social welfare function"
(1951); M. J. de Condorcet, "Essai sur l'application de l'analyse" (1785).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from narrows._internal.analysis.table import AnalysisError, block, varies
from narrows._internal.extras import load
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from narrows._internal.analysis.table import Block, Cells, FloatArray


@frozen
class Grubbs:
    """The result of Grubbs' test whether the value farthest from the mean is an outlier.

    Attributes:
        place: Index of that value.
        statistic: Distance of the value from the mean, in sample standard deviations (n - 1).
        critical: Value that the statistic of a normal sample exceeds with probability alpha.
    """

    place: int
    statistic: float
    critical: float

    @property
    def outlier(self) -> bool:
        """Whether the value is an outlier: the statistic exceeds its critical value."""
        return self.statistic > self.critical


@frozen
class Outlier:
    """An algorithm that is an outlier in a response under a condition."""

    response: str
    condition: Mapping[str, str]
    algorithm: str
    value: float
    mean: float
    test: Grubbs


@frozen
class Ranking:
    """Mean ranks over conditions, with Friedman's and Nemenyi's tests.

    Attributes:
        treatments: Names of the treatments, best mean rank first.
        mean_ranks: Their mean ranks in the same order; 1 is best.
        conditions: Number of conditions averaged.
        chi_square: Friedman's statistic, corrected for ties.
        p: P value by the F distribution (Iman and Davenport); None if all conditions rank equally or all are tied.
        critical_difference: Difference of mean ranks above which two treatments differ (Nemenyi).
        alike: Maximal sets of treatments whose mean ranks do not differ, best first; sets of one are omitted.
    """

    treatments: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    conditions: int
    chi_square: float | None
    p: float | None
    critical_difference: float
    alike: tuple[tuple[str, ...], ...]


@frozen
class Majority:
    """Pairwise majorities over conditions.

    Attributes:
        treatments: Names of the treatments, for rows and columns.
        wins: Shape (treatments, treatments): number of conditions in which the row is better than the column.
        copeland: Copeland score of each treatment: majorities won, and half of those tied.
        condorcet: Treatment with a majority against every other; None if there is none.
        winners: The treatments with the greatest Copeland score.
    """

    treatments: tuple[str, ...]
    wins: FloatArray
    copeland: tuple[float, ...]
    condorcet: str | None
    winners: tuple[str, ...]


def grubbs(values: FloatArray, alpha: float = 0.05) -> Grubbs:
    """Test whether the value farthest from the mean is an outlier, on either side.

    Args:
        values: Shape (n,), n at least 3, normal but for the outlier.
        alpha: Probability of a false positive.

    Returns:
        The result, with G = max |y - mean| / s and (n - 1)/√n √(t²/(n - 2 + t²)), t at alpha/(2n) and n - 2 degrees of
        freedom (Grubbs 1969; NIST/SEMATECH e-Handbook, 1.3.5.17.1). Equal values have statistic 0.

    Raises:
        AnalysisError: There are fewer than three values.
    """
    import numpy as np

    stdtrit = load("scipy.special").stdtrit

    count = len(values)
    if count < _FEWEST:
        raise AnalysisError(f"Grubbs' test needs at least {_FEWEST} values, not {count}")
    distance = np.abs(values - values.mean())
    place = int(np.argmax(distance))
    deviation = float(values.std(ddof=1))
    statistic = float(distance[place]) / deviation if varies(values) else 0.0
    quantile = float(stdtrit(count - 2, alpha / (2 * count)))
    critical = (count - 1) / count**0.5 * (quantile**2 / (count - 2 + quantile**2)) ** 0.5
    return Grubbs(place, statistic, critical)


def screen(
    cells: Cells, responses: Sequence[str], conditions: Sequence[str], treatment: str = "algorithm", alpha: float = 0.05
) -> list[Outlier]:
    """Test for an algorithm that is an outlier, in every response under every condition.

    Args:
        cells: The table of cells.
        responses: Names of the columns.
        conditions: Names of the factor columns whose combinations are the conditions.
        treatment: Name of the column of the algorithms; at least three.
        alpha: As for `grubbs`, for each test alone: of 100 conditions without an outlier, 100 alpha show one.

    Raises:
        AnalysisError: An algorithm has no value under a condition, or there are fewer than three.
    """
    found = []
    for response in responses:
        means = block(cells, response, conditions, treatment)
        for condition, values in zip(means.conditions, means.values, strict=True):
            test = grubbs(values, alpha)
            if test.outlier:
                name, value = means.treatments[test.place], float(values[test.place])
                found.append(Outlier(response, condition, name, value, float(values.mean()), test))
    return found


def ranks(values: FloatArray, *, higher_is_better: bool) -> FloatArray:
    """Return the ranks within each row, in the shape of `values`; 1 is best, and equal values have their mean rank.

    Args:
        values: Shape (conditions, treatments).
        higher_is_better: Whether the greatest value has rank 1.
    """
    rankdata = load("scipy.stats").rankdata

    ranked: FloatArray = rankdata(-values if higher_is_better else values, axis=1)
    return ranked


def ranking(means: Block, *, higher_is_better: bool, alpha: float = 0.05) -> Ranking:
    """Compare mean ranks by Friedman's test and Nemenyi's critical difference.

    Args:
        means: The response by condition and treatment, at least two of each.
        higher_is_better: Whether the greatest value has rank 1.
        alpha: Level of the critical difference.

    Returns:
        The result: Friedman's statistic corrected for ties; F = (N - 1) X / (N (k - 1) - X) with k - 1 and (k - 1)(N -
        1) degrees
        of freedom; CD = q √(k (k + 1) / (6 N)) (Demšar 2006, section 3.2.2).

    Raises:
        AnalysisError: There are fewer than two conditions or treatments.
    """
    import numpy as np

    fisher = load("scipy.stats").f

    conditions, count = means.values.shape
    if min(conditions, count) < _TWO:
        raise AnalysisError(f"ranks of {count} treatments over {conditions} conditions: two of both are needed")
    table = ranks(means.values, higher_is_better=higher_is_better)
    mean = table.mean(axis=0)
    order = np.argsort(mean, kind="stable").tolist()
    names = tuple(means.treatments[place] for place in order)
    chi_square = _friedman(table)
    left = None if chi_square is None else conditions * (count - 1) - chi_square
    p = None
    if chi_square is not None and left is not None and left > _ROUNDING:
        statistic = (conditions - 1) * chi_square / left
        p = float(fisher.sf(statistic, count - 1, (count - 1) * (conditions - 1)))
    difference = critical_difference(count, conditions, alpha)
    sorted_ranks = [float(mean[place]) for place in order]
    alike = tuple(names[first:end] for first, end in _neighbours(sorted_ranks, difference))
    return Ranking(names, tuple(sorted_ranks), conditions, chi_square, p, difference, alike)


def critical_difference(treatments: int, conditions: int, alpha: float = 0.05) -> float:
    """Return how far two mean ranks must be apart to differ by Nemenyi's test (Demšar 2006, section 3.2.2)."""
    studentized_range = load("scipy.stats").studentized_range

    quantile = float(studentized_range.ppf(1 - alpha, treatments, float("inf"))) / 2**0.5
    return float(quantile * (treatments * (treatments + 1) / (6 * conditions)) ** 0.5)


def majority(means: Block, *, higher_is_better: bool) -> Majority:
    """Compare each two treatments by the number of conditions in which one is better.

    Args:
        means: The response by condition and treatment.
        higher_is_better: Whether greater values are better.
    """
    import numpy as np

    values = means.values if higher_is_better else -means.values
    wins = (values[:, :, None] > values[:, None, :]).sum(axis=0).astype(np.float64)
    won = (wins > wins.T).sum(axis=1)
    tied = (wins == wins.T).sum(axis=1) - 1
    scores = (won + tied / 2).tolist()
    everybody = [name for name, duels in zip(means.treatments, won, strict=True) if duels == len(means.treatments) - 1]
    best = tuple(name for name, score in zip(means.treatments, scores, strict=True) if score == max(scores))
    return Majority(means.treatments, wins, tuple(scores), everybody[0] if everybody else None, best)


def _friedman(table: FloatArray) -> float | None:
    """Return Friedman's statistic of ranks, corrected for ties; None where every row is one tie."""
    conditions, count = table.shape
    # Σ (rank - mean rank)² within rows is k (k² - 1)/12 each without ties: the general form of Conover (1999).
    within = float(((table - (count + 1) / 2) ** 2).sum())
    if within == 0:
        return None
    between = float(((table.mean(axis=0) - (count + 1) / 2) ** 2).sum())
    return float((count - 1) * conditions**2 * between / within)


def _neighbours(sorted_ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for first, rank in enumerate(sorted_ranks):
        end = max(place for place, other in enumerate(sorted_ranks) if other - rank <= difference) + 1
        if end - first > 1 and (not spans or end > spans[-1][1]):
            spans.append((first, end))
    return spans


_TWO = 2
_FEWEST = 3
_ROUNDING = 1e-9
