# SPDX-License-Identifier: Apache-2.0
"""Statistics: in each field report, the controller that is named as failing fails, and the other does not."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import pytest

from narrows._internal.library import FIELD_REPORTS, SCENARIOS, field_reports, library
from narrows._internal.run.scenario import read


class Margin(NamedTuple):
    """By which metric two controllers differ, and at least how many times, were set before the runs of the table."""

    metric: str
    times: float


MARGINS = {
    "five-gigabit": Margin("flow_goodput_bps", 2.0),
    "jitter": Margin("goodput_bps", 1.5),
    "lossy-minute": Margin("goodput_bps", 2.0),
    "reordered": Margin("flow_goodput_bps", 2.0),
    "rerouted": Margin("goodput_bps", 10.0),
    "weak-link": Margin("goodput_bps", 2.0),
}
# Of all frames: who fails has more late ones than the first, who does not fewer than the second.
LATE, IN_TIME = 0.1, 0.01


def written(name: str, line: str) -> str:
    """Return what a line of the comment of a scenario names, as in `# Fails: vegas`."""
    text = (SCENARIOS / FIELD_REPORTS / f"{name}.toml").read_text("utf-8")
    found: list[str] = re.findall(rf"^# {line}: (.+)$", text, re.MULTILINE)
    assert len(found) == 1, f"{name}: {found}"
    return found[0]


@cache
def measured(name: str, algorithm: str, *changes: str, replications: int = 3) -> dict[str, Any]:
    """Return the estimates of the one group of a scenario under an algorithm, with another seed than the table's."""
    keys = ["seed=2", f"flows.0.algorithm={algorithm}", *changes]
    summary = read(SCENARIOS / FIELD_REPORTS / f"{name}.toml", keys).run(replications=replications).summary
    (group,) = summary["groups"].values()
    return dict(group)


def test_each_report_asks_a_question_and_names_its_source_and_two_controllers() -> None:
    family = {each["name"]: each for each in field_reports()}
    assert set(family) == {*MARGINS, "key-frames", "frames", "blind-ping"}
    for name, each in family.items():
        text = library()[name].file.read_text("utf-8")
        assert each["question"].endswith("?"), name
        assert text.startswith(f"# {each['question']}\n#\n"), name
        assert each["command"] == f"narrows compare {each['fails']} {each['holds']} --scenario {name}"
        assert re.match(r"[\w.-]+/[\w.-]+#\d+|Arun, Alizadeh", str(each["source"])), name
        assert f'algorithm = "{written(name, "Fails")}"' in text, name
        assert written(name, "Fails") != written(name, "Holds")


@pytest.mark.parametrize("name", MARGINS)
def test_one_controller_fails_and_the_other_does_not(name: str) -> None:
    metric, times = MARGINS[name]
    fails = measured(name, written(name, "Fails"))[metric]["ci95"]
    holds = measured(name, written(name, "Holds"))[metric]["ci95"]
    assert fails[1] * times < holds[0]


def test_frames_are_late_where_they_are_sent_at_once() -> None:
    late = {
        each: measured("key-frames", written("key-frames", each))["late_frame_share"] for each in ("Fails", "Holds")
    }
    assert late["Fails"]["ci95"][0] > LATE
    assert late["Holds"]["mean"] < IN_TIME


def test_a_flow_in_frames_starves_beside_one_without() -> None:
    shares = {}
    for name in ("Fails", "Holds"):
        algorithm = written("frames", name)
        keys = ["seed=2", *(f"flows.{flow}.algorithm={algorithm}" for flow in (0, 1))]
        groups = read(SCENARIOS / FIELD_REPORTS / "frames.toml", keys).run(replications=3).summary["groups"]
        framed, beside = (group["goodput_bps"]["ci95"] for group in groups.values())
        shares[name] = (framed, beside)
    starved, beside = shares["Fails"]
    assert starved[1] * 10 < beside[0]
    framed, beside = shares["Holds"]
    assert framed[0] > beside[1] / 2


def test_a_shaper_that_follows_a_blind_ping_leaves_the_queue_to_the_controller() -> None:
    shared = ("network.links.0.queue.kind=droptail",)
    cap = ("network.links.1.rate=60Mbps",)

    def waits(name: str, *changes: str) -> Any:
        keys = ["seed=2", f"flows.0.algorithm={written('blind-ping', name)}", *changes]
        summary = read(SCENARIOS / FIELD_REPORTS / "blind-ping.toml", keys).run(replications=3).summary
        return summary["links"]["server-dish"]["queue_delay_mean_s"]

    fails = waits("Fails")["ci95"][0]
    assert all(fails > 5 * waits(*other)["mean"] for other in (("Holds",), ("Fails", *shared), ("Fails", *cap)))


def test_jitter_costs_nothing_where_order_is_kept() -> None:
    kept = "path.impairments.0.reorder=false"
    fails, holds = (
        measured("jitter", written("jitter", each), kept)["goodput_bps"]["mean"] for each in ("Fails", "Holds")
    )
    assert min(fails, holds) > 0.9 * 20e6 * 1460 / 1500


def test_no_controller_helps_where_three_later_packets_make_a_loss() -> None:
    for algorithm in ("cubic", "bbr1", "bbr3"):
        assert measured("jitter", algorithm, "transport.recovery=sack")["goodput_bps"]["ci95"][1] < 20e6 / 4


def test_a_receive_window_makes_all_controllers_alike() -> None:
    limited = ("transport.receive_window=4MB", "flows.0.size=200MB")
    found = {
        algorithm: measured("five-gigabit", algorithm, *limited, replications=1)["flow_goodput_bps"]["mean"]
        for algorithm in ("newreno", "cubic", "bbr1", "bbr3")
    }
    assert min(found.values()) > 0.85 * max(found.values()), found
    # The window in each round trip.
    assert max(found.values()) < 4e6 * 8 / 0.1
