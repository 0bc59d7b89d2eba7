# SPDX-License-Identifier: Apache-2.0
"""Truth: validation. Situations on simulator and kernel (battery.py): no difference without its reason."""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "validation" / "linux"))

import battery  # a script, not a package
import judge

from optional import needs

PAGE = battery.PAGE.read_text(encoding="utf-8")
CASES = list(battery.cases())
TITLES = {figure.column.title: name for name, figure in battery.FIGURES.items()}
# Short ones, of each kind.
QUICK = (
    ("syn-lost", "cubic"),
    ("first-data-lost", "reno"),
    ("idle-1s-slow-start", "reno"),
    ("tail-last-two", "cubic"),
    ("ecn-retransmission-marked", "reno"),
    ("receiver-limited", "reno"),
)
built = needs("kernel")


def rows() -> dict[str, dict[str, str]]:
    """Return the cells of the page by case and figure; `agrees` is the verdict."""
    found: dict[str, dict[str, str]] = {}
    situation, names = "", [""]
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("### "):
            situation = line.removeprefix("### ")
        elif line.startswith("| algorithm"):
            names = [TITLES.get(cell, cell) for cell in cells]
        elif line.startswith("| "):
            found[f"{situation}/{cells[0]}"] = dict(zip(names, cells, strict=True))
    return found


def differing() -> list[str]:
    """Return the figures of the page that differ, as `battery-reasons.toml` names them."""
    return [f"{case} {name}" for case, row in rows().items() for name, cell in row.items() if cell.startswith("**")]


def test_the_page_has_every_case_with_its_figures() -> None:
    found = rows()
    assert list(found) == [case.name for case in CASES], "run `python validation/linux/battery.py --write`"
    for case in CASES:
        assert set(case.situation["figures"]) <= set(found[case.name])


def test_every_difference_has_its_reason_and_every_reason_a_difference() -> None:
    names = differing()
    assert [name for name in names if battery.reason(*name.split(" ")) is None] == []
    patterns = [pattern for each in battery.reasons() for pattern in each.figures]
    assert [each for each in patterns if not any(fnmatchcase(name, each) for name in names)] == []
    for case, row in rows().items():
        differs = any(cell.startswith("**") for cell in row.values())
        assert row["agrees"].startswith("no: ") == differs, case
        assert "?" not in row["agrees"], case


def test_situations_are_named_once_and_have_figures_and_algorithms() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names))
    assert {name for case in CASES for name in case.situation["figures"]} == set(battery.FIGURES)


@pytest.mark.parametrize("case", CASES[:: len(CASES) // 20], ids=lambda case: case.name)
def test_situations_resolve_for_the_simulator(case: Any) -> None:
    assert case.scenario("simulator").check().title


def outcome(ours: float, theirs: float, name: str = "timeouts") -> Any:
    row = judge.Row("x", battery.FIGURES[name].column, [ours], [theirs])
    return battery.Outcome({name: row}, "")


@pytest.mark.parametrize(
    ("ours", "theirs", "name", "different"),
    [
        (1.0, 1.0, "timeouts", False),
        (1.0, 2.0, "timeouts", True),
        (0.0, 1.0, "retransmissions", True),
        (100.0, 109.0, "retransmissions", False),
        (float("nan"), float("nan"), "completion", False),
        (1.0, float("nan"), "completion", True),
    ],
)
def test_figures_agree_within_their_aims(ours: float, theirs: float, name: str, *, different: bool) -> None:
    assert bool(outcome(ours, theirs, name).different) == different


def log(rows: list[tuple[float, str, str, str, int, bool]], at: float) -> Any:
    """Return a log of packets: seconds, place, event, kind, number, retransmission."""
    columns = dict(
        zip(
            ("place", "event", "kind", "number", "retransmission"),
            zip(*[row[1:] for row in rows], strict=True),
            strict=True,
        )
    )
    packets = {name: np.array(column) for name, column in columns.items()}
    none: Any = None
    return battery.Log(none, {**packets, "time_ps": np.array([row[0] * 1e12 for row in rows])}, at)


def test_figures_are_counted_from_the_packets() -> None:
    packets = [
        (0.0, "sender", "sent", "data", 0, False),
        (0.1, "receiver", "received", "data", 0, False),
        (0.2, "sender", "received", "ack", 1, False),
        (1.0, "sender", "sent", "data", 1, False),
        (1.0, "sender", "sent", "data", 2, False),
        (1.1, "receiver", "received", "data", 1, False),
        (1.15, "a-b", "dropped", "data", 2, False),
        (1.2, "sender", "received", "ack", 2, False),
        (1.2, "sender", "sent", "data", 3, False),
        (1.5, "sender", "sent", "data", 2, True),
        (1.6, "receiver", "received", "data", 2, True),
        (1.6, "receiver", "received", "data", 2, False),
        (1.7, "sender", "received", "ack", 4, False),
    ]
    found = {
        name: battery.FIGURES[name].of(log(packets, 1.0))
        for name in (
            "flight_after",
            "time_after",
            "lost_after",
            "longest_window_after",
            "retransmissions",
            "first_retransmission",
            "duplicates",
        )
    }
    assert found == {
        "flight_after": 2.0,
        "time_after": pytest.approx(0.7),
        "lost_after": 1.0,
        "longest_window_after": 2.0,
        "retransmissions": 1.0,
        "first_retransmission": pytest.approx(1.5),
        "duplicates": 1.0,
    }


@built
@pytest.mark.parametrize(("situation", "algorithm"), QUICK)
def test_simulator_and_kernel_differ_with_a_reason_alone(situation: str, algorithm: str, tmp_path: Path) -> None:
    [case] = battery.cases(situation, [algorithm])
    found = battery.compare(case, tmp_path)
    unexplained = [name for name in found.different if battery.reason(case.name, name) is None]
    assert not unexplained, battery.described(found, unexplained)
