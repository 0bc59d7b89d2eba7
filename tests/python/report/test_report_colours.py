# SPDX-License-Identifier: Apache-2.0
"""A colour means one thing in all figures of a page, and a thing has one colour (product)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import narrows as nw
from narrows._internal.report.run.data import Comparison
from narrows._internal.report.run.figures import figures, frame
from narrows._internal.report.run.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCENARIO = {
    "duration": "2s",
    "warmup": "500ms",
    "path": {"rate": "8Mbps", "rtt": "20ms", "reverse": {"rate": "2Mbps"}},
    "flows": [
        {"name": "call", "algorithm": "gcc", "source": {"kind": "call"}},
        {"name": "download", "algorithm": "cubic", "subject": True, "count": 2},
        {"name": "upload", "algorithm": "newreno", "direction": "reverse"},
    ],
}
MINE = """
class Mine:
    def __init__(self, setup):
        self.window = 10.0

    def on_ack(self, ack):
        self.window += 1 / self.window

    def on_loss(self, loss):
        self.window = max(self.window / 2, 2.0)
"""
QUEUES = {"path.queue": ["droptail", "fq-codel"]}
KINDS: dict[str, Callable[[str], Any]] = {
    "run": lambda _mine: nw.Scenario(SCENARIO).run(1),
    "one algorithm": lambda _mine: nw.Scenario(SCENARIO, overrides=["flows.upload.algorithm=cubic"]).run(1),
    "algorithms": lambda mine: nw.compare(["newreno", mine, "cubic"], SCENARIO, replications=1),
    "levels": lambda _mine: nw.compare([], SCENARIO, vary=QUEUES, replications=1),
    "both": lambda mine: nw.compare([mine, "bbr3"], SCENARIO, vary=QUEUES, replications=1),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_colour_means_one_thing_on_a_page_and_a_thing_has_one_colour(kind: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    KINDS[kind](f"{tmp_path / 'mine.py'}:Mine").keep(tmp_path / "out")
    found = read(tmp_path / "out")
    runs = found.runs if isinstance(found, Comparison) else [found]
    colours: set[tuple[str, int]] = set()
    # The entries of legends are runs, or the groups of a run, which are known by their algorithms if these differ.
    by_label: dict[str, str] = {}
    for run in runs:
        several = len(set(run.algorithms.values())) > 1
        groups = {group: algorithm if several else group for group, algorithm in run.algorithms.items()}
        own = run.factors[0] if len({each.factors[0] for each in runs}) > 1 else run.name
        by_label |= {run.name: own} if len(runs) > 1 else groups
        for (name, flow), (_, style) in frame.flows(
            runs, {each.name: each.flow_traces(each.shown_replication) for each in runs}
        ).of.items():
            group = flow.partition("[")[0]
            if name == run.name and len(runs) == 1:
                colours.add((groups[group], style.colour))
            elif name == run.name:
                same = {each.factors[0] for each in runs}
                colours.add((run.algorithms[group].rpartition(":")[2] if len(same) > 1 else own, style.colour))
    labels = [(key.label, key.style.colour) for each in figures(runs) for key in each.keys if key.style is not None]
    colours |= {(by_label[label].rpartition(":")[2], colour) for label, colour in labels if label in by_label}
    things = [thing for thing, _ in colours]
    assert len(set(things)) == len(things), sorted(colours)
    assert len({colour for _, colour in colours}) == len(colours), sorted(colours)
    assert len(colours) > 1
