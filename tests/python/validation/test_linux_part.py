# SPDX-License-Identifier: Apache-2.0
"""Truth: rule. The first packet at which two runs part (validation/linux/part.py)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "validation" / "linux"))

import part  # a script, not a package


def log(rows: list[tuple[float, str, str, str, int, bool]]) -> dict[str, Any]:
    """Return a packet log of the flow `judged[0]`: seconds, place, event, kind, number, retransmission."""
    columns: dict[str, Any] = {
        "time_ps": (np.array([row[0] * 1e12 for row in rows]), None),
        "number": (np.array([row[4] for row in rows]), None),
        "retransmission": (np.array([row[5] for row in rows]), None),
        "flow": (np.zeros(len(rows), dtype=int), None),
    }
    for index, name in ((1, "place"), (2, "event"), (3, "kind")):
        names = sorted({str(row[index]) for row in rows})
        columns[name] = (np.array([names.index(str(row[index])) for row in rows]), names)
    columns["group"] = (np.zeros(len(rows), dtype=int), ["judged"])
    return columns


def test_steps_are_those_of_the_sender_from_its_first_packet() -> None:
    table = log(
        [
            (1.0, "sender", "sent", "syn", 0, False),
            (1.1, "sender", "received", "syn-ack", 0, False),
            (1.1, "sender", "sent", "data", 0, False),
            (1.1, "bottleneck", "enqueued", "data", 0, False),
            (1.2, "sender", "received", "ack", 0, False),
            (1.2, "sender", "sent", "data", 0, True),
            (1.2, "sender", "sent", "data", 1, False),
        ]
    )
    found = part.steps(table)["judged[0]"]
    assert [step.what for step in found] == ["data 0", "ack 0", "retransmission 0", "data 1"]
    assert found[0].time == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("theirs", "place"),
    [
        ([(0.0, "data 0"), (0.1, "ack 1")], None),
        ([(0.0, "data 0"), (0.10005, "ack 1")], None),
        ([(0.0, "data 0"), (0.102, "ack 1")], 1),
        ([(0.0, "data 0"), (0.1, "data 1")], 1),
        ([(0.0, "data 0"), (0.1, "ack 2")], 1),
        ([(0.0, "data 0")], 1),
    ],
)
def test_runs_part_where_steps_differ_in_kind_or_time_or_end(
    theirs: list[tuple[float, str]], place: int | None
) -> None:
    ours = [part.Step(0.0, "data 0"), part.Step(0.1, "ack 1")]
    other = [part.Step(*each) for each in theirs]
    assert part.parting(ours, other, 1e-4) == place
    text = part.described(ours, other, place)
    assert ("part at step" in text) == (place is not None)
