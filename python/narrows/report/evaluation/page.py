"""The annex of a suite as one HTML document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.evaluation.summary import by_criterion, counts
from narrows.evaluation.verdict import BETTER, BROKEN, NOT_APPLICABLE, NOT_MEASURED, WITHIN, WORSE
from narrows.report.drawing.scale import NO_DATA
from narrows.report.drawing.svg import Markup, element
from narrows.report.evaluation import words
from narrows.report.page import document as page
from narrows.report.page.state import state

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = Mapping[str, Any]


def suite_page(summary: Mapping[str, Any]) -> str:
    """Return the report of a suite.

    Args:
        summary: The contents of `summary.json`.
    """
    rows = summary["rows"]
    sections = [
        page.section(
            "about", "What was measured", *(element("p", text) for text in words.preface(summary)), _facts(summary)
        ),
        page.section("overview", "Criteria", _overview(rows)),
        *(_section(section, found) for section, found in words.sections(rows).items()),
    ]
    links = [("about", "About"), ("overview", "Criteria")]
    links += [(_anchor(section), f"§{section}") for section in words.sections(rows)]
    header = page.page_header(summary["title"], "Suite", _badge(rows), links)
    return page.document(summary["title"], header, sections)


def _facts(summary: Mapping[str, Any]) -> Markup:
    entries = [
        ("Criteria", summary["source"]),
        ("Size", summary["size"]),
        ("Made again by", element("code", summary["command"])),
        ("Results", element("code", "summary.json")),
        ("Annex in Markdown", element("code", "annex.md")),
    ]
    return element(
        "dl", *(element("div", element("dt", label), element("dd", text)) for label, text in entries), class_="facts"
    )


def _badge(rows: Sequence[Row]) -> Markup:
    found = counts(rows)
    css, sign = ("failed", "✕") if found[BROKEN] else ("ok", "✓")
    text = ", ".join(f"{count} {verdict}" for verdict, count in found.items() if count)
    return element("p", element("span", sign, class_="sign", aria_hidden="true"), text, class_=f"verdict {css}")


def _overview(rows: Sequence[Row]) -> Markup:
    head = element("tr", *(element("th", text, scope="col") for text in ("Section", "Criterion", *STATES)))
    body = []
    for (section, criterion), found in by_criterion(rows).items():
        link = element("a", f"§{section}", href=f"#{_anchor(section)}")
        cells = [element("td", str(count) if count else "") for count in counts(found).values()]
        body.append(element("tr", element("th", link, scope="row"), element("td", criterion), *cells))
    return _table("Number of rows of each criterion by verdict", head, body)


def _section(section: str, rows: Sequence[Row]) -> Markup:
    parts = []
    for (_, criterion), found in by_criterion(rows).items():
        level = f" ({found[0]['level']})" if found[0]["level"] else ""
        parts.append(element("h3", f"{criterion}{level}"))
        if found[0]["measured"] is None and found[0]["reason"]:
            parts.append(element("p", state(*STATES[found[0]["verdict"]]), f": {found[0]['reason']}"))
            continue
        parts.append(
            element(
                "p",
                element("code", found[0]["measure"]),
                f". Predicate: {found[0]['predicate_source']}.",
                class_="note",
            )
        )
        parts.append(_rows(criterion, found))
    return page.section(_anchor(section), f"Section {section}", *parts)


def _rows(criterion: str, rows: Sequence[Row]) -> Markup:
    titles = ("Condition", "Measured", "Compared with", "Verdict", "Scenario")
    head = element("tr", *(element("th", text, scope="col") for text in titles))
    body = [
        element(
            "tr",
            element("th", words.condition(row) or "as in the scenario", scope="row"),
            element("td", words.measured(row)),
            element("td", words.against(row)),
            element("td", _state(row)),
            element("td", element("a", "file", href=row["scenario"])),
        )
        for row in rows
    ]
    return _table(criterion, head, body)


def _state(row: Row) -> Markup:
    css, sign, word = STATES[row["verdict"]]
    if row["verdict"] == WITHIN and not row["decided"]:
        css, sign = "open", "?"
    return state(css, sign, words.verdict(row) if css == "open" else word)


def _table(caption: str, head: Markup, body: Sequence[Markup]) -> Markup:
    table = element(
        "table", element("caption", caption), element("thead", head), element("tbody", *body), class_="sheet"
    )
    return element("div", table, class_="scroll", role="region", aria_label=caption, tabindex="0")


def _anchor(section: str) -> str:
    return f"section-{section.replace(' ', '-')}"


STATES = {
    BROKEN: ("failed", "✕", BROKEN),
    WORSE: ("failed", "▼", WORSE),
    WITHIN: ("ok", "✓", WITHIN),
    BETTER: ("ok", "▲", BETTER),
    NOT_APPLICABLE: ("absent", NO_DATA, NOT_APPLICABLE),
    NOT_MEASURED: ("absent", NO_DATA, NOT_MEASURED),
}
