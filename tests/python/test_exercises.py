# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Every lesson has an exercise, whose answer quotes its commands; `test_docs.py` runs them."""

from __future__ import annotations

import tomllib

import exercises_page
import pytest

from narrows.library import SCENARIOS

EXERCISES = tomllib.loads(exercises_page.SOURCE.read_text("utf-8"))["exercises"]
SUMMARY = {"algorithms": {"cubic": {"groups": {}, "links": {"bottleneck": {"utilization": {"mean": 0.98765}}}}}}


def test_every_lesson_has_an_exercise() -> None:
    lessons = {file.stem for file in (SCENARIOS / "lessons").glob("*.toml")}
    assert sorted(each["lesson"] for each in EXERCISES) == sorted(lessons)
    for each in EXERCISES:
        assert all(f"--scenario {each['lesson']} " in f"{command} " for command in each["commands"])


def test_an_answer_quotes_every_command() -> None:
    for each in EXERCISES:
        quoted = {int(marked["command"]) for marked in exercises_page.QUOTED.finditer(each["answer"])}
        assert quoted == set(range(1, len(each["commands"]) + 1)), each["lesson"]


def test_a_value_is_quoted_with_its_unit() -> None:
    text = "used: {1: cubic/bottleneck/utilization, %}"
    assert exercises_page.quoted(text, [SUMMARY]) == "used: 98.8 %"


@pytest.mark.parametrize(
    "marked",
    [
        "{2: cubic/bottleneck/utilization, %}",
        "{1: reno/bottleneck/utilization, %}",
        "{1: cubic/access/utilization, %}",
        "{1: cubic/bottleneck/rate, %}",
        "{1: cubic/bottleneck/utilization, percent}",
    ],
)
def test_what_a_command_has_not_found_is_not_quoted(marked: str) -> None:
    with pytest.raises(ValueError, match="no "):
        exercises_page.quoted(marked, [SUMMARY])


def test_a_command_that_fails_is_named() -> None:
    with pytest.raises(ValueError, match="`narrows compare cubik --scenario sawtooth` ends with status 2"):
        exercises_page.found("compare cubik --scenario sawtooth")
