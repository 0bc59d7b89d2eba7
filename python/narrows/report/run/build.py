# SPDX-License-Identifier: Apache-2.0
"""From a folder of results to `report.html` inside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.files.disk import write_whole
from narrows.report.run.data import Comparison
from narrows.report.run.page import page
from narrows.report.run.reading import read

if TYPE_CHECKING:
    from pathlib import Path


def build(folder: Path) -> Path:
    """Write the report of a run folder, or of a comparison folder and of each of its runs."""
    found = read(folder)
    report = folder / "report.html"
    write_whole(report, page(found))
    if isinstance(found, Comparison):
        for run in found.runs:
            write_whole(folder / found.folders[run.name] / report.name, page(run.alone()))
    return report
