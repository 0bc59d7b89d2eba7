# SPDX-License-Identifier: Apache-2.0
"""Truth: contract. A metric as it is asked for, and the cards that say what can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import narrows as nw
from narrows._internal.core import ScenarioError
from narrows._internal.metrics.card import DECLARED, Group, Name, Rate, Share, Time, Whole, metric
from narrows._internal.metrics.registry import cards
from narrows.metrics import MetricError, catalogue, resolve

if TYPE_CHECKING:
    from narrows._internal.metrics.card import Choices, Parameter
    from narrows._internal.metrics.observed import Observed


def fault(text: str) -> MetricError:
    """Return why a text does not name a metric."""
    with pytest.raises(MetricError) as raised:
        resolve(text)
    return raised.value


def test_what_is_not_chosen_has_its_default() -> None:
    asked = resolve("cov( after = 200s )", "link")
    assert (asked.text, asked.owners, asked.counted) == ("cov(after=200s)", ("link",), False)
    assert asked.choices == {"bin": 1.0, "after": 200.0}
    assert resolve("cov").owners == ("group", "link")
    assert resolve("convergence_time").choices == {"rule": 0.8, "to": "own"}
    assert resolve("window_at(at=0s)").choices == {"at": 0.0}


def test_a_bare_counter_stays_one_and_a_choice_makes_it_a_series() -> None:
    assert resolve("jain").counted
    assert resolve("jain(scale=10s)").choices == {"scale": 10.0, "after": "warmup"}


@pytest.mark.parametrize(
    ("text", "message", "given", "allowed", "nearest"),
    [
        ("convergence_tme", "unknown metric", "convergence_tme", "convergence_time", "convergence_time"),
        ("godput_bps", "unknown metric", "godput_bps", "goodput_bps", "goodput_bps"),
        ("rpm", "unknown metric", "rpm", "responsiveness_rpm; `narrows list metrics` has ", "responsiveness_rpm"),
        ("stall", "unknown metric", "stall", "stalls, stall_share", "stalls"),
        ("cov(bim=1s)", "unknown parameter", "bim", "bin, after", "bin"),
        ("cov(bin=10)", "cannot have this value", "10", "as in 10s, or rtt", None),
        ("cov(bin=0s)", "cannot have this value", "0s", "as in 10s", None),
        ("utilization_after(k=20)", "at is needed", "", "as in 10s", None),
        ("utilization_after(k=-1,at=1s)", "cannot have this value", "-1", "a whole number from 0", None),
        ("cov(bin=1s,bin=2s)", "twice", "bin=2s", "each parameter once", None),
        ("goodput_bps(bin=1s)", "unknown parameter", "bin", "none", None),
        ("settling_time(bin=1s)", "unknown parameter", "bin", "none", None),
        ("cov(", "neither a metric", "cov(", "as in cov", None),
        ("cov(bin)", "neither a metric", "cov(bin)", "as in cov", None),
        ("(bin=1s)", "unknown metric", "", "cov", None),
        ("", "unknown metric", "", "cov", None),
    ],
)
def test_faults_say_what_was_given_what_is_allowed_and_what_is_near(
    text: str, message: str, given: str, allowed: str, nearest: str | None
) -> None:
    found = fault(text)
    assert message in found.message
    assert found.given == given
    assert allowed in found.allowed
    assert found.nearest == nearest


def test_a_metric_of_links_is_none_of_groups() -> None:
    with pytest.raises(MetricError, match="unknown metric"):
        resolve("utilization", "group")


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (Time("t", ""), "250ms", 0.25),
        (Time("t", "", words=("rtt",)), "rtt", "rtt"),
        (Time("t", "", zero=True), "0s", 0.0),
        (Share("s", ""), "80%", 0.8),
        (Share("s", ""), "1.5", 1.5),
        (Whole("w", ""), "20", 20.0),
        (Rate("r", ""), "5Mbps", 5e6),
        (Name("n", "", "all"), "mice", "mice"),
        (Group("g", "", "own"), "cubic", "cubic"),
    ],
)
def test_a_value_is_read_as_in_a_scenario(parameter: Parameter, text: str, value: float | str) -> None:
    assert parameter.read(text) == value


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        (Time("t", ""), "0s"),
        (Time("t", ""), "10"),
        (Time("t", "", words=("rtt",)), "end"),
        (Share("s", ""), "-1"),
        (Share("s", ""), "nan"),
        (Whole("w", ""), "1.5"),
        (Rate("r", ""), "0bps"),
        (Rate("r", ""), "10s"),
        (Name("n", "", "all"), ""),
    ],
)
def test_what_means_no_value_is_refused(parameter: Parameter, text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        parameter.read(text)


def test_every_card_has_a_label_a_unit_a_direction_and_a_source() -> None:
    labels = set()
    for card in catalogue():
        assert card["label"], card["name"]
        assert card["unit"] in UNITS, card["name"]
        assert card["better"] in {"higher", "lower", ""}, card["name"]
        assert card["summary"], card["name"]
        assert card["source"], card["name"]
        labels.add((card["family"], card["counted"], card["label"]))
    assert len(labels) == len(catalogue())


def test_every_default_is_allowed_and_one_name_has_one_set_of_choices() -> None:
    for card in cards():
        for parameter in card.parameters:
            assert not parameter.default or parameter.read(parameter.default) is not None
        other = DECLARED.get(("group" if card.owner == "link" else "link", card.name))
        assert other is None or other.card.parameters == card.parameters


def test_a_metric_is_declared_once_and_with_a_definition() -> None:
    def settling_time(_seen: Observed, _group: str, _choices: Choices) -> float:
        """A second one."""
        return 0.0

    def nameless(_seen: Observed, _group: str, _choices: Choices) -> float:
        return 0.0

    for function in (settling_time, nameless):
        with pytest.raises(ValueError, match="declared twice or has no definition"):
            metric(of="group", unit="", better="", label="another", source="none")(function)
    assert ("group", "nameless") not in DECLARED


@pytest.mark.parametrize(
    ("written", "message", "hint"),
    [
        ("cov(bin=10)", "bin cannot have this value", None),
        ("convergence_tme", "unknown metric", "did you mean `convergence_time`?"),
        ("throughput_ratio(to=cubik)", "unknown group", "did you mean `cubic`?"),
        ("queue_between(from=1s,until=2s)", "unknown metric", None),
    ],
)
def test_a_fault_in_what_a_scenario_expects_has_its_place(written: str, message: str, hint: str | None) -> None:
    text = SCENARIO + f'[[expect]]\nmeasure = "{written}"\ngroup = "cubic"\nat_least = 0\n'
    with pytest.raises(ScenarioError) as raised:
        nw.Scenario(text).check()
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic["line"], diagnostic["path"]) == (12, "expect.0.measure")
    assert message in diagnostic["message"]
    assert diagnostic["hint"] == hint


def test_a_scenario_may_expect_a_metric_of_the_series() -> None:
    text = SCENARIO + '[[expect]]\nmeasure = "cov( bin = 500ms )"\nat_most = 10\n'
    (expected,) = nw.Scenario(text).run().summary["expectations"]
    assert (expected["measure"], expected["verdict"]) == ("cov(bin=500ms)", "holds")


UNITS = {"", "s", "bps", "bps/s", "B", "packets", "count", "share", "round trips", "rpm", "1/s"}
SCENARIO = """
title = "One"
duration = "2s"

[path]
rate = "10Mbps"
rtt = "40ms"

[[flows]]
algorithm = "cubic"
"""
