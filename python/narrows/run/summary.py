# SPDX-License-Identifier: Apache-2.0
"""`summary.json`: the mean and interval of every metric over the replications of a run, checks, cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from narrows import core
from narrows.files.format import SUMMARY, numbered
from narrows.files.system import peak_rss_bytes
from narrows.metrics import possible
from narrows.statistics import distinct, estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from narrows.core import Records, Scenario

    Measured = Mapping[str, Mapping[str, Mapping[str, float]]]


def summarize(
    scenario: Scenario, records: Mapping[int, Records], measured: Mapping[int, Measured], wall_s: float
) -> dict[str, Any]:
    """Summarise a run."""
    all_records = list(records.values())
    sizes = all_records[0].group_sizes
    bottlenecks = {name: link or None for name, link, _ in scenario.paths}
    digests = [each.digest for each in all_records]
    values = distinct(list(measured.values()), digests)
    groups = over_replications(all_records, "group", values)
    checks = [[*each.checks, possible.check(each, measured[index])] for index, each in records.items()]
    found = {"warmup": {"rule": "MSER-5", "end_s": [each.warmup_s for each in all_records]}}
    content = {
        "title": scenario.title,
        "seed": scenario.seed,
        "replications": len(records),
        **(found if scenario.warmup_s is None else {}),
        "digest": digest(digests),
        "groups": {
            name: {"flows": sizes[name], "bottleneck": bottlenecks[name], **metrics} for name, metrics in groups.items()
        },
        "links": over_replications(all_records, "link", values),
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


def over_replications(records: Sequence[Records], of: str, measured: Sequence[Measured]) -> dict[str, dict[str, Any]]:
    """Estimate every metric over replications."""
    own = [each[f"{of}s"] for each in measured]
    return {
        owner: {
            metric: estimate((each[owner][metric] for each in own), possible.range_in(records, of, owner, metric))
            for metric in metrics
        }
        for owner, metrics in own[0].items()
    }


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


SAME = (
    "all {count} replications are one and the same run, as nothing in it is random: they count as one, and give no "
    'interval and no verdict; let the flows start at random times (start = "0s..1s"), draw their round-trip times, or '
    'set transport.send_delay = "1pkt"'
)
"""What is said of replications that are all the same."""

LEVELS = ("note", "caution", "broken")
"""What the failure of a check means, the mildest first."""
