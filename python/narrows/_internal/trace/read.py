# SPDX-License-Identifier: Apache-2.0
"""The trace of a file of any format that is read, which its content shows."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path

from narrows._internal.errors import InputError
from narrows._internal.files.text import open_regular
from narrows._internal.formats.capture import is_capture
from narrows._internal.formats.rates import COMPRESSED
from narrows._internal.trace import packets, qlog, ss, tables
from narrows._internal.trace.record import Flow, Trace


def read(file: Path, source: str | None = None) -> Trace:
    """Read the flows of a trace, with `source` those from this end (its port may be left out) or of this name."""
    try:
        with open_regular(file) as opened:
            head = opened.read(HEAD)
            if is_capture(head[:4]):
                return packets.read(file, source)
            for magic, (form, command) in COMPRESSED.items():
                if head.startswith(magic):
                    raise InputError(str(file), f"is compressed ({form}): decompress it first, as with {command}")
            size = opened.seek(0, os.SEEK_END)
            opened.seek(0)
            # A name in a log may have bytes that are no text.
            with io.TextIOWrapper(opened, encoding=_encoding(head), errors="replace", newline="") as lines:
                found = _text(file, lines, size)
    except OSError as error:
        raise InputError(str(file), f"cannot be read: {error.strerror or error}") from error
    flows = found.flows if source is None else _from(file, found.flows, source)
    return replace(found, flows=tuple(sorted(flows, key=_amount, reverse=True)))


def _text(file: Path, lines: io.TextIOBase, size: int) -> Trace:
    """Read a trace that is text."""
    start = lines.read(HEAD)
    if qlog.is_sequence(start):
        _limit(file, size, LARGEST_SEQUENCE, "a sequence of qlog")
        return qlog.read_sequence(file, start, lines)
    _limit(file, size, LARGEST, "no capture and no sequence of qlog")
    text = start + lines.read()
    if text.lstrip(SPACE).startswith(("{", "[")):
        for known, reader, largest in JSON:
            if known(text):
                _limit(file, size, largest, "a single object in JSON")
                return reader(file, text)
    elif tables.is_table(text):
        return tables.of_table(file, text)
    elif ss.is_ss(text):
        return ss.read(file, text)
    raise InputError(str(file), NONE)


def _limit(file: Path, size: int, largest: int, what: str) -> None:
    if size > largest:
        raise InputError(str(file), f"is {what}, and larger than {largest >> 20} MiB")


def _amount(flow: Flow) -> float:
    return max(flow.delivered_bytes, float(flow.data.payload.sum()))


def _from(file: Path, flows: tuple[Flow, ...], source: str) -> tuple[Flow, ...]:
    """Return the flows from an end, or the flows of a name."""
    chosen = tuple(flow for flow in flows if source == flow.name or source in _ends(flow))
    if not chosen:
        names = ", ".join(dict.fromkeys(flow.name.split(" > ")[0] for flow in flows[:SHOWN]))
        raise InputError(str(file), f"has no flow from {source}, only from {names}")
    return chosen


def _ends(flow: Flow) -> tuple[str, str]:
    """Return the source of a flow with and without its port."""
    end = flow.name.split(" > ")[0]
    return end, end.rpartition(":")[0].strip("[]")


def _encoding(head: bytes) -> str:
    # PowerShell writes UTF-16.
    return "utf-16" if head[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"


LARGEST = 256 << 20
LARGEST_OBJECT = 64 << 20
LARGEST_SEQUENCE = 2 << 30

JSON = (
    (qlog.is_contained, qlog.read_contained, LARGEST),
    (tables.is_ndt, tables.read_ndt, LARGEST_OBJECT),
    (tables.is_table, tables.of_table, LARGEST),
    (tables.is_iperf3, tables.read_iperf3, LARGEST_OBJECT),
)
"""Each format in JSON: whether a text is one, its reader, and the largest file, bytes."""

NONE = (
    "is no trace that can be read; allowed: a capture (pcapng or pcap), qlog (JSON or JSON-SEQ), the output of "
    f"{ss.COMMAND}, a result of iperf3 (--json) or of NDT7 in JSON, and a table of tcp_info (columns tcpi_*)"
)
SPACE = " \t\r\n"
HEAD = 4096
SHOWN = 6
