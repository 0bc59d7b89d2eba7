# SPDX-License-Identifier: Apache-2.0
"""Rates over time from a capture or from a result of iperf3, as a table that a scenario reads (`rate = { file = … }`).

Sources: iperf3's JSON (`--json` and `--json-stream`), its intervals and their sums.
"""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows.arguments import typed
from narrows.errors import InputError
from narrows.files.disk import new_file
from narrows.formats import capture
from narrows.plural import counted

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator


class Rates(NamedTuple):
    """Rates over time.

    Attributes:
        times: Times from the start, from which the rates hold, seconds.
        bps: The rates, bits per second.
        what: What was read, in words.
    """

    times: list[float]
    bps: list[float]
    what: str


@typed
def import_rates(
    file: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    source: str | None = None,
    step_s: float | None = None,
) -> Rates:
    """Write the rates over time in a capture or in a result of iperf3 as a table for a link, as `narrows import`.

    Args:
        file: A capture (pcapng or pcap), or a result of iperf3 in JSON.
        out: The table, which must not exist: a line for each rate, with the columns `time_s` and `Mbps`.
        source: Source address of the packets of a capture that count, or `client` or `server` of iperf3; None
            where there is one.
        step_s: Time over which the packets of a capture are counted, seconds; None is 0.1.

    Returns:
        The rates.

    Raises:
        InputError: The file is neither, is damaged, or leaves open whose rates are meant.
        OutputError: The table exists or cannot be written.
    """
    found = read(Path(file), step_s, source)
    with new_file(Path(out)) as table:
        write(found, table)
    return found


def read(file: Path, step_s: float | None, source: str | None) -> Rates:
    """Read rates over time.

    The first and the last step of a capture are not whole, and left out where others remain.

    Args:
        file: A capture (pcapng or pcap), or a result of iperf3 in JSON.
        step_s: Time over which the packets of a capture are counted, seconds; None is 0.1.
        source: Source address of the packets of a capture that are counted, or `client` or `server` of iperf3; None if
            there is one.

    Raises:
        InputError: The file cannot be read, is neither, or leaves open whose rates are meant.
    """
    if step_s is not None and not SHORTEST_S <= step_s <= LONGEST_S:
        raise InputError(f"step_s={step_s}", f"is no time from {SHORTEST_S} to {LONGEST_S} s")
    try:
        with file.open("rb") as opened:
            head = opened.read(4)
        if capture.is_capture(head):
            return _of_capture(file, 0.1 if step_s is None else step_s, source)
        if step_s is not None:
            raise InputError(str(file), "is no capture: iperf3 has intervals of its own, and takes no --step")
        return _of_iperf3(file, file.read_text(encoding="utf-8-sig"), source)
    except OSError as error:
        raise InputError(str(file), f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError:
        raise InputError(str(file), NEITHER) from None


def write(rates: Rates, file: Path) -> None:
    """Write rates as a table with the columns `time_s` and `Mbps`."""
    rows = (f"{at:.9g},{bps / 1e6:.9g}\n" for at, bps in zip(rates.times, rates.bps, strict=True))
    file.write_text("time_s,Mbps\n" + "".join(rows), encoding="utf-8")


def _of_capture(file: Path, step_s: float, source: str | None) -> Rates:
    sizes: dict[tuple[int, str], int] = defaultdict(int)
    bins: dict[tuple[int, str], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    step_ns = round(step_s * 1e9)
    origin: int | None = None
    for packet in capture.packets(file):
        origin = packet.time_ns if origin is None else origin
        key = (packet.interface, packet.source)
        sizes[key] += packet.size_bytes
        bins[key][(packet.time_ns - origin) // step_ns] += packet.size_bytes
        if len(bins[key]) > MOST:
            raise InputError(str(file), f"has more than {MOST} steps of {step_s:g} s: use a longer --step")
    sources = sorted({address for _, address in sizes}, key=lambda address: -max(_of(sizes, address)))
    if not sources:
        raise InputError(str(file), "has no IP packets")
    if source is None and len(sources) > 1:
        known = ", ".join(f"{address} ({max(_of(sizes, address)) / 1e6:.3g} MB)" for address in sources[:SHOWN])
        of = counted(len(sources), "address", "addresses")
        raise InputError(str(file), f"has packets from {of}: say --from ADDRESS, one of {known}")
    chosen = source or sources[0]
    keys = [key for key in sizes if key[1] == chosen]
    if not keys:
        raise InputError(str(file), f"has no packets from {chosen}; it has those of {', '.join(sources[:SHOWN])}")
    if len(keys) > 1:
        raise InputError(str(file), f"has packets from {chosen} on {len(keys)} interfaces: keep one of them")
    filled = bins[keys[0]]
    first, last = min(filled), max(filled)
    steps = range(first + 1, last) if last - first > 1 else range(first, last + 1)
    bps = [filled.get(step, 0) * 8 / step_s for step in steps]
    return Rates(
        [index * step_s for index in range(len(bps))], bps, f"IP packets from {chosen}, over {step_s:g} s each"
    )


def _of(sizes: dict[tuple[int, str], int], address: str) -> list[int]:
    return [size for (_, source), size in sizes.items() if source == address]


def _of_iperf3(file: Path, text: str, source: str | None) -> Rates:
    intervals = list(_intervals(file, text))
    both = any("sum_bidir_reverse" in interval for interval in intervals)
    if source not in {None, "client", "server"}:
        raise InputError(str(file), f"is a result of iperf3: --from {source} is neither client nor server")
    if both and source is None:
        raise InputError(str(file), "has both directions: say --from client or --from server")
    if source is not None and not both:
        raise InputError(str(file), "has one direction, so --from does not apply")
    name = "sum_bidir_reverse" if source == "server" else "sum"
    sums = [interval[name] for interval in intervals if not interval[name].get("omitted", False)]
    if not sums:
        raise InputError(str(file), "has no intervals that count")
    try:
        pairs = [(float(each["start"]), float(each["bits_per_second"])) for each in sums]
    except (KeyError, TypeError, ValueError):
        raise InputError(str(file), "is no result of iperf3: an interval has no start or no bits_per_second") from None
    if any(later[0] <= earlier[0] for earlier, later in pairwise(pairs)):
        raise InputError(str(file), "is damaged: an interval starts before the one before it")
    times = [start - pairs[0][0] for start, _ in pairs]
    return Rates(times, [bps for _, bps in pairs], f"intervals of iperf3{f' from the {source}' if source else ''}")


def _intervals(file: Path, text: str) -> Iterator[dict[str, Any]]:
    """Return the intervals of a result, or of a stream of events, each with its sum."""
    try:
        content = json.loads(text)
        found = content.get("intervals") if isinstance(content, dict) else None
    except (ValueError, RecursionError):
        try:
            events = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            raise InputError(str(file), NEITHER) from None
        is_interval = [isinstance(event, dict) and event.get("event") == "interval" for event in events]
        found = [event.get("data") for event, counts in zip(events, is_interval, strict=True) if counts]
    if not isinstance(found, list) or not found:
        raise InputError(str(file), NEITHER)
    for interval in found:
        if not isinstance(interval, dict) or not isinstance(interval.get("sum"), dict):
            raise InputError(str(file), "is no result of iperf3: an interval has no sum")
        yield interval


NEITHER = "is neither a capture (pcapng or pcap) nor a result of iperf3 in JSON"
MOST = 1_000_000
SHORTEST_S = 0.000001
LONGEST_S = 1_000_000
SHOWN = 6
