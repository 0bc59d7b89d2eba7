# SPDX-License-Identifier: Apache-2.0
"""The intervals of a result of iperf3 in JSON (`--json` and `--json-stream`), and their sums."""

from __future__ import annotations

import math
from ipaddress import ip_address
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from narrows._internal.errors import InputError
from narrows._internal.files.json_objects import RepeatedKeyError, from_json


class Interval(NamedTuple):
    """The rate over an interval."""

    start_s: float
    end_s: float
    bps: float


class Result(NamedTuple):
    """The rates of one direction."""

    intervals: list[Interval]
    what: str


class Parts(NamedTuple):
    """The parts of a result; those that are not there are empty."""

    start: dict[str, Any]
    intervals: list[Any]
    end: dict[str, Any]
    failure: str | None


def read(file: Path, text: str, source: str | None) -> Result:
    """Read the sums of the intervals, without those that are omitted."""
    start, found, _, failure = parts(file, text)
    if not found:
        raise InputError(str(file), f"is a result of iperf3 that failed: {failure}" if failure else NEITHER)
    for number, interval in enumerate(found, 1):
        if not isinstance(interval, dict) or not isinstance(interval.get("sum"), dict):
            raise InputError(str(file), f"is no result of iperf3: interval {number} has no sum")
    name = _direction(file, start, found, source)
    intervals = [each for number, interval in enumerate(found, 1) if (each := _interval(file, number, interval, name))]
    if not intervals:
        raise InputError(str(file), "has no intervals that count")
    if any(later.start_s <= earlier.start_s for earlier, later in pairwise(intervals)):
        raise InputError(str(file), "is damaged: an interval starts before the one before it")
    of = f" from {source}" if source else ""
    return Result(intervals, f"intervals of iperf3{of}" + (f"; it ended with the error {failure}" if failure else ""))


def parts(file: Path, text: str) -> Parts:
    """Return the parts of a result, or of a stream of events."""
    try:
        content = _parsed(file, text)
    except (ValueError, RecursionError):
        content = {"intervals": []}
        for line in filter(str.strip, text.splitlines()):
            try:
                event = _parsed(file, line)
            except (ValueError, RecursionError):
                raise InputError(str(file), _neither(file, text)) from None
            if not isinstance(event, dict):
                raise InputError(str(file), _neither(file, text)) from None
            kind, data = event.get("event"), event.get("data")
            if kind == "interval":
                content["intervals"].append(data)
            elif kind in {"start", "end", "error"}:
                content[kind] = data
    if not isinstance(content, dict):
        raise InputError(str(file), NEITHER)
    found, failure = content.get("intervals"), content.get("error")
    start, end = (part if isinstance(part, dict) else {} for part in (content.get("start"), content.get("end")))
    return Parts(
        start,
        found if isinstance(found, list) else [],
        end,
        repr(failure[:SHOWN]) if isinstance(failure, str) else None,
    )


def _parsed(file: Path, text: str) -> Any:
    try:
        return from_json(text)
    except RepeatedKeyError as error:
        why = " (iperf3 3.7 writes both directions of --bidir so; measure them one by one, or with iperf3 3.9 or later)"
        problem = f"cannot be read: {error}{why if error.key == 'sum' else ''}"
        raise InputError(str(file), problem) from None


def _neither(file: Path, text: str) -> str:
    """Return the error for a text that is not JSON."""
    if text.lstrip().startswith(("{", "[")):
        return f"{NEITHER}, or is cut off"
    return f'{NEITHER}; a scenario names a table of text itself: rate = {{ file = "{file.name}" }}'


def _direction(file: Path, start: dict[str, Any], found: list[dict[str, Any]], source: str | None) -> str:
    """Return the name of the sums of the direction from `source`."""
    both = any("sum_bidir_reverse" in interval for interval in found)
    sender = _end(start, source) if source else None
    if source and sender is None:
        problem = f"--from {source} is neither client nor server, nor the address of one of them"
        raise InputError(str(file), f"is a result of iperf3: {problem}")
    if both:
        if sender is None:
            raise InputError(str(file), "has both directions: say --from client or --from server")
        return "sum_bidir_reverse" if sender == "server" else "sum"
    test = start.get("test_start")
    reverse = test.get("reverse") if isinstance(test, dict) else None
    sends = {0: "client", 1: "server"}.get(reverse) if isinstance(reverse, int) else None
    if sender is not None and sender != sends:
        of = f", that from the {sends}" if sends else ""
        raise InputError(str(file), f"has one direction{of}, so --from {source} does not apply")
    return "sum"


def _end(start: dict[str, Any], source: str) -> str | None:
    """Return `client` or `server` for either word, or for the address of either."""
    if source in {"client", "server"}:
        return source
    connected = start.get("connected")
    ends = ("client", "server") if "connecting_to" in start else ("server", "client")
    for each in connected if isinstance(connected, list) else []:
        for key, end in zip(("local_host", "remote_host"), ends, strict=True):
            if isinstance(each, dict) and _same(each.get(key), source):
                return end
    return None


def _same(address: object, source: str) -> bool:
    try:
        return isinstance(address, str) and ip_address(address) == ip_address(source)
    except ValueError:
        return False


def _interval(file: Path, number: int, interval: dict[str, Any], name: str) -> Interval | None:
    """Return an interval; None if it is omitted, or has no length."""
    found = interval.get(name)
    if not isinstance(found, dict):
        raise InputError(str(file), f"is no result of iperf3: interval {number} has no {name}")
    if found.get("omitted", False):
        return None
    values = []
    for key, most in (("start", LONGEST_S), ("end", LONGEST_S), ("bits_per_second", FASTEST_BPS)):
        value = found.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most or math.isnan(value):
            problem = f"interval {number} has no {key} that is a number from 0 to {most:g}"
            raise InputError(str(file), f"is no result of iperf3: {problem}")
        values.append(float(value))
    start, end, bps = values
    if end < start:
        raise InputError(str(file), f"is damaged: interval {number} ends before it starts")
    return Interval(start, end, bps) if end > start else None


NEITHER = "is neither a capture (pcapng or pcap) nor a result of iperf3 in JSON"
LONGEST_S, FASTEST_BPS = 1e7, 1e15
"""The longest time and the largest rate of a scenario."""

SHOWN = 200
