# SPDX-License-Identifier: Apache-2.0
"""Flows from the output of `ss -tin`, written again and again with the time of each.

Sources: ss(8), misc/ss.c of iproute2 (`tcp_stats_print`), and linux/tcp.h for the meaning of the values. ss has
round-trip times in milliseconds, windows and packets in segments, rates in bits per second, and omits zeros.

The time is a line of its own before the output, or begins each line (`date +%s.%N`, `date -Ins`, `date`, `ts`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from narrows._internal.errors import InputError
from narrows._internal.plural import counted
from narrows._internal.trace import tcp_info
from narrows._internal.trace.record import Trace

Ends = tuple[str, str]


def is_ss(text: str) -> bool:
    """Return whether a text looks like an output of ss with `-i`."""
    return "Recv-Q Send-Q" in text[:HEAD] or any(INFORMATION.search(line) for line in text[:HEAD].splitlines())


def read(file: Path, text: str) -> Trace:
    """Read the samples of all sockets with their payload."""
    reader = _Reader(file)
    for number, line in enumerate(text.splitlines(), 1):
        reader.take(number, line)
    return reader.trace()


class _Reader:
    def __init__(self, file: Path) -> None:
        self.file = file
        self.now_s: float | None = None
        self.day_s = 0.0
        self.ends: Ends | None = None
        self.sockets: dict[Ends, tcp_info.Samples] = {}
        self.controllers: dict[Ends, str] = {}
        self.left_out: Counter[str] = Counter()
        self.samples = 0
        # Whether the kernel has all fields, so that an omitted one is zero: these two came last, with Linux 4.19.
        self.complete = False

    def take(self, number: int, line: str) -> None:
        """Read a line."""
        rest = self._timed(number, line)
        self.ends = _socket(rest) or self.ends
        if INFORMATION.search(rest):
            self._sample(number, rest)

    def trace(self) -> Trace:
        """Return what was read."""
        if not self.samples:
            raise InputError(str(self.file), f"has no connections with `cwnd:` and `rtt:`: record it with {COMMAND}")
        zero_s = min(samples.times[0] for samples in self.sockets.values())
        if self.complete:
            for samples in self.sockets.values():
                samples.fill(ZERO)
        flows = (
            flow
            for ends, samples in self.sockets.items()
            for flow in tcp_info.flows(ends, samples, zero_s, self.controllers.get(ends, ""))
        )
        left_out = [f"{counted(count, 'sample')} {why}" for why, count in self.left_out.items()]
        return Trace(self.file, "samples of ss", tuple(tcp_info.bounded(self.file, flows)), tuple(left_out))

    def _timed(self, number: int, line: str) -> str:
        """Return a line without the time at its beginning, which becomes the present one."""
        for pattern, meaning in TIMES:
            found = pattern.match(line)
            if found is None:
                continue
            try:
                now_s = meaning(found)
            except (ValueError, OverflowError):
                raise self._error(number, f"{line.strip()[:SHOWN]!r} is no time") from None
            if pattern is CLOCK:
                # Without a date: the day ends where the clock falls back.
                if self.now_s is not None and now_s + self.day_s < self.now_s - HALF_A_DAY_S:
                    self.day_s += 2 * HALF_A_DAY_S
                now_s += self.day_s
            if self.now_s is not None and now_s < self.now_s:
                raise self._error(number, f"the time is {self.now_s - now_s:g} s before the one above it")
            self.now_s = now_s
            return line[found.end() :].strip()
        return line.strip()

    def _sample(self, number: int, text: str) -> None:
        if self.now_s is None:
            raise InputError(str(self.file), f"has no times: record it with {COMMAND}")
        if self.ends is None:
            self.left_out["whose socket is not there"] += 1
            return
        values, controller = self._values(number, text)
        if self.ends not in self.sockets and len(self.sockets) >= MOST_SOCKETS:
            raise self._error(number, f"more than {MOST_SOCKETS} sockets: keep some, by a filter such as `dst ADDRESS`")
        samples = self.sockets.setdefault(self.ends, tcp_info.Samples())
        if not samples.add(self.now_s, values):
            self.left_out["with the time of the one after it; `date +%s.%N` has finer times"] += 1
        if controller:
            self.controllers[self.ends] = controller
        self.samples += 1
        self.ends = None

    def _values(self, number: int, text: str) -> tuple[dict[str, float], str]:
        """Return the values of a line in the kernel's units, and the name of the congestion control algorithm."""
        values = dict(COUNTED)
        controller, before = "", ""
        for word, amount in _words(text):
            if amount is None:
                if word == "ecn":
                    values["options"] = float(tcp_info.ECN)
                elif word == "app_limited":
                    values["delivery_rate_app_limited"] = 1.0
                before = word
                continue
            if word in {"wscale", "rto"} and not controller and before not in FLAGS:
                controller = before[:SHOWN]
            before = ""
            self.complete |= word in {"bytes_sent", "delivered"}
            for name, scale, part in MEANINGS.get(word, ()):
                found = AMOUNTS.match(amount)
                digits = found[part] if found else None
                if found is None or digits is None:
                    raise self._error(number, f"{word} has {amount[:SHOWN]!r} in place of a number")
                unit = UNITS.get(found["unit"] or "", 1.0) if word.endswith("_rate") else 1.0
                value = tcp_info.number(float(digits) * scale * unit)
                if value is None:
                    raise self._error(number, f"{word} has {amount[:SHOWN]!r}, which is too large")
                values[name] = value
        return values, controller

    def _error(self, number: int, problem: str) -> InputError:
        return InputError(str(self.file), f"line {number}: {problem}")


