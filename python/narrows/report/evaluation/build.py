"""The files of a suite whose cells are finished: `summary.json`, the annex in Markdown, and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.errors import ReportError
from narrows.evaluation.rows import rows
from narrows.evaluation.summary import summarize
from narrows.files.format import SUMMARY, numbered
from narrows.files.manifest import write_json
from narrows.report.evaluation.annex import annex
from narrows.report.evaluation.page import suite_page

if TYPE_CHECKING:
    from pathlib import Path

    from narrows.evaluation.campaign import Evaluation


def conclude(evaluation: Evaluation, folder: Path, command: str) -> dict[str, Any]:
    """Judge the rows of a suite and write its results.

    Args:
        evaluation: The suite with its subject.
        folder: Its folder, in which every cell is finished.
        command: The command line that makes the results again.

    Returns:
        The contents of `summary.json`.

    Raises:
        ReportError: The results are written, but the report could not be built.
    """
    summary = numbered(SUMMARY, {**summarize(evaluation, rows(evaluation, folder)), "command": command})
    write_json(folder / SUMMARY, summary)
    try:
        (folder / "annex.md").write_text(annex(summary), encoding="utf-8")
        (folder / "report.html").write_text(suite_page(summary), encoding="utf-8")
    except Exception as problem:
        raise ReportError(f"the results are in {folder}, but their report could not be built: {problem}") from problem
    return summary
