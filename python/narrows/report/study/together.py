# SPDX-License-Identifier: Apache-2.0
"""All responses together: correlated ones, outlying algorithms, and algorithms that behave alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from narrows.analysis import multivariate, ranks
from narrows.analysis.table import AnalysisError
from narrows.plural import counted
from narrows.report.study import multivariate as figures
from narrows.report.study import tabular
from narrows.report.study.tabular import allowed, part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from narrows.analysis.multivariate import Dendrogram
    from narrows.drawing.figure import Figure
    from narrows.drawing.svg import Markup
    from narrows.experiments.findings import Finding
    from narrows.experiments.plan import Plan
    from narrows.page.document import Part


def parts(plan: Plan, cells: pa.Table, found: Sequence[Finding], command: str) -> Iterator[Part]:
    """Return the part of the page on all responses together; none if there are too few of them."""
    responses = [finding.response for finding in found if finding.missing == 0]
    basis = f"{counted(max((finding.replications for finding in found), default=0), 'replication')}, seed {plan.seed}."
    several = len(plan.algorithms) > 1
    trees = list(_trees(plan, cells, responses)) if several else []
    tables = list(_tables(plan, cells, responses, [tree for _, tree in trees], several=several))
    drawn = list(_figures(cells, responses)) if several else []
    hidden = [
        replace(figures.dendrogram(tree, condition), name=f"dendrogram-{place}")
        for place, (condition, tree) in enumerate(trees[:_TREES])
    ]
    if not tables and not drawn:
        return
    shown, folded = ([replace(each, caption=(*each.caption, basis)) for each in some] for some in (drawn, hidden))
    summary = f"The trees of {len(hidden)} conditions"
    yield part("together", "All responses together", command, tables, shown, more=summary, folded=folded)


def _tables(
    plan: Plan, cells: pa.Table, responses: Sequence[str], trees: Sequence[Dendrogram], *, several: bool
) -> Iterator[Markup]:
    if len(responses) > 1:
        yield from allowed(lambda: tabular.alike_responses(multivariate.correlations(cells, responses)))
    if several and len(plan.algorithms) >= _FEWEST:
        conditions = len(plan.rows)
        yield from allowed(
            lambda: tabular.outliers(ranks.screen(cells, responses, list(plan.factors)), conditions * len(responses))
        )
    if trees:
        yield tabular.alone(trees)


def _figures(cells: pa.Table, responses: Sequence[str]) -> Iterator[Figure]:
    yield from allowed(lambda: _tree(cells, responses))
    yield from allowed(lambda: _plane(cells, responses))


def _trees(plan: Plan, cells: pa.Table, responses: Sequence[str]) -> Iterator[tuple[Mapping[str, str], Dendrogram]]:
    if len(plan.rows) > 1 and len(plan.algorithms) >= _FEWEST:
        for found in allowed(lambda: multivariate.clusters_by_condition(cells, responses, list(plan.factors))):
            yield from found


def _tree(cells: pa.Table, responses: Sequence[str]) -> Figure:
    tree = multivariate.clusters(cells, responses)
    if len(tree.leaves) < _FEWEST:
        raise AnalysisError("two algorithms make no tree")
    return figures.dendrogram(tree, {})


def _plane(cells: pa.Table, responses: Sequence[str]) -> Figure:
    components = multivariate.principal_components(cells, responses)
    return figures.biplot(components, multivariate.biplot(components), cells["algorithm"].to_pylist())


_FEWEST = 3
# Trees that a page holds.
_TREES = 12
