# SPDX-License-Identifier: Apache-2.0
"""`summary.json`: the metrics of a run with intervals, checks, cost, expectations, and replaced algorithms."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from narrows._internal import core
from narrows._internal.analysis.sequences import always_valid
from narrows._internal.comparison import Replaced
from narrows._internal.core import Records, Scenario
from narrows._internal.files.format import SUMMARY, numbered
from narrows._internal.files.system import peak_rss_bytes
from narrows._internal.metrics import possible, printed
from narrows._internal.statistics import EQUAL, Estimate, distinct, estimate

Measured = Mapping[str, Mapping[str, Mapping[str, float]]]


def summarize(  # noqa: PLR0913  # what a summary is made of
    scenario: Scenario,
    records: Mapping[int, Records],
    measured: Mapping[int, Measured],
    wall_s: float,
    wanted: Sequence[str] = (),
    *,
    at_most: int | None = None,
) -> dict[str, Any]:
    """Summarise a run; `at_most` is the limit of a comparison that ended when it was decided."""
    all_records = list(records.values())
    sizes = all_records[0].group_sizes
    bottlenecks = {name: link or None for name, link, _ in scenario.paths}
    digests = [each.digest for each in all_records]
    values = distinct(list(measured.values()), digests)
    sequential = at_most is not None
    groups = over_replications(all_records, "group", values, sequential=sequential)
    checks = [
        [*each.checks, possible.check(each, measured[index]), *printed.check(scenario, each, wanted)]
        for index, each in records.items()
    ]
    found = {"warmup": {"rule": "MSER-5", "end_s": [each.warmup_s for each in all_records]}}
    content = {
        "title": scenario.title,
        "seed": scenario.seed,
        "replications": len(records),
        **({"at_most": at_most} if sequential else {}),
        **(found if scenario.warmup_s is None else {}),
        "digest": digest(digests),
        "groups": {
            name: {"flows": sizes[name], "bottleneck": bottlenecks[name], **metrics} for name, metrics in groups.items()
        },
        "links": over_replications(all_records, "link", values, sequential=sequential),
        "checks": [*combine_checks(checks), *([differ(digests)] if len(digests) > 1 else [])],
        "performance": combine_performance([each.performance for each in all_records], wall_s),
    }
    return numbered(SUMMARY, content)


def digest(parts: Iterable[str]) -> str:
    """Return the SHA-256 of several digests in their order, as `sha256:` and hexadecimal digits."""
    return core.combined_digest(list(parts))


def differ(digests: Sequence[str]) -> dict[str, Any]:
    """Return the check that replications are not all one and the same run, combined as the others."""
    different, count = len(set(digests)), len(digests)
    if different > 1:
        detail, level, failed = f"{different} of {count} are different runs", None, 0
    else:
        detail, level, failed = SAME.format(count=count), "caution", count
    return {"name": "replications differ", "ok": not failed, "level": level, "detail": detail, "failed": failed}


def over_replications(
    records: Sequence[Records], of: str, measured: Sequence[Measured], *, sequential: bool
) -> dict[str, dict[str, Any]]:
    """Estimate every metric over replications, whose number may have depended on the results (`sequential`)."""
    own = [each[f"{of}s"] for each in measured]

    def estimated(owner: str, metric: str) -> Estimate:
        values, within = [each[owner][metric] for each in own], possible.range_in(records, of, owner, metric)
        found = estimate(values, within)
        return always_valid(found, values, within) if sequential else found

    return {owner: {metric: estimated(owner, metric) for metric in metrics} for owner, metrics in own[0].items()}


def combine_checks(checked: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Combine the checks of replications."""
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for checks in checked:
        for check in checks:
            by_name.setdefault(check["name"], []).append(check)
    return [_combine_check(same, len(checked)) for same in by_name.values()]


def combine_performance(measured: Sequence[Mapping[str, float]], wall_s: float) -> dict[str, Any]:
    """Add up the cost of replications."""
    cpu_s = math.fsum(each["cpu_s"] for each in measured)
    packet_hops = int(sum(each["packet_hops"] for each in measured))
    return {
        "wall_s": wall_s,
        "cpu_s": cpu_s,
        "events": int(sum(each["events"] for each in measured)),
        "packet_hops": packet_hops,
        "packet_hops_per_s": packet_hops / cpu_s if cpu_s > 0 else None,
        "peak_rss_bytes": peak_rss_bytes(),
    }


