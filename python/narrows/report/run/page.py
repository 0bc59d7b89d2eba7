"""The page of a run or a comparison: what was run, whether it can be trusted, metrics, figures, origin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.report.drawing.svg import element
from narrows.report.page import document
from narrows.report.run import provenance, sanity, sources, tables
from narrows.report.run.data import Comparison
from narrows.report.run.figures import figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.report.drawing.svg import Markup
    from narrows.report.run.data import Run


def page(subject: Run | Comparison) -> str:
    """Return the report of a run or a comparison as one HTML document."""
    comparing = isinstance(subject, Comparison)
    runs: Sequence[Run] = subject.runs if isinstance(subject, Comparison) else [subject]
    measures = tables.comparison_tables(subject) if isinstance(subject, Comparison) else tables.run_tables(subject)
    drawn = figures(runs)
    expected = sanity.expectations(runs)
    note = _COMPARISON_NOTE if comparing else _RUN_NOTE if subject.replications > 1 else _SINGLE_NOTE
    content = [
        document.section("run", "What was run", provenance.what_was_run(subject)),
        document.section("checks", "Can the numbers be trusted?", sanity.checks(runs)),
        *([document.section("expected", "What the scenario expects", expected)] if expected else []),
        document.section("measures", "Measures", element("p", note, class_="note"), measures),
        *(document.figure_section(figure, provenance.command(subject)) for figure in drawn),
        document.section("files", "Files", element("p", _FILES_NOTE, class_="note"), _files(subject, runs)),
        document.section("origin", "Where this comes from", provenance.origin(subject)),
    ]
    links = [("run", "Run"), ("checks", "Checks"), ("measures", "Measures")]
    links += [*((figure.name, figure.title) for figure in drawn), ("files", "Files")]
    header = document.page_header(subject.title, "Comparison" if comparing else "Run", sanity.verdict(runs), links)
    return document.document(subject.title, header, content)


def _files(subject: Run | Comparison, runs: Sequence[Run]) -> Markup:
    folders = (
        {run.name: provenance.folder_of(subject, run.name) for run in runs} if isinstance(subject, Comparison) else {}
    )
    return sources.sources(runs, folders)


_FILES_NOTE = "What the commands of this page name, relative to the folder in which they run; long files are left out."
_RUN_NOTE = "Means over replications after the warm-up; below each, its 95 % confidence interval."
_SINGLE_NOTE = "Measured after the warm-up in one replication, which gives no interval."
_COMPARISON_NOTE = (
    "Means over replications after the warm-up with 95 % confidence intervals. Below them, the paired difference "
    "to the first algorithm, on the same random numbers: ▲ clearly better, ▼ clearly worse, ◆ clearly different "
    "(the interval excludes zero, and the difference exceeds the margin from which it matters), "
    "≈ no difference that matters (the interval lies within the margin), ? undecided. The margins are those of the "
    "metrics' cards, or as given."
)
