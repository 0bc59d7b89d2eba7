# SPDX-License-Identifier: Apache-2.0
"""Numbers that programs print about themselves: results of iperf3 (`--json`) and timings of curl (`-w '%{json}'`).

What a program prints is the text of a stranger: it is read up to a size, and a fault is named with its place.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from narrows._internal.errors import InputError
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from narrows._internal.core import Records, Scenario


class Value(NamedTuple):
    """A number in a JSON object of a program."""

    path: str  # keys with dots between them, as in `end.sum_received.bits_per_second`; `*` for all of a list
    scale: float  # from its unit to the metric's


@frozen
class Form:
    """The output of a program."""

    expected: str  # the options with which the program prints it
    key: str  # a key that every object has
    values: Mapping[str, Value]  # numbers by the name of their metric


def objects(text: str, form: Form) -> list[dict[str, Any]]:
    """Return the JSON objects of a program, each of which begins a line; other lines are left out.

    Raises:
        ValueError: The text has no such object or one of a failure, is too long, or has JSON with a fault, which is
            named with its offset.
    """
    if len(text) > LARGEST:
        raise ValueError(f"prints more than {LARGEST >> 20} MiB")
    found = [each for each in _parsed(text) if form.key in each]
    if not found:
        raise ValueError(f"prints no result; expected {form.expected}")
    for each in found:
        if error := _failure(each):
            raise ValueError(f"has failed: {error[:SHOWN]!r}")
    return found


def _failure(found: Mapping[str, Any]) -> str:
    """Return the error that an object has: an error of iperf3 or of curl, or the status of an HTTP response."""
    status = found.get("http_code")
    if isinstance(status, int) and status >= HTTP_ERROR:
        return f"HTTP status {status}"
    return next((str(found[key]) for key in ("error", "errormsg") if found.get(key)), "")


def _parsed(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder(parse_constant=_refused)
    at = count = 0
    while match := BEGIN.search(text, at):
        try:
            found, at = decoder.raw_decode(text, match.start())
        except json.JSONDecodeError as error:
            raise ValueError(f"prints no JSON: {error.msg.lower()} at offset {error.pos}") from None
        except RecursionError:
            raise ValueError(f"prints JSON that is nested too deeply, from offset {match.start()}") from None
        count += 1
        if count > MOST:
            raise ValueError(f"prints more than {MOST} objects")
        yield found


def _refused(name: str) -> NoReturn:
    raise ValueError(f"prints {name} where JSON has a number")


def number(found: Mapping[str, Any], value: Value) -> float:
    """Return a number of an object, the mean over a list; not a number where there is none."""
    reached: list[Any] = [found]
    for key in value.path.split("."):
        if key == "*":
            reached = [one for each in reached if isinstance(each, list) for one in each]
        else:
            reached = [each.get(key) for each in reached if isinstance(each, dict)]
    numbers = [float(each) for each in reached if _is_number(each)]
    return math.fsum(numbers) / len(numbers) * value.scale if numbers else math.nan


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= HIGHEST


def of_group(scenario: Scenario, records: Records, group: str) -> list[tuple[int, str]]:
    """Return the numbers of the flows of a group that programs carry, with the output of the client of each."""
    clients = sorted((slot, text) for slot, role, _, text in records.programs if role == "client")
    # Programs are numbered by their flows, group by group.
    for name, count in carried(scenario):
        own, clients = clients[:count], clients[count:]
        if name == group:
            return own
    return []


def carried(scenario: Scenario) -> list[tuple[str, int]]:
    """Return the groups that programs carry, with the number of their flows."""
    flows = tomllib.loads(scenario.resolved)["flows"]
    return [(flow["name"], flow["count"]) for flow in flows if "program" in flow]


def of_metric(scenario: Scenario, records: Records, group: str, metric: str) -> float:
    """Return a metric of a group: the mean over all objects of its programs; not a number where none can be read."""
    form = FORMS[_form(metric)]
    values = []
    for _, text in of_group(scenario, records, group):
        try:
            values += [number(each, form.values[metric]) for each in objects(text, form)]
        except ValueError:
            continue
    known = [each for each in values if not math.isnan(each)]
    return math.fsum(known) / len(known) if known else math.nan


def check(scenario: Scenario, records: Records, metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Return the check that programs print the numbers of these metrics; nothing without such metrics."""
    if not NAMES & set(metrics):
        return []
    found = faults(scenario, records, metrics)
    detail = "; ".join(found) or "the clients' results were read"
    level = "caution" if found else None
    return [{"name": NAME, "ok": not found, "level": level, "detail": detail, "shortfall": float(len(found))}]


def faults(scenario: Scenario, records: Records, metrics: Sequence[str]) -> list[str]:
    """Return why the numbers of these metrics cannot be read from what programs print."""
    found = []
    for form in dict.fromkeys(_form(metric) for metric in metrics if metric in NAMES):
        for group, _ in carried(scenario):
            for slot, text in of_group(scenario, records, group):
                try:
                    objects(text, FORMS[form])
                except ValueError as error:
                    found.append(f"the client of flow {slot} {error}")
    return found


def _form(metric: str) -> str:
    return metric.partition("_")[0]


def named(form: str) -> list[str]:
    """Return the metrics of a form.

    Raises:
        InputError: There is no such form.
    """
    if form not in FORMS:
        raise InputError(f"--read {form}", f"expected {' or '.join(FORMS)}")
    return list(FORMS[form].values)


FORMS = {
    "iperf3": Form(
        "iperf3 with --json",
        "end",
        {
            "iperf3_goodput_bps": Value("end.sum_received.bits_per_second", 1.0),
            "iperf3_rtt_s": Value("end.streams.*.sender.mean_rtt", 1e-6),
            "iperf3_retransmits": Value("end.sum_sent.retransmits", 1.0),
        },
    ),
    "curl": Form(
        "curl with -w '%{json}\\n'",
        "time_total",
        {
            "curl_total_s": Value("time_total", 1.0),
            "curl_first_byte_s": Value("time_starttransfer", 1.0),
            "curl_connect_s": Value("time_connect", 1.0),
            "curl_goodput_bps": Value("speed_download", 8.0),
        },
    ),
}
NAME = "programs print their numbers"
NAMES = frozenset(name for form in FORMS.values() for name in form.values)
HTTP_ERROR = 400
BEGIN = re.compile(r"^\{", re.MULTILINE)
LARGEST, MOST, SHOWN, HIGHEST = 16 << 20, 10_000, 200, 1e15
