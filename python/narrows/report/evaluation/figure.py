# SPDX-License-Identifier: Apache-2.0
"""The rows of a suite as a figure: the distance of each from its bound, a line per criterion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.drawing.figure import Figure, Key, Paper
from narrows.drawing.plot import Axis, Panel
from narrows.drawing.scale import PERCENT
from narrows.drawing.style import Style
from narrows.evaluation.summary import by_criterion
from narrows.evaluation.verdict import BETTER, BROKEN, WITHIN, WORSE
from narrows.page.estimates import relative_text
from narrows.report.evaluation import words
from narrows.report.study.rows import rows_panel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = Mapping[str, Any]


def distances(seen: Mapping[str, Sequence[Row]]) -> list[Figure]:
    """Return a figure per backend with the distances of rows from their bounds; none for a backend without bounds."""
    found = []
    for name, rows in seen.items():
        criteria = {key: [row for row in of if _distance(row) is not None] for key, of in by_criterion(rows).items()}
        whole = sorted(((key, of) for key, of in criteria.items() if of), key=lambda each: -max(map(_reach, each[1])))
        if whole:
            found.append(_figure(name if len(seen) > 1 else "", whole))
    return found


def _figure(backend: str, criteria: Sequence[tuple[tuple[str, str], Sequence[Row]]]) -> Figure:
    shown = criteria[:MOST]
    there = {row["verdict"] for _, of in shown for row in of}

    def draw(paper: Paper) -> Sequence[Panel]:
        names = [f"§{section} {criterion}" for (section, criterion), _ in shown]
        panel = rows_panel(paper, Axis("Beyond the bound", PERCENT, -1.04, 1.04), "", names, row=22.0)
        panel.guide(0.0, "bound", above=True)
        for place, (_, of) in enumerate(shown):
            for row in sorted(of, key=lambda each: list(STYLES).index(each["verdict"]), reverse=True):
                beyond = _distance(row) or 0.0
                at = words.condition(row)
                text = f"{names[place]}{f', {at}' if at else ''}: {words.measured(row)}, {relative_text(beyond)} "
                at_edge = (min(max(beyond, -1.0), 1.0), place)
                panel.event(
                    row["verdict"], at_edge, STYLES[row["verdict"]], f"{text}beyond the bound, {row['verdict']}"
                )
        return [panel]

    caption = (
        (
            "A mark is a row: how far the mean of its measure is beyond its bound (to the right) or within it, in per "
            "cent of the bound; at either edge it is farther. Criteria with the row that is farthest beyond are on top."
        ),
        f"{len(shown)} of {len(criteria)} criteria are drawn." if len(shown) < len(criteria) else "",
        "Rows whose bound is 0 are in the tables alone.",
    )
    keys = [Key(verdict, verdict, "dot", style) for verdict, style in STYLES.items() if verdict in there]
    end = f"-{backend}" if backend else ""
    where = f", {backend}" if backend else ""
    return Figure(f"distances{end}", f"How far rows are from their bounds{where}", caption, keys, draw)


def _distance(row: Row) -> float | None:
    """Return the distance of a row beyond its bound, as a part of the bound; None without either."""
    bound, excess = row.get("bound"), row.get("excess")
    if not bound or not excess or excess["mean"] is None or row["verdict"] not in STYLES:
        return None
    ((kind, value),) = list(bound.items())[:1]
    if not value:
        return None
    return float(excess["mean"]) / abs(float(value)) * (1.0 if kind == "at_most" else -1.0)


def _reach(row: Row) -> float:
    """Return the order of a row: broken or worse rows first, then by the distance beyond the bound."""
    return (_distance(row) or 0.0) + (FAR if row["verdict"] in {BROKEN, WORSE} else 0.0)


STYLES = {BROKEN: Style(6, 0, 5), WORSE: Style(1, 0, 4), BETTER: Style(2, 0, 3), WITHIN: Style(0, 0, 0)}
# Criteria of a figure.
MOST = 30
FAR = 1e9
