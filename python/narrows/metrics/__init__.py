# SPDX-License-Identifier: Apache-2.0
"""Metrics of a run: counted ones, and those computed from its series by name and parameters.

Examples:
    >>> from narrows.metrics import resolve
    >>> resolve("cov(bin=10s)").choices["bin"]
    10.0
    >>> resolve("convergence_time").choices["rule"]
    0.8
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from narrows._internal.analysis.harm import harm
from narrows._internal.frozen import frozen
from narrows._internal.metrics.possible import range_in
from narrows._internal.metrics.request import Metric, MetricError, check, resolve
from narrows._internal.metrics.request import card_of as card_of
from narrows._internal.metrics.request import catalogue as catalogue
from narrows._internal.metrics.request import counted_names as counted_names
from narrows._internal.statistics import distinct, estimate

if TYPE_CHECKING:
    from narrows._internal.core import Records, Scenario
    from narrows._internal.metrics.observed import Observed

__all__ = [
    "Evaluation",
    "Metric",
    "MetricError",
    "check",
    "evaluate",
    "harm",
    "measure",
    "measured",
    "resolve",
]

ALWAYS_OF_GROUPS = ("cov", "jain(scale=1s)")
"""Metrics of the series that every summary has."""


class Replicated(Protocol):
    """A scenario with the records of its finished replications; a `Run` is one."""

    @property
    def scenario(self) -> Scenario:
        """The resolved scenario."""

    @property
    def records(self) -> Mapping[int, Records]:
        """The records by replication."""


@frozen
class Evaluation:
    """A metric of a run.

    Attributes:
        measure: The metric.
        values: Value per replication, in its unit; not a number without data.
        mean: Mean over replications; None without data.
        ci95: The 95 % interval of the mean; None for fewer than two values.
    """

    measure: Metric
    values: tuple[float, ...]
    mean: float | None
    ci95: tuple[float, float] | None


def evaluate(run: Replicated, name: str, *, group: str | None = None, link: str | None = None) -> Evaluation:
    """Return a metric of every replication of a run.

    Args:
        run: The run.
        name: Any metric of `narrows list metrics`, as in `cov(bin=10s)`.
        group: Name of the group of flows.
        link: Name of the link. Without either, the only group is meant; where groups have no such metric, the
            bottleneck of the first group that has one.

    Raises:
        MetricError: There is no such metric, group or link.
    """
    wanted = resolve(name)
    check(wanted, run.scenario)
    owner, of = _owner(wanted, run.scenario, group, link)
    values = tuple(measure(run.scenario, each, wanted, **{of: owner}) for each in run.records.values())
    records = list(run.records.values())
    within = range_in(records, of, owner, wanted.text)
    found = estimate(distinct(values, (each.digest for each in records)), within)
    ci95 = found["ci95"]
    return Evaluation(wanted, values, found["mean"], None if ci95 is None else (ci95[0], ci95[1]))


def measure(
    scenario: Scenario, records: Records, name: str | Metric, *, group: str | None = None, link: str | None = None
) -> float:
    """Return a metric of one replication.

    Args:
        scenario: The resolved scenario.
        records: The records of the replication.
        name: The metric, or a text as in `cov(bin=10s)`.
        group: Name of the group of flows, as for `evaluate`.
        link: Name of the link, as for `evaluate`.

    Returns:
        The value in the unit of the metric; not a number without data.

    Raises:
        MetricError: There is no such metric, group or link.
    """
    wanted = resolve(name) if isinstance(name, str) else name
    owner, of = _owner(wanted, scenario, group, link)
    if wanted.counted:
        counted = (records.group_metrics if of == "group" else records.link_metrics)[owner]
        return float(counted[wanted.name])
    from narrows._internal.metrics.observed import Observed

    return _take(Observed(scenario, records), wanted, of, owner)


def measured(
    scenario: Scenario, records: Records, wanted: Iterable[Metric] = (), *, always: Iterable[str] = ALWAYS_OF_GROUPS
) -> dict[str, dict[str, dict[str, float]]]:
    """Return all metrics of one replication: the counted ones and those requested of the series.

    Args:
        scenario: The resolved scenario.
        records: The records of the replication.
        wanted: Requested metrics.
        always: Further metrics of groups.

    Returns:
        `{"groups": {group: {metric: value}}, "links": {link: {metric: value}}}`; not a number without data.
    """
    from narrows._internal.metrics.observed import Observed

    found = {
        "groups": {name: dict(each) for name, each in records.group_metrics.items()},
        "links": {name: dict(each) for name, each in records.link_metrics.items()},
    }
    seen = Observed(scenario, records)
    usual = [(resolve(text), "group") for text in always]
    for asked, of in [*usual, *((each, of) for each in wanted for of in each.owners)]:
        for owner, measures in found[f"{of}s"].items():
            if not asked.counted and asked.text not in measures:
                measures[asked.text] = _take(seen, asked, of, owner)
    return found


def _take(seen: Observed, wanted: Metric, of: str, owner: str) -> float:
    from narrows._internal.metrics import registry

    return registry.function(of, wanted.name)(seen, owner, wanted.choices)


def _owner(wanted: Metric, scenario: Scenario, group: str | None, link: str | None) -> tuple[str, str]:
    """Return the group or link that is meant, and which of both it is."""
    groups = [name for name, _, _ in scenario.paths]
    if group is not None and link is not None:
        raise MetricError(wanted.text, "a metric is that of a group or of a link", f"{group}, {link}", "one of them")
    of = "link" if link is not None or (group is None and "group" not in wanted.owners) else "group"
    known = groups if of == "group" else scenario.links
    bottlenecks = [link for _, link, _ in scenario.paths if link]
    if of not in wanted.owners:
        raise MetricError(wanted.text, f"is not a metric of a {of}", group or link or "", " or ".join(wanted.owners))
    if group is None and link is None and of == "group" and len(groups) > 1:
        raise MetricError(wanted.text, "the group must be named", "", ", ".join(groups))
    if group is None and link is None and of == "link" and not bottlenecks:
        raise MetricError(wanted.text, "no group has a bottleneck; the link must be named", "", ", ".join(known))
    owner = group or link or (groups if of == "group" else bottlenecks)[0]
    if owner not in known:
        raise MetricError(wanted.text, f"unknown {of}", owner, ", ".join(known))
    return owner, of
