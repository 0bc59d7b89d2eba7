"""`[[expect]]`: what a scenario must show, judged by the interval of the measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def judge(expectations: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Judge every clause.

    Args:
        expectations: `measure`; `group` and `link`, both null where the measure is taken of every group; `at_least`
            and `at_most` in the unit of the measure, null where not given.
        summary: A run's summary.

    Returns:
        Each clause, once for each group that has the measure, with `mean`, `ci95` and `verdict`: `holds` where the
        whole interval is within the bounds, `fails` where all of it is outside or there is no data, `inconclusive` in
        between.
    """
    return [
        {**clause, key: name, **_judge(clause, summary[f"{key}s"][name])}
        for clause in expectations
        for key, name in _owners(clause, summary)
    ]


def _owners(clause: Mapping[str, Any], summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    if clause["link"] is not None:
        return [("link", clause["link"])]
    if clause["group"] is not None:
        return [("group", clause["group"])]
    # Flows that stay and transfers that come and go do not have the same measures.
    return [("group", name) for name, measures in summary["groups"].items() if clause["measure"] in measures]


def _judge(clause: Mapping[str, Any], measures: Mapping[str, Any]) -> dict[str, Any]:
    measured = measures[clause["measure"]]
    found = verdict(measured["mean"], measured["ci95"], clause["at_least"], clause["at_most"])
    return {"mean": measured["mean"], "ci95": measured["ci95"], "verdict": found}


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
