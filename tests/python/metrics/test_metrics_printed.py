# SPDX-License-Identifier: Apache-2.0
"""Rule: numbers that programs print are read as the programs define them, and a fault is named with its place."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from narrows._internal.errors import InputError
from narrows._internal.metrics import printed

# As iperf3 3.12 and curl 7.88 print them, in parts.
IPERF3 = {
    "start": {"version": "iperf 3.12"},
    "end": {
        "streams": [{"sender": {"mean_rtt": 40_000}}, {"sender": {"mean_rtt": 60_000}}],
        "sum_sent": {"bits_per_second": 9e6, "retransmits": 7},
        "sum_received": {"bits_per_second": 8e6},
    },
}
CURL = {
    "http_code": 200,
    "errormsg": None,
    "time_connect": 0.02,
    "time_starttransfer": 0.05,
    "time_total": 0.4,
    "speed_download": 1000,
}
SCENARIO = """
[[flows]]
name = "plain"
count = 3
[[flows]]
name = "one"
count = 1
program = { client = "a", server = "b" }
[[flows]]
name = "two"
count = 2
program = { client = "a", server = "b" }
"""


def of(text: str, metric: str, group: str = "one") -> float:
    return printed.of_metric(*run([text, *["", ""]]), group, metric)


def run(texts: list[str]) -> tuple[Any, Any]:
    """Return a scenario and its records, in which clients have printed texts; slots 0 to 2 have no programs."""
    programs = [(3 + slot, role, 0, text if role == "client" else "server") for slot, text in enumerate(texts)
                for role in ("client", "server")]  # fmt: skip
    return cast("Any", SimpleNamespace(resolved=SCENARIO)), cast("Any", SimpleNamespace(programs=programs))


def test_the_numbers_of_iperf3_are_those_of_its_end() -> None:
    text = f"Connecting\n{json.dumps(IPERF3, indent=1)}\niperf Done\n"
    assert of(text, "iperf3_goodput_bps") == 8e6
    assert of(text, "iperf3_rtt_s") == pytest.approx(0.05)
    assert of(text, "iperf3_retransmits") == 7


def test_the_numbers_of_curl_are_means_over_its_transfers() -> None:
    text = f"{json.dumps(CURL)}\ncurl: (18) transfer closed\n{json.dumps({**CURL, 'time_total': 0.6})}\n"
    assert of(text, "curl_total_s") == pytest.approx(0.5)
    assert of(text, "curl_goodput_bps") == 8000
    assert (of(text, "curl_first_byte_s"), of(text, "curl_connect_s")) == (0.05, 0.02)


def test_a_group_has_the_programs_of_its_own_flows() -> None:
    texts = [json.dumps({**CURL, "time_total": value}) for value in (1, 2, 4)]
    assert [printed.of_metric(*run(texts), group, "curl_total_s") for group in ("one", "two")] == [1, 3]
    assert math.isnan(printed.of_metric(*run(texts), "plain", "curl_total_s"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "prints no result; expected curl with -w"),
        ("Connecting to {host}", "prints no result"),
        ('{"time_total": 1,}', "prints no JSON: .* at offset 17"),
        ('x\n{"time_total": ', "prints no JSON: expecting value at offset 17"),
        ('{"time_total": NaN}', "prints NaN where JSON has a number"),
        ('{"a":' * 100_000, "nested too deeply|at offset"),
        ('{"time_total": 1, "error": "no route"}', "has failed: 'no route'"),
        ('{"time_total": 1, "http_code": 404, "errormsg": null}', "has failed: 'HTTP status 404'"),
        ('{"time_total": 1, "errormsg": "Could not connect"}', "has failed: 'Could not connect'"),
        ('{"time_total": 1}\n' * 10_001, "more than 10000 objects"),
        (" " * (16 << 20) + " ", "more than 16 MiB"),
    ],
)
def test_a_fault_is_named_with_its_place(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        printed.objects(text, printed.FORMS["curl"])
    assert math.isnan(of(text, "curl_total_s"))
    scenario, records = run([text, json.dumps(CURL), json.dumps(CURL)])
    (fault,) = printed.faults(scenario, records, ["goodput_bps", "curl_total_s", "curl_connect_s"])
    assert fault.startswith("the client of flow 3 ")
    (check,) = printed.check(scenario, records, ["curl_total_s"])
    assert (check["ok"], check["level"]) == (False, "caution")
    assert not printed.check(scenario, records, ["goodput_bps"])


@pytest.mark.parametrize("value", ["true", "null", '"1"', "-1", "1e300", "9" * 400, "[1]", "{}"])
def test_what_is_no_number_of_the_metric_is_none(value: str) -> None:
    assert math.isnan(of(f'{{"time_total": {value}}}', "curl_total_s"))


PIECES = some.text(max_size=4) | some.sampled_from(["{", "}", "[", "null", "true", "NaN", "-", "9" * 400, '"', "\n{"])


@given(at=some.integers(0, 400), cut=some.integers(0, 40), new=PIECES, is_iperf3=some.booleans())
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_number_or_none(at: int, cut: int, new: str, *, is_iperf3: bool) -> None:
    text = json.dumps(IPERF3 if is_iperf3 else CURL)
    at %= len(text)
    for metric in sorted(printed.NAMES):
        found = of(text[:at] + new + text[at + cut :], metric)
        assert math.isnan(found) or 0 <= found <= 1e16


def test_another_form_is_refused() -> None:
    with pytest.raises(InputError, match="expected iperf3 or curl"):
        printed.named("wget")
