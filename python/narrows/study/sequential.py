"""How many replications each combination of levels gets, and when it has enough.

With a fixed number there is nothing to decide. Otherwise a combination runs on, one replication after the other with
all its algorithms, so that they stay paired, until the 95 % interval of the chosen measure is narrow enough for each of
them: the sequential procedure of Law, "Simulation Modeling and Analysis" (5th ed., 2015), §9.4.1, after Y. S. Chow and
H. Robbins, Annals of Mathematical Statistics 36 (1965) 457. What is decided depends on the finished cells alone, so an
interrupted study ends with the same ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from narrows.study.plan import Plan, Point

Cell = tuple["Point", int]


class Ledger:
    """The cells of a study, and which of them are settled: finished or failed."""

    def __init__(self, plan: Plan) -> None:
        """Know of no result yet."""
        self.plan = plan
        self.targets = [plan.replications.minimum] * len(plan.rows)
        self._column = next((each for each in plan.columns if each.name == plan.replications.measure), None)
        self._values: dict[tuple[int, str | None], dict[int, float]] = {}
        self._open = [target * len(row) for target, row in zip(self.targets, plan.rows, strict=True)]

    @property
    def fixed(self) -> bool:
        """Whether the number of replications is fixed."""
        return self._column is None

    @property
    def cells(self) -> int:
        """Number of cells, as far as it is decided."""
        return sum(target * len(row) for target, row in zip(self.targets, self.plan.rows, strict=True))

    def all_cells(self) -> Iterator[Cell]:
        """Iterate over the decided cells, replication by replication, so that early results are paired."""
        for replication in range(max(self.targets, default=0)):
            for point in self.plan.points:
                if replication < self.targets[point.row]:
                    yield point, replication

    def recover(self, measured: Mapping[str, Mapping[str, Any]], failed: Iterable[str]) -> None:
        """Record the cells that an earlier process settled: metrics of finished cells, keys of failed ones."""
        lost = set(failed)
        done = 0
        # Each replication that is settled may ask for another one.
        while done < max(self.targets, default=0):
            for point in self.plan.points:
                if done < self.targets[point.row]:
                    key = self.plan.key(point, done)
                    if key in measured or key in lost:
                        self.settle(point, done, measured.get(key))
            done += 1

    def settle(self, point: Point, replication: int, measured: Mapping[str, Any] | None) -> list[Cell]:
        """Record a cell that has finished or failed.

        Args:
            point: Point of the cell.
            replication: Number of its replication.
            measured: Values of its metrics; None if it failed.

        Returns:
            The cells that are decided in addition.
        """
        if self._column is None:
            return []
        if measured is not None:
            value = self._column.value(measured, point)
            if value is not None:
                self._values.setdefault((point.row, point.algorithm), {})[replication] = value
        self._open[point.row] -= 1
        target = self.targets[point.row]
        if self._open[point.row] or target >= self.plan.replications.maximum or self._narrow(point.row):
            return []
        self.targets[point.row] += 1
        self._open[point.row] = len(self.plan.rows[point.row])
        return [(each, target) for each in self.plan.rows[point.row]]

    def _narrow(self, row: int) -> bool:
        for point in self.plan.rows[row]:
            values = self._values.get((row, point.algorithm), {})
            found = estimate(values[index] for index in sorted(values))
            if found["mean"] is None:
                # Where nothing can be measured, more of it will not help.
                continue
            if found["ci95"] is None:
                return False
            low, high = found["ci95"]
            if (high - low) / 2 > self.plan.replications.within * abs(found["mean"]):
                return False
        return True
