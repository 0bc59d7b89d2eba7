# SPDX-License-Identifier: Apache-2.0
"""Each response by itself: the factors that affect it, differences between algorithms, and the plots of the e-Handbook.

Source of the order: NIST/SEMATECH e-Handbook of Statistical Methods, 5.5.9; K. Mills et al., NIST SP 500-282 (2010),
appendix D, go through the same ten steps.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.analysis import effects
from narrows._internal.analysis.table import AnalysisError, Block, block, complete
from narrows._internal.drawing.figure import Figure
from narrows._internal.drawing.svg import Markup
from narrows._internal.experiments.findings import Finding, grouping, variance_of
from narrows._internal.page.document import Part, anchor
from narrows._internal.page.estimates import estimate_texts
from narrows._internal.plural import counted
from narrows._internal.report.study import combinations, tabular
from narrows._internal.report.study import effects as effect_figures
from narrows._internal.report.study.rows import response_meaning
from narrows._internal.report.study.tabular import allowed, part
from narrows.analysis import compare, ranks

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.experiments.plan import Plan


def parts(plan: Plan, cells: pa.Table, found: Sequence[Finding], command: str) -> Iterator[Part]:
    """Return a part of the page for each of the first responses."""
    for place, finding in enumerate(found[:_RESPONSES]):
        name, shown = finding.response, response_meaning(finding.response)
        rows = _with_values(cells, name)
        basis = _basis(plan, finding)
        main, more = (
            [
                replace(figure, name=f"{figure.name}-{anchor(name)}", caption=(*figure.caption, basis))
                for figure in figures
            ]
            for figures in (_figures(plan, rows, name), _steps(plan, rows, name))
        )
        summary = f"More plots of {shown.label}: settings, levels, blocks, sizes of effects"
        shows = list(_tables(plan, rows, name)), main
        yield part(f"of-{anchor(name)}", shown.title, command, *shows, more=summary, folded=more, closed=place >= _OPEN)


def _tables(plan: Plan, cells: pa.Table, name: str) -> Iterator[Markup]:
    for table in allowed(lambda: variance_of(plan, cells, name)):
        if table is not None:
            yield tabular.variance(name, table)
    if _several(plan):
        yield from allowed(lambda: tabular.comparisons(name, compare.compare(cells, name, list(plan.factors))))
        better = response_meaning(name).better
        if better and plan.factors:
            yield from allowed(
                lambda: tabular.duels(
                    name, ranks.majority(block(cells, name, list(plan.factors)), higher_is_better=better > 0)
                )
            )


def _figures(plan: Plan, cells: pa.Table, name: str) -> Iterator[Figure]:
    factors, few = _factors(plan, grouping(plan, cells)), grouping(plan, cells)
    if factors:
        means = {factor: effects.means(cells, name, [factor]) for factor in factors}
        yield from allowed(lambda: effect_figures.main_effects(name, means))
    pairs = list(itertools.combinations(factors, 2))[:_PAIRS]
    if pairs:
        yield from allowed(
            lambda: effect_figures.interactions(name, [effects.means(cells, name, pair) for pair in pairs])
        )
    for found in allowed(lambda: _Contrasts(plan, cells, name)):
        yield effect_figures.half_normal_plot(name, found.found, found.limits)
    if not _several(plan):
        return
    if few:
        yield from allowed(lambda: combinations.heat_map(name, _few_conditions(cells, name, few)))
    shown = response_meaning(name)
    if shown.better and plan.factors:
        yield from allowed(
            lambda: combinations.critical_difference(
                ranks.ranking(block(cells, name, plan.factors), higher_is_better=shown.better > 0), shown.label
            )
        )


def _steps(plan: Plan, cells: pa.Table, name: str) -> Iterator[Figure]:
    factors = _factors(plan, grouping(plan, cells))
    if not factors:
        return
    means = sorted(effects.means(cells, name, factors), key=lambda each: each.mean)
    levels = {factor: list(dict.fromkeys(map(str, cells[factor].to_pylist()))) for factor in factors}
    if len(means) <= _SETTINGS:
        yield combinations.ordered_data(name, means, levels)
    yield combinations.values_by_level(name, means, levels)
    if _several(plan) and plan.factors:
        yield from allowed(lambda: combinations.blocks(name, _few_conditions(cells, name, list(plan.factors))))
    for found in allowed(lambda: _Contrasts(plan, cells, name)):
        yield from found.figures(name)


class _Contrasts:
    """The effects of a two-level design on one response."""

    def __init__(self, plan: Plan, cells: pa.Table, name: str) -> None:
        levels = {
            factor: list(dict.fromkeys(str(point.levels[factor]) for point in plan.points)) for factor in plan.factors
        }
        if len(levels) < _TWO or any(len(each) != _TWO for each in levels.values()):
            raise AnalysisError("effects of contrasts are those of two-level designs")
        self.levels = {factor: (each[0], each[1]) for factor, each in levels.items()}
        self.values = complete(cells, [name])[:, 0]
        self.found = effects.effects(effects.coded(cells, self.levels), plan.factors, self.values)
        self.limits = effects.lenth(np.array([each.value for each in self.found]))

    def figures(self, name: str) -> Iterator[Figure]:
        """Yield the figures of the effects besides the half-normal plot."""
        found, grand = self.found, float(self.values.mean())
        yield effect_figures.youden(name, found, grand, self.limits)
        yield effect_figures.sizes(name, found, self.limits)
        sizes = np.array([each.value for each in found])
        yield effect_figures.left_over(name, found, effects.unexplained(sizes, self.values))
        mains = sorted((each for each in found if len(each.factors) == 1), key=lambda each: -abs(each.value))
        one, other = mains[:_TWO]
        both = {*one.factors, *other.factors}
        together = next((each.value for each in found if set(each.factors) == both), 0.0)
        yield effect_figures.contours(name, (one, other), together, grand, self.levels)


def _several(plan: Plan) -> bool:
    return len(plan.algorithms) > 1


def _factors(plan: Plan, of: Sequence[str] | None = None) -> list[str]:
    return [*(plan.factors if of is None else of), *(["algorithm"] if _several(plan) else [])]


def _few_conditions(cells: pa.Table, name: str, factors: Sequence[str]) -> Block:
    means = block(cells, name, factors)
    if len(means.conditions) > _TILES:
        raise AnalysisError("more conditions than a page holds")
    return means


def _basis(plan: Plan, finding: Finding) -> str:
    overall, interval = finding.overall["mean"], finding.overall["ci95"]
    unit = response_meaning(finding.response).unit
    text, ends = estimate_texts(overall, interval, unit)
    ends = f", 95 % interval {ends}" if ends else ""
    times = counted(finding.replications, "replication")
    return f"{times}, seed {plan.seed}; mean of all {text}{ends}."


def _with_values(cells: pa.Table, name: str) -> pa.Table:
    import pyarrow.compute as pc

    return cells.filter(pc.is_valid(cells[name]))


_TWO = 2
# Responses whose part of the page is not folded.
_OPEN = 2
# The most that a page can hold: responses of their own, pairs of factors, rows of tiles, settings side by side.
_RESPONSES = 6
_PAIRS = 10
_TILES = 40
_SETTINGS = 160
