# SPDX-License-Identifier: Apache-2.0
"""Verdicts of predicates over replications, by intervals of paired differences, and the summary of a suite.

The excess of a predicate is the measure minus its bound. If the bound is a number, its interval is the interval of the
measure, less the bound. If the bound comes from another run, it is the interval of the paired differences. A relative
bound is widened by the margin of the metric (`docs/metrics.md`), so that a difference that does not matter is no
finding.

A relative predicate is `worse`, and a bound too, if the whole 95 % interval is beyond the bound; a liveness predicate
is `broken` then. A relative predicate is `better` if the whole interval of the difference to the reference itself is on
the better side, and its mean exceeds the margin. Everything else is `within`; `decided` is whether the whole interval
is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal.evaluation.definition import ALGORITHM, LIVENESS, RELATIVE
from narrows._internal.experiments.task import resolve
from narrows._internal.external.alike import unlike
from narrows._internal.linux import backend
from narrows._internal.linux.backend import BOTH, LINUX, SIMULATOR
from narrows._internal.metrics.criteria import margin_of, range_of
from narrows._internal.metrics.criteria import verdict as difference_verdict
from narrows._internal.statistics import EQUAL, REAL, Estimate, estimate, paired

if TYPE_CHECKING:
    from narrows._internal.evaluation.campaign import Evaluation
    from narrows._internal.evaluation.definition import Measure, Predicate


class Judged(NamedTuple):
    """The result of a predicate."""

    verdict: str
    decided: bool  # whether the whole interval is on one side of the bound
    measured: Estimate  # mean of the measure, with its interval
    against: Estimate | None  # mean of the reference, with its interval; None for an absolute bound
    bound: float | None  # mean of the bound, in the unit of the measure; None without a value
    excess: Estimate  # the measure minus its bound, with the interval; positive is beyond an upper bound


def judge(measure: Measure, predicate: Predicate, values: Sequence[float], against: Sequence[float] | None) -> Judged:
    """Judge a measure."""
    card = measure.metric.cards[measure.of]
    within = REAL if measure.per else range_of(card)
    sign = 1.0 if predicate.upper else -1.0
    if against is None:
        bounds = [predicate.factor + predicate.plus for _ in values]
        margin = 0.0
    else:
        reference = estimate(against)["mean"] or 0.0
        margin = margin_of(card).of(reference) if predicate.kind == RELATIVE and not measure.per else 0.0
        bounds = [predicate.factor * each + predicate.plus + sign * margin for each in against]
    measured = estimate(values, within)
    excess = _less(measured, predicate.factor + predicate.plus) if against is None else paired(values, bounds)
    compared = None if against is None else estimate(against, within)
    mean_bound = estimate(bounds)["mean"]
    # One replication may be beyond a number, but gives no interval of a difference.
    alone = against is not None and excess["interval_method"] is None
    side = 0 if alone else _side(excess, sign)
    found = Judged(WITHIN, side != 0, measured, compared, mean_bound, excess)
    if measured["mean"] is None or excess["mean"] is None:
        return found._replace(verdict=NOT_MEASURED)
    if side > 0:
        return found._replace(verdict=BROKEN if predicate.kind == LIVENESS else WORSE)
    if predicate.kind == RELATIVE and against is not None:
        better = "lower" if predicate.upper else "higher"
        if difference_verdict(paired(values, against), margin, better) == BETTER:
            return found._replace(verdict=BETTER)
    return found


def lenient(references: Sequence[Sequence[float]], *, upper: bool) -> list[float]:
    """Return, by replication, the value of the most lenient reference; NaN if all are."""
    chosen = max if upper else min
    return [
        chosen((value for value in values if math.isfinite(value)), default=math.nan)
        for values in zip(*references, strict=True)
    ]


def _less(found: Estimate, bound: float) -> Estimate:
    mean, ends = found["mean"], found["ci95"]
    return {
        "mean": None if mean is None else mean - bound,
        "ci95": None if ends is None else [end - bound for end in ends],
        "interval_method": found["interval_method"],
    }


def _side(excess: Estimate, sign: float) -> int:
    """Return 1 if the whole interval is beyond the bound, -1 if it is within the bound, else 0."""
    mean = excess["mean"]
    if mean is None:
        return 0
    # A value that all replications share stands for the interval.
    ends = None if excess["interval_method"] == EQUAL else excess["ci95"]
    low, high = ends or (mean, mean)
    if sign * (low if sign > 0 else high) > 0:
        return 1
    return -1 if sign * (high if sign > 0 else low) <= 0 else 0


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


BETTER, WITHIN, WORSE, BROKEN = "better", "within", "worse", "broken"
NOT_APPLICABLE, NOT_MEASURED = "not applicable", "not measured"
VERDICTS = (BROKEN, WORSE, WITHIN, BETTER, NOT_APPLICABLE, NOT_MEASURED)
