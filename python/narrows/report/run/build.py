"""From a folder of results to `report.html` inside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.report.run.page import page
from narrows.report.run.reading import read

if TYPE_CHECKING:
    from pathlib import Path


def build(folder: Path) -> Path:
    """Write the report of a run folder or a comparison folder.

    Args:
        folder: The run folder or comparison folder.

    Returns:
        The path of `report.html`; an earlier one is replaced.

    Raises:
        FileNotFoundError: The folder holds no results.
    """
    report = folder / "report.html"
    report.write_text(page(read(folder)), encoding="utf-8")
    return report
