# SPDX-License-Identifier: Apache-2.0
"""Truth: rule. The scores by which validation/linux/advnet.py judges the statements of AdvNet."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "validation" / "linux"))

import advnet  # a script, not a package


def test_a_score_is_the_part_of_the_better_utility_that_is_lost() -> None:
    fast, slow = (8e6, 0.04), (2e6, 0.01)
    assert advnet.score(slow, fast, 1.0) == pytest.approx(0.75)
    assert advnet.score(fast, slow, 1.0) == pytest.approx(-0.75)
    # A fourth of the rate and a fourth of the delay are even at equal weights.
    assert advnet.score(slow, fast, 0.5) == pytest.approx(0.0)
    assert advnet.score(fast, slow, 0.0) == pytest.approx(0.75)


def test_a_target_has_its_worst_path_beside_each_reference() -> None:
    found = {
        "bbr": {"a": (1e6, 0.1), "b": (9e6, 0.1)},
        "cdg": {"a": (9e6, 0.1), "b": (9e6, 0.1)},
        "lp": {"a": (2e6, 0.1), "b": (3e6, 0.1)},
    }
    scores = advnet.scores(found, 1.0)
    assert scores["bbr"][:3] == pytest.approx((0.5, (8 / 9 + 0.5) / 2, 8 / 9))
    assert scores["bbr"].above(0.6) == "beside 1 of 2"
    assert scores["cdg"].greatest == pytest.approx(0.0)
    assert advnet.ranked(scores) == ["cdg", "bbr", "lp"]
