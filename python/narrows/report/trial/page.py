# SPDX-License-Identifier: Apache-2.0
"""The page of a trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.drawing.svg import Markup, element, join
from narrows.page import document as page
from narrows.page.blocks import badge, facts, row, state, table
from narrows.page.commands import typed
from narrows.page.metrics import meaning
from narrows.plural import counted
from narrows.report.trial.comment import change, remarks, sentence, values
from narrows.trial.verdict import BETTER, NO_WORSE, UNDECIDED, VERDICTS, WORSE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def trial_page(summary: Mapping[str, Any]) -> str:
    """Return the report of a trial as one HTML document.

    Args:
        summary: The contents of `summary.json`.
    """
    rows = sorted(summary["rows"], key=lambda row: ORDER.index(row["verdict"]))
    about = [("A", summary["a"]), ("B", summary["b"]), ("Seed", str(summary["seed"]))]
    about += typed(summary["command"])
    plain = " ".join([sentence(summary), *remarks(summary)])
    parts = [
        page.answer(_found(rows), (), "", plain.replace("`", "\N{QUOTATION MARK}")),
        page.section("metrics", "All metrics", element("p", NOTE, class_="note"), _table(rows)),
        page.section("run", "What was run", facts(about), link="Run"),
    ]
    broken = summary["verdicts"][WORSE]
    css, sign = ("open", "?") if summary["verdicts"][UNDECIDED] else ("ok", "✓")
    if broken:
        css, sign = "failed", "✕"
    text = ", ".join(f"{summary['verdicts'][each]} {each}" for each in VERDICTS if summary["verdicts"][each])
    return page.document(f"{summary['b']} against {summary['a']}", "Trial", badge(css, sign, text), parts)


def _found(rows: Sequence[Mapping[str, Any]]) -> list[Markup]:
    """Return the answer: each metric that is worse or better, then how many are neither."""
    found = [_sentence(row) for verdict in (WORSE, BETTER) for row in rows if row["verdict"] == verdict]
    said = [*found[:MOST_NAMED]]
    if len(found) > MOST_NAMED:
        said.append(join((f"{counted(len(found) - MOST_NAMED, 'further change')} in the table below.",)))
    count = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ORDER}
    rest = f"{count[NO_WORSE]} of {counted(len(rows), 'metric')} no worse than before"
    if count[UNDECIDED]:
        rest += f"; {count[UNDECIDED]} undecided, which more replications or a wider margin would decide"
    return [*said, join((f"{rest}.",))]


def _sentence(row: Mapping[str, Any]) -> Markup:
    css = "worse" if row["verdict"] == WORSE else "better"
    verdict = element("span", row["verdict"], class_=f"word {css}")
    name = element("b", _metric(row))
    return join((name, f" in {row['scenario']}: {values(row)}, {change(row)}, ", verdict, "."))


def _metric(row: Mapping[str, Any]) -> str:
    return meaning(row["metric"]).of(row["owner"]).title


def _table(rows: Sequence[Mapping[str, Any]]) -> Markup:
    heads = ("Metric", "Scenario", "Verdict", "A → B", "Change", "Replications")
    body = [
        row(_metric(each), each["scenario"], state(*STATES[each["verdict"]]), values(each), change(each),
            str(each["replications"]))
        for each in rows
    ]  # fmt: skip
    return table("All metrics", heads, body, "sheet sortable", named=False)


STATES = {
    "no worse": ("ok", "✓", "no worse"),
    "worse": ("failed", "▼", "worse"),
    "better": ("ok", "▲", "better"),
    "undecided": ("open", "?", "undecided"),
}
# The order in which people want to read them.
ORDER = (WORSE, BETTER, UNDECIDED, NO_WORSE)
MOST_NAMED = 4
NOTE = "Those that are worse stand first; a click on a heading sorts by it."
