# SPDX-License-Identifier: Apache-2.0
"""Sets of numbers of bytes as ranges."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Ranges:
    """A set of whole numbers, as half-open ranges in order; of more than `MOST` ranges the lowest are forgotten."""

    def __init__(self) -> None:
        """Begin with the empty set."""
        self._starts: list[int] = []
        self._ends: list[int] = []
        self.size = 0

    def __len__(self) -> int:
        """Return the number of ranges."""
        return len(self._starts)

    def copy(self) -> Ranges:
        """Return a set that is equal and shares nothing."""
        other = Ranges()
        other._starts, other._ends, other.size = self._starts[:], self._ends[:], self.size
        return other

    def highest(self) -> int:
        """Return the number behind the last; there must be any."""
        return self._ends[-1]

    def gaps(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the parts of a range that are not in the set."""
        found = []
        index = bisect_right(self._ends, start)
        while start < end:
            if index == len(self._starts) or self._starts[index] >= end:
                found.append((start, end))
                break
            if self._starts[index] > start:
                found.append((start, self._starts[index]))
            start = self._ends[index]
            index += 1
        return found

    def add(self, start: int, end: int) -> None:
        """Add a range."""
        if end <= start:
            return
        first, behind = bisect_left(self._ends, start), bisect_right(self._starts, end)
        if first < behind:
            start, end = min(start, self._starts[first]), max(end, self._ends[behind - 1])
            self.size -= sum(self._ends[first:behind]) - sum(self._starts[first:behind])
        self._starts[first:behind], self._ends[first:behind] = [start], [end]
        self.size += end - start
        if len(self._starts) > MOST:
            half = MOST // 2
            self.size -= sum(self._ends[:half]) - sum(self._starts[:half])
            del self._starts[:half], self._ends[:half]

    def remove(self, start: int, end: int) -> int:
        """Remove a range, and return how many numbers of it were there."""
        first, behind = bisect_right(self._ends, start), bisect_left(self._starts, end)
        if first >= behind or end <= start:
            return 0
        low, high = self._starts[first], self._ends[behind - 1]
        before = sum(self._ends[first:behind]) - sum(self._starts[first:behind])
        starts, ends = [], []
        if low < start:
            starts.append(low)
            ends.append(start)
        if high > end:
            starts.append(end)
            ends.append(high)
        self._starts[first:behind], self._ends[first:behind] = starts, ends
        removed = before - (sum(ends) - sum(starts))
        self.size -= removed
        return removed

    def remove_below(self, end: int) -> None:
        """Remove all numbers below another."""
        if self._starts and self._starts[0] < end:
            self.remove(self._starts[0], end)


MOST = 20_000
