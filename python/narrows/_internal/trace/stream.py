# SPDX-License-Identifier: Apache-2.0
"""The packets that concern one direction of a connection of TCP, with unwrapped numbers, and its handshake.

Sources: RFC 9293 (sequence numbers, the offered window), RFC 7323 (window scale).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from narrows._internal.formats.frames import Bools, Ints
from narrows._internal.trace.record import Floats
from narrows._internal.trace.segments import ACK, RST, SYN, Edges, Rows


@dataclass(frozen=True, slots=True)
class Stream:
    """The packets that concern one direction of a connection, in order of time; each array has a value for each.

    Attributes:
        times_s: Times.
        is_data: Whether a packet has payload of this direction.
        is_ack: Whether it acknowledges this direction.
        start: Position of the first byte of its payload in the stream.
        end: Position behind the last.
        acknowledged: Position that it acknowledges.
        window: Offered window, bytes; -1 if it is not known.
        with_blocks: The packets with SACK blocks by their number.
        blocks: These blocks as positions, of shape (m, 4, 2).
        rows: The packets.
        way: Direction of the payload.
    """

    times_s: Floats
    is_data: Bools
    is_ack: Bools
    start: Ints
    end: Ints
    acknowledged: Ints
    window: Ints
    with_blocks: Ints
    blocks: Ints
    rows: Rows
    way: int


class Handshake(NamedTuple):
    """The handshake of a connection: times of SYN, SYN/ACK and the first ACK (NaN without), and the way of the SYN."""

    syn_s: float
    answer_s: float
    ack_s: float
    way: int


def stream(rows: Rows, blocks: Edges, times_s: Floats, way: int) -> Stream:
    """Return the packets of one direction.

    Args:
        rows: All packets of the connection, in order of time.
        blocks: All SACK blocks of the capture.
        times_s: Times of the packets.
        way: The direction.
    """
    scale = _scale(rows, way)
    flags = rows["flags"]
    counts = (rows["way"] == way) | ((flags & (ACK | RST)) == ACK)
    if not counts.all():
        rows, times_s, flags = rows[counts], times_s[counts], flags[counts]
    own = rows["way"] == way
    is_syn = (flags & SYN) > 0
    raw = np.where(own, rows["sequence"], rows["acknowledged"])
    steps = np.diff(raw, prepend=raw[:1]).astype(np.uint32).astype(np.int32)
    number = np.cumsum(steps, dtype=np.int64)
    is_data = own & (rows["payload"] > 0)
    start = number + (own & is_syn)
    (begins,) = (own & is_syn).nonzero()
    first = int(start[begins[0]]) if len(begins) else int(start[is_data].min())
    start = start - first
    is_ack = ~own & ((flags & (ACK | RST)) == ACK)
    end = start + np.where(is_data, rows["payload"], 0)
    acknowledged = number - first
    # Of an acknowledgement of what the capture never had, as in a forged packet, nothing follows.
    is_ack &= acknowledged <= int(end[is_data].max()) + 1
    window = rows["window"].astype(np.int64)
    window = np.where(is_syn, window, window << scale if scale >= 0 else -1)
    (with_blocks,) = (is_ack & (rows["blocks"] >= 0)).nonzero()
    found = blocks[rows["blocks"][with_blocks]]
    near = (found - rows["acknowledged"][with_blocks].astype(np.int64)[:, None, None]).astype(np.uint32)
    edges = near.astype(np.int32) + acknowledged[with_blocks][:, None, None]
    return Stream(times_s, is_data, is_ack, start, end, acknowledged, window, with_blocks, edges, rows, way)


def _scale(rows: Rows, way: int) -> int:
    """Return the shift of the windows that are offered against a direction; -1 if the capture does not show it."""
    flags = rows["flags"]
    (answers,) = ((flags & (SYN | ACK)) == SYN | ACK).nonzero()
    (own,) = ((rows["way"] != way) & ((flags & SYN) > 0)).nonzero()
    if not len(answers) or not len(own):
        return -1
    # RFC 7323 §2.2: windows are scaled if both ends say so; an answer says so if the SYN did.
    scales = int(rows["scale"][answers[-1]]), int(rows["scale"][own[-1]])
    return scales[1] if min(scales) >= 0 else 0


def handshake(rows: Rows, times_s: Floats) -> Handshake | None:
    """Return the handshake of a connection, if the capture has it."""
    flags = rows["flags"]
    (answers,) = ((flags & (SYN | ACK)) == SYN | ACK).nonzero()
    if not len(answers):
        return None
    answer = int(answers[0])
    way = 1 - int(rows["way"][answer])
    (asks,) = ((flags[:answer] & (SYN | ACK)) == SYN).nonzero()
    # Of a repeated SYN or answer it is not known to which the other end reacted.
    if len(asks) != 1 or len(answers) > 1:
        return None
    (acks,) = ((rows["way"][answer:] == way) & ((flags[answer:] & (SYN | ACK | RST)) == ACK)).nonzero()
    acked = float(times_s[answer + acks[0]]) if len(acks) else float("nan")
    return Handshake(float(times_s[asks[0]]), float(times_s[answer]), acked, way)
