# SPDX-License-Identifier: Apache-2.0
"""Rates over time from a capture or from a result of iperf3, as a table that a scenario reads (`path.rate.file`)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from narrows._internal.arguments import typed
from narrows._internal.errors import InputError
from narrows._internal.files.disk import new_file
from narrows._internal.files.text import open_regular
from narrows._internal.formats import iperf3
from narrows._internal.formats.capture import Capture, Packet, Place, is_capture
from narrows._internal.plural import counted


class Rates(NamedTuple):
    """Rates over time.

    Attributes:
        times: Times from the start, from which the rates hold, seconds.
        bps: The rates, bits per second.
        what: Description of the rates.
        ends: Times until which the rates hold, seconds.
    """

    times: list[float]
    bps: list[float]
    what: str
    ends: list[float]

    def mean_bps(self) -> float:
        """Return the mean rate over all intervals, bits per second."""
        lengths = [end - start for start, end in zip(self.times, self.ends, strict=True)]
        return sum(bps * length for bps, length in zip(self.bps, lengths, strict=True)) / sum(lengths)


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
        out: The table, which must not exist: a line for each rate, with the columns `time_s`, `Mbps`
            and `end_s`.
        source: Source address of the packets of a capture that count, or of iperf3 `client`, `server` or the address
            of one of them; None if there is one.
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
    """Read rates over time."""
    if step_s is not None and not SHORTEST_S <= step_s <= LONGEST_S:
        raise InputError(f"step_s={step_s}", f"is no time from {SHORTEST_S} to {LONGEST_S} s")
    try:
        with open_regular(file) as opened:
            head = opened.read(HEAD)
            if is_capture(head[:4]):
                return _of_capture(Capture(file), 0.1 if step_s is None else step_s, source)
            for magic, (form, command) in COMPRESSED.items():
                if head.startswith(magic):
                    raise InputError(str(file), f"is compressed ({form}): decompress it first, as with {command}")
            content = head + opened.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise InputError(str(file), f"is no capture, and larger than {LARGEST >> 20} MiB")
        if step_s is not None:
            raise InputError(str(file), "is no capture: iperf3 has intervals of its own, and takes no --step")
        # PowerShell writes UTF-16.
        return _of_iperf3(file, content.decode(json.detect_encoding(content)), source)
    except OSError as error:
        raise InputError(str(file), f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError:
        raise InputError(str(file), iperf3.NEITHER) from None


def write(rates: Rates, file: Path) -> None:
    """Write rates as a table with the columns `time_s`, `Mbps` and `end_s`."""
    lines = zip(rates.times, rates.bps, rates.ends, strict=True)
    rows = (f"{at:.9g},{bps / 1e6:.9g},{end:.9g}\n" for at, bps, end in lines)
    file.write_text("time_s,Mbps,end_s\n" + "".join(rows), encoding="utf-8")


def _of_iperf3(file: Path, text: str, source: str | None) -> Rates:
    result = iperf3.read(file, text, source)
    first = result.intervals[0].start_s
    return Rates(
        [each.start_s - first for each in result.intervals],
        [each.bps for each in result.intervals],
        result.what,
        [each.end_s - first for each in result.intervals],
    )


def _of_capture(capture: Capture, step_s: float, source: str | None) -> Rates:
    place, chosen = _chosen(capture, source)
    filled = _steps(capture, step_s, place, chosen)
    first, last = min(filled), max(filled)
    # The first and the last step are not whole.
    steps = range(first + 1, last) if last - first > 1 else range(first, last + 1)
    bps = [filled.get(step, 0) * 8 / step_s for step in steps]
    left_out = [f"{counted(count, 'frame')} of {kind} left out" for kind, count in capture.others.most_common(SHOWN)]
    what = [f"IP packets from {ip_address(chosen)}, over {step_s:g} s each", *left_out]
    if capture.is_cut:
        what.append("the last packet is cut off, and left out")
    times = [index * step_s for index in range(len(bps) + 1)]
    return Rates(times[:-1], bps, "; ".join(what), times[1:])


def _chosen(capture: Capture, source: str | None) -> tuple[Place, bytes]:
    """Return the place at which the packets that count were captured, and their source address."""
    file = str(capture.file)
    wanted = None
    if source is not None:
        try:
            wanted = ip_address(source).packed
        except ValueError:
            raise InputError(file, f"is a capture: --from {source} is no IP address") from None
    sizes = _sizes(capture, wanted)
    largest: dict[bytes, int] = {}
    for (address, _), size in sizes.items():
        largest[address] = max(size, largest.get(address, 0))
    addresses = sorted(largest, key=lambda address: -largest[address])
    if not addresses:
        kinds = ", ".join(f"{count} of {kind}" for kind, count in capture.others.most_common(SHOWN))
        raise InputError(file, "has no IP packets" + (f"; it has {kinds}" if kinds else ""))
    known = ", ".join(f"{ip_address(each)} ({largest[each] / 1e6:.3g} MB)" for each in addresses[:SHOWN])
    if wanted is None and len(addresses) > 1:
        of = counted(len(addresses), "address", "addresses")
        raise InputError(file, f"has packets from {of}: say --from ADDRESS, one of {known}")
    chosen = wanted or addresses[0]
    places = {place: size for (address, place), size in sizes.items() if address == chosen}
    if not places:
        raise InputError(file, f"has no packets from {source}, only from {known}")
    if len(places) > 1:
        raise InputError(file, f"has packets from {ip_address(chosen)} {_listed(places)}")
    return next(iter(places)), chosen


def _sizes(capture: Capture, wanted: bytes | None) -> dict[tuple[bytes, Place], int]:
    """Return the bytes from each address at each place; at least from that address, if one is wanted."""
    sizes: dict[tuple[bytes, Place], int] = {}
    for packet in capture.packets():
        key = (packet.source, packet.place)
        if key not in sizes and len(sizes) >= MOST_ADDRESSES:
            if wanted is None:
                raise InputError(
                    str(capture.file), f"has packets from more than {MOST_ADDRESSES} addresses: say --from ADDRESS"
                )
            if packet.source != wanted:
                continue
        sizes[key] = sizes.get(key, 0) + packet.size_bytes
    return sizes


def _listed(places: Mapping[Place, int]) -> str:
    """Describe the places at which packets were captured, and how to keep one of them."""
    words = []
    for (interface, (device, outgoing)), size in places.items():
        name = f"interface {interface if device < 0 else device}"
        way = "" if outgoing < 0 else ", outgoing" if outgoing else ", incoming"
        words.append(f"{name}{way} ({size / 1e6:.3g} MB)")
    listed = "; ".join(words[:SHOWN])
    return (
        f"at {len(places)} places: {listed}. A packet that is forwarded is there at each of them: keep one, by "
        "capturing on it alone, or by a filter such as `ifindex 2` or `outbound` of tcpdump"
    )


def _steps(capture: Capture, step_s: float, place: Place, chosen: bytes) -> dict[int, int]:
    """Return the bytes from an address in each step of the capture."""
    step_ns = round(step_s * 1e9)
    filled: dict[int, int] = {}
    first: Packet | None = None
    before: Packet | None = None
    least = most = 0
    for packet in capture.packets():
        first = first or packet
        if packet.source == chosen and packet.place == place:
            step = (packet.time_ns - first.time_ns) // step_ns
            if before is None:
                least = most = step
            least, most = min(least, step), max(most, step)
            if most - least >= MOST:
                gap = (packet.time_ns - (before or packet).time_ns) / 1e9
                what = f"packet {packet.number} is {gap:.1f} s from the one before it"
                allowed = (
                    f"more than {MOST} steps of {step_s:g} s: use a longer --step, or cut it where its clock jumps"
                )
                raise InputError(str(capture.file), f"has {allowed} ({what})")
            filled[step] = filled.get(step, 0) + packet.size_bytes
            before = packet
    return filled


COMPRESSED = {
    b"\x1f\x8b": ("gzip", "gunzip"),
    b"\x28\xb5\x2f\xfd": ("Zstandard", "unzstd"),
    b"\xfd7zXZ": ("xz", "unxz"),
    b"BZh": ("bzip2", "bunzip2"),
    b"\x04\x22\x4d\x18": ("LZ4", "unlz4"),
    b"PK\x03\x04": ("zip", "unzip"),
}
"""Form and command by the first bytes."""

HEAD = 8
LARGEST = 64 << 20
MOST = 1_000_000
MOST_ADDRESSES = 1_000_000
SHORTEST_S = 0.000001
LONGEST_S = 1_000_000
SHOWN = 6
