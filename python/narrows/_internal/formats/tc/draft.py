# SPDX-License-Identifier: Apache-2.0
"""The link of a scenario while the words of `tc` are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from narrows._internal.formats.tc.words import Words


@dataclass
class Draft:
    """A link."""

    delay_s: Decimal = Decimal(0)
    bps: Decimal | None = None
    bucket: dict[str, Any] | None = None  # in place of the rate
    rate_of: str = ""  # the discipline with this rate
    queue: dict[str, Any] | None = None
    queue_of: str = ""
    buffer: str = ""  # limit of the discipline with the rate, which holds without a queue below it
    netem_packets: int = 0  # packets that netem holds, delayed ones included
    netem_is_below: bool = False  # the discipline with the rate
    netem_delay_s: Decimal = Decimal(0)
    loss: dict[str, Any] | None = None
    impairments: list[dict[str, Any]] = field(default_factory=list)
    overhead: dict[str, Any] | str | None = None
    transport: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    notes: list[str] = field(default_factory=list)

    def leave(self, given: str, why: str) -> None:
        """Note words that have no counterpart."""
        self.notes.append(f"{given}: {why}")

    def set_rate(self, of: str, bps: Decimal, line: Words, bucket: dict[str, Any] | None = None) -> None:
        """Give the link its one rate."""
        if self.bps is not None:
            raise line.wrong(f"{of} with a rate, and {self.rate_of} with one", "one rate: a path has one bottleneck")
        self.bps, self.bucket, self.rate_of = bps, bucket, of

    def frame(self, added: int, least: int, *, is_atm: bool) -> None:
        """Give the link the bytes that are added to each packet, and the least size of a frame."""
        if is_atm:
            self.overhead = {"kind": "atm", "bytes": f"{added}B"}
            if least:
                self.leave(f"mpu {least}", "cells of ATM are padded")
        elif least:
            self.overhead = {"kind": "frame", "bytes": f"{added}B", "least": f"{least}B"}
        elif added:
            self.overhead = f"{added}B"


FLOW = "flow"
"""The name of the only group of flows."""

DEVICE_BPS = Decimal(10) ** 9
"""The rate of a device whose lines state none."""

PACKET_BYTES = 1500
