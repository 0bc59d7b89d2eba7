# SPDX-License-Identifier: Apache-2.0
"""The results of each combination of levels: in order, by level, and algorithm beside algorithm, also by mean ranks.

Sources: NIST/SEMATECH e-Handbook of Statistical Methods, 5.5.9.1 (ordered data plot), 5.5.9.2 (scatter plot) and
5.5.9.5 (block plot); J. Demšar, Journal of Machine Learning Research 7 (2006) 1, section 3.2.4 (critical-difference
diagram). There a row per algorithm replaces names on both sides; the bars that join algorithms that do not differ are
the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import HEAD, RIGHT, Axis, Box, Panel
from narrows._internal.drawing.scale import INDEX, quantity, significant
from narrows._internal.drawing.style import Style, apart
from narrows._internal.plural import counted
from narrows._internal.report.study.rows import around, response_meaning, rows_panel

if TYPE_CHECKING:
    from narrows._internal.analysis.effects import Mean
    from narrows._internal.analysis.table import Block
    from narrows.analysis.ranks import Ranking


def ordered_data(response: str, means: Sequence[Mean], levels: Mapping[str, Sequence[str]]) -> Figure:
    """Draw the means of all combinations of levels in ascending order, with the level of each factor below."""
    shown = response_meaning(response)
    factors = list(levels)

    def draw(paper: Paper) -> Sequence[Panel]:
        left = paper.beside(factors)
        width = paper.width - left - RIGHT
        # The strip below already names each place.
        across = Axis.of_names("Settings, in the order of the response", [""] * len(means))
        upper = Panel(
            Box(left, HEAD, width, paper.low),
            across,
            around(shown.title, shown.unit, [mean.mean for mean in means]),
            foot=False,
        )
        strip = Panel(
            Box(left, HEAD + paper.low + 24, width, 22.0 * len(factors)),
            across,
            Axis.of_names("", factors, inverted=True),
        )
        for place, mean in enumerate(means):
            described = ", ".join(f"{factor} = {level}" for factor, level in mean.levels.items())
            upper.point(
                "mean", (place, mean.mean), _LOOK, f"{described}: {quantity(mean.mean, shown.unit)}", of_many=True
            )
            for row, factor in enumerate(factors):
                level = mean.levels[factor]
                strength = list(levels[factor]).index(level) / max(len(levels[factor]) - 1, 1)
                strip.tile("level", (place, row), _LOOK, strength, ("", f"{factor} = {level}"))
        return [upper, strip]

    listed = "; ".join(f"{factor}: {', '.join(levels[factor])}" for factor in factors)
    caption = (
        "Each column is a combination of levels, mean over replications; below it the fuller tile is the later level.",
        "A factor whose tiles part into left and right decides the response.",
        f"Levels, from empty to full: {listed}.",
    )
    return Figure("ordered", f"All settings by {shown.label}", caption, (), draw)


def values_by_level(response: str, means: Sequence[Mean], levels: Mapping[str, Sequence[str]]) -> Figure:
    """Draw the means of all combinations of levels, with a row per level of each factor."""
    shown = response_meaning(response)
    rows = [(factor, level) for factor, each in levels.items() for level in each]
    places = {factor: place for place, factor in enumerate(levels)}

    def draw(paper: Paper) -> Sequence[Panel]:
        across = around(shown.title, shown.unit, [mean.mean for mean in means])
        panel = rows_panel(paper, across, "", [f"{factor} = {level}" for factor, level in rows], row=20.0)
        for row, (factor, level) in enumerate(rows):
            # Two hues in turn part the factors.
            style = Style(places[factor] % 2, 0, 0)
            for mean in means:
                if mean.levels[factor] == level:
                    described = ", ".join(f"{name} = {each}" for name, each in mean.levels.items())
                    read = f"{described}: {quantity(mean.mean, shown.unit)}"
                    panel.point("values", (mean.mean, row), style, read, of_many=True)
        return [panel]

    caption = (
        "A mark is a combination of levels, mean over replications, in the row of each of its levels.",
        "Rows of a factor that lie apart say that it moves the response; one that is wider, that it moves the spread.",
    )
    return Figure("levels", f"{shown.title} at each level", caption, (), draw)


def blocks(response: str, means: Block) -> Figure:
    """Draw the means of all algorithms, with a row per condition."""
    shown = response_meaning(response)
    order = np.argsort(means.values.mean(axis=1), kind="stable").tolist()
    styles = apart(means.treatments)
    names = [", ".join(means.conditions[place].values()) or "all" for place in order]

    def draw(paper: Paper) -> Sequence[Panel]:
        across = around(shown.title, shown.unit, means.values.ravel().tolist())
        panel = rows_panel(paper, across, "", names, row=22.0)
        for row, place in enumerate(order):
            values = means.values[place]
            ends = np.array([values.min(), values.max()])
            panel.line("range", ends, np.full(2, float(row)), _JOINT, kind="faint")
            for algorithm, value in zip(means.treatments, values.tolist(), strict=True):
                read = f"{algorithm}; {names[row]}: {quantity(value, shown.unit)}"
                panel.point(algorithm, (value, row), styles[algorithm], read, of_many=True)
        return [panel]

    caption = (
        "A row is a condition, mean over replications; conditions are ordered by their mean.",
        "An algorithm that keeps its side in every row differs from the others whatever the condition.",
    )
    keys = [Key(name, name, "dot", style) for name, style in styles.items()]
    return Figure("blocks", f"Algorithms within each condition, by {shown.label}", caption, keys, draw)


def heat_map(response: str, means: Block) -> Figure:
    """Draw a heat map with a tile per condition and algorithm."""
    shown = response_meaning(response)
    low, high = float(means.values.min()), float(means.values.max())
    names = [", ".join(condition.values()) or "all" for condition in means.conditions]

    def draw(paper: Paper) -> Sequence[Panel]:
        panel = rows_panel(paper, Axis.of_names("Algorithm", means.treatments), "", names, row=26.0)
        for row, condition in enumerate(means.conditions):
            levels = ", ".join(f"{factor} = {level}" for factor, level in condition.items())
            for column, algorithm in enumerate(means.treatments):
                value = float(means.values[row, column])
                strength = (value - low) / (high - low) if high > low else 0.0
                text = quantity(value, shown.unit)
                panel.tile("mean", (column, row), _LOOK, strength, (text, f"{algorithm}; {levels}: {text}"))
        return [panel]

    ends = list(dict.fromkeys(quantity(each, shown.unit) for each in (low, high)))
    factors = ", ".join(means.conditions[0]) if means.conditions else ""
    caption = (
        f"Mean over replications of {shown.label} for each combination of {factors} and each algorithm.",
        f"Colour grows from {' to '.join(ends)}." if len(ends) > 1 else f"All are {ends[0]}.",
    )
    return Figure("heat", f"{shown.title} by condition and algorithm", caption, (), draw)


def critical_difference(ranking: Ranking, of: str) -> Figure:
    """Draw the critical difference diagram: mean ranks, and a bar over each set that does not differ (Demšar 2006)."""
    rank_of = dict(zip(ranking.treatments, ranking.mean_ranks, strict=True))
    styles = apart(ranking.treatments)
    names = ["critical difference", *("not different" for _ in ranking.alike), *ranking.treatments]

    def draw(paper: Paper) -> Sequence[Panel]:
        count = len(ranking.treatments)
        # Rank 1 is the first name: only whole ranks have a tick.
        whole = tuple(str(rank) for rank in range(1, count + 1))
        end = max(count - 1, ranking.critical_difference) + 0.15
        panel = rows_panel(paper, Axis("Mean rank, 1 is best", INDEX, -0.15, end, names=whole), "", names, row=26.0)
        panel.line("difference", np.array([0.0, ranking.critical_difference]), np.zeros(2), _INK)
        near_end = ranking.critical_difference > 0.8 * end
        at = (0.0 if near_end else ranking.critical_difference, 0)
        panel.word("difference", at, significant(ranking.critical_difference), side=0 if near_end else 1)
        for row, members in enumerate(ranking.alike, start=1):
            ends = np.array([rank_of[members[0]] - 1, rank_of[members[-1]] - 1])
            panel.line("alike", ends, np.full(2, float(row)), _INK)
        for row, name in enumerate(ranking.treatments, start=1 + len(ranking.alike)):
            rank = rank_of[name]
            panel.point(name, (rank - 1, row), styles[name], f"{name}: mean rank {significant(rank)}")
        return [panel]

    test = "" if ranking.p is None else f"Friedman's test that all are alike: p = {_p(ranking.p)}."
    caption = (
        f"Mean rank by {of} over {counted(ranking.conditions, 'condition')}.",
        "Mean ranks farther apart than the critical difference (Nemenyi, 95 %) differ; a bar joins those that do not.",
        test,
    )
    return Figure("critical-difference", f"Ranks by {of}", caption, (), draw)


def _p(value: float) -> str:
    return significant(value, 2) if value >= _LEAST else f"less than {_LEAST:g}"


_LOOK = Style(0, 0, 0)
_JOINT = Style(7, 0, 0)
_INK = Style(7, 0, 0)
_LEAST = 0.0001
