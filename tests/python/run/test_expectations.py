# SPDX-License-Identifier: Apache-2.0
"""Clauses are judged by the whole interval, never by the mean alone where there is an interval."""

from __future__ import annotations

import pytest

from narrows._internal.run.summary import judge, verdict


@pytest.mark.parametrize(
    ("ci95", "at_least", "at_most", "expected"),
    [
        ([0.8, 1.0], 0.7, None, "holds"),
        ([0.8, 1.0], 0.8, 1.0, "holds"),
        ([0.8, 1.0], 0.85, None, "inconclusive"),
        ([0.8, 1.0], None, 0.95, "inconclusive"),
        ([0.8, 1.0], 1.1, None, "fails"),
        ([0.8, 1.0], None, 0.7, "fails"),
        ([0.8, 1.0], 0.2, 0.7, "fails"),
    ],
)
def test_an_interval_decides(ci95: list[float], at_least: float | None, at_most: float | None, expected: str) -> None:
    assert verdict(0.9, ci95, at_least, at_most) == expected


def test_without_an_interval_the_mean_decides() -> None:
    assert verdict(0.9, None, 0.8, None) == "holds"
    assert verdict(0.9, None, 0.95, None) == "fails"


def test_a_measure_without_data_fails() -> None:
    assert verdict(None, None, 0.0, None) == "fails"


def test_a_clause_without_an_owner_is_about_every_group() -> None:
    summary = {
        "groups": {name: {"jain": {"mean": mean, "ci95": None}} for name, mean in [("a", 0.9), ("b", 0.5)]},
        "links": {},
    }
    clause = {"measure": "jain", "group": None, "link": None, "at_least": 0.8, "at_most": None}
    assert [(each["group"], each["verdict"]) for each in judge([clause], summary)] == [("a", "holds"), ("b", "fails")]
    assert [each["group"] for each in judge([{**clause, "group": "b"}], summary)] == ["b"]
