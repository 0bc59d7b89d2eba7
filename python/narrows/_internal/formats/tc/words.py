# SPDX-License-Identifier: Apache-2.0
"""The words behind a discipline of `tc`, and its quantities.

Source: iproute2 6.19: lib/utils_math.c (get_rate64, get_size64), tc/tc_util.c (get_time, get_percent).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_EVEN, Decimal

from narrows._internal.errors import InputError


class Words:
    """Words that are read from the first to the last."""

    def __init__(self, place: str, words: Iterable[str]) -> None:
        """Begin at the first word; `place` is named in errors."""
        self.place = place
        self._words = list(words)
        self._at = 0

    def rest(self) -> list[str]:
        return self._words[self._at :]

    def take(self) -> str:
        if self._at >= len(self._words):
            before = f" after {shown(self._words[-1])}" if self._words else ""
            raise InputError("tc", f"{self.place}: the line ends{before}; expected another word")
        self._at += 1
        return self._words[self._at - 1]

    def is_next(self, pattern: str) -> bool:
        """Return whether the next word has a form."""
        return bool(self.rest() and re.fullmatch(pattern, self.rest()[0], re.IGNORECASE))

    def whole(self, most: int = 2**31 - 1) -> int:
        word = self.take()
        if not re.fullmatch(r"[0-9]{1,20}", word) or int(word) > most:
            raise self.wrong(word, f"a whole number up to {most}")
        return int(word)

    def hexadecimal(self) -> int:
        """Read the number of a class."""
        word = self.take()
        if not re.fullmatch("(0x)?[0-9a-fA-F]{1,4}", word):
            raise self.wrong(word, "a number of a class, in hexadecimal")
        return int(word, 16)

    def number(self) -> Decimal:
        return self._quantity(PLAIN, "a number, as in 0.5")

    def time(self) -> Decimal:
        """Read a time, seconds; versions of tc differ about one without a unit."""
        return self._quantity(TIMES, "a time with its unit, as in 50ms, 100us or 1s")

    def rate(self) -> Decimal:
        """Read a rate, bits per second."""
        return self._quantity(RATES, "a rate, as in 10mbit, or 1mbps for bytes per second", least=Decimal(1))

    def size(self) -> Decimal:
        """Read a size, bytes."""
        return self._quantity(SIZES, "a size, as in 1500, 30kb or 1mb")

    def percent(self) -> Decimal:
        found = self._quantity(PERCENT, "a percentage, as in 1%")
        if found > 100:  # noqa: PLR2004  # percent
            raise self.wrong(f"{found}%", "a percentage up to 100%")
        return found

    def _quantity(self, units: Mapping[str, Decimal], expected: str, least: Decimal = Decimal(0)) -> Decimal:
        word = self.take()
        match = re.fullmatch(r"([0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})([a-z%]{0,8})", word, re.IGNORECASE)
        scale = match and units.get(match[2].lower())
        if not match or scale is None or not least <= Decimal(match[1]) * scale <= MOST:
            raise self.wrong(word, expected)
        return Decimal(match[1]) * scale

    def wrong(self, word: str, expected: str) -> InputError:
        return InputError("tc", f"{self.place}: {shown(word)}; expected {expected}")


def shown(text: str) -> str:
    """Return a text of a stranger on one line of printable characters."""
    plain = "".join(each if each.isprintable() else "?" for each in text)
    return plain if len(plain) <= SHOWN else f"{plain[:SHOWN]}…"


def time(seconds: Decimal) -> str:
    return _scaled(seconds, (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)), "0s")


def rate(bps: Decimal) -> str:
    return _scaled(bps, (("Gbps", Decimal("1e-9")), ("Mbps", Decimal("1e-6")), ("kbps", Decimal("1e-3")), ("bps", 1)))


def size(size_bytes: Decimal) -> str:
    return f"{_plain(size_bytes.quantize(Decimal(1), ROUND_HALF_EVEN))}B"


def percent(found: Decimal) -> str:
    return f"{_plain(found)}%"


def _scaled(value: Decimal, units: Iterable[tuple[str, Decimal | int]], zero: str = "") -> str:
    if not value:
        return zero
    unit, scaled = "", value
    for unit, scale in units:  # noqa: B007  # the last one remains
        scaled = value * scale
        if scaled >= 1:
            break
    return f"{_plain(scaled)}{unit}"


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


MOST = Decimal(10) ** 15
SHOWN = 300
PLAIN = {"": Decimal(1)}
PERCENT = {"": Decimal(1), "%": Decimal(1)}
TIMES = {
    **dict.fromkeys(("s", "sec", "secs"), Decimal(1)),
    **dict.fromkeys(("ms", "msec", "msecs"), Decimal("1e-3")),
    **dict.fromkeys(("us", "usec", "usecs"), Decimal("1e-6")),
    **dict.fromkeys(("ns", "nsec", "nsecs"), Decimal("1e-9")),
}
# Without regard to case: bit per second, bytes per second (bps), powers of 1000 and, with i, of 1024.
RATES = {
    "": Decimal(1),
    **{
        f"{prefix}{unit}": Decimal(bits * scale)
        for prefix, scale in {
            **{letter: 1000**power for power, letter in enumerate(("", "k", "m", "g", "t"))},
            **{f"{letter}i": 1024**power for power, letter in enumerate(("k", "m", "g", "t"), 1)},
        }.items()
        for unit, bits in (("bit", 1), ("bps", 8))
    },
}
SIZES = {
    "": Decimal(1),
    "b": Decimal(1),
    **{
        f"{letter}{unit}": Decimal(1024**power) / divisor
        for power, letter in enumerate(("k", "m", "g"), 1)
        for unit, divisor in (("", 1), ("b", 1), ("bit", 8))
    },
}
