# SPDX-License-Identifier: Apache-2.0
"""Effects of two-level factors: their sizes, and which of them exceed the noise.

An effect is the mean of a response at the high level of the coded factor (or the product of two), less the mean at the
low level. Unreplicated designs have no pure error: half-normal scores and Lenth's pseudo standard error take its place.

Sources: D. C. Montgomery, "Design and Analysis of Experiments" (8th ed., 2013), 6.2 to 6.5; C. Daniel, "Use of
half-normal plots in interpreting factorial two-level experiments", Technometrics 1 (1959) 311; R. V. Lenth, "Quick and
easy analysis of unreplicated factorials", Technometrics 31 (1989) 469; the plots for which `means`, `half_normal` and
`unexplained` give the numbers: NIST/SEMATECH e-Handbook of Statistical Methods, 5.5.9.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from narrows._internal.analysis.table import AnalysisError, complete, in_order, varies, words
from narrows._internal.extras import load
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from narrows._internal.analysis.table import Cells, FloatArray


@frozen
class Effect:
    """A main effect or a two-factor interaction.

    Attributes:
        factors: Name of the factor of a main effect; names of the two factors of an interaction.
        value: Mean at the high level minus mean at the low level, in the unit of the response.
        relative: Effect as a fraction of the magnitude of the grand mean; None if that is zero.
        p: P value of Student's two-sided t-test of high against low; None with one value at a level, or no
            spread at either.
        aliases: Effects of the same order or below that the design cannot distinguish from this one.
    """

    factors: tuple[str, ...]
    value: float
    relative: float | None
    p: float | None
    aliases: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The factors, joined by colons."""
        return named(self.factors)


@frozen
class Lenth:
    """The active effects of an unreplicated design by Lenth's method (Technometrics 31(4), 1989).

    Attributes:
        error: Pseudo standard error of an effect, in its unit.
        margin: Margin of error at the chosen confidence for a single effect.
        simultaneous_margin: Margin of error at the chosen confidence for all effects together.
        active: Whether each effect exceeds `margin`.
        surely_active: Whether each effect exceeds `simultaneous_margin`.
    """

    error: float
    margin: float
    simultaneous_margin: float
    active: tuple[bool, ...]
    surely_active: tuple[bool, ...]


@frozen
class Mean:
    """The mean of a response at some levels of factors.

    Attributes:
        levels: Level by factor.
        mean: Mean, in the unit of the response.
        cells: Number of cells averaged.
    """

    levels: Mapping[str, str]
    mean: float
    cells: int


def named(factors: Sequence[str]) -> str:
    """Return the name of a main effect or an interaction: its factors, joined by colons."""
    return ":".join(factors)


def coded(cells: Cells, levels: Mapping[str, tuple[str, str]]) -> FloatArray:
    """Return the factor columns of a table of cells, coded as -1 and +1.

    Args:
        cells: The table of cells.
        levels: Low and high level by factor, as text.

    Returns:
        Shape (cells, factors), each -1 or +1.

    Raises:
        AnalysisError: A cell has another level.
    """
    import numpy as np

    columns = []
    for factor, (low, high) in levels.items():
        found = words(cells, factor)
        if others := sorted(set(found) - {low, high}):
            raise AnalysisError(f'factor "{factor}" has the level "{others[0]}" beside "{low}" and "{high}"')
        columns.append([1.0 if level == high else -1.0 for level in found])
    return np.array(columns, dtype=np.float64).T


def effects(runs: FloatArray, factors: Sequence[str], response: FloatArray, order: int = 2) -> list[Effect]:
    """Estimate main effects and interactions from a balanced, orthogonal two-level design.

    Args:
        runs: Shape (runs, factors), coded -1 and +1; a run may be repeated.
        factors: Names of the columns.
        response: Shape (runs,), in its unit.
        order: 1 for main effects alone, 2 for two-factor interactions as well.

    Returns:
        Main effects, then interactions. Effects that share a contrast are one entry under the first's name.

    Raises:
        AnalysisError: The design is not balanced and orthogonal, or the numbers of rows differ. An unbalanced study,
            or one with more than two levels, is for `narrows.analysis.variance.anova`.
    """
    import numpy as np

    if runs.shape != (len(response), len(factors)):
        raise AnalysisError(f"{len(response)} responses and {len(factors)} factors do not fit runs {runs.shape}")
    found: list[tuple[tuple[str, ...], FloatArray, list[str]]] = []
    for size in range(1, order + 1):
        for places in itertools.combinations(range(len(factors)), size):
            column = runs[:, places].prod(axis=1)
            names = tuple(factors[place] for place in places)
            _file(found, names, column)
    for (one, first, _), (other, second, _) in itertools.combinations(found, 2):
        if abs(first @ second) > _ROUNDING * len(response):
            raise AnalysisError(f'the runs mix "{named(one)}" with "{named(other)}": no design for separate effects')
    grand = float(np.mean(response))
    return [_effect(names, column, response, grand, aliases) for names, column, aliases in found]


def half_normal(values: FloatArray) -> tuple[list[int], FloatArray]:
    """Return the coordinates of a half-normal plot: ordered magnitudes of effects, and their scores under noise alone.

    Args:
        values: Effects, shape (effects,).

    Returns:
        Indices of the effects by ascending magnitude, and their scores, shape (effects,): half-normal quantiles at
        (i - 1/2)/m (Daniel 1959; Montgomery, 6.5).
    """
    import numpy as np

    ndtri = load("scipy.special").ndtri

    count = len(values)
    scores: FloatArray = ndtri(0.5 + 0.5 * (np.arange(1, count + 1) - 0.5) / count)
    return np.argsort(np.abs(values), kind="stable").tolist(), scores


