# SPDX-License-Identifier: Apache-2.0
"""Writes `report.html` into the folder of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.experiments.views.summary import view_of
from narrows.files.system import move_file
from narrows.report.study.deployment import deployment_page
from narrows.report.study.matrix import matrix_page
from narrows.report.study.page import study_page

if TYPE_CHECKING:
    from pathlib import Path

    from narrows.experiments.stored import StoredStudy


def build(study: StoredStudy) -> Path:
    """Write the report of a study from the cells that are finished."""
    folder, plan = study.folder, study.plan
    report = folder / "report.html"
    partial = folder / ".report.html.partial"
    cells, state = study.table(), study.status()
    view = view_of(folder, plan)
    if view is None:
        page = study_page(plan, cells, state)
    elif view.kind == "matrix":
        page = matrix_page(view, plan, cells, state)
    else:
        page = deployment_page(view, plan, cells, state)
    partial.write_text(page, encoding="utf-8")
    move_file(partial, report)
    return report
