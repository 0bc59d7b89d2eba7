# SPDX-License-Identifier: Apache-2.0
"""Truth: statistics. The program that counts how often `narrows ab` is right (validation/trials.py)."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from narrows._internal.trial.contest import contests
from narrows._internal.trial.scenarios import Sides, of_files

sys.path.insert(0, str(Path(__file__).parents[3] / "validation"))

import trials  # a script, not a package

SCENARIO = """
duration = "1s"
path = { rate = "1Mbps", rtt = "40ms" }
[[flows]]
name = "test"
algorithm = "cubic"
subject = true
"""


def test_equal_runs_are_seldom_found_worse_and_different_ones_always(tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    [contest] = contests(of_files([str(file)], Sides("cubic", "newreno"), None), ["goodput_bps"])
    draw = random.Random(7)  # noqa: S311  # draws, no secrets
    chance = [1e6 * draw.gauss(1.0, 0.1) for _ in range(50)]
    contest.values[0] = (chance, chance)
    equal = [trials.trial([contest], "0%", draw, apart=True) for _ in range(100)]
    assert sum(bool(each.worse) for each in equal) <= 5
    assert all(each.undecided in {0.0, 1.0} for each in equal)
    contest.values[0] = (chance, [0.9 * each for each in chance])
    changed = [trials.trial([contest], "1%", draw, apart=False) for _ in range(20)]
    assert all(each.worse == 1 and each.pairs == 10 for each in changed)


def test_the_interval_of_a_share_is_wilsons() -> None:
    # Of 10 in 100: A. Agresti and B. A. Coull, The American Statistician 52 (1998), eq. 2.
    assert trials.wilson(10, 100) == pytest.approx((0.0552, 0.1744), abs=1e-4)
    assert trials.wilson(0, 300) == pytest.approx((0.0, 0.0126), abs=1e-4)
