# SPDX-License-Identifier: Apache-2.0
"""Truth: closed forms. Every lesson has an exercise, whose answer quotes its commands; `test_docs.py` runs them."""

from __future__ import annotations

import re
import tomllib
from math import erf
from typing import Any

import exercises_page
import pytest

from narrows._internal.library import SCENARIOS

EXERCISES = tomllib.loads(exercises_page.SOURCE.read_text("utf-8"))["exercises"]
# Data in a packet, and its length.
GOODPUT, PACKET_BITS = 1460 / 1500, 12_000
Bounds = tuple[float, float]
SUMMARY = {"algorithms": {"cubic": {"groups": {}, "links": {"bottleneck": {"utilization": {"mean": 0.98765}}}}}}


def test_every_lesson_has_an_exercise() -> None:
    lessons = {file.stem for file in (SCENARIOS / "lessons").glob("*.toml")}
    assert sorted(each["lesson"] for each in EXERCISES) == sorted(lessons)
    for each in EXERCISES:
        assert all(f"--scenario {each['lesson']} " in f"{command} " for command in each["commands"])


def printed(exercise: dict[str, Any]) -> list[float]:
    """Return the values in the printed answer of an exercise, in their order."""
    page = " ".join(exercises_page.SOURCE.with_suffix(".md").read_text("utf-8").split())
    _, _, section = page.partition(f"Lesson `{exercise['lesson']}`")
    answer = " ".join(exercise["answer"].split())
    pattern, end = "", 0
    for marked in exercises_page.QUOTED.finditer(answer):
        unit = exercises_page.UNITS[marked["unit"]].text
        pattern += re.escape(answer[end : marked.start()]) + r"([\d.]+)" + re.escape(unit)
        end = marked.end()
    found = re.search(pattern + re.escape(answer[end:]), section.partition("</details>")[0])
    assert found is not None, exercise["lesson"]
    return [float(each) for each in found.groups()]


@pytest.mark.parametrize("exercise", EXERCISES, ids=[each["lesson"] for each in EXERCISES])
def test_every_printed_value_is_within_the_bounds_of_a_closed_form(exercise: dict[str, Any]) -> None:
    values, bounds = printed(exercise), judges()[exercise["lesson"]]
    assert len(values) == len(bounds)
    for value, (low, high) in zip(values, bounds, strict=True):
        assert low <= value <= high
        # The bounds would find a wrong unit, and a buffer that is not the one of the question.
        assert not value or not low <= value / 10 or not value * 10 <= high


