# SPDX-License-Identifier: Apache-2.0
"""The figures that the question of a study asks for: which factor is on the axis, and which have lines and panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from narrows._internal.experiments.layout import Layout
from narrows._internal.experiments.numbers import numbers
from narrows._internal.report.study.against import levels_of

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.experiments.findings import Finding
    from narrows._internal.experiments.plan import Plan


def layouts(plan: Plan, cells: pa.Table, finding: Finding) -> list[Layout]:
    """Return the layouts of figures of a response: the factor with most levels on the axis, then the strongest."""
    counts = {factor: len(levels_of(cells, factor)) for factor in [*plan.factors, "algorithm"]}
    strong = [effect.factor for effect in finding.effects]
    # Of a design that fills a space, each point has levels of its own.
    sweeps = [
        factor
        for factor in plan.factors
        if factor in strong
        or (plan.design["kind"] == "full" and counts[factor] > 1 and numbers(levels_of(cells, factor).values()))
    ]
    # The strongest of those with equally many levels.
    order = sorted(sweeps, key=lambda each: (-counts[each], strong.index(each) if each in strong else 0))
    first = order[:1]
    return [_layout(factor, counts, finding) for factor in [*first, *(each for each in strong if each not in first)]]


def _layout(x: str, counts: Mapping[str, int], finding: Finding) -> Layout:
    """Return the layout of a figure against a factor, which takes no mean over a factor that changes what it shows."""
    effect = next((each for each in finding.effects if each.factor == x), None)
    changing = [*effect.changed_by, *effect.averaged] if effect else []
    changing += [*(each.factor for each in finding.interactions)]
    # What interacts comes first; the others have the room that is left.
    others = dict.fromkeys([*changing, *counts])
    left = [each for each in others if each not in {x, "algorithm"} and counts[each] > 1]
    lines = next((each for each in left if counts[each] <= MOST_LINES), None)
    several = counts["algorithm"] > 1
    many = counts["algorithm"] > min(max(counts.get(lines or "", 0), FEW), MOST_PANELS)
    if several and (lines is None or many):
        lines = "algorithm"
    panels: list[str] = ["algorithm"] if several and lines != "algorithm" else []
    for each in left:
        if each != lines and _product(counts, [*panels, each]) <= MOST_PANELS:
            panels.append(each)
    return Layout(x, lines, panels)


def _product(counts: Mapping[str, int], factors: Sequence[str]) -> int:
    product = 1
    for factor in factors:
        product *= counts[factor]
    return product


# Of a figure.
MOST_LINES, MOST_PANELS = 8, 6
# As many algorithms have a panel each, whatever the number of lines.
FEW = 3
