# SPDX-License-Identifier: Apache-2.0
"""A shard: one of several machines, and the part of the work that falls to it."""

from __future__ import annotations

import re
from typing import NamedTuple, Self


class Shard(NamedTuple):
    """One of several machines."""

    number: int  # its number, from 1
    total: int  # number of shards

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a shard, as in 3/7; of those that total from 0, 0/7 is 7/7."""
        found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        number, total = map(int, found.groups()) if found else (1, 0)
        if not 0 <= number <= total or not total:
            raise ValueError(f"expected I/N with I from 1 to N, as in 3/7, got {text!r}")
        return cls(number or total, total)

    def has(self, key: str) -> bool:
        """Return whether the work with this key, a hash in hexadecimal digits, falls to it."""
        return int(key, 16) % self.total == self.number % self.total

    def __str__(self) -> str:
        """Return it as it is written."""
        return f"{self.number}/{self.total}"
