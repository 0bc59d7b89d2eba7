# SPDX-License-Identifier: Apache-2.0
"""Run and comparison folders with invented but plausible records, for tests that need no simulation.

A window climbs and is halved whenever its turn comes; the queue is what the windows leave above the bandwidth-delay
product; rates follow from windows and round-trip times. The numbers mean nothing, their shapes do.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from narrows._internal.files.format import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

CAPACITY = 20e6
BASE_RTT = 0.04
BDP = CAPACITY * BASE_RTT / 12000
KEEPS = {"newreno": 0.5, "cubic": 0.7, "aiad": 0.9}


@dataclass(frozen=True)
class Recipe:
    """What a folder should hold.

    Attributes:
        title: Title of the scenario.
        groups: Number of flows by group; a group is named after its algorithm.
        replications: How many.
        duration_s: Length of the run, seconds.
        interval_s: Between two rows of the series, seconds.
        varying: Whether the capacity walks.
        marks: Whether packets are marked.
        failed: The level of each check that fails, by its name.
    """

    title: str
    groups: Mapping[str, int]
    replications: int = 3
    duration_s: float = 30.0
    interval_s: float = 0.1
    varying: bool = False
    marks: bool = False
    failed: Mapping[str, str] = field(default_factory=dict)


def write_run(folder: Path, recipe: Recipe) -> dict[str, Any]:
    """Write a run folder and return its summary."""
    folder.mkdir(parents=True, exist_ok=True)
    series: list[dict[str, Any]] = []
    flows: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    distributions: list[dict[str, Any]] = []
    for replication in range(recipe.replications):
        _replication(recipe, replication, (series, flows, links, distributions))
    groups = [_group_row(group, replication, flows) for replication in range(recipe.replications)
              for group in recipe.groups]  # fmt: skip
    tables = {"series": series, "flows": flows, "groups": groups, "links": links, "distributions": distributions}
    for name, rows in tables.items():
        # A column is missing in rows that it does not apply to, as a flow has no queue.
        columns = dict.fromkeys(column for row in rows for column in row)
        table = pa.table({column: [row.get(column) for row in rows] for column in columns})
        pq.write_table(table, folder / f"{name}.parquet")
    summary = {
        "title": recipe.title,
        "seed": 1,
        "replications": recipe.replications,
        "digest": "sha256:" + "5e" * 32,
        "groups": {
            group: {"bottleneck": "bottleneck", **_group_measures(recipe, group, flows)} for group in recipe.groups
        },
        "links": {"bottleneck": {"utilization": _estimate([0.981, 0.984, 0.979][: recipe.replications]),
                                 "loss_rate": _estimate([0.00041, 0.0005, 0.00045][: recipe.replications]),
                                 "queue_mean_packets": _estimate([31.0, 33.5, 32.2][: recipe.replications]),
                                 "queue_delay_p95_s": _estimate([0.0311, 0.0305, 0.032][: recipe.replications])}},
        "checks": _checks(recipe),
        "performance": {"wall_s": 1.5, "cpu_s": 2.5, "events": 10, "packet_hops": 4_000_000},
    }  # fmt: skip
    manifest = {
        "description": [
            ["Path", "20 Mbps bottleneck, 40 ms two-way propagation delay, packets of 1500 B"],
            ["Queue", "droptail, 1 BDP = 67 packets = 100 kB = 40 ms"],
            *([group, f"{count} flows of {group}, unlimited, from 0 s"] for group, count in recipe.groups.items()),
        ],
        "versions": {"narrows": "0.1.0", "engine": "c0ffee"},
        "seed": 1,
    }
    (folder / "summary.json").write_text(json.dumps(numbered("summary.json", summary)), "utf-8")
    (folder / "manifest.json").write_text(json.dumps(numbered("manifest.json", manifest)), "utf-8")
    (folder / "scenario.toml").write_text(f'duration = "{recipe.duration_s:g}s"\nwarmup = "5s"\n', "utf-8")
    return summary


def write_comparison(folder: Path, title: str, algorithms: Sequence[str], **options: Any) -> dict[str, Any]:
    """Write a comparison folder and return its summary; `options` are those of `Recipe`."""
    summaries = {
        name: write_run(folder / name.replace("/", "%2F"), Recipe(title, {name: 2}, **options)) for name in algorithms
    }
    first = algorithms[0]
    summary = {
        "title": title,
        "seed": 1,
        "replications": summaries[first]["replications"],
        "digest": "sha256:" + "c0" * 32,
        "algorithms": {
            name: {key: each[key] for key in ("groups", "links", "checks")} for name, each in summaries.items()
        },
        "differences": [
            {
                "of": of,
                "against": first,
                "groups": {f"{of} - {first}": {
                    "goodput_bps": {"mean": 1.2e6, "ci95": [0.9e6, 1.5e6], "margin": 2e5, "verdict": "better"},
                    "jain": {"mean": -0.05, "ci95": [-0.08, -0.02], "margin": 0.01, "verdict": "worse"},
                    "rtt_mean_s": {"mean": 0.0003, "ci95": [-0.002, 0.0026], "margin": 1e-3, "verdict": "undecided"},
                }},
                "links": {"bottleneck": {"utilization": {"mean": 0.02, "ci95": [0.014, 0.026], "margin": 0.01,
                                                         "verdict": "better"}}},
            }
            for of in algorithms[1:]
        ],
    }  # fmt: skip
    folders = {name: name.replace("/", "%2F") for name in algorithms}
    (folder / "summary.json").write_text(json.dumps(numbered("summary.json", summary)), "utf-8")
    (folder / "manifest.json").write_text(json.dumps(numbered("manifest.json", {"algorithms": folders})), "utf-8")
    return summary


def _replication(recipe: Recipe, replication: int, tables: tuple[list[dict[str, Any]], ...]) -> None:
    series, flows, links, distributions = tables
    rng = np.random.default_rng([7, replication, *map(ord, "".join(recipe.groups))])
    times = np.arange(1, round(recipe.duration_s / recipe.interval_s) + 1) * recipe.interval_s
    capacity = np.full(len(times), CAPACITY)
    if recipe.varying:
        capacity = np.clip(CAPACITY + np.cumsum(rng.normal(0, 1.2e6, len(times))), 2e6, 30e6)
    windows, thresholds = _windows(recipe, rng, len(times))
    queue = np.clip(sum(windows.values()) - BDP * capacity / CAPACITY, 0, BDP)
    rtt = BASE_RTT + queue * 12000 / capacity
    total = sum(windows.values())
    for (group, name), window in windows.items():
        rate = window / total * np.minimum(capacity, total * 12000 / BASE_RTT) * 0.99
        for index, time in enumerate(times):
            series.append({
                "replication": replication, "time_s": time, "kind": "flow", "name": name, "group": group,
                "goodput_bps": rate[index] * 0.97, "throughput_bps": rate[index], "cwnd_packets": window[index],
                "ssthresh_packets": thresholds[group, name][index], "rtt_s": rtt[index],
            })  # fmt: skip
        flows.append({
            "replication": replication, "group": group, "flow": int(name[len(group) + 1 : -1]), "algorithm": group,
            "start_s": 0.0, "goodput_bps": float(rate[times > 5].mean() * 0.97), "completion_time_s": None,
        })  # fmt: skip
    full = queue >= BDP - 1
    for index, time in enumerate(times):
        series.append({
            "replication": replication, "time_s": time, "kind": "link", "name": "bottleneck", "group": None,
            "rate_bps": capacity[index] * 0.98, "capacity_bps": capacity[index], "queue_packets": queue[index],
            "queue_delay_s": rtt[index] - BASE_RTT, "dropped_packets": int(full[index]) * 3,
            "marked_packets": int(recipe.marks and queue[index] > BDP / 2),
        })  # fmt: skip
    links.append({"replication": replication, "link": "bottleneck", "utilization": 0.98})
    for group in recipe.groups:
        for quantity, shift in (("rtt_s", 0.0), ("delay_s", -BASE_RTT / 2)):
            bins = np.exp(np.round(np.log(rtt + shift + rng.normal(0, 2e-4, len(rtt))) / 0.01) * 0.01)
            for value, packets in zip(*np.unique(bins, return_counts=True), strict=True):
                distributions.append({"replication": replication, "owner": group, "quantity": quantity,
                                      "value_s": value, "packets": int(packets) * 100})  # fmt: skip


def _windows(recipe: Recipe, rng: np.random.Generator, length: int) -> tuple[dict[Any, Any], dict[Any, Any]]:
    windows, thresholds = {}, {}
    count = sum(recipe.groups.values())
    for group, flows in recipe.groups.items():
        for flow in range(flows):
            window, threshold, course, courses = 10.0, np.nan, [], []
            for _ in range(length):
                window *= 1.6 if np.isnan(threshold) else 1 + recipe.interval_s * 0.25
                if window > 2 * BDP / count * rng.uniform(0.8, 1.1) * (1.3 - 0.3 * flow):
                    window *= KEEPS.get(group, 0.6)
                    threshold = window
                course.append(window)
                courses.append(threshold)
            windows[group, f"{group}[{flow}]"] = np.array(course)
            thresholds[group, f"{group}[{flow}]"] = np.array(courses)
    return windows, thresholds


def _group_row(group: str, replication: int, flows: list[dict[str, Any]]) -> dict[str, Any]:
    rates = [row["goodput_bps"] for row in flows if (row["group"], row["replication"]) == (group, replication)]
    delay_s = _delays(group)[replication]
    return {"replication": replication, "group": group, "goodput_bps": sum(rates), "delay_p95_s": delay_s}


def _delays(group: str) -> list[float]:
    return [0.03 + 0.002 * len(group) + beyond for beyond in (0.0, 0.0016, -0.0007)]


def _group_measures(recipe: Recipe, group: str, flows: list[dict[str, Any]]) -> dict[str, Any]:
    sums = [
        sum(row["goodput_bps"] for row in flows if (row["group"], row["replication"]) == (group, replication))
        for replication in range(recipe.replications)
    ]
    return {
        "flows": recipe.groups[group],
        "goodput_bps": _estimate(sums),
        "goodput_fraction": _estimate([value / CAPACITY for value in sums]),
        "jain": _estimate([0.987, 0.991, 0.979][: recipe.replications]),
        "loss_rate": _estimate([0.00041, 0.0005, 0.00045][: recipe.replications]),
        "retransmission_rate": _estimate([0.0004, 0.0005, 0.00045][: recipe.replications]),
        "delay_p95_s": _estimate(_delays(group)[: recipe.replications]),
        "rtt_mean_s": _estimate([0.0612, 0.0608, 0.0621][: recipe.replications]),
        "cwnd_mean_packets": _estimate([48.1, 48.9, 47.7][: recipe.replications]),
        "reduction_interval_s": _estimate([2.31, 2.42, 2.28][: recipe.replications]),
        "timeouts": _estimate([0.0, 0.0, 0.0][: recipe.replications]),
        "mark_rate": {"mean": None, "ci95": None},
    }


def _estimate(values: Sequence[float]) -> dict[str, Any]:
    mean = float(np.mean(values))
    half = 2.5 * float(np.std(values))
    return {"mean": mean, "ci95": [mean - half, mean + half] if len(values) > 1 else None}


def _checks(recipe: Recipe) -> list[dict[str, Any]]:
    checks: list[dict[str, Any]] = [
        {"name": "packets conserved", "ok": True, "detail": "312,004 arrived = 311,870 sent + 134 dropped"},
        {"name": "bottleneck saturated", "ok": True, "detail": "98.1 % of what could have been sent"},
        {"name": "buffer filled", "ok": True, "detail": "full in 2.1 % of the time"},
        {"name": "ECN used", "ok": None, "detail": "no flow asks for ECN"},
        {"name": "limited by the window", "ok": True, "detail": "no sender was limited by the application"},
    ]
    return [
        {**check, "ok": False, "level": level} if (level := recipe.failed.get(check["name"])) else check
        for check in checks
    ]
