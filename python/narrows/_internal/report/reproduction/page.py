# SPDX-License-Identifier: Apache-2.0
"""The page of a reproduced study: its claims with verdicts, its figures beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import INDEX, NO_DATA, quantity
from narrows._internal.drawing.style import HUES, Style, catalogued
from narrows._internal.drawing.svg import Markup, element, join
from narrows._internal.page import document as page
from narrows._internal.page.blocks import IN_PLACE, REPORT, badge, facts, here, row, table
from narrows._internal.page.estimates import estimate_text, how_made
from narrows._internal.plural import counted
from narrows._internal.report.reproduction.claims import claims, links, verdict_of
from narrows._internal.report.study.rows import around, response_meaning, stacked_panels
from narrows._internal.reproduction.agreement import estimated
from narrows._internal.reproduction.claims import Picture, Published, Table
from narrows._internal.reproduction.findings import findings
from narrows._internal.reproduction.headline import headline
from narrows._internal.reproduction.ledger import Found, counted_stated, evidence_in
from narrows._internal.reproduction.predicate import FAILS
from narrows._internal.reproduction.quantity import Measured
from narrows._internal.reproduction.registry import origin_text, published_studies

if TYPE_CHECKING:
    from narrows._internal.reproduction.quantity import Cells, Quantity


def reproduction_page(
    published: Published,
    ledger: Mapping[str, Any],
    tables: Sequence[Mapping[str, Any]],
    found: Found,
    origin: Mapping[str, str],
) -> str:
    """Return the report of a reproduction as one HTML document; `origin` is its day, engine and tests."""
    drawn = [_figure(picture, found.cells, place) for place, picture in enumerate(published.pictures)]
    figures = [figure for figure in drawn if figure is not None]
    sections = [
        page.answer(_answer(published, ledger, origin), figures[:_FIRST], REPORT),
        *_findings(published, ledger, tables),
        page.section("claims", "Claims", element("p", _NOTE, class_="note"), claims(ledger["claims"])),
        page.figure_part(figures[_FIRST:], REPORT),
        *(_table(each, found, place) for place, each in enumerate(published.tables)),
        page.section("question", "Question", element("p", published.question), _facts(published, ledger, origin)),
        page.section("experiments", "Experiments", _experiments(published, ledger)),
    ]
    return page.document(published.title, "Reproduction", _badge(ledger), sections, digest=ledger["digest"])


def _answer(published: Published, ledger: Mapping[str, Any], origin: Mapping[str, str]) -> list[object]:
    """Return the question, the number of claims with each verdict, and the strongest claims that fail."""
    sentences: list[object] = [element("b", published.question), *headline(ledger)]
    strong = [claim for claim in ledger["claims"] if claim["strength"] == "strong" and not claim["check"]]
    failing = [claim for claim in strong if claim["verdict"] == FAILS]
    if failing:
        first = element("a", failing[0]["statement"], href=f"#{failing[0]['id']}")
        count = "One of its strong claims fails" if len(failing) == 1 else f"{len(failing)} of its strong claims fail"
        sentences.append(join((count, ": " if len(failing) == 1 else ", the first of them: ", first)))
    return [*sentences, f"{origin_text(origin).capitalize()}."]


def _findings(published: Published, ledger: Mapping[str, Any], tables: Sequence[Mapping[str, Any]]) -> list[page.Part]:
    """Return the table of the main results of the study; nothing if its claims name none."""
    entries = {claim["id"]: claim for claim in ledger["claims"]}
    rows = [
        row(each.says, verdict_of(each.verdict), each.ours or NO_DATA, each.theirs or NO_DATA, links(each.claims))
        for each in findings(published, entries, tables)
    ]
    heads = ("The source says", "Here", "Our numbers", "The source's", "Claims")
    caption = "A sentence has the verdict of the first of its claims, which decides."
    return [page.section("headlines", "What it is known for", table(caption, heads, rows))] if rows else []


def _facts(published: Published, ledger: Mapping[str, Any], origin: Mapping[str, str]) -> Markup:
    entries: list[tuple[str, object]] = [("Source", published.source), ("Size", ledger["size"])]
    entries += [("Seed", str(ledger["seed"])), ("Digest of all records", ledger["digest"])]
    entries += [("Day of the run", origin["date"] or "not kept"), ("Simulator", origin["engine"] or "not kept")]
    known = next((each for each in published_studies() if each.name == ledger["study"]), None)
    if known is not None:
        if (kept := known.ledger_of(ledger["size"])) is not None:
            entries.append(("Published ledger", origin_text(known.origin(kept))))
        entries.append(("Made again by", here("narrows", "reproduce", ledger["study"], f"--{ledger['size']}")))
    return facts(entries)


def _badge(ledger: Mapping[str, Any]) -> Markup:
    counts = counted_stated(evidence_in(ledger["claims"]))
    text = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    # A claim of a paper that fails is a finding, and not a failure of the run.
    css, sign = ("absent", NO_DATA) if counts["fails"] else ("ok", "✓")
    return badge(css, sign, text)


def _experiments(published: Published, ledger: Mapping[str, Any]) -> Markup:
    entries = []
    for name, about in published.experiments.items():
        work = ledger["experiments"].get(name)
        text = (
            f"{counted(work['cells'], 'cell')}, {counted(work['seeds'], 'seed')}"
            if work
            else f"not in the {ledger['size']} size"
        )
        written = join((" (", here("narrows", "report", name), f"{IN_PLACE} writes its own)")) if work else ""
        entries.append((name, join((f"{about} {text}", written))))
    return facts([*entries, *((f"variant {each.name}", each.about) for each in published.variants)])


def _figure(picture: Picture, cells: Cells, number: int) -> Figure | None:
    """Draw a figure of the study again; None if its experiment was left out."""
    asked = picture.lines[0].quantity
    needed = sorted(asked.experiments())
    if set(needed) - set(cells):
        return None
    measured = response_meaning(asked.measure) if isinstance(asked, Measured) else None
    label = picture.axis or (measured.title if measured else "")
    unit = measured.unit if measured else INDEX
    traces = {
        line.name: [_estimate(line.quantity, cells, {"x": each}) for each in picture.places] for line in picture.lines
    }
    means = {name: [value for value, *_ in each] for name, each in traces.items()}
    theirs = {
        f"{name} (published)": [value or float("nan") for value in each] for name, each in picture.published.items()
    }
    known = [value for each in (*means.values(), *theirs.values()) for value in each if np.isfinite(value)]
    if picture.log:
        known = [value for value in known if value > 0]
    if not known:
        return None
    # A wide interval leaves the panel, so that the means do not collapse into a line.
    room = _BEYOND * (max(known) - min(known))
    ends = [end for each in traces.values() for _, interval, _ in each for end in interval or ()]
    held = [*known, *(end for end in ends if abs(end - np.clip(end, min(known), max(known))) <= room)]

    # No line joins names: there is nothing between them.
    ordered = all(isinstance(each, int | float) or each[:1].isdigit() for each in picture.places)

    def draw(paper: Paper) -> Sequence[Panel]:
        across = Axis.of_names(picture.label, [str(each) for each in picture.places])
        up = around(label, unit, held)
        if picture.log:
            up = Axis(label, unit, min(known) / 1.3, max(known) * 1.3, log=True)
        (panel,) = stacked_panels(paper, [(across, up, "")])
        for place, (name, values) in enumerate((*means.items(), *theirs.items())):
            chosen = [(float(x), y) for x, y in enumerate(values) if np.isfinite(y) and not (picture.log and y <= 0)]
            style, own = _style(name, place), name in traces
            if own and ordered:
                panel.line(name, np.array([x for x, _ in chosen]), np.array([y for _, y in chosen]), style)
            for x, y in chosen:
                at = f"{picture.label} {picture.places[round(x)]}"
                interval = traces[name][round(x)][1] if own else None
                text = f"{name}, {at}: {estimate_text(y, interval, unit)}"
                if interval:
                    low, high = max(interval[0], up.low), min(interval[1], up.high)
                    panel.whiskers(name, (x, y), (x, x), (low, high), style)
                panel.point(name, (x, y), style, text, of_many=not own)
        return [panel]

    keys = [Key(name, name, "dot", _style(name, place)) for place, name in enumerate((*traces, *theirs))]
    seeds = len({row["replication"] for row in cells[needed[0]]})
    methods = [method for each in traces.values() for *_, method in each]
    caption = (
        picture.caption,
        f"Means over {seeds} seeds of experiment {', '.join(needed)}.",
        how_made(methods, seeds),
    )
    return Figure(f"figure-{number}", picture.title, caption, keys, draw)


def _estimate(
    measured: Quantity, cells: Cells, binding: Mapping[str, Any]
) -> tuple[float, Sequence[float] | None, str | None]:
    """Return the mean, NaN without values, its 95 % interval over seeds, and the method of the interval."""
    found = estimated(measured, cells, binding)
    mean = float("nan") if found["mean"] is None else found["mean"]
    return mean, found["ci95"], found["interval_method"] if found["ci95"] else None


def _table(given: Table, found: Found, number: int) -> page.Part:
    """Return a table of our values beside the published ones; a value that was not run is a dash."""
    rows = []
    for name, quantities in given.rows.items():
        theirs = given.published.get(name, [None] * len(quantities))
        entries = zip(quantities, given.under[name], theirs, strict=True)
        rows.append(row(name, *(_entry(each, found.under(form), value) for each, form, value in entries)))
    return page.section(f"table-{number}", given.title, table(given.caption, (given.label, *given.columns), rows))


def _entry(asked: Quantity, cells: Cells, theirs: float | None) -> str:
    unit = response_meaning(asked.measure).unit if isinstance(asked, Measured) else INDEX
    mean, interval, _ = _estimate(asked, cells, {})
    ours = estimate_text(mean, interval, unit)
    return ours if theirs is None else f"{ours} ({quantity(theirs, unit)} published)"


def _style(name: str, place: int) -> Style:
    """Return the style of the algorithm with the name of a line, else a style by its place."""
    return catalogued(name) or Style(place % len(HUES), place % 6, place % 6)


# Figures at the top of the page.
_FIRST = 2
# How far beyond the means a figure goes for an interval, as part of their range.
_BEYOND = 0.5
_NOTE = (
    "A claim holds where the whole interval over seeds lies on the claimed side and the claimed magnitude is reached, "
    "holds in direction only where it is not, fails where all of the interval lies on the other side, and is "
    "inconclusive otherwise. The bar shows the 95 % interval over the range that is claimed, whose end is dashed if it "
    "is not claimed itself; where any of several parts decides, the interval that decides is wider."
)
