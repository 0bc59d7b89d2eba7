"""From a study's folder to `report.html` inside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.report.study.page import study_page
from narrows.study.campaign import status, table
from narrows.study.plan import load_plan

if TYPE_CHECKING:
    from pathlib import Path


def build(folder: Path) -> Path:
    """Write the report of a study from the cells that are finished.

    Args:
        folder: The study's; it may be running.

    Returns:
        The path of `report.html`; an earlier one is replaced.

    Raises:
        InputError: It is no folder of a study.
    """
    report = folder / "report.html"
    partial = folder / ".report.html.partial"
    partial.write_text(study_page(load_plan(folder), table(folder), status(folder), folder), encoding="utf-8")
    partial.rename(report)
    return report
