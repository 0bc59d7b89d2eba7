# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. Every lesson has an exercise, whose answer quotes its commands; `test_docs.py` runs them."""

from __future__ import annotations

import re
import tomllib

import exercises_page
import pytest

from narrows._internal.library import SCENARIOS

EXERCISES = tomllib.loads(exercises_page.SOURCE.read_text("utf-8"))["exercises"]
SUMMARY = {"algorithms": {"cubic": {"groups": {}, "links": {"bottleneck": {"utilization": {"mean": 0.98765}}}}}}


def test_every_lesson_has_an_exercise() -> None:
    lessons = {file.stem for file in (SCENARIOS / "lessons").glob("*.toml")}
    assert sorted(each["lesson"] for each in EXERCISES) == sorted(lessons)
    for each in EXERCISES:
        assert all(f"--scenario {each['lesson']} " in f"{command} " for command in each["commands"])


def printed(lesson: str, pattern: str) -> list[float]:
    """Return the numbers of the printed answer of a lesson that are the groups of a pattern."""
    page = " ".join(exercises_page.SOURCE.with_suffix(".md").read_text("utf-8").split())
    _, _, section = page.partition(f"Lesson `{lesson}`")
    found = re.search(pattern, section.partition("</details>")[0])
    assert found is not None, lesson
    return [float(each) for each in found.groups()]


def test_the_answers_on_buffers_of_ten_products_are_those_of_closed_forms() -> None:
    full_ms, rtt_s, packet_bits = 10 * 40.0, 0.04, 12_000
    (peak,) = printed("bufferbloat", r"the 95th percentile with CUBIC is ([\d.]+) ms")
    assert full_ms < peak <= 1.01 * (full_ms + 40)
    # The flows keep the buffer nearly full.
    codel, wait = printed("short-queue", r"([\d.]+) ms with CoDel, ([\d.]+) ms without it")
    assert 0.8 * full_ms < wait < full_ms
    assert codel < full_ms / 40
    # Vegas keeps two to four packets in a queue that others fill, and so gets that much in each round trip.
    (share,) = printed("fair-queue", r"about the fair quarter, and ([\d.]+) Mbps")
    least, most = (packets * packet_bits / (full_ms / 1e3 + rtt_s) / 1e6 for packets in (2, 4))
    assert least / 2 < share < 2 * most


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
