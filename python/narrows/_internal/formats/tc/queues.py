# SPDX-License-Identifier: Apache-2.0
"""The words of queue disciplines that have a table of their own in a scenario.

Source: iproute2 6.19, tc/q_*.c; for the weight of RED tc/tc_red.c (tc_red_eval_ewma).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from narrows._internal.formats.tc import words
from narrows._internal.formats.tc.draft import Draft
from narrows._internal.formats.tc.words import Words

Rule = Callable[[Words, Draft, dict[str, Any], str], None]
"""Reads what follows a word of a discipline."""


def value(key: str, of: Callable[[Words], object]) -> Rule:
    """Read a value into a key."""
    return lambda line, _, table, __: table.__setitem__(key, of(line))


def packets(key: str) -> Rule:
    """Read a number of packets into a key."""
    return value(key, lambda line: f"{max(1, line.whole(100_000_000))}pkt")


def size(key: str) -> Rule:
    """Read a size into a key."""
    return value(key, lambda line: words.size(line.size()))


def time(key: str) -> Rule:
    """Read a time into a key."""
    return value(key, lambda line: words.time(line.time()))


def whole(key: str) -> Rule:
    """Read a whole number into a key."""
    return value(key, lambda line: line.whole(1_000_000))


def percent(key: str) -> Rule:
    """Read a percentage into a key."""
    return value(key, lambda line: words.percent(line.percent()))


def sixteenths(key: str) -> Rule:
    """Read a gain in sixteenths into a key."""
    return value(key, lambda line: line.whole(1000) / 16)


def plain(key: str) -> Rule:
    """Read a number into a key."""
    return value(key, lambda line: float(line.number()))


def flag(key: str, value: object) -> Rule:
    """Set a key."""
    return lambda _, __, table, ___: table.__setitem__(key, value)


def none(why: str, arguments: int = 0) -> Rule:
    """Note a word without counterpart, and those behind it."""

    def leave(line: Words, draft: Draft, table: dict[str, Any], word: str) -> None:
        given = " ".join([word, *(words.shown(line.take()) for _ in range(arguments))])
        draft.leave(f"{table['kind']} {given}", why)

    return leave


def default() -> Rule:
    """Read a word whose effect is the default."""
    return lambda *_: None


def _step(line: Words, draft: Draft, table: dict[str, Any], word: str) -> None:
    if line.is_next("[0-9]+(p|pkts?|packets?)"):
        draft.leave(f"dualpi2 {word} {line.take()}", "the threshold is a time")
    else:
        table["step"] = words.time(line.time())


def read(line: Words, draft: Draft, table: dict[str, Any], rules: Mapping[str, Rule]) -> dict[str, Any]:
    """Read all words of a discipline into its table."""
    while line.rest():
        word = line.take()
        if word not in rules:
            raise line.wrong(word, f"one of {', '.join(rules)}")
        rules[word](line, draft, table, word)
    return table


def red(line: Words, draft: Draft) -> dict[str, Any]:
    """Read RED, whose parameters follow from each other."""
    given = read(line, draft, {"kind": "red"}, RED)
    limit, packet = given.get("limit"), given.pop("avpkt", None)
    if not limit or not packet:
        raise line.wrong("red without limit or avpkt", "both, as tc does")
    most = given.get("max") or (given["min"] * 3 if given.get("min") else limit // 4)
    least = given.get("min") or most // 3
    if not 0 < least < most:
        raise line.wrong(f"min {least}, max {most}", "0 < min < max")
    burst = given.pop("burst", None) or (2 * least + most) // (3 * packet)
    found: dict[str, Any] = {"kind": "red", "limit": f"{limit}B", "min": f"{least}B", "max": f"{most}B"}
    found |= {"max_p": given.get("max_p", 0.02), "weight": _weight(least, burst, packet, line), "gentle": False}
    if given.get("adaptive"):
        found["adaptive"] = True
    if given.get("ecn"):
        found["ecn"] = True
        if not given.get("harddrop"):
            draft.leave("red ecn without harddrop", "above max packets are dropped here, and marked by Linux")
    return found


def _weight(least: int, burst: int, packet: int, line: Words) -> float:
    above = burst + 1 - least / packet
    if above >= 1:
        for power in range(1, 32):
            weight = 2.0**-power
            if above <= (1 - (1 - weight) ** burst) / weight:
                return weight
    raise line.wrong(f"burst {burst}", f"more packets than min holds, {least // packet}, as tc does")


def in_bytes(key: str) -> Rule:
    """Read a size as a number of bytes into a key."""
    return value(key, lambda line: int(line.size()))


RED: Mapping[str, Rule] = {
    **{word: in_bytes(word) for word in ("limit", "min", "max", "avpkt")},
    "burst": whole("burst"),
    "probability": plain("max_p"),
    "bandwidth": none("idle time is counted by the rate of the link", 1),
    **{word: flag(word, value=True) for word in ("adaptive", "ecn", "harddrop")},
    "adaptative": flag("adaptive", value=True),
    "nodrop": none("packets without ECN are dropped"),
}
CODEL: Mapping[str, Rule] = {
    "limit": packets("limit"),
    "target": time("target"),
    "interval": time("interval"),
    "ecn": flag("ecn", value=True),
    "noecn": flag("ecn", value=False),
    "ce_threshold": none("no threshold of the delay marks packets in this queue", 1),
}
FLOWS: Mapping[str, Rule] = {"flows": whole("flows"), "quantum": size("quantum")}
MEMORY = none("the limit in packets is the only bound", 1)
FQ_CODEL: Mapping[str, Rule] = {
    **CODEL,
    **FLOWS,
    "ce_threshold_selector": none("no threshold of the delay marks packets in this queue", 1),
    "memory_limit": MEMORY,
    "drop_batch": none("64 packets are dropped at once, as by default", 1),
}
PIE: Mapping[str, Rule] = {
    "limit": packets("limit"),
    "target": time("target"),
    "tupdate": time("update"),
    "alpha": sixteenths("alpha"),
    "beta": sixteenths("beta"),
    "ecn": flag("ecn", value=True),
    "noecn": flag("ecn", value=False),
    "bytemode": none("packets of all sizes have the same probability"),
    "nobytemode": default(),
    "dq_rate_estimator": none("the delay is the sojourn time"),
    "no_dq_rate_estimator": default(),
}
FQ_PIE: Mapping[str, Rule] = {**PIE, **FLOWS, "memory_limit": MEMORY, "ecn_prob": percent("ecn_prob")}
DUALPI2: Mapping[str, Rule] = {
    "limit": packets("limit"),
    "memlimit": MEMORY,
    "target": time("target"),
    "tupdate": time("update"),
    "alpha": plain("alpha"),
    "beta": plain("beta"),
    "coupling_factor": whole("coupling"),
    "step_thresh": _step,
    "min_qlen_step": whole("min_qlen_step"),
    "classic_protection": percent("classic_share"),
    "any_ect": flag("low_latency", "ect"),
    "l4s_ect": flag("low_latency", "ect1"),
    **{word: none("write target, alpha and beta, which tc computes from it", 1) for word in ("typical_rtt", "max_rtt")},
    **{word: default() for word in ("split_gso", "drop_on_overload", "drop_dequeue")},
    **{word: none("the default stays") for word in ("no_split_gso", "overflow", "drop_enqueue")},
}
OWN = "every flow has a queue of its own, without RED"
SFQ: Mapping[str, Rule] = {
    "limit": packets("limit"),
    "quantum": size("quantum"),
    **{word: none(OWN, 1) for word in ("perturb", "divisor", "flows", "depth", "redflowlimit")},
    **{word: none(OWN, 1) for word in ("min", "max", "avpkt", "burst", "probability")},
    **{word: none(OWN) for word in ("headdrop", "ecn", "harddrop")},
}
QUEUES: Mapping[str, tuple[dict[str, Any], Mapping[str, Rule]]] = {
    "pfifo": ({"kind": "droptail", "limit": "1000pkt"}, {"limit": packets("limit")}),
    "bfifo": ({"kind": "droptail", "limit": "1500000B"}, {"limit": size("limit")}),
    "codel": ({"kind": "codel"}, CODEL),
    "fq_codel": ({"kind": "fq-codel"}, FQ_CODEL),
    "pie": ({"kind": "pie"}, PIE),
    "fq_pie": ({"kind": "fq-pie"}, FQ_PIE),
    "dualpi2": ({"kind": "dualpi2"}, DUALPI2),
    "sfq": ({"kind": "drr", "limit": "127pkt"}, SFQ),
    "drr": ({"kind": "drr", "limit": "1000pkt"}, {}),
}
"""Of each discipline the table without words, and the rules of its words."""
