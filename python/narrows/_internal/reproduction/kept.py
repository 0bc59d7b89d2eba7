# SPDX-License-Identifier: Apache-2.0
"""The results that a study keeps, judged as they are: nothing runs, whichever simulator made them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from narrows._internal.files.json_objects import write_json
from narrows._internal.files.parquet import read_parquet
from narrows._internal.reproduction.agreement import agreement
from narrows._internal.reproduction.campaign import judges_of, parts
from narrows._internal.reproduction.ledger import Found, ledger
from narrows._internal.reproduction.quantity import Asked
from narrows._internal.reproduction.registry import LEDGER, TABLES
from narrows._internal.reproduction.stored_cells import mark

if TYPE_CHECKING:
    from narrows._internal.reproduction.experiment import Rows
    from narrows._internal.reproduction.registry import StudyFolder


def judge_kept(study: StudyFolder, size: str) -> None:
    """Judge the results that a study keeps by its present claims, and replace its ledger and its tables."""
    published, found = study.claims(size), found_in_cells(study, size)
    content = ledger(study.name, published, size, parts(study, size, None, None)[0].plan.seed, found)
    if "since" in study.results[size]:
        # Digests of an earlier simulator may be of another definition.
        content.pop("digest_schema")
    write_json(study.folder / LEDGER, content)
    write_json(study.folder / TABLES, agreement(published, size, content["digest"], found))


def found_in_cells(study: StudyFolder, size: str) -> Found:
    """Return the kept results of a study, by the points that its present plan still has."""
    planned = {(part.experiment, part.variant): part.plan for part in parts(study, size, None, None)}
    points = {
        (*name, mark(point, plan.seed)): {**point.levels, "algorithm": point.algorithm}
        for name, plan in planned.items()
        for point in plan.points
    }
    variants = {each.name: each for each in study.published.variants}
    rows: dict[bool, dict[str, dict[str, list[dict[str, Any]]]]] = {}
    for added in (False, True):
        rows[added] = defaultdict(lambda: defaultdict(list))
    for row in read_parquet(study.cells(size)).to_pylist():
        levels = points.get((row["experiment"], row["variant"], row["point"]))
        if levels is None:
            continue
        cell = {**row, **levels, **dict(row["values"])}
        cell = variants[row["variant"]].read_as(cell) if row["variant"] else cell
        rows[bool(row.get("added"))][row["variant"]][row["experiment"]].append(cell)
    whole: dict[str, Rows] = {
        variant: {name: Asked(own) for name, own in each.items()} for variant, each in rows[False].items()
    }
    base = whole.pop("", {})
    grown = {name: Asked([*base[name], *own]) for name, own in rows[True][""].items()}
    factors = {experiment: plan.factors for (experiment, variant), plan in planned.items() if not variant}
    return Found(base, whole, factors, grown, judges_of(study, size, whole))
