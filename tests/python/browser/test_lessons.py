# SPDX-License-Identifier: Apache-2.0
"""What the lessons of the playground say is what their scenarios show."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from narrows._internal.library import SCENARIOS
from narrows._internal.run.scenario import read


@cache
def measured(lesson: str, *changes: str, subject: str | None = None) -> dict[str, dict[str, float]]:
    """Return the means of a lesson's metrics by group and link, with some of its keys changed."""
    written = read(SCENARIOS / f"lessons/{lesson}.toml", list(changes))
    run: Any = written.compare([subject], replications=2).runs[subject] if subject else written.run(replications=2)
    owners = {**run.summary["groups"], **run.summary["links"]}
    return {
        name: {metric: value["mean"] for metric, value in each.items() if isinstance(value, dict) and "mean" in value}
        for name, each in owners.items()
    }


def link(lesson: str, *changes: str, subject: str | None = None) -> dict[str, float]:
    return measured(lesson, *changes, subject=subject)["bottleneck"]


def goodputs(lesson: str, *changes: str, subject: str | None = None) -> list[float]:
    owners = measured(lesson, *changes, subject=subject).values()
    return [each["goodput_bps"] for each in owners if "goodput_bps" in each]


def test_sawtooth() -> None:
    assert link("sawtooth")["utilization"] > 0.95
    assert link("sawtooth", subject="cubic")["utilization"] > 0.99
    assert link("sawtooth", "path.queue.limit=0.1bdp")["utilization"] < 0.85


def test_buffer_size() -> None:
    assert link("buffer-size")["utilization"] == pytest.approx(0.75, abs=0.05)
    assert link("buffer-size", "path.queue.limit=1bdp")["utilization"] > 0.95
    assert link("buffer-size", "flows.0.count=20")["utilization"] > 0.95


def test_bufferbloat() -> None:
    assert measured("bufferbloat")["download"]["rtt_p95_s"] == pytest.approx(0.4, rel=0.15)
    small = measured("bufferbloat", "path.queue.limit=1bdp")["download"]
    assert small["goodput_bps"] == pytest.approx(goodputs("bufferbloat")[0], rel=0.02)
    assert link("bufferbloat", subject="bbr1")["queue_delay_mean_s"] < 0.01
    assert link("bufferbloat", 'path.queue={kind="codel"}')["queue_delay_mean_s"] < 0.01


def test_short_queue() -> None:
    assert link("short-queue")["queue_delay_mean_s"] < 0.01
    assert link("short-queue")["utilization"] > 0.98
    # Ten bandwidth-delay products over 40 ms, of which the flows fill most.
    for droptail in ("path.queue=droptail", "path.queue.kind=droptail"):
        assert link("short-queue", droptail)["queue_delay_mean_s"] == pytest.approx(0.4, rel=0.15)


def test_long_fat_link() -> None:
    assert link("long-fat-link")["utilization"] < 0.7
    assert link("long-fat-link", subject="cubic")["utilization"] > 0.9
    near, cubic = (link("long-fat-link", "path.rtt=10ms", subject=each)["utilization"] for each in ("newreno", "cubic"))
    assert cubic - near < 0.15


def test_unequal_round_trips() -> None:
    near, far = goodputs("unequal-round-trips")
    assert far < near / 4
    assert goodputs("unequal-round-trips", subject="cubic")[1] > 1.3 * far
    near, far = goodputs("unequal-round-trips", 'path.queue={kind="fq-codel"}')
    assert far > 0.6 * near


def test_fairness() -> None:
    first, second = goodputs("fairness")
    assert first == pytest.approx(second, rel=0.25)
    first, second = goodputs("fairness", subject="aiad")
    assert first > 1.8 * second


def test_bbr_probes() -> None:
    assert link("bbr-probes")["loss_rate"] == 0
    assert link("bbr-probes")["queue_delay_mean_s"] < 0.01
    assert link("bbr-probes", subject="bbr3")["utilization"] > 0.95


def test_bbr_beside_cubic() -> None:
    cubic, bbr = goodputs("bbr-beside-cubic")
    assert cubic / (cubic + bbr) == pytest.approx(0.1, abs=0.04)
    assert goodputs("bbr-beside-cubic", subject="bbr3")[0] > 3 * cubic
    cubic, bbr = goodputs("bbr-beside-cubic", "path.queue.limit=8bdp")
    assert cubic > bbr


def test_delay_starves() -> None:
    vegas, other = goodputs("delay-starves")
    assert vegas < 0.1 * other
    vegas, other = goodputs("delay-starves", subject="vegas")
    assert vegas > 0.6 * other
    assert link("delay-starves", subject="vegas")["queue_delay_mean_s"] < 0.02


def test_lossy_link() -> None:
    assert link("lossy-link")["utilization"] == pytest.approx(0.1, abs=0.03)
    # Mathis et al. 1997.
    assert measured("lossy-link")["flow"]["cwnd_mean_packets"] == pytest.approx(1.22 / 0.01**0.5, rel=0.25)
    assert link("lossy-link", subject="bbr1")["utilization"] > 0.95


def test_ecn_marks() -> None:
    marked, dropped = (measured("ecn-marks", f"transport.ecn={on}")["flows"] for on in ("true", "false"))
    assert marked["retransmission_rate"] == 0 < dropped["retransmission_rate"]
    assert marked["rtt_mean_s"] == pytest.approx(dropped["rtt_mean_s"], rel=0.1)


def test_fair_queue() -> None:
    vegas, cubic = goodputs("fair-queue")
    assert vegas / (vegas + cubic) == pytest.approx(0.25, abs=0.05)
    vegas, cubic = goodputs("fair-queue", 'path.queue={kind="droptail",limit="10bdp"}')
    assert vegas < 0.02 * cubic


def test_xcp_starves() -> None:
    xcp, other = goodputs("xcp-starves")
    assert xcp / (xcp + other) == pytest.approx(0.05, abs=0.02)
    xcp, other = goodputs("xcp-starves", subject="xcp")
    assert xcp == pytest.approx(other, rel=0.05)
    assert link("xcp-starves", subject="xcp")["loss_rate"] == 0
