# SPDX-License-Identifier: Apache-2.0
"""The shape of `plan.json`, checked when it is read: a folder of a study may come from somebody else."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from narrows.errors import InputError
from narrows.experiments.measures import Column, half_width
from narrows.files.shape import ANY_NAME, ANYTHING, check_shape
from narrows.metrics import card_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


def check_plan(content: Mapping[str, Any], file: Path) -> None:
    """Check that the content of a plan has the right types, and that its parts fit each other."""
    check_shape(content, SHAPE, file)
    problem = next(_misfits(content), None)
    if problem is not None:
        raise InputError(str(file), f"is damaged: {problem}")


def _misfits(content: Mapping[str, Any]) -> Iterator[str]:
    """Yield the faults in words."""
    points = content["points"]
    if not points:
        yield "it has no points"
    else:
        yield from _misfits_of_points(content, points)
        yield from _misfits_of_columns(content, points)


def _misfits_of_points(content: Mapping[str, Any], points: list[Mapping[str, Any]]) -> Iterator[str]:
    levels = set(points[0]["levels"])
    rows = [point["row"] for point in points]
    if any(set(point["levels"]) != levels for point in points):
        yield "its points have different factors"
    if rows[0] != 0 or any(after - before not in {0, 1} for before, after in itertools.pairwise(rows)):
        yield "its rows are not numbered in their order"
    if not set(content["factors"]) <= levels:
        yield "its points lack a factor"


def _misfits_of_columns(content: Mapping[str, Any], points: list[Mapping[str, Any]]) -> Iterator[str]:
    columns: dict[str, Column] = {}
    for each in content["columns"]:
        if len(each) != len(Column._fields) or each[1] not in {"group", "link"} or each[0] in columns:
            yield f"`columns` has {each}"
            return
        columns[each[0]] = Column(*each)
        key = "subjects" if each[1] == "group" else "bottlenecks"
        if not each[2] and any(not point[key] for point in points):
            yield f"column {each[0]} is of the {key} of a point that has none"
    if taken := {*columns, *OWN} & set(points[0]["levels"]):
        yield f"{min(taken)} is both a factor and a column"
    for column in columns.values():
        try:
            card_of(column.measure, column.of)
        except (InputError, KeyError):
            yield f"{column.measure} is not a metric of a {column.of}"
    yield from _misfits_of_replications(content["replications"], columns, points[0])


def _misfits_of_replications(
    replications: Mapping[str, Any], columns: Mapping[str, Column], point: Mapping[str, Any]
) -> Iterator[str]:
    if replications["maximum"] < replications["minimum"]:
        yield "`replications` has a maximum below its minimum"
    if any(name not in columns for name in replications["measure"]):
        yield "`replications.measure` names no column"
    elif any(half_width(replications["within"], columns[name]) is None for name in replications["measure"]):
        yield "`replications.within` is not a width of an interval"
    if replications["by"] is not None and replications["by"] not in point["levels"]:
        yield "`replications.by` is not a factor"


TIMES = range(1, 1_000_001)
BASE = {
    "text": str,
    "file": str,
    "directory": str,
    "overrides_directory": str,
    "seed": (range(2**63), None),
    "engine": str,
    "commands?": str,
}
POINT = {
    "row": range(2**31),
    "levels": {ANY_NAME: (str, float, bool)},
    "overrides": [str],
    "algorithm": (str, None),
    "digest": str,
    "subjects": [str],
    "duration_s": float,
    "bottlenecks": [str],
    "written": (str, None),
    "on": str,
}
SHAPE = {
    "format": int,
    "replaced?": ({"groups": [str], "kept": {ANY_NAME: str}, "bound?": [str]}, None),
    "digest_schema?": range(2**31),
    "title": str,
    "question": str,
    "base": BASE,
    "seed": range(2**63),
    "replications": {
        "minimum": TIMES,
        "maximum": TIMES,
        "measure": [str],
        "within": str,
        "by": (str, None),
        "levels": [str],
    },
    "factors": [str],
    "columns": [[str]],
    "design": {
        "kind": str,
        "name": str,
        "letters?": {ANY_NAME: str},
        "generators?": [str],
        "defining?": [str],
        "resolution?": (range(3, 11), None),
        "aliases?": {ANY_NAME: [str]},
        "note?": (str, None),
        ANY_NAME: ANYTHING,
    },
    "inputs": {ANY_NAME: str},
    "points": [POINT],
    "size": (str, None),
    "variant": (str, None),
    "external": [str],
    "margins": {ANY_NAME: str},
}
# The columns of every table of cells beside factors and metrics.
OWN = ("cell", "algorithm", "replication", "seed", "checks_failed", "digest", "cpu_s", "packet_hops", "measured")
