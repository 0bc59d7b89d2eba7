# SPDX-License-Identifier: Apache-2.0
"""A study in its folder: its plan, which is read once, and the results so far."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows._internal.experiments.plan import PLAN, Plan, load_plan
from narrows._internal.experiments.sequential import Ledger, Share, load_share
from narrows._internal.experiments.store import Store
from narrows._internal.external.trust import EVERYTHING, Trust
from narrows._internal.files.lease import holder_of
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    import pyarrow as pa


class Status(NamedTuple):
    """The state of a study."""

    cells: int  # number of cells, as far as it is decided
    finished: int
    failed: int
    running: dict[str, Any] | None  # the process that works on the study: `host`, `pid` and `since`; None without one


@frozen
class StoredStudy:
    """A study in its folder, from beginning to end."""

    folder: Path
    plan: Plan  # plan of the study, as in the folder
    store: Store  # the results on the disk
    # The share of this folder if it is a shard; None for the whole study.
    share: Share | None = None

    def recovered(self) -> tuple[Ledger, set[str], set[str]]:
        """Return the ledger of the cells, and the keys of the finished and of the failed cells."""
        finished = self.store.finished()
        failed = self.store.failures() - finished
        ledger = Ledger(self.plan, self.share)
        if not ledger.fixed:
            ledger.recover(self.store.measured(finished), failed)
        if self.share is None:
            return ledger, finished, failed
        own = {self.plan.key(*cell) for cell in ledger.all_cells()}
        return ledger, finished & own, failed & own

    def status(self) -> Status:
        """Return its state."""
        ledger, finished, failed = self.recovered()
        return Status(ledger.cells, len(finished), len(failed), holder_of(self.folder))

    def table(self) -> pa.Table:
        """Return the table of the finished cells, a row per cell."""
        ledger, _, _ = self.recovered()
        return self.store.table(self.plan, ledger.all_cells())


def stored(folder: Path, trust: Trust | None = None) -> StoredStudy:
    """Open the folder of a study."""
    return StoredStudy(folder, load_plan(folder, trust), Store(folder), load_share(folder))


def studies_in(folder: Path) -> dict[str, Path]:
    """Return the folders of the studies in a folder by their paths in it: itself, or the folders of its experiments."""
    if (folder / PLAN).is_file():
        return {".": folder}
    plans = [*folder.glob(f"*/{PLAN}"), *folder.glob(f"variants/*/*/{PLAN}")]
    return {plan.parent.relative_to(folder).as_posix(): plan.parent for plan in sorted(plans)}


def stored_as_planned(plan: Plan, folder: Path) -> StoredStudy:
    """Open the folder of a study that a command has planned anew: it may do everything if it holds this plan."""
    return trusted_as(plan, EVERYTHING, stored(folder))


def trusted_as(plan: Plan, trust: Trust, kept: StoredStudy) -> StoredStudy:
    """Return a study in a folder with the trust in a plan from elsewhere, if both plans execute the same."""
    if _executed(kept.plan) != _executed(plan):
        return kept
    return replace(kept, plan=replace(kept.plan, base=replace(kept.plan.base, trust=trust)))


def _executed(plan: Plan) -> tuple[object, ...]:
    """Return the parts of a plan that decide what its cells execute; a digest in a plan proves nothing by itself."""
    here = plan.portable()
    points = [(each.overrides, each.written, each.on, each.digest) for each in here.points]
    return here.base.text, here.base.commands, here.inputs, points
