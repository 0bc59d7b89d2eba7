# SPDX-License-Identifier: Apache-2.0
"""An experiment of a reproduction: its study file, its plan, and its place in the folder."""

from __future__ import annotations

import math
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from narrows._internal.errors import InputError
from narrows._internal.experiments import campaign
from narrows._internal.experiments.plan import PLAN, Plan, Point
from narrows._internal.experiments.sequential import SHARD, Ledger, Share
from narrows._internal.experiments.stored import StoredStudy, stored, stored_as_planned
from narrows._internal.files.place import inside
from narrows._internal.frozen import frozen
from narrows._internal.reproduction.quantity import Asked

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from narrows._internal.experiments.definition import Study
    from narrows._internal.run.options import Shard

Rows = dict[str, Asked]


class Standing(NamedTuple):
    """The cells of an experiment in the folder of a reproduction."""

    path: str  # folder of the experiment
    experiment: str
    finished: int  # number of finished cells
    left: int  # number of other cells
    left_s: float  # simulated time of the other cells
    done_s: float  # simulated time of the finished cells
    cpu_s: float  # processor time of the finished cells


class Placed(NamedTuple):
    """An experiment in the folder of a reproduction, for reading its results."""

    experiment: str
    variant: str  # name of the variant in the claims; empty for none
    factors: Sequence[str]  # columns whose levels distinguish its cells

    @property
    def path(self) -> str:
        """Path of the experiment's folder, relative to the reproduction's."""
        return f"variants/{self.variant}/{self.experiment}" if self.variant else self.experiment


@frozen
class Part:
    """An experiment of a reproduction, without a variant or with one."""

    experiment: str
    variant: str  # name of the variant in the claims; empty for none
    study: Study
    plan: Plan
    shard: Shard | None = None  # the only shard whose cells count; None for all

    @property
    def path(self) -> str:
        """Path of the experiment's folder, relative to the reproduction's."""
        return self.placed.path

    @property
    def placed(self) -> Placed:
        """The experiment as its results are read."""
        return Placed(self.experiment, self.variant, self.plan.factors)

    def opened(self, folder: Path) -> StoredStudy:
        """Return the experiment in the folder of a reproduction; begins it if it is not there."""
        # The author of the claims chose the names of experiments and variants.
        place = inside(folder, self.path, folder)
        if (place / PLAN).exists():
            return stored_as_planned(self.plan, place)
        place.parent.mkdir(parents=True, exist_ok=True)
        files = {SHARD: Share(self.shard).text()} if self.shard else {}
        return campaign.begin(self.study, self.plan, place, files)

    @property
    def name(self) -> str:
        """Name by which a command selects it: the variant's, or the experiment's."""
        return self.variant or self.experiment

    def standing(self, folder: Path) -> Standing:
        """Return which cells have finished in the folder of a reproduction."""
        left = {self.plan.key(point, number): point.duration_s for point, number in self._ledger.all_cells()}
        place, done = folder / self.path, dict[str, float]()
        if (place / PLAN).exists():
            # A file that is damaged is removed when the work begins.
            with suppress(InputError):
                table = stored(place).table()
                done = dict(zip(table["cell"].to_pylist(), table["cpu_s"].to_pylist(), strict=True))
        done_s = math.fsum(left.pop(key, 0.0) for key in done)
        left_s, cpu_s = math.fsum(left.values()), math.fsum(done.values())
        return Standing(self.path, self.experiment, len(done), len(left), left_s, done_s, cpu_s)

    def has(self, point: Point, replication: int) -> bool:
        """Return whether a cell counts here."""
        return self.shard is None or self.plan.key(point, replication) in self._keys

    @property
    def cells(self) -> int:
        """Number of cells; the least if the number of replications is sequential."""
        return self._ledger.cells

    @cached_property
    def simulated_s(self) -> float:
        """Simulated time of all cells, seconds."""
        return math.fsum(point.duration_s for point, _ in self._ledger.all_cells())

    @cached_property
    def _keys(self) -> set[str]:
        return {self.plan.key(point, number) for point, number in self._ledger.all_cells()}

    @cached_property
    def _ledger(self) -> Ledger:
        return Ledger(self.plan, Share(self.shard) if self.shard else None)


def is_finished(place: Path) -> bool:
    """Return whether every cell of an experiment has finished."""
    if not (place / PLAN).exists():
        return False
    state = stored(place).status()
    return state.finished == state.cells
