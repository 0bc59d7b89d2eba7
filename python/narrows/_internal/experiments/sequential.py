# SPDX-License-Identifier: Apache-2.0
"""The number of replications of each combination of levels, fixed or by a stopping rule, and the share of a shard.

With a fixed number there is nothing to decide. Otherwise a combination runs on, one replication after the other with
all its algorithms, so that they stay paired, until the 95 % interval of each chosen metric is narrow enough for each of
them: the sequential procedure of Law, "Simulation Modeling and Analysis" (5th ed., 2015), §9.4.1, after Y. S. Chow and
H. Robbins, Annals of Mathematical Statistics 36 (1965) 457. With `by`, all combinations run on together, and an
interval is of the mean over all of them at a level of this factor. The decisions depend on the finished cells alone, so
an interrupted study ends with the same cells.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal.errors import InputError
from narrows._internal.experiments.measures import Column, half_width
from narrows._internal.files.disk import write_whole
from narrows._internal.files.format import numbered, read_kept
from narrows._internal.files.json_objects import sealed, to_json
from narrows._internal.files.shape import check_shape
from narrows._internal.run.options import Shard
from narrows._internal.statistics import EQUAL, estimate

if TYPE_CHECKING:
    from narrows._internal.experiments.plan import Plan, Point


# Cells go to the shards in turn, in the order of their keys, so that shards are independent, and their numbers of cells
# differ by at most one. If combinations stop by themselves, combinations go to the shards in turn instead: all cells of
# one fall to the same shard, which alone decides their number. If all stop together (`by`), no shard can decide: a
# round runs as many replications as the one before it, and `merge` decides, and leaves out superfluous cells.
class Share(NamedTuple):
    """The cells of a study that fall to a shard."""

    shard: Shard
    first: int = 0  # the first replication of this round
    until: int = 0  # the replication before which this round ends; 0 if the rule of the study decides
    after: str = ""  # digest of the results of the earlier rounds; empty for the first

    def part(self, plan: Plan, cells: Sequence[Cell]) -> list[Cell]:
        """Return those of all cells of a round that fall to it, in their order."""
        whole = decides(plan)
        keys = [plan.key(plan.rows[point.row][0], 0) if whole else plan.key(point, at) for point, at in cells]
        # The first shard is not the largest one of every study of a suite.
        first = int(min(keys, default="0"), 16)
        turns = {key: turn for turn, key in enumerate(sorted(set(keys)), first)}
        return [cell for cell, key in zip(cells, keys, strict=True) if self.shard.has(turns[key])]

    def text(self) -> str:
        """Return the content of the file."""
        content = {"shard": str(self.shard), "replications": [self.first, self.until], "after": self.after}
        return to_json(sealed(numbered(SHARD, content))) + "\n"


def decides(plan: Plan) -> bool:
    """Return whether each combination of a study stops by itself, so that a shard can decide when."""
    return bool(plan.replications.measure) and plan.replications.by is None


def load_share(folder: Path) -> Share | None:
    """Read the share of a shard in the folder of a study; None if the folder holds the whole study."""
    file = folder / SHARD
    if not file.is_file():
        return None
    content = read_kept(file, is_sealed=True)
    check_shape(content, SHAPE, file)
    try:
        shard = Shard.parse(content["shard"])
        first, until = content["replications"]
    except ValueError as error:
        raise InputError(str(file), f"is damaged: {error}") from None
    return Share(shard, first, until, content["after"])


def save_share(folder: Path, share: Share) -> None:
    """Write the file into a folder."""
    write_whole(folder / SHARD, share.text())


Cell = tuple["Point", int]
# The subject of an interval: a combination or a level, the algorithm, and the name of the metric.
Of = tuple[int | str, str | None, str]


def cells_until(plan: Plan, targets: Sequence[int], first: int = 0) -> Iterator[Cell]:
    """Iterate over cells of a study, replication by replication."""
    for replication in range(first, max(targets, default=0)):
        for point in plan.points:
            if replication < targets[point.row]:
                yield point, replication


class Ledger:
    """The cells of a study, and which of them are settled: finished or failed."""

    def __init__(self, plan: Plan, share: Share | None = None) -> None:
        """Start without results."""
        self.plan = plan
        self.share = share
        self.targets = [(share and share.until) or plan.replications.minimum] * len(plan.rows)
        self._columns = [each for each in plan.columns if each.name in plan.replications.measure]
        self._values: dict[Of, dict[int, list[float]]] = defaultdict(dict)
        # The rows that stop together, by row.
        everything = range(len(plan.rows))
        self._together = [everything if plan.replications.by else range(row, row + 1) for row in everything]
        # Number of values of a replication, by the subject of an interval.
        self._parts = Counter(self._place(point) for point in plan.points)
        self._open = [target * len(row) for target, row in zip(self.targets, plan.rows, strict=True)]
        # Number of cells, as far as it is decided.
        self.cells = sum(self._open) if share is None else sum(1 for _ in self.all_cells())

    @property
    def fixed(self) -> bool:
        """Whether the number of replications is fixed."""
        return not self._columns

    def all_cells(self) -> Iterator[Cell]:
        """Iterate over the decided cells, replication by replication, so that early results are paired."""
        share = self.share
        found = cells_until(self.plan, self.targets, share.first if share else 0)
        return found if share is None else iter(share.part(self.plan, list(found)))

    def recover(self, measured: Mapping[str, Mapping[str, Any]], failed: Iterable[str]) -> None:
        """Record the cells that an earlier process settled: metrics of finished cells, keys of failed ones."""
        lost = set(failed)
        done = 0
        # Each settled replication may ask for another one.
        while done < max(self.targets, default=0):
            for point in self.plan.points:
                if done < self.targets[point.row]:
                    key = self.plan.key(point, done)
                    if key in measured or key in lost:
                        self.settle(point, done, measured.get(key))
            done += 1

    def settle(self, point: Point, replication: int, measured: Mapping[str, Any] | None) -> list[Cell]:
        """Record a cell that has finished or failed."""
        if self.fixed or (self.share and not decides(self.plan)):
            return []
        if measured is not None:
            for column in self._columns:
                value = column.value(measured, point)
                if value is not None:
                    self._values[*self._place(point), column.name].setdefault(replication, []).append(value)
        self._open[point.row] -= 1
        rows, target = self._together[point.row], self.targets[point.row]
        if any(self._open[row] for row in rows) or target >= self.plan.replications.maximum or self._narrow(rows):
            return []
        for row in rows:
            self.targets[row] += 1
            self._open[row] = len(self.plan.rows[row])
        more = [(each, target) for row in rows for each in self.plan.rows[row]]
        self.cells += len(more)
        return more

    def _place(self, point: Point) -> tuple[int | str, str | None]:
        by = self.plan.replications.by
        return (point.row if by is None else str(point.levels[by])), point.algorithm

    def _narrow(self, rows: Iterable[int]) -> bool:
        deciding = self.plan.replications.levels
        places = dict.fromkeys(self._place(point) for row in rows for point in self.plan.rows[row])
        return all(
            self._is_narrow(place, column)
            for place in places
            if not deciding or place[0] in deciding
            for column in self._columns
        )

    def _is_narrow(self, place: tuple[int | str, str | None], column: Column) -> bool:
        values = self._values.get((*place, column.name), {})
        # Cells finish in any order, on which a correctly rounded sum does not depend.
        found = estimate(
            math.fsum(values[index]) / len(values[index])
            for index in sorted(values)
            if len(values[index]) == self._parts[place]
        )
        if found["mean"] is None or found["interval_method"] == EQUAL:
            # More replications do not help if there are no values, or if they do not vary.
            return True
        wanted = half_width(self.plan.replications.within, column)
        if found["ci95"] is None or wanted is None:
            return False
        low, high = found["ci95"]
        return (high - low) / 2 <= wanted.of(found["mean"])


SHARD = "shard.json"
SHAPE = {"format": int, "shard": str, "replications": [range(1_000_001)], "after": str}
