# SPDX-License-Identifier: Apache-2.0
"""`summary.json` of a study with a view."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal.errors import InputError
from narrows._internal.experiments.plan import Plan
from narrows._internal.experiments.views import deployment, matrix
from narrows._internal.experiments.views.view import VIEW, View, load_view
from narrows._internal.files.format import SUMMARY, numbered
from narrows._internal.files.json_objects import write_json

if TYPE_CHECKING:
    import pyarrow as pa


def write_summary(folder: Path, plan: Plan, cells: pa.Table) -> None:
    """Write `summary.json` into the folder of a study; nothing if the study has no view."""
    view = view_of(folder, plan)
    if view is not None:
        write_json(folder / SUMMARY, summary(view, plan, cells))


def view_of(folder: Path, plan: Plan) -> View | None:
    """Return the view of a study, which its plan fits; None for a study without one."""
    view = load_view(folder)
    if view is None:
        return None
    known = {*plan.points[0].levels, *(column.name for column in plan.columns)}
    missing = [each for each in NEEDED[view.kind] if each not in known]
    if missing:
        raise InputError(str(folder / VIEW), f"does not fit the plan, which has no column {missing[0]}")
    column, fact = LEVELS[view.kind]
    planned, given = {str(point.levels[column]) for point in plan.points}, list(view.facts[fact])
    if sorted(given) != sorted(planned):
        problem = f"does not fit the plan: `facts.{fact}` has {given}, and {column} {sorted(planned)}"
        raise InputError(str(folder / VIEW), problem)
    return view


def summary(view: View, plan: Plan, cells: pa.Table) -> dict[str, Any]:
    """Return the contents of `summary.json`."""
    found = SUMMARIES[view.kind](view, plan, cells)
    content = {
        "title": plan.title,
        "kind": view.kind,
        "seed": plan.seed,
        "replications": plan.replications.maximum,
        "command": view.command,
        **found,
    }
    return numbered(SUMMARY, content)


NEEDED = {
    "matrix": (*matrix.FACTORS, *matrix.SIDES, *matrix.MEASURES),
    "deployment": ("deployed", "flows.new.count", "flows.old.count", *deployment.MEASURES),
}
# A column, and the fact that names its levels.
LEVELS = {"matrix": (matrix.SIDES[0], "algorithms"), "deployment": ("deployed", "moved")}
SUMMARIES = {"matrix": matrix.summary, "deployment": deployment.summary}
