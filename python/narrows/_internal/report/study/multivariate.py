# SPDX-License-Identifier: Apache-2.0
"""All responses together: algorithms that behave alike as a tree, and cells and responses in one plane.

Sources: the dendrogram as K. Mills et al., NIST SP 500-282 (2010), draw one per condition; K. R. Gabriel, Biometrika 58
(1971) 453 (biplot).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.analysis import multivariate
from narrows._internal.analysis.multivariate import Biplot, Components, Dendrogram
from narrows._internal.analysis.table import AnalysisError
from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.lettering import LETTER, shortened
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import INDEX, significant
from narrows._internal.drawing.style import Style, apart
from narrows._internal.drawing.svg import Markup
from narrows._internal.page.document import Part
from narrows._internal.plural import counted
from narrows._internal.report.study import tabular
from narrows._internal.report.study.rows import around, response_meaning, rows_panel, stacked_panels
from narrows._internal.report.study.tabular import allowed, part
from narrows.analysis import ranks

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.experiments.findings import Finding
    from narrows._internal.experiments.plan import Plan


def dendrogram(tree: Dendrogram, condition: Mapping[str, str]) -> Figure:
    """Draw a dendrogram of algorithms."""
    highest = max(max(link.height) for link in tree.links)

    def draw(paper: Paper) -> Sequence[Panel]:
        panel = rows_panel(paper, Axis("Distance", INDEX, 0.0, highest * 1.05 or 1.0), "", tree.leaves, row=26.0)
        for link in tree.links:
            alone = [tree.leaves[round(x)] for x, low in zip(link.x, link.height, strict=True) if low == 0]
            key = "distinct" if set(alone) & set(tree.distinct) and link is tree.links[-1] else "joint"
            style = _DISTINCT if key == "distinct" else _JOINT
            panel.line(key, np.array(link.height), np.array(link.x), style)
            at = (max(link.height), (link.x[1] + link.x[2]) / 2)
            panel.point(key, at, style, f"joined at: {significant(max(link.height))}", of_many=True)
        return [panel]

    levels = ", ".join(f"{factor} = {level}" for factor, level in condition.items())
    title = f"Which algorithms behave alike: {levels}" if levels else "Which algorithms behave alike"
    caption = (
        "Algorithms that join far at the left behave alike in all responses.",
        f"Joined last, and so the most distinct: {', '.join(tree.distinct)}." if tree.distinct else "",
    )
    return Figure("dendrogram", title, caption, (), draw)


def biplot(components: Components, plane: Biplot, algorithms: Sequence[str]) -> Figure:
    """Draw the cells as points and the responses as arrows in the plane of two components."""
    points, reach = plane.points, float(np.abs(plane.points).max())
    # Arrows are correlations, at most 1; at this scale they reach as far as the points.
    arrows = plane.arrows * reach / (float(np.abs(plane.arrows).max()) or 1.0)
    styles = apart(list(dict.fromkeys(algorithms)))
    share = [f"{100 * part:.0f} %" for part in components.explained[:2].tolist()]

    def draw(paper: Paper) -> Sequence[Panel]:
        both = [np.concatenate((points[:, axis], arrows[:, axis], [0.0])).tolist() for axis in (0, 1)]
        across = around(f"Component 1, {share[0]} of the variance", INDEX, both[0], _ROOM)
        up = around(f"Component 2, {share[1]} of the variance", INDEX, both[1], 0.1)
        (panel,) = stacked_panels(_square(paper), [(across, up, "")])
        for (x, y), name in zip(points.tolist(), algorithms, strict=True):
            panel.point(name, (x, y), styles[name], f"{name}: {significant(x)}, {significant(y)}", of_many=True)
        labels = [response_meaning(name).title for name in components.responses]
        for (x, y), (r, s), label in zip(arrows.tolist(), plane.arrows.tolist(), labels, strict=True):
            panel.line("responses", np.array([0.0, x]), np.array([0.0, y]), _JOINT)
            text = f"{label}: correlation {significant(r)} with component 1, {significant(s)} with component 2"
            panel.point("responses", (x, y), _JOINT, text, of_many=True)
        _name(panel, arrows.tolist(), labels)
        return [panel]

    keys = [Key(name, name, "dot", style) for name, style in styles.items()]
    keys.append(Key("responses", "responses", "line", _JOINT))
    caption = (
        "A mark is a cell; a line from the middle is a response, which grows along it.",
        "Responses whose lines point alike rise together; lines at right angles have nothing to do with each other.",
    )
    return Figure("biplot", "Cells and responses in one plane", caption, keys, draw)


def _name(panel: Panel, ends: Sequence[tuple[float, float]], labels: Sequence[str]) -> None:
    """Write a label beside the end of each arrow, outwards and none over another."""
    # The margin of the axis is a part of the range of values, which is less than the panel's width.
    room = panel.box.width * _ROOM / (1 + 2 * _ROOM) - 2 * LETTER
    lowest = {-1: 0.0, 1: 0.0}
    for (x, y), label in sorted(zip(ends, labels, strict=True), key=lambda each: -each[0][1]):
        side = 1 if x >= 0 else -1
        top = panel.up.position(y)
        lower = max(lowest[side] + _LINE - top, 0.0)
        lowest[side] = top + lower
        panel.word("responses", (x, y), shortened(label, room), side=side, lower=lower)


def _square(paper: Paper) -> Paper:
    return replace(paper, low=paper.tall * 1.3)


def parts(plan: Plan, cells: pa.Table, found: Sequence[Finding], command: str) -> Iterator[Part]:
    """Return the part of the page on all responses together; none if there are too few of them."""
    responses = [finding.response for finding in found if finding.missing == 0]
    basis = f"{counted(max((finding.replications for finding in found), default=0), 'replication')}, seed {plan.seed}."
    several = len(plan.algorithms) > 1
    trees = list(_trees(plan, cells, responses)) if several else []
    tables = list(_tables(plan, cells, responses, [tree for _, tree in trees], several=several))
    drawn = list(_figures(cells, responses)) if several else []
    hidden = [
        replace(dendrogram(tree, condition), name=f"dendrogram-{place}")
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
    return dendrogram(tree, {})


def _plane(cells: pa.Table, responses: Sequence[str]) -> Figure:
    components = multivariate.principal_components(cells, responses)
    return biplot(components, multivariate.biplot(components), cells["algorithm"].to_pylist())


# Room for labels beyond the values, as part of their range; height of a line of text.
_ROOM = 0.45
_LINE = 14.0
_JOINT = Style(7, 0, 0)
_DISTINCT = Style(1, 0, 2)
_FEWEST = 3
# Trees that a page holds.
_TREES = 12
