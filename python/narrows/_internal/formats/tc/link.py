# SPDX-License-Identifier: Apache-2.0
"""The link of a scenario that a chain of disciplines becomes.

Source: iproute2 6.19, tc/q_*.c, for the words, and Linux 6.18, net/sched, for the order in which packets pass them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from narrows._internal.errors import InputError
from narrows._internal.formats.tc import cake, netem, queues, words
from narrows._internal.formats.tc.draft import DEVICE_BPS, FLOW, PACKET_BYTES, Draft
from narrows._internal.formats.tc.lines import Chain, Line
from narrows._internal.formats.tc.words import Words, shown


def read(chain: Chain) -> Draft:
    """Read the disciplines of one direction into a link."""
    draft = Draft()
    classes = [each for each in chain.parts if each.kind == "class"]
    for part in chain.parts:
        line = Words(part.place, part.words)
        if part.kind == "class":
            continue
        if part.name == "netem":
            draft.netem_is_below = draft.bps is not None
        if part.table:
            table = Words(f"line {part.number}: stab", part.table)
            _frame(queues.read(table, draft, {"kind": "stab"}, FRAME), draft)
        if part.name == "htb":
            _htb(line, draft, classes, is_filtered=bool(chain.filters))
        elif part.name in SHAPERS:
            SHAPERS[part.name](line, draft)
        elif part.name == "fq":
            _fq(line, draft)
        else:
            _queue(part, line, draft)
    _drr_classes(classes, draft)
    for part in chain.filters:
        _filter(part, draft)
    _finish(draft)
    return draft


def _queue(part: Line, line: Words, draft: Draft) -> None:
    """Read a queue discipline."""
    if draft.queue is not None:
        raise line.wrong(f"{part.name} below {draft.queue_of}", "one queue discipline: a link has one")
    if part.name == "red":
        found = queues.red(line, draft)
    elif part.name == "cake":
        found = cake.read(line, draft)
    elif part.name == "prio":
        draft.leave(shown(" ".join(("prio", *line.rest()))), "write the class of each group of flows into classes")
        found = {"kind": "priority", "limit": "1000pkt", "classes": {FLOW: 0}}
    elif part.name in queues.QUEUES:
        table, rules = queues.QUEUES[part.name]
        found = queues.read(line, draft, dict(table), rules)
    else:
        known = ("netem", *SHAPERS, "htb", "fq", "red", "cake", "prio", *queues.QUEUES)
        raise line.wrong(part.name, f"a discipline with a counterpart: {', '.join(known)}")
    draft.queue, draft.queue_of = found, part.name


def _tbf(line: Words, draft: Draft) -> None:
    given = queues.read(line, draft, {"kind": "tbf"}, TBF)
    if not {"rate", "burst"} <= set(given) or not {"limit", "latency"} & set(given):
        raise line.wrong("tbf without rate, burst, or limit or latency", "all three, as tc does")
    _shape(line, draft, "tbf", given)
    draft.buffer = given.get("limit") or given["latency"]


def _htb(line: Words, draft: Draft, classes: list[Line], *, is_filtered: bool) -> None:
    """Read HTB, whose classes are one below the other: the last may send at its ceiling, the first at its rate."""
    default = queues.read(line, draft, {"kind": "htb", "default": 0}, OF_HTB)["default"]
    minor = classes[-1].handle[1] if classes and classes[-1].handle else -1
    if minor < 0:
        raise line.wrong("htb without a class", "a line tc class add with a classid and a rate")
    if default != minor and not is_filtered:
        raise line.wrong(f"default {default:x}", f"{minor:x}, the class: Linux shapes no packets of other classes")
    found = []
    for part in classes:
        below = Words(part.place, part.words)
        found.append(queues.read(below, draft, {"kind": "htb", "burst": HTB_BURST}, HTB))
        if "rate" not in found[-1]:
            raise below.wrong("a class without rate", "rate RATE")
    ceilings = [each.get("ceil", each["rate"]) for each in found]
    if len(found) == 1 and ceilings[0] != found[0]["rate"]:
        draft.leave(f"htb ceil {words.rate(ceilings[0])}", "there is no class to borrow from")
    _shape(line, draft, "htb", found[-1] | {"rate": min(found[0]["rate"], *ceilings)})
    draft.buffer = "1000pkt"


def _shape(line: Words, draft: Draft, of: str, given: Mapping[str, Any]) -> None:
    """Give the link the token bucket and the overhead of a shaper."""
    rate, burst, peak = given["rate"], given["burst"], given.get("peak")
    if burst < PACKET_BYTES:
        raise line.wrong(f"burst of {words.size(burst)}", f"{PACKET_BYTES}B: {of} drops packets that are larger")
    bucket = {"kind": "token-bucket", "rate": words.rate(rate), "burst": words.size(burst)}
    if peak is not None or rate < DEVICE_BPS:
        bucket["peak"] = words.rate(DEVICE_BPS if peak is None else peak)
    draft.set_rate(of, rate, line, bucket)
    _frame(given, draft)


def _frame(given: Mapping[str, Any], draft: Draft) -> None:
    is_atm = given.get("linklayer") in {"atm", "adsl"}
    draft.frame(given.get("overhead", 0), given.get("mpu", 0), is_atm=is_atm)


def _fq(line: Words, draft: Draft) -> None:
    """Read the discipline of a host, whose queue is no bottleneck."""
    table = queues.read(line, draft, {"kind": "fq"}, FQ)
    draft.transport["pacing"] = True
    if "maxrate" in table:
        draft.transport["pacing_cap"] = words.rate(table["maxrate"])


def _drr_classes(classes: list[Line], draft: Draft) -> None:
    quanta = set()
    for part in classes:
        line = Words(part.place, part.words)
        if part.name == "drr":
            quanta |= {queues.read(line, draft, {"kind": "drr"}, queues.FLOWS).get("quantum")}
        elif part.name != "htb" or draft.rate_of != "htb":
            raise line.wrong(f"class {part.name}", "classes of htb or drr below their discipline")
    if len(quanta) > 1:
        raise InputError("tc", "classes of drr with different quanta; every flow has the same here")
    if draft.queue_of == "drr" and draft.queue is not None:
        draft.leave("drr", "every flow is a class, and filters are not read")
        if any(quanta):
            draft.queue["quantum"] = quanta.pop()


def _filter(part: Line, draft: Draft) -> None:
    """Read a filter, of which a policer of all packets has a counterpart."""
    text = shown(" ".join((part.name, *part.words)))
    line = Words(f"line {part.number}: filter", part.words)
    if "police" not in part.words:
        draft.leave(f"filter {text}", "it chooses packets; here all packets pass the link")
        return
    before = part.words[: part.words.index("police")]
    if part.name != "matchall" and " ".join(before[:5]) not in ALL_PACKETS:
        raise line.wrong(f"police behind {part.name}", "matchall, or u32 match u32 0 0: a policer takes all packets")
    for _ in range(len(before) + 1):
        line.take()
    given = queues.read(line, draft, {"kind": "police"}, POLICE)
    if "rate" not in given or "burst" not in given:
        raise line.wrong("police without rate or burst", "both")
    burst = max(given["burst"], Decimal(PACKET_BYTES))
    policer = {"kind": "policer", "rate": words.rate(given["rate"]), "burst": words.size(burst)}
    draft.impairments.append(policer)


def _finish(draft: Draft) -> None:
    """Choose the queue, where no discipline is one, and the rate of a device, where no discipline has one."""
    if draft.rate_of == "netem" and draft.queue is not None:
        draft.leave(draft.queue_of, "packets wait in netem, which has the rate, and none below it")
        draft.queue = None
    if draft.queue is None and draft.netem_packets and (draft.netem_is_below or not draft.buffer):
        if draft.buffer:
            draft.leave(f"the buffer of {draft.rate_of}", "packets wait in netem below it")
        held = int(draft.netem_delay_s * (draft.bps or 0) / (8 * PACKET_BYTES))
        draft.queue = {"kind": "droptail", "limit": f"{max(1, draft.netem_packets - held)}pkt"}
    elif draft.queue is None:
        draft.queue = {"kind": "droptail", "limit": draft.buffer or "1000pkt"}
    if draft.netem_delay_s:
        bound = Decimal(draft.netem_packets * 8 * PACKET_BYTES) / draft.netem_delay_s
        if bound < (draft.bps or DEVICE_BPS):
            what = "it counts delayed packets, too, and so bounds the rate at"
            draft.leave(f"netem limit {draft.netem_packets}", f"{what} {words.rate(bound.quantize(Decimal(1)))}")
    if draft.bps is None:
        draft.bps = DEVICE_BPS
        draft.leave("the rate of the device", f"no line states it; {words.rate(DEVICE_BPS)} here")


# Bytes of a burst that tc gives a class of HTB where timers have high resolution (tc/q_htb.c).
HTB_BURST = Decimal(1600)
ALL_PACKETS = ("match u32 0 0", "match u32 0 0 action", "match u32 0 0 at")
FRAME: Mapping[str, queues.Rule] = {
    "overhead": queues.whole("overhead"),
    "mpu": queues.whole("mpu"),
    "linklayer": queues.value("linklayer", Words.take),
    **{word: queues.none("sizes are exact", 1) for word in ("mtu", "tsize")},
}
BURST: Mapping[str, queues.Rule] = {
    "rate": queues.value("rate", Words.rate),
    **{word: queues.value("burst", Words.size) for word in ("burst", "buffer", "maxburst")},
}
TBF: Mapping[str, queues.Rule] = {
    **BURST,
    "limit": queues.size("limit"),
    "latency": queues.time("latency"),
    "peakrate": queues.value("peak", Words.rate),
    **{word: queues.none("the bucket of the peak holds a packet", 1) for word in ("mtu", "minburst")},
    **{word: FRAME[word] for word in ("overhead", "mpu", "linklayer")},
}
OF_HTB: Mapping[str, queues.Rule] = {
    "default": queues.value("default", Words.hexadecimal),
    **{word: queues.none("it divides the rate between classes", 1) for word in ("r2q", "direct_qlen")},
}
HTB: Mapping[str, queues.Rule] = {
    **BURST,
    "ceil": queues.value("ceil", Words.rate),
    **{word: queues.none("the class has no other beside it", 1) for word in ("cburst", "prio", "quantum", "mtu")},
    **{word: FRAME[word] for word in ("overhead", "mpu", "linklayer")},
}
FQ: Mapping[str, queues.Rule] = {
    "maxrate": queues.value("maxrate", Words.rate),
    "pacing": queues.default(),
    "nopacing": queues.none("flows are paced"),
    **{
        word: queues.none("pacing is a property of the sender here", 1)
        for word in (
            "limit",
            "flow_limit",
            "quantum",
            "initial_quantum",
            "buckets",
            "refill_delay",
            "low_rate_threshold",
            "orphan_mask",
            "timer_slack",
            "ce_threshold",
            "horizon",
        )
    },
}
POLICE: Mapping[str, queues.Rule] = {
    **BURST,
    "drop": queues.default(),
    "conform-exceed": queues.none("packets that exceed the rate are dropped", 1),
    **{word: queues.none("it does not change which packets are dropped", 1) for word in ("flowid", "classid", "mtu")},
    **{word: queues.none("packets that exceed the rate are dropped") for word in ("pass", "ok", "pipe", "continue")},
}
SHAPERS: Mapping[str, Callable[[Words, Draft], None]] = {"netem": netem.read, "tbf": _tbf}