def _socket(line: str) -> Ends | None:
    """Return the ends of a connection from its line, which begins with Netid and State as the options of ss have it."""
    words = line.split(maxsplit=6)
    if words and words[0] in {"tcp", "mptcp"}:
        del words[0]
    if words and not words[0].isdigit():
        del words[0]
    match words:
        case [first, second, local, peer, *_] if first.isdigit() and second.isdigit() and ":" in local and ":" in peer:
            return None if peer.endswith(":*") else (local[:LONGEST], peer[:LONGEST])
    return None


def _words(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield each word of a line, and its value if it has one."""
    words = iter(PARENTHESES.sub("", text).split())
    for word in words:
        if word in {"pacing_rate", "delivery_rate", "send"}:
            yield word, next(words, "")
            continue
        name, colon, value = word.partition(":")
        yield name, value if colon else None


def _epoch(found: re.Match[str]) -> float:
    whole, part = found[1], found[2] or ""
    # date +%s, +%s%3N, +%s%6N, +%s%N.
    return int(whole) / 10.0 ** (len(whole) - 10) + float(f"0.{part or 0}")


def _iso(found: re.Match[str]) -> float:
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    zone = found["zone"] or "Z"
    east_s = 0.0
    if zone not in {"Z", "z"}:
        digits = zone[1:].replace(":", "").ljust(4, "0")
        east_s = (int(digits[:2]) * 3600 + int(digits[2:]) * 60) * (-1 if zone[0] == "-" else 1)
    whole = datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
    return whole + float(f"0.{found['part'] or 0}") - east_s


def _date(found: re.Match[str]) -> float:
    # `ts` has no year.
    month = MONTHS.index(found["month"]) + 1
    year, day, hour, minute, second = (int(found[name] or LEAP_YEAR) for name in ("year", "day", "h", "m", "s"))
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()


def _clock(found: re.Match[str]) -> float:
    return int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3]) + float(f"0.{found[4] or 0}")


COMMAND = "`while true; do date +%s.%N; ss -tin dst ADDRESS; sleep 0.1; done`"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
CLOCK = re.compile(r"\s*(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?=\s|$)", re.ASCII)
TIMES = (
    (re.compile(r"[\s#=-]*(\d{10}|\d{13}|\d{16}|\d{19})(?:[.,](\d{1,9}))?:?(?=\s|$)", re.ASCII), _epoch),
    (
        re.compile(
            r"[\s#=\[-]*(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](?P<part>\d{1,9}))?"
            r" ?(?P<zone>[Zz]|[+-]\d\d(?::?\d\d)?)?\]?(?=\s|$)",
            re.ASCII,
        ),
        _iso,
    ),
    (
        re.compile(
            r"\s*(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s+)?(?P<month>" + "|".join(MONTHS) + r")\s+(?P<day>\d\d?)\s+"
            r"(?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)(?:\s+(?:[AP]M\s+)?[A-Z]{1,5}\s+(?P<year>\d{4}))?(?=\s|$)",
            re.ASCII,
        ),
        _date,
    ),
    (CLOCK, _clock),
)
"""Forms of a time, and what each means in seconds."""

INFORMATION = re.compile(r"(?:^|\s)(?:rto|cwnd):\d")
PARENTHESES = re.compile(r"\([^()]*\)")
AMOUNTS = re.compile(
    r"(?P<first>\d{1,20}(?:\.\d{1,12})?)(?P<unit>[KMGT]?(?:bps)?|ms)?"
    r"(?:/(?P<second>\d{1,20}(?:\.\d{1,12})?)(?:[KMGT]?bps)?)?$",
    re.ASCII,
)
UNITS = {"Kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12}
FIRST, SECOND = "first", "second"
MEANINGS: dict[str, tuple[tuple[str, float, str], ...]] = {
    "rtt": (("rtt", 1e3, FIRST),),
    "minrtt": (("min_rtt", 1e3, FIRST),),
    "mss": (("snd_mss", 1, FIRST),),
    "rcvmss": (("rcv_mss", 1, FIRST),),
    "cwnd": (("snd_cwnd", 1, FIRST),),
    "ssthresh": (("snd_ssthresh", 1, FIRST),),
    "backoff": (("backoff", 1, FIRST),),
    "bytes_sent": (("bytes_sent", 1, FIRST),),
    "bytes_acked": (("bytes_acked", 1, FIRST),),
    "bytes_received": (("bytes_received", 1, FIRST),),
    "unacked": (("unacked", 1, FIRST),),
    "sacked": (("sacked", 1, FIRST),),
    "lost": (("lost", 1, FIRST),),
    "retrans": (("retrans", 1, FIRST), ("total_retrans", 1, SECOND)),
    "dsack_dups": (("dsack_dups", 1, FIRST),),
    "delivered_ce": (("delivered_ce", 1, FIRST),),
    "snd_wnd": (("snd_wnd", 1, FIRST),),
    "busy": (("busy_time", 1e3, FIRST),),
    "rwnd_limited": (("rwnd_limited", 1e3, FIRST),),
    "pacing_rate": (("pacing_rate", 1 / 8, FIRST),),
    "delivery_rate": (("delivery_rate", 1 / 8, FIRST),),
}
"""The fields of `tcp_info` that a word of ss has, with the factor to the kernel's unit and the part of the value."""

COUNTED = dict.fromkeys(("backoff", "unacked", "sacked", "lost", "retrans", "total_retrans"), 0.0)
"""What every kernel has, and ss omits if it is zero."""

ZERO = (
    "options", "dsack_dups", "delivered_ce", "busy_time", "rwnd_limited", "delivery_rate_app_limited", "bytes_acked",
    "bytes_received", "bytes_sent",
)  # fmt: skip
"""What a kernel with all fields has, and ss omits if it is zero."""

LONGEST = 100
FLAGS = frozenset({"", "ts", "sack", "ecn", "ecnseen", "fastopen"})
LEAP_YEAR = 2000
HALF_A_DAY_S = 43200.0
MOST_SOCKETS = 10_000
HEAD = 1 << 16
SHOWN = 40
