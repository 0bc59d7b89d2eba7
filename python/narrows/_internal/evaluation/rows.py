# SPDX-License-Identifier: Apache-2.0
"""The rows of a suite whose cells are finished: a verdict on each backend, and the scenario that repeats it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from narrows._internal.errors import InputError
from narrows._internal.evaluation import campaign as of_suite
from narrows._internal.evaluation.campaign import Cells, Evaluation
from narrows._internal.evaluation.definition import ALGORITHM, ANY, OWN, Predicate, Row
from narrows._internal.evaluation.verdict import NOT_APPLICABLE, NOT_MEASURED, WITHIN, Judged, judge, lenient
from narrows._internal.experiments.plan import Plan, Point
from narrows._internal.experiments.planner import Refused
from narrows._internal.experiments.store import independent
from narrows._internal.experiments.stored import stored
from narrows._internal.experiments.task import resolve
from narrows._internal.files.folder import file_name
from narrows._internal.files.manifest import keep
from narrows._internal.linux.backend import LINUX, SIMULATOR
from narrows._internal.metrics.criteria import range_of
from narrows._internal.statistics import REAL, paired

Cell = Mapping[str, Any]
Condition = Mapping[str, Any]


class _Result(NamedTuple):
    """A row on one backend: as in `summary.json`, and the measure by replication."""

    row: dict[str, Any]
    values: dict[int, float]


def rows(evaluation: Evaluation, folder: Path) -> list[dict[str, Any]]:
    """Judge every row of a suite whose cells are finished, and write the scenario file of each."""
    found: list[dict[str, Any]] = []
    tables: dict[tuple[str, str], list[Cell]] = {
        key: independent(stored(of_suite.place(folder) / cells.part.path).table()).to_pylist()
        if cells.part.plan.points
        else []
        for key, cells in evaluation.cells.items()
    }
    failed = {key: of_suite.failures(folder, cells.part.path) for key, cells in evaluation.cells.items()}
    for row in evaluation.suite.rows:
        if row.absent is not None:
            found.append(_beside(row, [_Result(_without(row, *row.absent), {})] * len(evaluation.backends)))
        elif row.card:
            found.append(_beside(row, [_Result(_of_card(row, evaluation.card), {})] * len(evaluation.backends)))
        else:
            for condition in _conditions(evaluation, row) or [{}]:
                on_each = [
                    _on(evaluation, row, backend, (tables, failed), condition, folder)
                    for backend in evaluation.backends
                ]
                found.append(_beside(row, on_each))
    return found


def _beside(row: Row, on_each: Sequence[_Result]) -> dict[str, Any]:
    """Return the row of one backend, or of the simulator with the row of the kernel below `linux`."""
    first, *others = on_each
    if not others:
        return first.row
    (kernel,) = others
    shared = sorted(first.values.keys() & kernel.values.keys())
    measure = row.measure
    within = REAL if measure is None or measure.per else range_of(measure.metric.cards[measure.of])
    difference = paired([kernel.values[each] for each in shared], [first.values[each] for each in shared], within)
    # The facts of the criterion itself are known if either backend has measured it.
    known = kernel.row if first.row["measured"] is None and kernel.row["measured"] is not None else first.row
    return {
        **known,
        **{key: first.row[key] for key in ON_EACH},
        LINUX: {key: kernel.row[key] for key in ON_EACH},
        "difference": {"mean": difference["mean"], "ci95": difference["ci95"]},
    }


def _conditions(evaluation: Evaluation, row: Row) -> list[Condition]:
    """Return the combinations of levels of a row: those that run in the order of the study file, then all others."""
    found: dict[tuple[Any, ...], Condition] = {}
    for backend in evaluation.backends:
        cells = evaluation.cells.get((backend, row.cells))
        if cells is None or row.predicate is None:
            continue
        factors = _factors(evaluation, cells.part.plan)
        unknown = (set(row.where) | set(row.predicate.at)) - set(factors)
        if unknown:
            problem = f"section {row.section}: {row.cells}.toml has no factor {min(unknown)}"
            raise InputError(str(evaluation.suite.given), f"{problem}; it has {', '.join(factors)}")
        points = [(each.levels, each.algorithm) for each in cells.part.plan.points]
        points += [(each.levels, each.algorithm) for each in cells.refused]
        for levels, algorithm in points:
            condition = {name: levels[name] for name in factors}
            if _subject(evaluation, levels, algorithm) == evaluation.names[0] and all(
                str(levels[name]) in map(str, wanted) for name, wanted in row.where.items()
            ):
                found.setdefault(tuple(map(str, condition.values())), condition)
    return list(found.values())


def _on(  # noqa: PLR0913, PLR0917  # a row, a backend and its results
    evaluation: Evaluation,
    row: Row,
    on: str,
    of_all: tuple[Mapping[tuple[str, str], Sequence[Cell]], Mapping[tuple[str, str], Sequence[Refused]]],
    condition: Condition,
    folder: Path,
) -> _Result:
    """Judge a row at a condition on a backend, from the cells of all that finished, and those that failed."""
    measure, predicate = row.measure, row.predicate
    if measure is None or predicate is None:
        return _Result({}, {})
    if (on, row.cells) in evaluation.faults:
        fault = f"the cells cannot run: {evaluation.faults[on, row.cells]}"
        return _Result(_without(row, NOT_MEASURED, fault, condition), {})
    cells = evaluation.cells[on, row.cells]
    tables, failures = of_all
    table, failed = tables.get((on, row.cells), []), failures.get((on, row.cells), [])
    tested = evaluation.names[0]
    references = evaluation.suite.references if predicate.than == ANY else [predicate.than or ""]
    absent, missing = _absent(evaluation, cells, failed, predicate, condition)
    if absent is not None:
        return _Result(_without(row, *absent, condition), {})
    by = _column(evaluation)
    own = _values(table, by, tested, condition, row)
    against = None
    if predicate.than == OWN:
        other = _values(table, by, tested, {**condition, **predicate.at}, row)
        against = [other.get(each, math.nan) for each in own]
    elif predicate.than is not None:
        others = [_values(table, by, each, condition, row) for each in references if each not in missing]
        against = lenient([[other.get(each, math.nan) for each in own] for other in others], upper=predicate.upper)
    found = judge(measure, predicate, list(own.values()), against)
    point = next(
        each
        for each in cells.part.plan.points
        if _subject(evaluation, each.levels, each.algorithm) == tested and _is_at(each.levels, condition)
    )
    scenario = _scenario(cells.part.plan, point, row.cells, condition, (folder, len(own)))
    note = "; ".join(f"without {name}: {why}" for name, why in missing.items()) or None
    if found.verdict == NOT_MEASURED:
        note = f"{measure.text} has no value with {tested}"
    return _Result({**_row(row, found, condition, scenario, (tested, len(own))), "reason": note}, own)


def _absent(
    evaluation: Evaluation, cells: Cells, failed: Sequence[Refused], predicate: Predicate, condition: Condition
) -> tuple[tuple[str, str] | None, dict[str, str]]:
    """Return verdict and reason of a row that cannot be judged, or None, and why each missing reference is missing."""
    # If a cell of a subject or reference failed, its other replications would be a biased choice.
    tested = evaluation.names[0]
    own = [condition, {**condition, **predicate.at}] if predicate.than == OWN else [condition]
    for missing, verdict, words in ((failed, NOT_MEASURED, f"{CELL_FAILED}: "), (cells.refused, NOT_APPLICABLE, "")):
        for reason in (_reason(evaluation, missing, tested, each) for each in own):
            if reason is not None:
                return (verdict, words + reason), {}
    if predicate.than in {OWN, None}:
        return None, {}
    references = evaluation.suite.references if predicate.than == ANY else [predicate.than or ""]
    reasons = {each: _reason(evaluation, [*failed, *cells.refused], each, condition) for each in references}
    lost = {name: why for name, why in reasons.items() if why is not None}
    if len(lost) < len(references):
        return None, lost
    reason = "; ".join(f"without the reference {name}: {why}" for name, why in lost.items())
    if any(_reason(evaluation, failed, each, condition) for each in references):
        return (NOT_MEASURED, f"{CELL_FAILED}: {reason}"), lost
    return (NOT_APPLICABLE, reason), lost


def _reason(evaluation: Evaluation, missing: Sequence[Refused], name: str, condition: Condition) -> str | None:
    """Return why a subject or reference is missing at a condition; None if it is not."""
    for each in missing:
        if _subject(evaluation, each.levels, each.algorithm) == name and _is_at(each.levels, condition):
            return each.reason
    return None


def _column(evaluation: Evaluation) -> str:
    return "algorithm" if evaluation.suite.subject == ALGORITHM else "queue"


def _factors(evaluation: Evaluation, plan: Plan) -> list[str]:
    return [name for name in plan.factors if name != _column(evaluation)]


def _subject(evaluation: Evaluation, levels: Mapping[str, Any], algorithm: str | None) -> str | None:
    return algorithm if _column(evaluation) == "algorithm" else str(levels["queue"])


def _is_at(levels: Mapping[str, Any], condition: Condition) -> bool:
    return all(str(levels[factor]) == str(level) for factor, level in condition.items())


def _values(cells: Sequence[Cell], by: str, name: str, condition: Condition, row: Row) -> dict[int, float]:
    """Return the measure of a row by replication."""
    if row.measure is None:
        return {}
    found = {}
    for cell in cells:
        if cell[by] == name and _is_at(cell, condition):
            value = cell[row.measure.text]
            if row.measure.per is not None:
                divisor = cell[row.measure.per]
                value = value / divisor if value is not None and divisor else None
            found[int(cell["replication"])] = math.nan if value is None else float(value)
    return dict(sorted(found.items()))


def _scenario(plan: Plan, point: Point, cells: str, condition: Condition, into: tuple[Path, int]) -> str:
    """Write the scenario of a point, with the subject and so many replications; return its path within the folder."""
    folder, replications = into
    home = folder / SCENARIOS
    home.mkdir(exist_ok=True)
    words = "-".join(str(each) for each in condition.values())
    stem = file_name("-".join(each for each in (cells, words) if each).replace(" ", "-"))
    # Settings that the kernel decides itself are left out of its scenario.
    name = f"{stem}.toml" if point.on == SIMULATOR else f"{stem}.{LINUX}.toml"
    if not (home / name).exists():
        scenario = resolve(plan.base, point.overrides, point.written, point.on, replications)
        keep(home, scenario.files)
        note = "" if point.on == SIMULATOR else f"# narrows run FILE --on {point.on}\n\n"
        (home / name).write_text(note + scenario.portable, encoding="utf-8")
    return f"{SCENARIOS}/{name}"


def _row(row: Row, found: Judged, condition: Condition, scenario: str, basis: tuple[str, int]) -> dict[str, Any]:
    measure, predicate = row.measure, row.predicate
    if measure is None or predicate is None:
        return {}
    tested, replications = basis
    return {
        **_about(row),
        "condition": dict(condition),
        "verdict": found.verdict,
        "decided": found.decided,
        "reference": _reference(predicate.than, predicate.at),
        "measured": found.measured["mean"],
        "interval": found.measured["ci95"],
        "reference_measured": None if found.against is None else found.against["mean"],
        "reference_interval": None if found.against is None else found.against["ci95"],
        "bound": {"at_most" if predicate.upper else "at_least": found.bound},
        "excess": {"mean": found.excess["mean"], "ci95": found.excess["ci95"]},
        "measure": f"{measure.text} / {measure.per}" if measure.per else measure.text,
        "unit": "" if measure.per else measure.metric.unit,
        "predicate": predicate.kind,
        "predicate_source": row.whose,
        "subject": tested,
        "replications": replications,
        "scenario": scenario,
        "reason": None,
    }


def _reference(than: str | None, at: Mapping[str, Any]) -> str | None:
    if than == OWN:
        return "its own at " + ", ".join(f"{name} = {level}" for name, level in at.items())
    return "the most lenient reference" if than == ANY else than


def _about(row: Row) -> dict[str, Any]:
    return {"section": row.section, "criterion": row.criterion, "level": row.level or None}


def _without(row: Row, verdict: str, reason: str, condition: Condition | None = None) -> dict[str, Any]:
    empty = dict.fromkeys(
        ("reference", "measured", "interval", "reference_measured", "reference_interval", "bound", "excess", "measure")
    )
    return {
        **_about(row),
        "condition": dict(condition or {}),
        "verdict": verdict,
        "decided": False,
        **empty,
        "unit": "",
        "predicate": None,
        "predicate_source": row.whose or None,
        "replications": 0,
        "scenario": None,
        "reason": reason,
    }


def _of_card(row: Row, card: Mapping[str, Any]) -> dict[str, Any]:
    entries = card.get(row.card) or []
    if not entries:
        return _without(row, NOT_MEASURED, f"the card of {card['name']} states no {row.card}")
    # Entries may have semicolons of their own.
    said = entries if len(entries) == 1 else [f"({place}) {entry}" for place, entry in enumerate(entries, 1)]
    return {**_without(row, WITHIN, "; ".join(said)), "decided": True, "measure": f"card: {row.card}"}


SCENARIOS = "scenarios"
# The entries of a row that each backend has.
ON_EACH = (
    "verdict",
    "decided",
    "measured",
    "interval",
    "reference_measured",
    "reference_interval",
    "bound",
    "excess",
    "replications",
    "scenario",
    "reason",
)
CELL_FAILED = "a cell failed"
