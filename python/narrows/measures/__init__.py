"""Measures that are taken of a run's series: small functions over arrays, by names that can carry parameters.

Examples:
    >>> from narrows.measures import resolve
    >>> resolve("cov(bin=10s)").choices["bin"]
    10.0
    >>> resolve("convergence_time").choices["rule"]
    0.8
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from narrows.measures.fairness import harm
from narrows.measures.request import Measure, MeasureError, check, resolve
from narrows.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from narrows.core import Records, Scenario
    from narrows.measures.observed import Observed
    from narrows.results import Run

__all__ = ["Evaluation", "Measure", "MeasureError", "check", "evaluate", "harm", "measure", "measured", "resolve"]

ALWAYS_OF_GROUPS = ("cov", "jain(scale=1s)")
"""Measures of the series that every summary holds."""


@dataclass(frozen=True)
class Evaluation:
    """A measure of a run.

    Attributes:
        measure: Which.
        values: One per replication, in its unit; not a number where there is no data.
        mean: Over replications; None without data.
        ci95: The 95 % interval of the mean; None for fewer than two values.
    """

    measure: Measure
    values: tuple[float, ...]
    mean: float | None
    ci95: tuple[float, float] | None


def evaluate(run: Run, name: str, *, group: str | None = None, link: str | None = None) -> Evaluation:
    """Take a measure of every replication of a run.

    Args:
        run: The run.
        name: As in `cov(bin=10s)`; any measure of `narrows list metrics`.
        group: Of which group of flows.
        link: Or of which link. Without either, of the run's only group, or of the bottleneck where groups have no
            such measure.

    Raises:
        MeasureError: There is no such measure, group or link.
    """
    wanted = resolve(name)
    check(wanted, run.scenario)
    owner, of = _owner(wanted, run.scenario, group, link)
    values = tuple(measure(run.scenario, each, wanted, **{of: owner}) for each in run.records.values())
    found = estimate(values)
    ci95 = found["ci95"]
    return Evaluation(wanted, values, found["mean"], None if ci95 is None else (ci95[0], ci95[1]))


def measure(
    scenario: Scenario, records: Records, name: str | Measure, *, group: str | None = None, link: str | None = None
) -> float:
    """Take a measure of one replication.

    Args:
        scenario: What was run.
        records: What came of it.
        name: Which measure.
        group: Of which group of flows.
        link: Or of which link; as with `evaluate`.

    Returns:
        The value in the unit of the measure; not a number where there is no data.

    Raises:
        MeasureError: There is no such measure, group or link.
    """
    wanted = resolve(name) if isinstance(name, str) else name
    owner, of = _owner(wanted, scenario, group, link)
    if wanted.counted:
        # Flows that stay and transfers that come and go do not have the same measures.
        counted = (records.group_measures if of == "group" else records.link_measures)[owner]
        return float(counted.get(wanted.name, float("nan")))
    from narrows.measures.observed import Observed

    return _take(Observed(scenario, records), wanted, of, owner)


def measured(
    scenario: Scenario, records: Records, wanted: Iterable[Measure] = (), *, always: Iterable[str] = ALWAYS_OF_GROUPS
) -> dict[str, dict[str, dict[str, float]]]:
    """Return all measures of one replication: those that counters tell, a few of the series, and the wanted ones.

    Args:
        scenario: What was run.
        records: What came of it.
        wanted: Measures on request.
        always: Measures of groups that are taken without request.

    Returns:
        `{"groups": {group: {measure: value}}, "links": {link: {measure: value}}}`; not a number where there is no data.
    """
    from narrows.measures.observed import Observed

    found = {
        "groups": {name: dict(each) for name, each in records.group_measures.items()},
        "links": {name: dict(each) for name, each in records.link_measures.items()},
    }
    seen = Observed(scenario, records)
    usual = [(resolve(text), "group") for text in always]
    for asked, of in [*usual, *((each, of) for each in wanted for of in each.owners)]:
        for owner, measures in found[f"{of}s"].items():
            if not asked.counted and asked.text not in measures:
                measures[asked.text] = _take(seen, asked, of, owner)
    return found


def _take(seen: Observed, wanted: Measure, of: str, owner: str) -> float:
    from narrows.measures.registry import OF_LINK, group_measure

    function = group_measure(wanted.name) if of == "group" else OF_LINK[wanted.name]
    return function(seen, owner, wanted.choices)


def _owner(wanted: Measure, scenario: Scenario, group: str | None, link: str | None) -> tuple[str, str]:
    """Return whose measure is meant, and whether that is a group or a link."""
    groups = [name for name, _, _ in scenario.paths]
    if group is not None and link is not None:
        raise MeasureError(wanted.text, "a measure is taken of a group or of a link", f"{group}, {link}", "one of them")
    of = "link" if link is not None or (group is None and "group" not in wanted.owners) else "group"
    known = groups if of == "group" else scenario.links
    if of not in wanted.owners:
        raise MeasureError(wanted.text, f"is no measure of a {of}", group or link or "", " or ".join(wanted.owners))
    if group is None and link is None and of == "group" and len(groups) > 1:
        raise MeasureError(wanted.text, "the group must be named", "", ", ".join(groups))
    owner = group or link or known[0]
    if owner not in known:
        raise MeasureError(wanted.text, f"no such {of}", owner, ", ".join(known))
    return owner, of
