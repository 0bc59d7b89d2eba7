# SPDX-License-Identifier: Apache-2.0
"""Analysis of variance of a response over factors of any number of levels.

Source: D. C. Montgomery, "Design and Analysis of Experiments" (8th ed., 2013), ch. 5; sums of squares of type II, which
in a balanced study are the ordinary ones (O. Langsrud, Statistics and Computing 13 (2003) 163).

A balanced design is computed from the means of its levels, in a time that grows with the number of cells. Otherwise the
normal equations are solved by Cholesky's method. Their matrix is counted from the levels of each pair of terms, so that
no matrix has a row per cell, and its size is limited (`MOST_COLUMNS`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from narrows._internal.analysis.effects import named
from narrows._internal.analysis.table import AnalysisError, complete, in_order, words
from narrows._internal.extras import load
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from narrows._internal.analysis.table import Cells, FloatArray

    Term = tuple[str, ...]


@frozen
class Source:
    """A row of the table: a source of variation.

    Attributes:
        factors: Name of the factor, or of the two factors of an interaction; empty for the residual.
        sum_of_squares: Sum of squares, in the squared unit of the response.
        degrees: Degrees of freedom.
        f: Mean square divided by the residual mean square; None without residual degrees of freedom.
        p: P value of F; None without residual degrees of freedom.
    """

    factors: tuple[str, ...]
    sum_of_squares: float
    degrees: int
    f: float | None
    p: float | None

    @property
    def name(self) -> str:
        """The factors, joined by colons, or "residual"."""
        return named(self.factors) or "residual"


@frozen
class Anova:
    """A table of the analysis of variance.

    Attributes:
        sources: A row per term of the model, and the residual last.
        left_out: Interactions that the cells cannot distinguish from earlier terms.
        too_large: Interactions that would make the model of an unbalanced design larger than `MOST_COLUMNS`; their
            variation is part of the residual.
    """

    sources: tuple[Source, ...]
    left_out: tuple[tuple[str, ...], ...]
    too_large: tuple[tuple[str, ...], ...] = ()


def anova(
    cells: Cells, response: str, factors: Sequence[str], interactions: Sequence[tuple[str, str]] | None = None
) -> Anova:
    """Split the variation of a response between factors, their interactions and the residual.

    Args:
        cells: The table of cells; rows of the same levels are replications.
        response: Name of the column to explain.
        factors: Names of the factor columns; `algorithm` may be one of them, and so may `replication`, which makes
            blocks of the cells that share random numbers.
        interactions: Pairs of factors whose interactions are included; None includes all.

    Returns:
        The table with type II sums of squares. Without any residual degree of freedom F and p are None and the sums
        are sequential.

    Raises:
        AnalysisError: A value is missing, a factor does not vary, or two factors always vary together; or the design
            is unbalanced and its factors have more than `MOST_COLUMNS` levels.
    """
    import numpy as np

    values = complete(cells, [response])[:, 0]
    levels = {}
    for factor in factors:
        found = words(cells, factor)
        numbers = {level: number for number, level in enumerate(in_order(found))}
        if len(numbers) == 1:
            raise AnalysisError(f'factor "{factor}" has the level "{found[0]}" alone; leave it out')
        levels[factor] = _Levels(np.array([numbers[level] for level in found]), len(numbers))
    pairs = list(itertools.combinations(factors, 2)) if interactions is None else list(interactions)
    if unknown := [name for pair in pairs for name in pair if name not in levels]:
        raise AnalysisError(f'the interaction names "{unknown[0]}", which is not among the factors')
    terms: list[Term] = [*((factor,) for factor in factors), *pairs]
    centred = values - values.mean()
    if _is_balanced(levels):
        return Anova(tuple(_table(_balanced(centred, levels, terms), values)), ())
    model = _Model(centred, levels)
    for term in terms:
        model.add(term)
    for term in [*model.left_out, *model.too_large]:
        if len(term) == 1:
            reason = "only varies together with the factors before it"
            if term in model.too_large:
                reason = f"has too many levels for an unbalanced design; the limit is {MOST_COLUMNS} of all factors"
            raise AnalysisError(f'factor "{term[0]}" {reason}')
    return Anova(tuple(_table(model.sums(), values)), tuple(model.left_out), tuple(model.too_large))


@frozen
class _Levels:
    """The levels of a factor or term.

    Attributes:
        of_row: Number of the level of each cell, shape (cells,); -1 for one that has no column of its own.
        count: Number of different levels.
    """

    of_row: NDArray[np.int64]
    count: int


@frozen
class _Sums:
    """The variation that the terms of a model explain.

    Attributes:
        of: The terms, each with its sum of squares and degrees of freedom.
        residual: Residual sum of squares.
        degrees: Degrees of freedom of the term.
    """

    of: Sequence[tuple[Term, float, int]]
    residual: float
    degrees: int


def _table(sums: _Sums, values: FloatArray) -> list[Source]:
    f_distribution = load("scipy.stats").f

    if not sums.degrees:
        return [*(Source(term, square, degrees, None, None) for term, square, degrees in sums.of), NOTHING_LEFT]
    # The rounding error of a response that the model explains is not variation.
    exact = sums.residual <= ROUNDING * float(values @ values)
    unexplained = 0.0 if exact else sums.residual / sums.degrees
    sources = []
    for term, square, degrees in sums.of:
        ratio = None if not unexplained else square / degrees / unexplained
        p = None if ratio is None else float(f_distribution.sf(ratio, degrees, sums.degrees))
        sources.append(Source(term, square, degrees, ratio, p))
    return [*sources, Source((), sums.residual, sums.degrees, None, None)]


def _is_balanced(levels: Mapping[str, _Levels]) -> bool:
    """Return whether every combination of levels has the same number of cells."""
    import numpy as np

    combinations = 1
    rows = len(next(iter(levels.values())).of_row)
    codes = np.zeros(rows, np.int64)
    for each in levels.values():
        combinations *= each.count
        if combinations > rows:
            return False
        codes = codes * each.count + each.of_row
    counts = np.bincount(codes, minlength=combinations)
    return bool((counts == counts[0]).all())


def _balanced(centred: FloatArray, levels: Mapping[str, _Levels], terms: Sequence[Term]) -> _Sums:
    """Return the sums of squares of a balanced design, whose terms are orthogonal, from the means of their levels."""
    import numpy as np

    rest = centred.copy()
    of, left = [], len(centred) - 1
    for term in terms:
        found = _crossed(term, levels)
        counts = np.bincount(found.of_row, minlength=found.count)
        # The residual has no main effects any more when interactions follow.
        means = np.bincount(found.of_row, rest, found.count) / counts
        rest -= means[found.of_row]
        degrees = 1
        for factor in term:
            degrees *= levels[factor].count - 1
        left -= degrees
        of.append((term, float(counts @ means**2), degrees))
    return _Sums(of, float(rest @ rest), left)


class _Model:
    """The normal equations of a model, whose terms are added one after the other."""

    def __init__(self, centred: FloatArray, levels: Mapping[str, _Levels]) -> None:
        import numpy as np

        self.left_out: list[Term] = []
        self.too_large: list[Term] = []
        self._centred, self._levels = centred, levels
        rows = float(len(centred))
        # Of each term, the columns that it has, and of each cell the one in which it counts.
        self._columns: dict[Term, _Levels] = {(): _Levels(np.zeros(len(centred), np.int64), 1)}
        self._gram = np.array([[rows]])
        self._factor = np.sqrt(self._gram)
        self._moments = np.array([centred.sum()])

    def add(self, term: Term) -> None:
        """Add a term, if it has as many dimensions of its own as degrees of freedom."""
        import numpy as np

        cholesky = load("scipy.linalg").cholesky
        solve_triangular = load("scipy.linalg").solve_triangular

        columns = _contrasts(term, self._levels)
        if len(self._gram) + columns.count > MOST_COLUMNS:
            self.too_large.append(term)
            return
        across = np.concatenate([_counts(each, columns) for each in self._columns.values()])
        own = _counts(columns, columns)
        sizes = np.diag(own)
        below = solve_triangular(self._factor, across, lower=True).T
        try:
            factor = cholesky(own - below @ below.T, lower=True)
        except np.linalg.LinAlgError:
            self.left_out.append(term)
            return
        if (np.diag(factor) ** 2 <= DEPENDENT * sizes).any():
            self.left_out.append(term)
            return
        self._factor = np.block([[self._factor, np.zeros_like(across)], [below, factor]])
        self._gram = np.block([[self._gram, across], [across.T, own]])
        here = columns.of_row >= 0
        moments = np.bincount(columns.of_row[here], self._centred[here], columns.count)
        self._moments = np.concatenate([self._moments, moments])
        self._columns[term] = columns

    def sums(self) -> _Sums:
        """Return the sums of squares of type II; the sequential sums of squares if nothing is left."""
        import numpy as np

        solve_triangular = load("scipy.linalg").solve_triangular

        explained = solve_triangular(self._factor, self._moments, lower=True)
        degrees = len(self._centred) - len(self._gram)
        terms = [term for term in self._columns if term]
        if not degrees:
            squares = {term: float(np.sum(explained[self._places([term])] ** 2)) for term in terms}
        else:
            inverse = solve_triangular(self._factor, np.eye(len(self._factor)), lower=True)
            squares = {}
            for term in terms:
                above = [each for each in terms if set(term) < set(each)]
                places = self._places([term])
                if above:
                    squares[term] = self._beyond(term, [each for each in terms if each not in {term, *above}])
                    continue
                of_term = inverse[:, places]
                value = explained @ of_term
                squares[term] = float(value @ np.linalg.solve(of_term.T @ of_term, value))
            rest = self._rest(explained @ inverse)
        of = [(term, squares[term], self._columns[term].count) for term in terms]
        return _Sums(of, float(rest @ rest) if degrees else 0.0, degrees)

    def _beyond(self, term: Term, others: Sequence[Term]) -> float:
        """Return the sum of squares of a term beyond other terms."""
        import numpy as np

        cholesky = load("scipy.linalg").cholesky
        solve_triangular = load("scipy.linalg").solve_triangular

        places = self._places([(), *others, term])
        factor = cholesky(self._gram[np.ix_(places, places)], lower=True, overwrite_a=True)
        explained = solve_triangular(factor, self._moments[places], lower=True)
        return float(np.sum(explained[-self._columns[term].count :] ** 2))

    def _rest(self, coefficients: FloatArray) -> FloatArray:
        """Return the residual of each cell."""
        import numpy as np

        rest = self._centred.copy()
        start = 0
        for columns in self._columns.values():
            # The last value belongs to cells that count in no column of the term.
            values = np.append(coefficients[start : start + columns.count], 0.0)
            rest -= values[columns.of_row]
            start += columns.count
        return rest

    def _places(self, terms: Sequence[Term]) -> list[int]:
        ends = itertools.accumulate(each.count for each in self._columns.values())
        places = {
            term: range(end - each.count, end) for (term, each), end in zip(self._columns.items(), ends, strict=True)
        }
        return [place for term in terms for place in places[term]]


def _crossed(term: Term, levels: Mapping[str, _Levels]) -> _Levels:
    """Return the combinations of the levels of a term."""
    first, *others = (levels[factor] for factor in term)
    for each in others:
        first = _Levels(first.of_row * each.count + each.of_row, first.count * each.count)
    return first


def _contrasts(term: Term, levels: Mapping[str, _Levels]) -> _Levels:
    """Return the columns of a term: a combination for each of the levels but the first."""
    import numpy as np

    without = {factor: _Levels(levels[factor].of_row - 1, levels[factor].count - 1) for factor in term}
    found = _crossed(term, without)
    first = np.any([each.of_row < 0 for each in without.values()], axis=0)
    return _Levels(np.where(first, -1, found.of_row), found.count)


def _counts(one: _Levels, other: _Levels) -> FloatArray:
    """Return the number of cells that count in each pair of columns of two terms, shape (columns, columns)."""
    import numpy as np

    both = (one.of_row >= 0) & (other.of_row >= 0)
    codes = one.of_row[both] * other.count + other.of_row[both]
    return np.bincount(codes, minlength=one.count * other.count).reshape(one.count, other.count).astype(np.float64)


MOST_COLUMNS = 2000
"""Greatest number of parameters of the model of an unbalanced design: a matrix of 32 MB, and seconds of work."""
# Part of a column that must be its own; one cell in ten million has more.
DEPENDENT = 1e-9
# Relative to the sum of the squared values: the residual of rounding alone.
ROUNDING = 1e-24
NOTHING_LEFT = Source((), 0.0, 0, None, None)
