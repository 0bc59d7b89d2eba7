"""`[[expect]]`: what a scenario must show, judged by the interval of the measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def judge(expectations: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Judge every clause.

    Args:
        expectations: `measure`, the path of a measure in the summary as a list of keys, with `at_least` and
            `at_most` in the unit of the measure, each null where it is not given.
        summary: A run's summary.

    Returns:
        The clauses with `mean`, `ci95` and `verdict`: `holds` where the whole interval is within the bounds, `fails`
        where all of it is outside or there is no data, `inconclusive` in between.
    """
    return [_judge(clause, summary) for clause in expectations]


def _judge(clause: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, Any]:
    measured: Any = summary
    for key in clause["measure"]:
        measured = measured[key]
    bounds = (clause["at_least"], clause["at_most"])
    return {
        **clause,
        "mean": measured["mean"],
        "ci95": measured["ci95"],
        "verdict": verdict(measured["mean"], measured["ci95"], *bounds),
    }


def verdict(mean: float | None, ci95: Sequence[float] | None, at_least: float | None, at_most: float | None) -> str:
    """Hold an estimate against bounds; without an interval the mean stands for it, without data it fails."""
    if mean is None:
        return "fails"
    low, high = ci95 or (mean, mean)
    if (at_least is None or low >= at_least) and (at_most is None or high <= at_most):
        return "holds"
    if (at_least is not None and high < at_least) or (at_most is not None and low > at_most):
        return "fails"
    return "inconclusive"
