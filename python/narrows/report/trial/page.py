"""The page of a trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.report.drawing.svg import Markup, element
from narrows.report.page import document as page
from narrows.report.page.state import state
from narrows.report.trial.comment import change, headline, sentence, values
from narrows.trial.verdict import VERDICTS, WORSE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def trial_page(summary: Mapping[str, Any]) -> str:
    """Return the report of a trial as one HTML document.

    Args:
        summary: The contents of `summary.json`.
    """
    names: dict[str, list[Mapping[str, Any]]] = {}
    for row in summary["rows"]:
        names.setdefault(row["scenario"], []).append(row)
    facts = element(
        "dl",
        element("div", element("dt", "A"), element("dd", summary["a"])),
        element("div", element("dt", "B"), element("dd", summary["b"])),
        element("div", element("dt", "Made again by"), element("dd", element("code", summary["command"]))),
        class_="facts",
    )
    sections = [page.section("about", headline(summary), element("p", sentence(summary)), facts)]
    sections += [
        page.section(f"scenario-{place}", name, _table(name, rows)) for place, (name, rows) in enumerate(names.items())
    ]
    links = [("about", "Result"), *((f"scenario-{place}", name) for place, name in enumerate(names))]
    broken = summary["verdicts"][WORSE]
    css, sign = ("failed", "✕") if broken else ("ok", "✓")
    text = ", ".join(f"{summary['verdicts'][each]} {each}" for each in VERDICTS if summary["verdicts"][each])
    badge = element("p", element("span", sign, class_="sign", aria_hidden="true"), text, class_=f"verdict {css}")
    title = f"{summary['b']} against {summary['a']}"
    return page.document(title, page.page_header(title, "Trial", badge, links), sections)


def _table(name: str, rows: Sequence[Mapping[str, Any]]) -> Markup:
    titles = ("Metric", "Verdict", "A → B", "Change", "Replications")
    head = element("tr", *(element("th", text, scope="col") for text in titles))
    body = [
        element(
            "tr",
            element("th", f"{row['metric']} of {row['owner']}", scope="row"),
            element("td", state(*STATES[row["verdict"]])),
            element("td", values(row)),
            element("td", change(row)),
            element("td", str(row["replications"])),
        )
        for row in rows
    ]
    table = element("table", element("caption", name), element("thead", head), element("tbody", *body), class_="sheet")
    return element("div", table, class_="scroll", role="region", aria_label=name, tabindex="0")


STATES = {
    "no worse": ("ok", "✓", "no worse"),
    "worse": ("failed", "▼", "worse"),
    "better": ("ok", "▲", "better"),
    "undecided": ("open", "?", "undecided"),
}