def lenth(values: FloatArray, alpha: float = 0.05) -> Lenth:
    """Find the active effects by Lenth's method, which assumes that most effects are noise.

    Args:
        values: Independent effects of an unreplicated design, shape (effects,), at least three.
        alpha: Probability of a false positive: for a single effect (`margin`), or for any effect
            (`simultaneous_margin`).

    Returns:
        The result. PSE = 1.5 median |c| over |c| < 2.5 s0, s0 = 1.5 median |c|; margins are quantiles of t with m/3
        degrees of freedom at 1 - alpha/2 and at (1 + (1 - alpha)^(1/m))/2 (Lenth 1989, eq. 1 to 4).

    Raises:
        AnalysisError: There are fewer than three effects.
    """
    import numpy as np

    stdtrit = load("scipy.special").stdtrit

    count = len(values)
    if count < _FEWEST:
        raise AnalysisError(f"Lenth's method needs at least {_FEWEST} effects, not {count}")
    sizes = np.abs(values)
    first = 1.5 * float(np.median(sizes))
    trimmed = sizes[sizes < 2.5 * first]
    error = 1.5 * float(np.median(trimmed)) if len(trimmed) else 0.0
    margin = error * float(stdtrit(count / 3, 1 - alpha / 2))
    simultaneous = error * float(stdtrit(count / 3, (1 + (1 - alpha) ** (1 / count)) / 2))
    return Lenth(error, margin, simultaneous, tuple((sizes > margin).tolist()), tuple((sizes > simultaneous).tolist()))


def means(cells: Cells, response: str, factors: Sequence[str]) -> list[Mean]:
    """Return the mean at each combination of levels of some factors, in the order in which levels come first.

    For one factor they give the main effects plot, for two the interaction plot, and for all, the least first, the
    ordered data plot (e-Handbook, 5.5.9.3, 5.5.9.4 and 5.5.9.1).

    Raises:
        AnalysisError: A value or a level is missing.
    """
    values = complete(cells, [response])[:, 0].tolist()
    columns = [words(cells, factor) for factor in factors]
    gathered: dict[tuple[str, ...], list[float]] = {}
    for levels, value in zip(zip(*columns, strict=True), values, strict=True):
        gathered.setdefault(levels, []).append(value)
    places = [{level: place for place, level in enumerate(in_order(column))} for column in columns]

    def place(levels: tuple[str, ...]) -> list[int]:
        return [known[level] for known, level in zip(places, levels, strict=True)]

    return [
        Mean(
            dict(zip(factors, levels, strict=True)),
            math.fsum(gathered[levels]) / len(gathered[levels]),
            len(gathered[levels]),
        )
        for levels in sorted(gathered, key=place)
    ]


def unexplained(values: FloatArray, response: FloatArray) -> FloatArray:
    """Return the residual standard deviation as effects are added: the cumulative residual plot (e-Handbook 5.5.9.9).

    Args:
        values: Effects of an orthogonal design, shape (effects,).
        response: Shape (runs,).

    Returns:
        Residual standard deviation of the model with no effect, with the largest, with the two largest ..., in the unit
        of the response, while a degree of freedom is left.
    """
    import numpy as np

    runs = len(response)
    # An effect explains n (e/2)² of the sum of squares (Montgomery, eq. 6.22).
    explained = np.cumsum(np.sort(runs * (values / 2) ** 2)[::-1])
    total = float(np.sum((response - response.mean()) ** 2))
    left = total - np.concatenate(([0.0], explained))[: runs - 1]
    result: FloatArray = np.sqrt(np.maximum(left, 0.0) / (runs - 1 - np.arange(len(left))))
    return result


def _file(found: list[tuple[tuple[str, ...], FloatArray, list[str]]], names: tuple[str, ...], new: FloatArray) -> None:
    """Add a contrast, or its name to the one it repeats; one that never changes says nothing."""
    import numpy as np

    if len(names) > 1 and np.ptp(new) == 0:
        return
    if abs(new.sum()) > _ROUNDING * len(new):
        raise AnalysisError(f'"{named(names)}" is not high as often as low: the design is not balanced')
    for _, column, aliases in found:
        if abs(column @ new) >= len(new) * (1 - _ROUNDING):
            aliases.append(("-" if column @ new < 0 else "") + named(names))
            return
    found.append((names, new, []))


def _effect(
    names: tuple[str, ...], column: FloatArray, response: FloatArray, grand: float, aliases: Sequence[str]
) -> Effect:
    high, low = response[column > 0], response[column < 0]
    value = float(high.mean() - low.mean())
    return Effect(names, value, value / abs(grand) if grand else None, _p(high, low), tuple(aliases))


def _p(high: FloatArray, low: FloatArray) -> float | None:
    ttest_ind = load("scipy.stats").ttest_ind

    if min(len(high), len(low)) < _TWO or not (varies(high) or varies(low)):
        return None
    with warnings.catch_warnings():
        # That one side has no spread is no reason to warn: the test pools both.
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(ttest_ind(high, low).pvalue)


_TWO = 2
_FEWEST = 3
_ROUNDING = 1e-9
