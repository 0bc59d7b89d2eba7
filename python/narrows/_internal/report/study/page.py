# SPDX-License-Identifier: Apache-2.0
"""The page of a study: question, findings, the design with its confounded effects, and the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from narrows._internal.drawing.figure import Figure
from narrows._internal.drawing.scale import NO_DATA, PERCENT, PERCENT_POINTS, bound_text
from narrows._internal.drawing.svg import Markup, element
from narrows._internal.experiments.campaign import digest_of
from narrows._internal.experiments.design import describe
from narrows._internal.experiments.findings import LEVEL, Finding, findings
from narrows._internal.experiments.plan import Plan
from narrows._internal.experiments.store import NOTE, independent, is_repeated
from narrows._internal.experiments.stored import Status
from narrows._internal.metrics.criteria import given_margins, margin_of
from narrows._internal.page import document as page
from narrows._internal.page.blocks import REPORT, badge, facts, of_study, row, table
from narrows._internal.page.estimates import estimate_texts
from narrows._internal.page.paragraph import pasted
from narrows._internal.plural import counted
from narrows._internal.report.study import curves, multivariate, responses
from narrows._internal.report.study.against import against
from narrows._internal.report.study.layout import layouts
from narrows._internal.report.study.rows import response_meaning
from narrows._internal.report.study.sentences import answers, measured, sentences, signed
from narrows.metrics import card_of

if TYPE_CHECKING:
    import pyarrow as pa


def study_page(plan: Plan, cells: pa.Table, state: Status) -> str:
    """Return the report of a study as one HTML document."""
    everything, cells = cells, independent(cells)
    found = findings(plan, cells)
    first, more = _curves(plan, cells, found)
    sections = [
        page.answer(_answer(plan, found), first, REPORT, _basis(plan, found, repeated=is_repeated(everything))),
        page.section("findings", "Findings", *_findings(plan, found)),
        *([page.section("responses", "Responses", _RESPONSES, page.figure_grid(more, REPORT))] if more else []),
        *responses.parts(plan, cells, found, REPORT),
        *multivariate.parts(plan, cells, found, REPORT),
        page.section("question", "Question", *_question(plan)),
        page.section("design", "Design", element("pre", describe(plan.design)), _cells(plan, everything, state)),
        page.section("origin", "Where this comes from", _origin(plan, everything), link=""),
    ]
    return page.document(
        plan.title, "Study", progress(state), sections, digest=digest_of(everything), paste=_paragraph(plan, found)
    )


def _paragraph(plan: Plan, found: Sequence[Finding]) -> str:
    """Return the design and the first findings of a study in the past tense; empty without findings."""
    algorithms = list(filter(None, plan.algorithms))
    tested = f" with {', '.join(algorithms)}" if algorithms else ""
    counts = [f"{name} ({len({str(point.levels[name]) for point in plan.points})} levels)" for name in plan.factors]
    setting = (
        f"The study “{plan.title}” simulated {counted(len(plan.rows), 'combination')} of levels of "
        f"{', '.join(counts)}{tested}, in {_times(plan)} each (seed {plan.seed}, on common random numbers)."
    )
    method = "Intervals were 95 % confidence intervals over replications; p values were corrected by Holm's method."
    return pasted(setting, method, measured(found)[:MOST_PASTED])


def _answer(plan: Plan, found: Sequence[Finding]) -> list[object]:
    """Return the question and the first findings, clear effects before the others."""
    if not found:
        return ["No cell has a value of any measure yet."]
    asked: list[object] = [element("b", plan.question)] if plan.question else []
    replaced = [] if plan.replaced is None else [plan.replaced.sentence]
    return [*asked, *answers(found)[: MOST_SENTENCES - len(asked)], *replaced]


def _basis(plan: Plan, found: Sequence[Finding], *, repeated: bool) -> str:
    if not found or repeated:
        return NOTE if repeated else ""
    return (
        f"Means over {counted(found[0].replications, 'replication')}, seed {plan.seed}; in parentheses 95 % intervals. "
        "A difference is stated where its test is significant after correction and it exceeds the margin from which it "
        f"matters: {', '.join(_margins(plan))}."
    )


def _margins(plan: Plan) -> Iterator[str]:
    """Yield the margin of each of the first responses, as text."""
    given = given_margins(f"{metric}={value}" for metric, value in plan.margins.items())
    for column in plan.columns[:MOST_RESPONSES]:
        margin = given.get(column.measure) or margin_of(card_of(column.measure, column.of))
        shown = response_meaning(column.name)
        unit = PERCENT_POINTS if shown.unit is PERCENT else shown.unit
        parts = [bound_text(margin.relative, PERCENT)] if margin.relative else []
        parts += [bound_text(margin.absolute, unit)] if margin.absolute else []
        yield f"{shown.label} {' or '.join(parts)}"


def _curves(plan: Plan, cells: pa.Table, found: Sequence[Finding]) -> tuple[list[Figure], list[Figure]]:
    """Return the two figures that people look at first, and the responses against their strongest factors."""
    columns = {column.name: column for column in plan.columns}
    drawn = [
        against(plan, cells, columns[finding.response], layout)
        for finding in found[:MOST_RESPONSES]
        for layout in layouts(plan, cells, finding)[:MOST_FACTORS]
    ]
    traded = list(curves.trade_off(plan, cells, found))
    return [*drawn[:1], *traded], drawn[1:]


def _question(plan: Plan) -> list[Markup]:
    algorithms = list(filter(None, plan.algorithms))
    question = [element("p", plan.question)] if plan.question else []
    entries = [("Base scenario", plan.base.file)]
    if algorithms:
        entries.append(("Algorithms", ", ".join(algorithms)))
    for factor in plan.factors:
        levels = list(dict.fromkeys(str(point.levels[factor]) for point in plan.points))
        few = levels if len(levels) <= _SHOWN else [*levels[:_SHOWN], f"… ({len(levels)} values)"]
        entries.append((factor, ", ".join(few)))
    return [*question, facts(entries)]


def _findings(plan: Plan, found: Sequence[Finding]) -> list[Markup]:
    if not found:
        return [element("p", "No cell has a value of any measure yet.", class_="note")]
    said = [element("li", sentence) for finding in found for sentence in sentences(finding)]
    tables = [_means_table(finding) for finding in found if len(finding.means) > 1]
    spans = any(finding.spans for finding in found)
    note = (
        f"Means over all conditions; intervals are 95 % over {found[0].replications} replications (seed {plan.seed}), "
        "and speak of the average over these conditions alone. Differences are paired on the same random numbers. "
        "A sentence stands where the paired t-test of a difference, or the F test of a factor in the analysis of "
        f"variance below, gives p < {LEVEL:g} after Holm's correction for all tests of this section, and the "
        "difference exceeds the margin from which it matters. If a factor changes a difference, or an effect, by "
        "more than the margin, it is given at each level"
        + (
            "; of many combinations of levels, the smallest and the largest difference, not tested each."
            if spans
            else "."
        )
    )
    return [element("ul", *said), element("p", note, class_="note"), element("div", *tables, class_="tables")]


def _means_table(finding: Finding) -> Markup:
    shown = response_meaning(finding.response)
    rows = []
    for mean in finding.means:
        value, interval = mean.mean["mean"], mean.mean["ci95"]
        text, ends = estimate_texts(value, interval, shown.unit)
        difference = signed(mean.difference, finding.response) if mean.difference else NO_DATA
        rows.append(row(mean.algorithm, text, ends or NO_DATA, difference))
    return table(shown.title, ("", "Mean", "95 % interval", "Difference"), rows, "measures")


def progress(state: Status) -> Markup:
    """Return the badge with the number of finished cells."""
    if state.failed:
        return badge("failed", "✕", f"{state.failed} of {counted(state.cells, 'cell')} failed")
    if state.finished < state.cells:
        text = f"{state.finished} of {counted(state.cells, 'cell is', 'cells are')} finished"
        return badge("absent", NO_DATA, text)
    return badge("ok", "✓", f"All {state.cells} cells are finished" if state.cells > 1 else "The one cell is finished")


def _cells(plan: Plan, cells: pa.Table, state: Status) -> Markup:
    failed = [names for names in cells["checks_failed"].to_pylist() if names]
    times = Counter(name for names in failed for name in names.split(", "))
    checks = "; ".join(f"{name}: in {count}" for name, count in times.items()) or "none"
    algorithms = len(plan.rows[0])
    entries = [
        ("Cells", f"{state.finished} of {state.cells} finished, {state.failed} failed"),
        (
            "Made of",
            f"{counted(len(plan.rows), 'combination')} of levels, {counted(algorithms, 'algorithm')}, {_times(plan)}",
        ),
        ("Sanity checks that failed", checks),
    ]
    return facts(entries)


def _times(plan: Plan) -> str:
    few, many = plan.replications.minimum, plan.replications.maximum
    return counted(few, "replication") if few == many else f"{few} to {many} replications"


def _origin(plan: Plan, cells: pa.Table) -> Markup:
    entries: list[tuple[str, object]] = [
        ("Engine", element("code", plan.base.engine[:16])),
        ("Seed", str(plan.seed)),
        ("Results", element("code", "cells.parquet")),
        *of_study(cells["cell"].to_pylist(), trust=plan.needs_trust),
        ("The study file", element("code", "study.toml")),
    ]
    return facts(entries)


_RESPONSES = element("p", "A response is a metric that the study measures in each cell.", class_="note")
# Of the answer; responses and factors of each that are drawn as curves.
MOST_SENTENCES = 4
MOST_RESPONSES = 4
MOST_PASTED = 2
MOST_FACTORS = 2
# Levels of a factor that are named in the text.
_SHOWN = 8
