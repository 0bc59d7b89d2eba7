# SPDX-License-Identifier: Apache-2.0
"""The summary of a group whose connections are not recorded over time, such as calls, games, videos and pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.metrics import card_of
from narrows.metrics.perceived import perceived

if TYPE_CHECKING:
    from collections.abc import Mapping

    from narrows.files.run_folder import RunFolder


def of_group(run: RunFolder, replication: int, algorithms: Mapping[str, str], group: str) -> str:
    """Describe the perceived metrics of a group, the link at which its packets waited, and the flows on that link."""
    groups, links = (
        {
            row[of]: row
            for row in run.table(f"{of}s", f"has no table of {of}s").to_pylist()
            if row["replication"] == replication
        }
        for of in ("group", "link")
    )
    bottlenecks = {name: each.get("bottleneck") for name, each in run.summary["groups"].items()}
    metrics, link = groups[group], bottlenecks[group]
    known = perceived(name for name, value in metrics.items() if value is not None)
    said = [f"{group} ({algorithms[group]}) has no record over time, as no group with an application has."]
    values = [f"{card_of(name, 'group')['label']} {_value(metrics, name, 'group')}" for name in known]
    said += [f"On average over replication {replication}: {'; '.join(values)}."] if values else []
    measured = links.get(link)
    if measured is None:
        return " ".join(said)
    said.append(
        f"Packets wait {_value(measured, 'queue_delay_mean_s', 'link')} at link {link}, which drops "
        f"{_value(measured, 'loss_rate', 'link')} of them and is used to {_value(measured, 'utilization', 'link')}."
    )
    beside = [name for name, other in bottlenecks.items() if other == link]
    shares = [f"{name} ({algorithms[name]}) {_value(groups[name], 'goodput_bps', 'group')}" for name in beside]
    return " ".join([*said, f"Goodputs over this link: {', '.join(shares)}."])


def _value(metrics: Mapping[str, Any], name: str, of: str) -> str:
    value, unit = metrics.get(name), card_of(name, of)["unit"]
    scale, written = WRITTEN.get(str(unit), (1.0, str(unit)))
    return "-" if value is None else f"{value / scale:.3g} {written}".strip()


WRITTEN = {"s": (1e-3, "ms"), "bps": (1e6, "Mbps"), "share": (0.01, "%")}
