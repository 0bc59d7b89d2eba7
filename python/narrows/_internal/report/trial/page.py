# SPDX-License-Identifier: Apache-2.0
"""The page of a trial, and its figure: all metrics on one axis, in multiples of the change that matters."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from narrows._internal.drawing.figure import Figure, Key, Paper
from narrows._internal.drawing.plot import Axis, Panel
from narrows._internal.drawing.scale import Unit
from narrows._internal.drawing.style import Style
from narrows._internal.drawing.svg import Markup, element, join
from narrows._internal.linux.backend import REAL_TIME, SIMULATOR
from narrows._internal.page import document as page
from narrows._internal.page.blocks import REPORT, badge, facts, row, state, table, typed
from narrows._internal.page.metrics import meaning
from narrows._internal.page.paragraph import pasted
from narrows._internal.plural import counted
from narrows._internal.report.study.rows import rows_panel
from narrows._internal.report.trial.comment import change, remarks, sentence, values
from narrows._internal.trial.verdict import BETTER, NO_WORSE, UNDECIDED, VERDICTS, WORSE


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
    title = f"{summary['b']} against {summary['a']}"
    return page.document(title, "Trial", badge(css, sign, text), parts, paste=_paragraph(summary, rows))


def _paragraph(summary: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    scenarios = list(dict.fromkeys(each["scenario"] for each in rows))
    times = counted(max((each["replications"] for each in rows), default=0), "replication")
    setting = (
        f"{summary['b']} was compared with {summary['a']} in {counted(len(scenarios), 'scenario')} "
        f"({', '.join(scenarios)}; seed {summary['seed']}, on common random numbers). Replications were added until "
        f"each metric of a scenario was decided, at most {times}."
    )
    level = 1 - summary["alpha"] / max(len(rows), 1)
    method = (
        f"Intervals were confidence sequences of level {level:.3g} each, valid at every "
        f"number of replications; a metric was worse or better by more than a margin of {summary['margin']}."
    )
    return pasted(setting, method, _found(rows) if rows else [], summary["command"])


def _kernels(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the kernel of each side that has one; programs of both sides have one kernel."""
    systems = {each["system"] for each in summary.get("backends", ()) if each["on"] == REAL_TIME}
    return [("Kernel of the programs", f"Linux {system}, in real time") for system in systems] + [
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
    if on == REAL_TIME:
        return shlex.join(["narrows", "emulate", file, "--replications", str(row["replications"]), "--trust"])
    backend = [] if on == SIMULATOR else ["--on", on]
    return shlex.join(["narrows", "run", file, "--replications", str(row["replications"]), *backend])


def _file(summary: Mapping[str, Any], row: Mapping[str, Any]) -> Markup | str:
    """Return the name of the scenario of a row with links to its files."""
    files = summary.get("scenarios", {}).get(row["scenario"])
    if not files:
        return str(row["scenario"])
    # Of a path that is drawn anew for each replication, the first draw.
    links = (element("a", side, href=quote(file)) for side, file in zip("AB", files[:2], strict=True))
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


def changes(rows: Sequence[Mapping[str, Any]], level: float) -> list[Figure]:
    """Return the figure of the changes: none if no metric has a margin."""
    known = [each for each in rows if each["difference"] is not None and each["margin"]]
    if not known:
        return []
    shown = known[:MOST]
    costs = {id(each): _cost(each) for each in shown}
    reach = max(_LEAST, *(_WIDER * abs(mean) for mean, _, _ in costs.values()))
    caption = [
        "How much worse the second is than the first (to the right), in multiples of the change that matters.",
        _INTERVALS.format(level=level),
        f"{len(shown)} of {len(rows)} metrics are drawn; the table has all." if len(shown) < len(rows) else "",
    ]
    there = [verdict for verdict in STYLES if any(each["verdict"] == verdict for each in shown)]

    def draw(paper: Paper) -> Sequence[Panel]:
        names = [f"{_metric(each)}, {each['scenario']}" for each in shown]
        panel = rows_panel(paper, Axis("Cost", Unit("margins"), -reach, reach), "", names, row=22.0)
        panel.guide(0.0, "the same", above=True)
        for place, each in enumerate(shown):
            mean, low, high = costs[id(each)]
            style = STYLES[each["verdict"]]
            panel.whiskers(each["verdict"], (mean, place), (low, high), (place, place), style)
            panel.event(each["verdict"], (mean, place), style, f"{names[place]}: {change(each)}, {each['verdict']}")
        return [panel]

    keys = [Key(verdict, verdict, "dot", STYLES[verdict]) for verdict in there]
    return [Figure("changes", "Changes of all metrics", caption, keys, draw)]


def _cost(row: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return how much worse the second is, and the ends of the interval, in margins; infinite without an interval."""
    sign = (1.0 if row["better"] == "lower" else -1.0) / row["margin"]
    low, high = sorted(sign * end for end in row["interval"]) if row["interval"] else (-FAR, FAR)
    return sign * row["difference"], low, high


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
STYLES = {WORSE: Style(1, 0, 4), BETTER: Style(2, 0, 3), UNDECIDED: Style(7, 0, 2), NO_WORSE: Style(0, 0, 0)}
# Rows of a figure.
MOST = 30
# The least end of the axis, in margins; its factor beyond the greatest mean; and an end beyond all values.
_LEAST, _WIDER = 2.0, 1.2
FAR = 1e9
_INTERVALS = (
    "Error bars are confidence intervals of the mean paired difference that hold at every number of replications "
    "at once (anytime-valid t test), of level {level:.3g} each; one with an arrow goes on."
)
