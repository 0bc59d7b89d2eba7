# SPDX-License-Identifier: Apache-2.0
"""The page of a trial."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from narrows.drawing.svg import Markup, element, join
from narrows.linux.backend import SIMULATOR
from narrows.page import document as page
from narrows.page.blocks import badge, facts, row, state, table
from narrows.page.commands import REPORT, typed
from narrows.page.metrics import meaning
from narrows.plural import counted
from narrows.report.trial.comment import change, remarks, sentence, values
from narrows.report.trial.figure import changes
from narrows.trial.verdict import BETTER, NO_WORSE, UNDECIDED, VERDICTS, WORSE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def trial_page(summary: Mapping[str, Any]) -> str:
    """Return the report of a trial as one HTML document."""
    rows = sorted(summary["rows"], key=lambda row: ORDER.index(row["verdict"]))
    about = [("A", summary["a"]), ("B", summary["b"]), ("Seed", str(summary["seed"])), *_kernels(summary)]
    about += typed(summary["command"])
    plain = " ".join([sentence(summary), *remarks(summary)])
    plain = plain.replace("`", "\N{QUOTATION MARK}")
    drawn = changes(rows, 1 - summary["alpha"] / max(len(rows), 1))
    parts = [
        page.answer(_found(rows), drawn, REPORT, plain),
        *_worse(summary, rows),
        page.section("metrics", "All metrics", element("p", NOTE, class_="note"), _table(summary, rows)),
        page.section("run", "What was run", facts(about), link="Run"),
    ]
    broken = summary["verdicts"][WORSE]
    css, sign = ("open", "?") if summary["verdicts"][UNDECIDED] else ("ok", "✓")
    if broken:
        css, sign = "failed", "✕"
    text = ", ".join(f"{summary['verdicts'][each]} {each}" for each in VERDICTS if summary["verdicts"][each])
    return page.document(f"{summary['b']} against {summary['a']}", "Trial", badge(css, sign, text), parts)


def _kernels(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the kernel of each side that has one."""
    return [
        (f"Kernel of {side}", f"{each['kernel']}, {each['timer_hz']} Hz, key {each['kernel_key'][:12]}")
        for side, each in zip("AB", summary.get("backends", ()), strict=False)
        if "kernel" in each
    ]


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


def _worse(summary: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> list[page.Part]:
    """Return the section with all metrics that are worse, each with the command of its run; none without any."""
    worse = [each for each in rows if each["verdict"] == WORSE]
    if not worse or not summary.get("scenarios"):
        return []
    heads = ("Metric", "Scenario", "A → B", "Change", "Again, with B")
    body = [
        row(_metric(each), _file(summary, each), values(each), change(each), element("code", _command(summary, each)))
        for each in worse[:MOST_WORSE]
    ]
    left = len(worse) - MOST_WORSE
    more = f" {counted(left, 'further metric')} that are worse stand in the table of all." if left > 0 else ""
    shown = table("Metrics that are worse", heads, body, "sheet worse", named=False)
    return [page.section("worse", "Metrics that are worse", element("p", AGAIN + more, class_="note"), shown)]


def _command(summary: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Return the command that runs the scenario of a row with B, in the folder of the page."""
    file, on = summary["scenarios"][row["scenario"]][1], summary["on"][1]
    backend = [] if on == SIMULATOR else ["--on", on]
    return shlex.join(["narrows", "run", file, "--replications", str(row["replications"]), *backend])


def _file(summary: Mapping[str, Any], row: Mapping[str, Any]) -> Markup | str:
    """Return the name of the scenario of a row with links to its files."""
    files = summary.get("scenarios", {}).get(row["scenario"])
    if not files:
        return str(row["scenario"])
    links = (element("a", side, href=quote(file)) for side, file in zip("AB", files, strict=True))
    return join((row["scenario"], " (", *[part for link in links for part in (link, " ")][:-1], ")"))


def _table(summary: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Markup:
    heads = ("Metric", "Scenario", "Verdict", "A → B", "Change", "Replications")

    def lines(some: Sequence[Mapping[str, Any]]) -> Markup:
        body = [
            row(_metric(each), _file(summary, each), state(*STATES[each["verdict"]]), values(each), change(each),
                str(each["replications"]))
            for each in some
        ]  # fmt: skip
        return table("All metrics", heads, body, "sheet sortable", named=False)

    if len(rows) <= MOST_ROWS:
        return lines(rows)
    return element("details", element("summary", f"All {len(rows)} metrics"), lines(rows), class_="rows")


STATES = {
    "no worse": ("ok", "✓", "no worse"),
    "worse": ("failed", "▼", "worse"),
    "better": ("ok", "▲", "better"),
    "undecided": ("open", "?", "undecided"),
}
# The order in which people want to read them.
ORDER = (WORSE, BETTER, UNDECIDED, NO_WORSE)
MOST_NAMED = 4
# Rows that are worse and stand together, and rows of a table that is not folded.
MOST_WORSE, MOST_ROWS = 10, 60
AGAIN = (
    "The commands run in the folder of this page; --out FOLDER keeps the run, a click on a window in its report says "
    "why it fell, and so does narrows why FOLDER. The file beside it is the scenario with A."
)
NOTE = "Those that are worse stand first; a click on a heading sorts by it."
