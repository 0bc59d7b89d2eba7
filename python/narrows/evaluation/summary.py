# SPDX-License-Identifier: Apache-2.0
"""The results of a suite: the counts of its verdicts, and the contents of `summary.json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from narrows.evaluation.keys import ALGORITHM
from narrows.evaluation.verdict import BROKEN, VERDICTS
from narrows.experiments.task import resolve
from narrows.external.alike import unlike
from narrows.linux import backend
from narrows.linux.backend import BOTH, LINUX, SIMULATOR

if TYPE_CHECKING:
    from narrows.evaluation.campaign import Evaluation


def summarize(evaluation: Evaluation, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the contents of `summary.json`."""
    suite = evaluation.suite
    kernels = [backend.describe(kernel) for each in evaluation.backends if (kernel := backend.find(each)) is not None]
    beside = {LINUX: {"verdicts": counts([each[LINUX] for each in rows])}} if evaluation.on == BOTH else {}
    return {
        "title": f"{suite.title}: {evaluation.names[0]}",
        "suite": suite.name,
        "source": suite.source,
        "note": suite.note or None,
        "subject": evaluation.names[0],
        "references": evaluation.names[1:],
        "size": evaluation.size,
        "on": evaluation.on,
        "sections": list(evaluation.sections) or None,
        "kernel": {key: value for key, value in kernels[0].items() if key != "on"} if kernels else None,
        "seeds": {
            name: cells.part.plan.seed for (_, name), cells in evaluation.cells.items() if cells.part.plan.points
        },
        "verdicts": counts(rows),
        **beside,
        "unlike": _unlike(evaluation),
        "rows": list(rows),
    }


def _unlike(evaluation: Evaluation) -> str:
    """Return the differences of the subject and its references in the simulator, besides their algorithms."""
    sides: dict[str, list[str]] = {}
    for (on, _), cells in evaluation.cells.items():
        if evaluation.suite.subject != ALGORITHM or on != SIMULATOR:
            continue
        seen: set[str] = set()
        for point in cells.part.plan.points:
            if point.algorithm in evaluation.names and point.algorithm not in seen:
                seen.add(point.algorithm)
                scenario = resolve(cells.part.plan.base, point.overrides, point.written, on)
                sides.setdefault(point.algorithm, []).append(scenario.resolved)
    return unlike(sides)


def counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of rows with each verdict."""
    found = Counter(row["verdict"] for row in rows)
    return {verdict: found[verdict] for verdict in VERDICTS}


def is_broken(summary: Mapping[str, Any]) -> bool:
    """Return whether a row found the algorithm broken, on either backend."""
    return any(counts(rows)[BROKEN] for rows in views(summary["rows"], summary["on"]).values())


def views(rows: Sequence[Mapping[str, Any]], on: str) -> dict[str, list[Mapping[str, Any]]]:
    """Return rows as each backend gave them, by its name."""
    if on != BOTH:
        return {on: list(rows)}
    return {SIMULATOR: list(rows), LINUX: [{**row, **row[LINUX]} for row in rows]}


def by_criterion(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    """Return the rows of each criterion, by its section and words, in their order."""
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["section"], row["criterion"]), []).append(row)
    return found
