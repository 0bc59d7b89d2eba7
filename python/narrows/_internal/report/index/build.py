# SPDX-License-Identifier: Apache-2.0
"""Writes `index.html` into a folder of folders of results, read from their summaries only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from narrows._internal.comparison import runs_of
from narrows._internal.drawing.scale import NO_DATA
from narrows._internal.drawing.svg import Markup, element, join
from narrows._internal.errors import InputError
from narrows._internal.files.format import FormatError, read_kept
from narrows._internal.files.kinds import KINDS, kind_of
from narrows._internal.files.system import move_file
from narrows._internal.frozen import frozen
from narrows._internal.page import document as page
from narrows._internal.page.blocks import badge, row, state, table
from narrows._internal.page.estimates import estimate_text
from narrows._internal.page.metrics import meaning
from narrows._internal.plural import counted
from narrows._internal.statistics import mean_in


@frozen
class Entry:
    """A folder of results."""

    place: str  # path relative to the folder of the index
    # Its kind, such as "run" or "matrix"; "damaged" if its summary cannot be read, "another format" if it is of another
    # version.
    kind: str
    title: str  # title of the scenario, study or suite
    # Time at which it was started or, if the manifest lacks it, its summary written; ISO 8601 in UTC.
    time: str = ""
    replications: int | None = None  # number of replications; None if it is not known
    level: str = ""  # the gravest level of a check that fails: "broken" or "caution"; empty without one
    page: str = ""  # path of its page relative to the folder of the index; empty if there is none
    # Name of a group or algorithm with its metrics, as in `summary.json`.
    measured: Sequence[tuple[str, Mapping[str, Any]]] = field(default_factory=list)


def entries(folder: Path) -> list[Entry]:
    """Return the results in the folders below a folder, the latest first; those inside of results are part of them."""
    found = sorted(_below(folder, folder, DEPTH, {folder.resolve()}), key=lambda each: each.place)
    return sorted(found, key=lambda each: each.time, reverse=True)


def holds_results(folder: Path) -> bool:
    """Return whether a folder itself holds results."""
    return any((folder / name).is_file() for name in MARKS)


def _below(folder: Path, root: Path, depth: int, seen: set[Path]) -> Iterator[Entry]:
    for each in sorted(folder.iterdir()):
        # A link may lead to a folder that is listed already, or back to a parent.
        if not each.is_dir() or each.name.startswith(".") or each.resolve() in seen:
            continue
        seen.add(each.resolve())
        if holds_results(each):
            yield _entry(each, root)
        elif depth:
            yield from _below(each, root, depth - 1, seen)


def _entry(folder: Path, root: Path) -> Entry:
    place = folder.relative_to(root).as_posix()
    page = next((f"{place}/{name}" for name in PAGES if (folder / name).is_file()), "")
    try:
        kind = kind_of(folder)
        summary, manifest, results = (
            _object(folder / name) for name in ("summary.json", "manifest.json", kind.results if kind else "")
        )
        title = summary.get("title") or results.get("title") or manifest.get("title") or folder.name
        return Entry(
            place=place,
            kind=str(summary.get("kind") or (kind.name if kind else "")),
            title=str(title),
            time=str(manifest.get("started") or _written(folder)),
            replications=_count(summary.get("replications", manifest.get("replications"))),
            level=_level(summary),
            page=page,
            measured=_measured(summary),
        )
    except FormatError:
        return Entry(place, "another format", folder.name, _written(folder), page=page)
    except (InputError, OSError, ValueError, TypeError, AttributeError, LookupError):
        return Entry(place, "damaged", folder.name, _written(folder), page=page)


def _written(folder: Path) -> str:
    """Return the time at which the results were written, ISO 8601 in UTC; resumed work has no single start."""
    latest = max((folder / name).stat().st_mtime for name in MARKS if (folder / name).is_file())
    return datetime.fromtimestamp(latest, UTC).isoformat(timespec="seconds")


def _object(path: Path) -> dict[str, Any]:
    return read_kept(path) if path.is_file() else {}


def _level(summary: Mapping[str, Any]) -> str:
    runs = _runs(summary)
    levels = {check.get("level") for run in runs for check in run.get("checks", ())}
    return next((level for level in ("broken", "caution") if level in levels), "")


def _runs(summary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    compared = runs_of(summary)
    return [summary] if compared is None else list(compared.values())


def _measured(summary: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    compared = runs_of(summary)
    groups = summary.get("groups")
    found = list(groups.items()) if isinstance(groups, dict) else []
    if compared is not None:
        found = [(name, metrics) for name, run in compared.items() for metrics in list(run["groups"].values())[:1]]
    for _, metrics in found:
        for name in SHOWN:
            _check_estimate(metrics.get(name))
    return found


def _check_estimate(found: Any) -> None:
    """Check that a metric is the mean of numbers with an interval of two, or nothing."""
    mean, interval = (None, None) if found is None else (found["mean"], found.get("ci95"))
    for each in ([] if mean is None else [mean], [] if interval is None else interval):
        if not all(isinstance(value, int | float) for value in each):
            raise TypeError(str(found))
    if interval is not None and len(interval) != ENDS:
        raise ValueError(str(found))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


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


# The metrics that the index shows, and the ends of an interval.
SHOWN = ("goodput_bps", "delay_p95_s")
ENDS = 2
# Files of which any makes a folder one of results, and the names of pages.
MARKS = tuple(dict.fromkeys(kind.results for kind in KINDS))
PAGES = ("report.html", "index.html")
# Folders between the index and a result at most.
DEPTH = 3
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
