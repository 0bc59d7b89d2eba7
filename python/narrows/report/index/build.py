# SPDX-License-Identifier: Apache-2.0
"""Writes `index.html` into a folder of folders of results."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from narrows.drawing.scale import NO_DATA
from narrows.drawing.svg import Markup, element, join
from narrows.errors import InputError
from narrows.files.kinds import KINDS
from narrows.files.system import move_file
from narrows.page import document as page
from narrows.page.blocks import badge, row, state, table
from narrows.page.estimates import estimate_text
from narrows.page.metrics import meaning
from narrows.plural import counted
from narrows.report.index.entries import MARKS, SHOWN, Entry, entries
from narrows.statistics import mean_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def build(folder: Path) -> Path:
    """Write the index of a folder of results."""
    found = entries(folder)
    if not found:
        problem = "neither the folder nor one below it is of a run, comparison or study"
        raise InputError(str(folder), f"{problem}: no {', '.join(MARKS[:-1])} or {MARKS[-1]}")
    index, partial = folder / "index.html", folder / ".index.html.partial"
    partial.write_text(index_page(folder.resolve().name, found), encoding="utf-8")
    move_file(partial, index)
    return index


def index_page(name: str, found: Sequence[Entry]) -> str:
    """Return the page of the index as one HTML document."""
    title = f"Results in {name}"
    parts = [
        page.answer([_counts(found)], [], ""),
        page.section("results", "Results", element("p", _NOTE, class_="note"), _table(found)),
    ]
    return page.document(title, "Index", _badge(found), parts)


def _counts(found: Sequence[Entry]) -> str:
    kinds = Counter(each.kind for each in found)
    parts = ", ".join(f"{count} {_PLURAL.get(kind, (kind, kind))[count > 1]}" for kind, count in kinds.items())
    latest = max(each.time for each in found)
    return f"{counted(len(found), 'result')}: {parts}. The latest is of {_when(latest)}."


def _badge(found: Sequence[Entry]) -> Markup:
    levels = Counter(each.level for each in found if each.level)
    css, sign, text = ("ok", "✓", "No check found a fault")
    if levels:
        css, sign = ("failed", "✕") if levels["broken"] else ("open", "!")
        text = ", ".join(f"{levels[level]} {words}" for level, words in _LEVELS.items() if levels[level])
    return badge(css, sign, text)


def _table(found: Sequence[Entry]) -> Markup:
    heads = ("Title", "Kind", "Goodput", "Delay, 95th percentile", "Replications", "Checks", "Time")
    return table("Results", heads, map(_row, found), "sheet sortable", named=False)


def _row(entry: Entry) -> Markup:
    name = element("a", entry.title, href=quote(entry.page)) if entry.page else entry.title
    first = (name, element("code", entry.place, class_="place"))
    measures = (_measure(entry, name) for name in SHOWN)
    times = NO_DATA if entry.replications is None else str(entry.replications)
    # Of studies, each cell has checks of its own.
    checked = state(*_STATES[entry.level]) if entry.measured else NO_DATA
    when = element("span", _when(entry.time), class_="when")
    return row(join(first), entry.kind, *measures, times, checked, when)


def _measure(entry: Entry, name: str) -> Markup:
    """Return a metric of the first groups or algorithms, a line each."""
    shown = meaning(name)
    known = [(of, metrics[name]) for of, metrics in entry.measured if mean_in(metrics, name) is not None]
    lines = [element("span", f"{of} ", element("data", _value(found, name), value=repr(found["mean"])), class_="entry")
             for of, found in known[:_SHOWN]]  # fmt: skip
    if len(known) > _SHOWN:
        lines.append(element("span", f"and {len(known) - _SHOWN} more", class_="entry"))
    return join(lines) if lines else element("span", NO_DATA, class_="none", title=f"no {shown.label}")


def _value(found: Mapping[str, Any], name: str) -> str:
    unit, interval = meaning(name).unit, found.get("ci95")
    return estimate_text(found["mean"], interval, unit, found.get("interval_method"))


def _when(at: str) -> str:
    """Return an ISO 8601 time to the minute, as in "2026-11-22 14:05 UTC"."""
    day, _, time = at.partition("T")
    return f"{day} {time[:5]} UTC" if time else day


_NOTE = (
    "A click on a heading sorts by it. Delay is one way. Means of the groups of a run, or of the first group with each "
    "algorithm of a comparison, with 95 % intervals. Time is the start of a run or comparison; of others, the time at "
    "which their results were written."
)
_LEVELS = {"broken": "broken", "caution": "with caution"}
# How the checks of a run stand.
_STATES = {
    "broken": ("failed", "✕", "broken"),
    "caution": ("open", "!", "caution"),
    "": ("absent", NO_DATA, "no fault"),
}
_PLURAL = {
    **{kind.name: (kind.name, kind.plural) for kind in KINDS},
    "matrix": ("matrix", "matrices"),
    "deployment": ("deployment", "deployments"),
    "damaged": ("damaged", "damaged"),
    "another format": ("of another format", "of other formats"),
}
_SHOWN = 4
