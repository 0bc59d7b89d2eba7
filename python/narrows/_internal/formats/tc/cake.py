# SPDX-License-Identifier: Apache-2.0
"""The words of cake.

Source: iproute2 6.19, tc/q_cake.c.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from narrows._internal.formats.tc import queues, words
from narrows._internal.formats.tc.draft import FLOW, Draft
from narrows._internal.formats.tc.words import Words


def read(line: Words, draft: Draft) -> dict[str, Any]:
    """Read the words of cake into a queue, and into the rate and the overhead of the link."""
    given = queues.read(line, draft, {"kind": "cake", "overhead": 0, "mpu": 0, "cells": ""}, RULES)
    queue: dict[str, Any] = {key: given[key] for key in KEYS if key in given}
    cells = given["cells"]
    if (bps := given.get("bps")) is not None:
        # 64 of 65 bytes are data.
        draft.set_rate("cake", (bps * 64 / 65).quantize(Decimal(1)) if cells == "ptm" else bps, line)
        queue["bandwidth"] = "link"
    draft.frame(given["overhead"], given["mpu"], is_atm=cells == "atm")
    if "blind" not in given:
        return queue
    if left := [key for key in ("hosts", "ack_filter") if key in queue]:
        draft.leave(f"cake flowblind, {', '.join(left)}", "the queue codel has none of it")
    codel: dict[str, Any] = {key: queue[key] for key in ("limit", "target", "interval") if key in queue}
    return {"kind": "codel", **codel, "ecn": True}


def _round_trip(line: Words, _draft: Draft, table: dict[str, Any], word: str) -> None:
    interval = line.time() if word == "rtt" else Decimal(ROUND_TRIPS[word])
    if not interval:
        raise line.wrong("rtt 0", "a time above zero")
    table |= {"target": words.time(max(interval / 20, SMALLEST_S)), "interval": words.time(interval)}


def _hosts(_line: Words, draft: Draft, table: dict[str, Any], word: str) -> None:
    table["hosts"] = {FLOW: 0}
    draft.leave(f"cake {word}", "give each group of flows the number of its host in hosts")


def _bytes(line: Words, _draft: Draft, table: dict[str, Any], word: str) -> None:
    table[word] = line.whole(256)


def _framing(_line: Words, _draft: Draft, table: dict[str, Any], word: str) -> None:
    table["cells"], more, least = FRAMES[word]
    table["overhead"] += more
    table["mpu"] = least or table["mpu"]


KEYS = ("kind", "limit", "target", "interval", "hosts", "ack_filter")
# Seconds.
ROUND_TRIPS = {
    "datacentre": "0.0001",
    "lan": "0.001",
    "metro": "0.01",
    "regional": "0.03",
    "internet": "0.1",
    "oceanic": "0.3",
    "satellite": "1",
    "interplanetary": "1000",
}
SMALLEST_S = Decimal("1e-6")
HOSTS = ("srchost", "dsthost", "hosts", "dual-srchost", "dual-dsthost", "triple-isolate")
# Cells, bytes added to each packet, and the least size of a frame.
FRAMES = {
    "noatm": ("", 0, 0),
    "raw": ("", 0, 0),
    "atm": ("atm", 0, 0),
    "ptm": ("ptm", 0, 0),
    "conservative": ("atm", 48, 0),
    "ipoa-vcmux": ("atm", 8, 0),
    "ipoa-llcsnap": ("atm", 16, 0),
    "bridged-vcmux": ("atm", 24, 0),
    "bridged-llcsnap": ("atm", 32, 0),
    "pppoa-vcmux": ("atm", 10, 0),
    "pppoa-llc": ("atm", 14, 0),
    "pppoe-vcmux": ("atm", 32, 0),
    "pppoe-llcsnap": ("atm", 40, 0),
    "pppoe-ptm": ("ptm", 30, 0),
    "bridged-ptm": ("ptm", 22, 0),
    "ethernet": ("", 38, 84),
    "ether-vlan": ("", 4, 0),
    "docsis": ("", 18, 64),
}
NO_DSCP = "packets have no DSCP, so that one tin is used"
SINGLE = "packets are sent singly, and have no DSCP"
RULES: Mapping[str, queues.Rule] = {
    "bandwidth": queues.value("bps", Words.rate),
    "unlimited": lambda _, __, table, ___: table.pop("bps", None),
    "autorate-ingress": queues.none("the rate is not measured"),
    **dict.fromkeys(("rtt", *ROUND_TRIPS), _round_trip),
    "flowblind": queues.flag("blind", value=True),
    **dict.fromkeys(HOSTS, _hosts),
    **dict.fromkeys(("ack-filter", "ack-filter-aggressive"), queues.flag("ack_filter", value=True)),
    "memlimit": queues.size("limit"),
    "nat": queues.none("groups of flows are named"),
    "ingress": queues.none("drops do not count as sent"),
    **dict.fromkeys(("diffserv", "diffserv3", "diffserv4", "diffserv8", "precedence"), queues.none(NO_DSCP)),
    "fwmark": queues.none(NO_DSCP, 1),
    **dict.fromkeys(("wash", "no-split-gso"), queues.none(SINGLE)),
    **dict.fromkeys(("overhead", "mpu"), _bytes),
    **dict.fromkeys(FRAMES, _framing),
    **dict.fromkeys(
        ("flows", "nonat", "besteffort", "egress", "split-gso", "nowash", "no-ack-filter", "via-ethernet"),
        queues.default(),
    ),
}