def judges() -> dict[str, list[Bounds]]:
    """Return the bounds of each printed value, from the settings of the lessons alone.

    Windows, buffers and paths are in bandwidth-delay products: a window of 1 fills the path, the peak the buffer, too.
    """
    of_10, of_20 = 10 * GOODPUT, 20 * GOODPUT
    full = (98, 100)
    # Packets in the queue that Vegas aims at.
    vegas = (2, 4)
    # Lakshman and Madhow 1997: from the ratio of the round trips, with the wait in a full buffer, to its square.
    ratio = (120 + 40) / (20 + 40)
    # CUBIC beside BBR 1 over half a product loses a packet in each probe, of eight round trips of up to 60 ms, and
    # grows meanwhile by 0.53 packets in each (RFC 9438, 4.3).
    probed = 0.85 * (8 * 0.529 / 0.3) * GOODPUT * PACKET_BITS / 0.06 / 1e6
    # CUBIC in the region in which it is as fast as Reno: p = 1.5 / W².
    marked_percent = 100 * 1.5 / (20e6 / 3 * 0.047 / PACKET_BITS) ** 2
    mathis_packets = (1.5 / 0.01) ** 0.5
    # The second of two Vegas flows takes the packets of the first for a part of the path: of the wait q and that wait
    # b, both keep as many packets, 1/q + 1/(q - b) = 1/b, so that q/b is the square of the golden ratio.
    golden = (3 + 5**0.5) / 2
    return {
        "sawtooth": [full, full, cubic_waits(1, 60), around(reno_wait(1) * 60, 0.1)],
        # From the value without a buffer to the value of the saw; Appenzeller, Keslassy and McKeown 2004 give a lower
        # bound for many flows.
        "buffer-size": [
            (75, 100 * reno_utilization(0.1)),
            (95, 100 * reno_utilization(1)),
            (100 * max(erf(3 * 3**0.5 / 8**0.5 * 0.1 / 1.1 * 20**0.5), reno_utilization(0.1)), 100),
        ],
        # BBR 1 has at most two products in flight, and 1.25 at the end of a probe.
        "bufferbloat": [(400, 1.01 * 440), (1.125 * 40, 2 * 40), *[around(of_10, 0.01)] * 2],
        # CoDel holds the least wait in 100 ms at its target.
        "short-queue": [(5, 10), cubic_waits(10, 40), full, full],
        # Reno leaves slow start with a half of its peak, or a quarter of the path if what it had sent too much is
        # lost in two round trips; 55 s of one packet in each round trip follow. CUBIC has 0.7 of its peak at least.
        "long-fat-link": [
            (100 * (1250 / 4 + 55 / 0.15 / 2) / 1250, 100 * (1500 / 2 + 55 / 0.15 / 2) / 1250),
            (100 * 0.7 * 1.2, 100),
        ],
        # CUBIC depends less on the round trip. With FQ-CoDel the far flow has its half of the link, or three quarters
        # of that half.
        "unequal-round-trips": [
            (of_20 * ratio / (1 + ratio), of_20 * ratio**2 / (1 + ratio**2)),
            (of_20 / (1 + ratio**2), of_20 / (1 + ratio)),
            (of_20 / 2, of_20 * 3.5 / 4.5),
            (of_20 / 4.5, of_20 / 2),
            (of_20 / 2, of_20 * 5 / 8),
            (of_20 * 3 / 8, of_20 / 2),
        ],
        # A decrease by a constant leaves the windows as different as the slow start of the second flow, or a little
        # less.
        "fairness": [*[around(of_20 / 2, 0.1)] * 2, (of_20 * 0.6, of_20 * 0.9), (of_20 * 0.1, of_20 * 0.4)],
        # A queue of up to a quarter of the path, for two of eight round trips or always. CUBIC falls to 0.7 of its
        # peak, twice after slow start.
        "bbr-probes": [(10 / 8, 10), (0.5, 10), ((0.49 * 5 - 1) * 40, cubic_waits(4, 40)[1]), (0, 0)],
        # With the large buffer BBR 1 measures its least round trip over the packets of CUBIC, and has as many in
        # flight: half each.
        "bbr-beside-cubic": [(probed / 2, 1.2 * probed), (2 * probed, of_20 / 2), around(of_20 / 2, 0.15)],
        "delay-starves": [
            in_queue(vegas, reno_wait(4) * 40),
            around(of_10 / golden, 0.05),
            around(reno_wait(4) * 40, 0.05),
            (golden * vegas[0] * PACKET_BITS / 10e3, 1.03 * golden * vegas[1] * PACKET_BITS / 10e3),
        ],
        # BBR 1 leaves the link for 0.2 s in 10 s.
        "lossy-link": [
            around(mathis_packets, 0.15),
            (0.8 * 12 * GOODPUT * PACKET_BITS / 0.06 / 1e6, mathis_packets * GOODPUT * PACKET_BITS / 0.06 / 1e6),
            around(of_20 * 0.99 * (1 - 0.2 / 10), 0.02),
        ],
        "ecn-marks": [(45, 50), (45, 50), (0, 0), around(marked_percent, 0.25)],
        "fair-queue": [around(of_20 / 4, 0.1), in_queue(vegas, 400, rtt_ms=40)],
        # More than one packet in a round trip, and less than what XCP moves between flows at a time, a tenth.
        "xcp-starves": [(GOODPUT * PACKET_BITS / 0.04 / 1e6, of_20 / 10), around(of_20 / 2, 0.02)],
    }


def around(value: float, part: float) -> Bounds:
    return value * (1 - part), value * (1 + part)


def cubic_waits(buffer: float, rtt_ms: float) -> Bounds:
    """Return bounds of CUBIC's mean wait: it rises from 0.7 of its peak along a line, or the cubic curve."""
    line, curve = (((1 + buffer) * mean - 1) * rtt_ms for mean in (0.85, 1 - 0.3 / 4))
    return line, curve


def reno_wait(buffer: float) -> float:
    """Return the mean wait in a buffer of a product or more, in round trips: the window rises from half of its peak."""
    peak = 1 + buffer
    sent = (peak**2 - (peak / 2) ** 2) / 2
    return (peak**3 - (peak / 2) ** 3) / 3 / sent - 1


def reno_utilization(buffer: float) -> float:
    """Return the part of the link that one Reno uses with a buffer of up to a product."""
    empty, filling = (1 - buffer) / 2, ((1 + buffer) ** 2 - 1) / 2
    return (empty * (3 + buffer) / 4 + filling) / (empty + filling)


def in_queue(packets: tuple[int, int], wait_ms: float, rtt_ms: float = 0) -> Bounds:
    """Return bounds, Mbps, of a flow that keeps packets in the queue of others, which varies by a factor of two."""
    least, most = (each * GOODPUT * PACKET_BITS / (wait_ms + rtt_ms) / 1e3 for each in packets)
    return least / 2, 2 * most


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
