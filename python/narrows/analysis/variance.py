"""Analysis of variance of a response over factors of any number of levels.

Source: D. C. Montgomery, "Design and Analysis of Experiments" (8th ed., 2013), ch. 5; sums of squares of type II, which
in a balanced study are the ordinary ones (O. Langsrud, Statistics and Computing 13 (2003) 163). The model is fitted by
statsmodels.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from narrows.analysis.effects import named
from narrows.analysis.table import AnalysisError, complete, in_order, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.analysis.table import Cells, FloatArray

    Term = tuple[str, ...]


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Anova:
    """A table of the analysis of variance.

    Attributes:
        sources: A row per term of the model, and the residual last.
        left_out: Interactions that the cells cannot distinguish from earlier terms.
    """

    sources: tuple[Source, ...]
    left_out: tuple[tuple[str, ...], ...]


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
        AnalysisError: A value is missing, a factor does not vary, or two factors always vary together.
    """
    values = complete(cells, [response])[:, 0]
    levels = {factor: words(cells, factor) for factor in factors}
    for factor, found in levels.items():
        if len(in_order(found)) == 1:
            raise AnalysisError(f'factor "{factor}" has the level "{found[0]}" alone; leave it out')
    pairs = list(itertools.combinations(factors, 2)) if interactions is None else list(interactions)
    if unknown := [name for pair in pairs for name in pair if name not in levels]:
        raise AnalysisError(f'the interaction names "{unknown[0]}", which is not among the factors')
    kept, left_out = _estimable([*((factor,) for factor in factors), *pairs], levels)
    if confounded := [term for term in left_out if len(term) == 1]:
        raise AnalysisError(f'factor "{confounded[0][0]}" only varies together with the factors before it')
    return Anova(tuple(_fit(values, levels, kept)), tuple(left_out))


def _estimable(terms: Sequence[Term], levels: dict[str, list[str]]) -> tuple[list[Term], list[Term]]:
    """Keep the terms that add as many dimensions to the model as they have degrees of freedom."""
    import numpy as np

    design = np.ones((len(next(iter(levels.values()))), 1))
    kept, left_out = [], []
    for term in terms:
        columns = _contrasts(term, levels)
        wider = np.column_stack((design, columns))
        if np.linalg.matrix_rank(wider) == wider.shape[1]:
            design = wider
            kept.append(term)
        else:
            left_out.append(term)
    return kept, left_out


def _contrasts(term: Term, levels: dict[str, list[str]]) -> FloatArray:
    import numpy as np

    columns = np.ones((len(levels[term[0]]), 1))
    for factor in term:
        found = np.array(levels[factor])
        indicators = np.column_stack([found == level for level in in_order(levels[factor])[1:]]).astype(np.float64)
        columns = (columns[:, :, None] * indicators[:, None, :]).reshape(len(found), -1)
    return columns


def _fit(values: FloatArray, levels: dict[str, list[str]], terms: Sequence[Term]) -> list[Source]:
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    # Names of factors are key paths, which a formula would take for Python.
    plain = {factor: f"x{place}" for place, factor in enumerate(levels)}
    frame = pd.DataFrame({"y": values, **{plain[factor]: found for factor, found in levels.items()}})
    formula = " + ".join(":".join(f"C({plain[factor]})" for factor in term) for term in terms)
    model = ols(f"y ~ {formula}", frame).fit()
    saturated = round(model.df_resid) == 0
    if saturated:
        return [*_sequential(values, levels, terms), Source((), 0.0, 0, None, None)]
    table = anova_lm(model, typ=2)
    sources = []
    for term, (_, row) in zip([*terms, ()], table.iterrows(), strict=True):
        tested = bool(term) and math.isfinite(row["F"])
        sources.append(
            Source(
                term,
                float(row["sum_sq"]),
                round(row["df"]),
                float(row["F"]) if tested else None,
                float(row["PR(>F)"]) if tested else None,
            )
        )
    return sources


def _sequential(values: FloatArray, levels: dict[str, list[str]], terms: Sequence[Term]) -> list[Source]:
    """Return what each term explains beyond those before it, by projection."""
    import numpy as np

    design = np.ones((len(values), 1))
    before = float(np.sum((values - values.mean()) ** 2))
    sources = []
    for term in terms:
        columns = _contrasts(term, levels)
        design = np.column_stack((design, columns))
        fitted = design @ np.linalg.lstsq(design, values)[0]
        after = float(np.sum((values - fitted) ** 2))
        sources.append(Source(term, max(before - after, 0.0), columns.shape[1], None, None))
        before = after
    return sources