def _combine_check(same: Sequence[Mapping[str, Any]], replications: int) -> dict[str, Any]:
    failed = [each for each in same if each["ok"] is False]
    passed = [each for each in same if each["ok"] is True]
    level = max((each["level"] for each in failed), key=LEVELS.index, default=None)
    worst = max(
        [each for each in failed if each["level"] == level] or passed or list(same),
        key=lambda each: float(each["shortfall"]),
    )
    detail = worst["detail"]
    if failed and replications > 1:
        most = "; the worst is shown" if len(failed) > 1 else ""
        detail += f" (fails in {len(failed)} of {replications} replications{most})"
    ok = False if failed else True if passed else None
    return {"name": worst["name"], "ok": ok, "level": level, "detail": detail, "failed": len(failed)}


def judge(expectations: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Judge the `[[expect]]` clauses of a scenario."""
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
    groups = summary["groups"]
    if clause["measure"] in OF_FINITE:
        # Nothing is expected of endless flows, unless there are no others.
        groups = [name for name in groups if groups[name]["completed_flows"]["mean"] is not None] or groups
    return [("group", name) for name in groups]


def _judge(clause: Mapping[str, Any], measures: Mapping[str, Any]) -> dict[str, Any]:
    measured = measures[clause["measure"]]
    # If all replications have the same value, it replaces the interval.
    ends = None if measured.get("interval_method") == EQUAL else measured["ci95"]
    found = verdict(measured["mean"], ends, clause["at_least"], clause["at_most"])
    return {"mean": measured["mean"], "ci95": measured["ci95"], "verdict": found}


def verdict(mean: float | None, ci95: Sequence[float] | None, at_least: float | None, at_most: float | None) -> str:
    """Return the verdict on an estimate: `holds`, `fails` or `inconclusive`."""
    if mean is None:
        return "fails"
    low, high = ci95 or (mean, mean)
    if (at_least is None or low >= at_least) and (at_most is None or high <= at_most):
        return "holds"
    if (at_least is not None and high < at_least) or (at_most is not None and low > at_most):
        return "fails"
    return "inconclusive"


def replaced_in(scenario: Scenario) -> Replaced | None:
    """Return the groups under test of a scenario and the algorithms of the others; None if there are no others."""
    tested = [name for name, is_tested in scenario.groups if is_tested]
    others = [name for name, is_tested in scenario.groups if not is_tested]
    # Both texts may be long.
    if not tested or not others:
        return None
    flows = tomllib.loads(scenario.resolved)["flows"]
    own = {each["name"]: each["algorithm"]["name"] for each in flows}
    kept = {name: own.get(name, "") for name in others}
    kept = {name: algorithm for name, algorithm in kept.items() if algorithm != CONSTANT}
    if not kept:
        return None
    written = tomllib.loads(scenario.given["text"]).get("flows", [])
    # Groups are resolved in the order in which they are written.
    pairs = zip(written, flows, strict=False)
    bound = [flow["name"] for text, flow in pairs if text.get("algorithm") == SUBJECT]
    return Replaced(tested, kept, bound)


SAME = (
    "all {count} replications are one and the same run, as nothing in it is random: they count as one, and give no "
    'interval and no verdict; let the flows start at random times (start = "0s..1s"), draw their round-trip times, or '
    'set transport.send_delay = "1pkt"'
)
"""What is said of replications that are all the same."""

LEVELS = ("note", "caution", "broken")
"""What the failure of a check means, the mildest first."""
OF_FINITE = (
    "completed_flows",
    "abandoned_flows",
    "refused_flows",
    "flow_goodput_bps",
    "completion_time_s",
    "completion_time_p50_s",
    "completion_time_p95_s",
    "completion_time_p99_s",
    "slowdown",
)
"""Metrics of which no endless flow has a value."""
# The name of the algorithm under test in a scenario.
SUBJECT = "subject"
# The algorithm of a source that nothing holds back.
CONSTANT = "constant"
