# SPDX-License-Identifier: Apache-2.0
"""The page of a run or a comparison: answer, sanity checks, metrics, figures and provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from narrows._internal.drawing.figure import Figure
from narrows._internal.drawing.svg import Markup, element, join
from narrows._internal.files.disk import write_whole
from narrows._internal.page import document
from narrows._internal.page.blocks import source
from narrows._internal.report.run import answer, provenance, sanity, tables, worst
from narrows._internal.report.run.data import Comparison, Run
from narrows._internal.report.run.figures import figures, frame, perceived, window
from narrows._internal.report.run.reading import read
from narrows._internal.statistics import intervals_of


def page(subject: Run | Comparison) -> str:
    """Return the report of a run or a comparison as one HTML document."""
    runs: Sequence[Run] = subject.runs if isinstance(subject, Comparison) else [subject]
    measures = tables.comparison_tables(subject) if isinstance(subject, Comparison) else tables.run_tables(subject)
    drawn = figures(runs)
    if isinstance(subject, Comparison) and subject.backends:
        drawn = [window.on_backends(runs), *drawn]
    expected = sanity.expectations(runs)
    note = _RUN_NOTE.format(intervals_of(subject.at_most)) if subject.replications > 1 else _SINGLE_NOTE
    command = provenance.command(subject)
    first, more = _first(drawn, len(runs))
    parts = [
        document.answer(answer.sentences(subject), first, command, *answer.notes(subject)),
        *_unlike(subject),
        *_failures(subject),
        *([document.section("expected", "What the scenario expects", expected, link="")] if expected else []),
        document.section("checks", "Can the numbers be trusted?", sanity.checks(runs), link="Checks"),
        document.section("measures", "Measures", element("p", note, class_="note"), _beside(measures)),
        *_differences(subject),
        *worst.section(runs),
        _further(more, command, len(runs)),
        document.section("run", "What was run", provenance.what_was_run(subject), link="Run"),
        document.section(
            "files", "Files", element("p", _FILES_NOTE, class_="note"), _many(_files(subject, runs), runs)
        ),
        document.section("origin", "Where this comes from", provenance.origin(subject), link=""),
    ]
    kind, versions = type(subject).__name__, subject.manifest.get("versions")
    return document.document(
        subject.title,
        kind,
        sanity.verdict(runs),
        parts,
        digest=subject.digest,
        versions=versions,
        paste=subject.paragraph,
    )


def _first(drawn: Sequence[Figure], runs: int) -> tuple[list[Figure], list[Figure]]:
    """Return the two figures that people look at first, one of them over time, and the others."""
    shown = {figure.name: figure for figure in drawn if not figure.absent}
    first = [shown[name] for name in (perceived.NAME, "tradeoff", "completion") if name in shown][:1]
    # A figure with a panel per run has no place on a first screen if there are many runs.
    courses = ("cwnd", "rates", "census", "queue") if runs <= frame.MOST_PANELS else ()
    first += [shown[name] for name in (window.ON_BACKENDS, *courses) if name in shown][:1]
    return first, [figure for figure in drawn if figure not in first]


def _further(figures: Sequence[Figure], command: str, runs: int) -> document.Part:
    """Return the figures that are not on top; figures of many runs are long, and folded."""
    if runs <= MOST_OPEN:
        return document.figure_part(figures, command)
    titles = ", ".join(figure.title for figure in figures if not figure.absent)
    folded = element("details", element("summary", titles), document.figure_grid(figures, command), class_="more")
    return document.section("figures", "More figures", folded)


def _many(files: Markup, runs: Sequence[Run]) -> Markup:
    if len(runs) <= frame.MOST_ENTRIES:
        return files
    return element("details", element("summary", f"Files of {len(runs)} runs"), files, class_="more")


def _beside(tables: Markup) -> Markup:
    return element("div", tables, class_="tables")


def _differences(subject: Run | Comparison) -> list[document.Part]:
    if not isinstance(subject, Comparison) or len(subject.runs) < _TWO:
        return []
    pair = "programs in real time from the simulation" if subject.in_real_time else "the kernel from the simulator"
    text = _BACKENDS_NOTE if subject.backends else _COMPARISON_NOTE
    note = element("p", text.format(intervals_of(subject.at_most), pair=pair), class_="note")
    return [document.section("differences", "Differences", note, _beside(tables.difference_tables(subject)))]


def _unlike(subject: Run | Comparison) -> list[document.Part]:
    if not isinstance(subject, Comparison) or not subject.unlike:
        return []
    return [document.section("unlike", "Not like with like", element("p", subject.unlike), link="")]


def _failures(subject: Run | Comparison) -> list[document.Part]:
    failed: Mapping[str, str] = subject.manifest.get("failed") or {}
    if not failed:
        return []
    lines = (element("li", f"{name}: {reason}") for name, reason in failed.items())
    return [document.section("failed", "Runs that failed", element("ul", *lines), link="")]


def _files(subject: Run | Comparison, runs: Sequence[Run]) -> Markup:
    folders = (
        {run.name: provenance.folder_of(subject, run.name) for run in runs} if isinstance(subject, Comparison) else {}
    )
    return sources(runs, folders)


def sources(runs: Sequence[Run], folders: Mapping[str, str]) -> Markup:
    """Return the files of all runs, each once."""
    files: dict[str, str] = {}
    for run in runs:
        place = f"{folders[run.name]}/" if run.name in folders else ""
        for name, text in run.sources.items():
            files[f"{place}{name}"] = text
    return join(source(element("code", name), name, text, name.rpartition("/")[2]) for name, text in files.items())


def build(folder: Path) -> Path:
    """Write the report of a run folder, or of a comparison folder and of each of its runs."""
    found = read(folder)
    report = folder / "report.html"
    write_whole(report, page(found))
    if isinstance(found, Comparison):
        for run in found.runs:
            write_whole(folder / found.folders[run.name] / report.name, page(run.alone()))
    return report


# Runs whose figures are not folded.
MOST_OPEN = 6
_FILES_NOTE = "What the commands of this page name, relative to the folder in which they run; long files are left out."
_RUN_NOTE = "Means over replications after the warm-up, with {}."
_SINGLE_NOTE = "Measured after the warm-up in one replication, which gives no interval."
_BACKENDS_NOTE = (
    "Paired differences of {pair}, on the same random numbers, with {}: "
    "◆ clearly different (the interval leaves zero out, and the difference exceeds the margin from which it matters), "
    "≈ no difference that matters (the interval lies within the margin), ? undecided. The margins are those of the "
    "metrics' cards."
)
_COMPARISON_NOTE = (
    "Paired differences to the first algorithm or level, on the same random numbers, with {}: "
    "▲ clearly better, ▼ clearly worse, ◆ clearly different "
    "(the interval leaves zero out, and the difference exceeds the margin from which it matters), "
    "≈ no difference that matters (the interval lies within the margin), ? undecided. The margins are those of the "
    "metrics' cards, or as given."
)
_TWO = 2
