# SPDX-License-Identifier: Apache-2.0
"""The flows of a trace in one form, whichever format the trace has.

Times are seconds from the first record of the trace; amounts are bytes of payload. A format fills the fields that it
has and leaves the others empty: an empty series means *not observed* and never zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Place(Enum):
    """The place at which a flow was observed."""

    SENDER = "at the sender"
    RECEIVER = "at the receiver"
    BETWEEN = "between the ends"
    UNKNOWN = "at an unknown place"


def _none() -> Floats:
    return np.empty(0)


@dataclass(frozen=True, slots=True)
class Series:
    """Values over time.

    Attributes:
        times_s: Times, ascending, of shape (n,).
        values: Values of shape (n,); the field that holds the series gives their unit.
    """

    times_s: Floats = field(default_factory=_none)
    values: Floats = field(default_factory=_none)

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self.times_s)


@dataclass(frozen=True, slots=True)
class Data:
    """Packets with payload in the order in which they passed the place of observation, each array of shape (n,).

    Attributes:
        times_s: Times at which they passed.
        payload: Payload, bytes.
        offsets: Position of the first byte of each in the stream, bytes from its beginning, without the wrap of
            sequence numbers; for QUIC, whose retransmissions have new numbers, the sum of all bytes before it.
        again: Whether the packet repeats bytes that have passed before. Of QUIC False; `Flow.lost` has its losses.
    """

    times_s: Floats = field(default_factory=_none)
    payload: Floats = field(default_factory=_none)
    offsets: Floats = field(default_factory=_none)
    again: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=np.bool_))

    def __len__(self) -> int:
        """Return the number of packets."""
        return len(self.times_s)


@dataclass(frozen=True, slots=True)
class Lost:
    """Losses, each array of shape (n,).

    Attributes:
        times_s: Times at which a loss became known: of the retransmission, or of the declaration by the sender.
        sent_s: Times at which the lost packets had passed the place of observation; NaN if not observed (a capture
            behind the link that lost it).
        spurious: Whether the packet had arrived after all (a D-SACK of RFC 2883, or an acknowledgement that came sooner
            after the retransmission than a round trip takes).
    """

    times_s: Floats = field(default_factory=_none)
    sent_s: Floats = field(default_factory=_none)
    spurious: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=np.bool_))

    def __len__(self) -> int:
        """Return the number of losses."""
        return len(self.times_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """One direction of one connection.

    Attributes:
        name: Addresses and ports in the direction of the payload, or the title that the trace gives.
        protocol: `TCP`, `QUIC` or `UDP`.
        place: Place of observation.
        start_s: Time of the first record of the flow.
        end_s: Time of the last.
        segment_bytes: Largest payload of a packet; 0 if not known.
        header_bytes: Headers of a packet with payload from IP on, bytes; NaN if not known.
        data: Packets with payload.
        delivered: Bytes delivered in total, as the acknowledgements or the arrivals show; ascending.
        rtt: Round-trip times by the time at which they were measured, s. Between the ends they are those of the part
            from the place of observation to the receiver and back; at the receiver they come from timestamps (RFC
            7323).
        smoothed: Whether `rtt` is a moving mean (a sampled `srtt`) and not each measurement.
        least_rtt_s: Least round-trip time that the sender itself reports; NaN without.
        in_flight: Bytes that are sent and neither acknowledged nor known to be lost.
        window: Congestion window, bytes.
        threshold: Slow start threshold, bytes; without the times at which it is infinite.
        receive_window: Offered receive window, bytes.
        lost: Losses.
        timeouts_s: Times of retransmission timeouts.
        marked: Bytes delivered with a congestion mark in total (ECN), ascending.
        application_limited: Intervals in which the program had nothing to send, of shape (n, 2), s; None if the trace
            does not show them.
        receiver_limited: Intervals in which the receive window held the sender back, likewise.
        handshake_rtt_s: Round-trip time of the handshake at the place of observation; NaN without.
        controller: Name of the congestion control algorithm as the trace states it; empty without.
        pacing_rate: Rate at which the sender paces, bits per second.
        delivery_rate: Rate of delivery that the sender itself measures over a round trip, bits per second.
    """

    name: str
    protocol: str
    place: Place
    start_s: float
    end_s: float
    segment_bytes: int = 0
    header_bytes: float = float("nan")
    data: Data = field(default_factory=Data)
    delivered: Series = field(default_factory=Series)
    rtt: Series = field(default_factory=Series)
    smoothed: bool = False
    least_rtt_s: float = float("nan")
    in_flight: Series = field(default_factory=Series)
    window: Series = field(default_factory=Series)
    threshold: Series = field(default_factory=Series)
    receive_window: Series = field(default_factory=Series)
    lost: Lost = field(default_factory=Lost)
    timeouts_s: Floats = field(default_factory=_none)
    marked: Series = field(default_factory=Series)
    application_limited: Floats | None = None
    receiver_limited: Floats | None = None
    handshake_rtt_s: float = float("nan")
    controller: str = ""
    pacing_rate: Series = field(default_factory=Series)
    delivery_rate: Series = field(default_factory=Series)

    @property
    def delivered_bytes(self) -> float:
        """Bytes delivered within the trace."""
        return float(self.delivered.values[-1] - self.delivered.values[0]) if len(self.delivered) else 0.0


@dataclass(frozen=True, slots=True)
class Trace:
    """What a file shows.

    Attributes:
        file: The file.
        form: Its format, as "capture (pcapng)".
        flows: Its flows, the one with most payload first.
        left_out: What the reader left out, each as a part of a sentence.
    """

    file: Path
    form: str
    flows: tuple[Flow, ...]
    left_out: tuple[str, ...] = ()
