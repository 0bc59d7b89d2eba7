# SPDX-License-Identifier: Apache-2.0
"""Tables of a study: variance, pairs of algorithms, duels, outlying algorithms, correlated responses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from narrows._internal.analysis.table import AnalysisError
from narrows._internal.drawing.figure import Figure
from narrows._internal.drawing.scale import MINUS, NO_DATA, quantity, significant
from narrows._internal.drawing.svg import Markup, element
from narrows._internal.page import document as page
from narrows._internal.page.blocks import scrolled
from narrows._internal.page.estimates import difference_texts
from narrows._internal.plural import counted
from narrows._internal.report.study.rows import response_meaning

if TYPE_CHECKING:
    from narrows._internal.analysis.multivariate import Correlations, Dendrogram
    from narrows.analysis.compare import Comparison
    from narrows.analysis.ranks import Majority, Outlier
    from narrows.analysis.variance import Anova


def html_table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> Markup:
    """Return a table, with the names of rows in its first column."""
    # A column of numbers alone is aligned at its right.
    columns = list(zip(*rows, strict=True)) if rows else [() for _ in heads]
    css = ["number" if place and all(map(_NUMERIC.match, column)) else None for place, column in enumerate(columns)]
    head = element("tr", *(element("th", text, scope="col", class_=css[place]) for place, text in enumerate(heads)))
    body = (
        element(
            "tr",
            element("th", name, scope="row"),
            *(element("td", each, class_=css[place]) for place, each in enumerate(cells, start=1)),
        )
        for name, *cells in rows
    )
    table = element(
        "table", element("caption", caption), element("thead", head), element("tbody", *body), class_="sheet"
    )
    return scrolled(table, caption, *([element("p", note, class_="note")] if note else ()))


def variance(response: str, table: Anova) -> Markup:
    """Return the table of the analysis of variance of a response, the largest source first."""
    shown = response_meaning(response)
    *effects, residual = sorted(table.sources, key=lambda each: (each.name == "residual", -each.sum_of_squares))
    total = sum(source.sum_of_squares for source in table.sources) or 1.0
    shown_effects = [source for source in effects if source.p is None or source.p < _LEVEL] or effects[:1]
    rows = [
        (
            source.name,
            f"{100 * source.sum_of_squares / total:.1f} %",
            str(source.degrees),
            NO_DATA if source.f is None else significant(source.f),
            probability(source.p),
        )
        for source in (*shown_effects[:_ROWS], residual)
    ]
    hidden = len(effects) - len(shown_effects[:_ROWS])
    note = " ".join(
        sentence
        for sentence in (
            "Type II sums of squares; replications that share random numbers are a block.",
            f"{counted(hidden, 'effect is', 'effects are')} left out: not significant (p of {_LEVEL:g} or more), "
            "or smaller than those shown."
            if hidden
            else "",
            f"The design cannot distinguish {_terms(table.left_out)} from the others." if table.left_out else "",
            f"Left in the residual, since the design is unbalanced and has many levels: {_terms(table.too_large)}."
            if table.too_large
            else "",
        )
        if sentence
    )
    heads = ("Where it comes from", "Part of the variance", "Degrees of freedom", "F", "p")
    return html_table(f"What moves {shown.label}", heads, rows, note)


def _terms(of: Sequence[tuple[str, ...]]) -> str:
    return ", ".join(":".join(term) for term in of[:_NAMED])


def comparisons(response: str, rows: Sequence[Comparison]) -> Markup:
    """Return the table of pairs of algorithms with effect sizes and corrected p values."""
    shown = response_meaning(response)
    lines = []
    for row in rows:
        mean, interval = row.difference["mean"], row.difference["ci95"]
        if mean is None:
            continue
        beside = [*(interval or ()), *(row.bootstrap or ())]
        value, ends = difference_texts(mean, interval, shown.unit, beside)
        resampled = difference_texts(mean, row.bootstrap, shown.unit, beside)[1] if row.bootstrap else NO_DATA
        lines.append(
            (
                f"{row.of} {MINUS} {row.against}",
                value,
                ends or NO_DATA,
                resampled,
                NO_DATA if row.hedges_g is None else significant(row.hedges_g, 2),
                significant(row.cliffs_delta, 2),
                probability(row.p_holm),
                probability(row.p_bh),
            )
        )
    heads = ("", "Difference", "95 % by t", "95 % by bootstrap", "Hedges' g", "Cliff's δ", "p, Holm", "p, FDR")
    note = (
        f"{counted(rows[0].pairs, 'pair')} of cells each with the same condition and random numbers. p of the paired t "
        f"test, corrected for {counted(len(rows), 'comparison')}: Holm's keeps the chance of any false one, Benjamini "
        "and Hochberg's the part of false ones among those called different."
    )
    return html_table(f"{shown.title}, algorithm against algorithm", heads, lines, note)


def duels(response: str, found: Majority) -> Markup:
    """Return the table of the number of conditions in which each algorithm is better than each other."""
    shown = response_meaning(response)
    order = sorted(range(len(found.treatments)), key=lambda place: -found.copeland[place])
    names = [found.treatments[place] for place in order]
    rows = [
        (
            found.treatments[row],
            *(NO_DATA if row == column else f"{found.wins[row, column]:.0f}" for column in order),
            f"{found.copeland[row]:g}",
        )
        for row in order
    ]
    winner = (
        f"{found.condorcet} wins every duel (Condorcet)."
        if found.condorcet
        else f"None wins every duel; most are won by {', '.join(found.winners)} (Copeland)."
    )
    note = f"Conditions in which the row is better than the column; duels won, a tie as half. {winner}"
    return html_table(f"Duels by {shown.label}", ("", *names, "Duels won"), rows, note)


def outliers(found: Sequence[Outlier], tests: int) -> Markup:
    """Return the table of algorithms that are outliers, with the number of tests in which they are."""
    counted = Counter((each.algorithm, each.response) for each in found)
    rows = [
        (
            algorithm,
            response_meaning(response).title,
            str(count),
            _greatest([each for each in found if (each.algorithm, each.response) == (algorithm, response)]),
        )
        for (algorithm, response), count in counted.most_common(_ROWS)
    ]
    note = (
        f"Grubbs' test, 5 %, of {tests} sets of algorithms (a response under a condition); "
        f"{0.05 * tests:.0f} of them would show an outlier by chance."
    )
    heads = ("Algorithm", "Response", "Conditions", "Farthest")
    return html_table("Algorithms that stand apart from all others", heads, rows, note)


def alone(trees: Sequence[Dendrogram]) -> Markup:
    """Return the table of how often each algorithm is joined last and alone in the dendrogram of a condition."""
    counted = Counter(name for tree in trees if len(tree.distinct) == 1 for name in tree.distinct)
    names = sorted(trees[0].leaves, key=lambda name: -counted[name])
    rows = [(name, f"{counted[name]} of {len(trees)}") for name in names]
    note = "A tree for each condition by average linkage of 1 - |r|; the last joint may also part two groups."
    return html_table("Conditions in which an algorithm behaves unlike all others", ("Algorithm", "Alone"), rows, note)


def alike_responses(found: Correlations) -> Markup:
    """Return the table of groups of correlated responses, with the representative of each."""
    rows = []
    for group in found.groups:
        first = found.responses.index(group[0])
        others = [
            f"{response_meaning(name).title} (r = {found.matrix[first, found.responses.index(name)]:+.2f})"
            for name in group[1:]
        ]
        rows.append((response_meaning(group[0]).title, ", ".join(others) or NO_DATA))
    constant = ", ".join(response_meaning(name).title for name in found.constant)
    note = "Pearson's r over all cells; |r| above 0.8 links two responses." + (
        f" Without any variation: {constant}." if constant else ""
    )
    return html_table("Responses that say the same", ("Stands for its group", "Others of the group"), rows, note)


def probability(p: float | None) -> str:
    """Return a p value as text; "-" without one."""
    if p is None:
        return NO_DATA
    return significant(p, 2) if p >= _LEAST else f"< {_LEAST:g}"


def _greatest(found: Sequence[Outlier]) -> str:
    farthest = max(found, key=lambda each: each.test.statistic)
    unit = response_meaning(farthest.response).unit
    levels = ", ".join(farthest.condition.values())
    values = f"{quantity(farthest.value, unit)}, mean of all {quantity(farthest.mean, unit)}"
    return f"{values} ({levels})" if levels else values


_T = TypeVar("_T")


def part(  # noqa: PLR0913  # the contents of the part
    anchor: str,
    title: str,
    command: str,
    tables: Sequence[Markup],
    figures: Sequence[Figure],
    *,
    more: str,
    folded: Sequence[Figure],
    closed: bool = False,
) -> page.Part:
    """Return a part of a study's page."""
    hidden = [element("details", element("summary", more), page.figure_grid(folded, command), class_="more")]
    drawn = page.figure_grid(figures, command)
    content = (*tables, drawn, *(hidden if folded else ()))
    if closed:
        content = (element("details", element("summary", "Effects of the factors"), *content, class_="more"),)
    return page.section(anchor, title, *content)


def allowed(make: Callable[[], _T]) -> Iterator[_T]:
    """Yield the result of `make`; nothing if the cells do not allow the analysis."""
    try:
        yield make()
    except AnalysisError:
        return


_LEVEL = 0.05
_NUMERIC = re.compile(r"[-+\u2212\u2013<]? ?\d|\u2013$")
_LEAST = 0.0001
_ROWS = 16
# Interactions that a note names.
_NAMED = 6
