# SPDX-License-Identifier: Apache-2.0
"""Running a study: an executor gets the missing cells, and each finished one is stored, until none is missing."""

from __future__ import annotations

import re
import shlex
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from narrows._internal import core
from narrows._internal.errors import InputError, Interrupted, OutputError
from narrows._internal.experiments.definition import Study
from narrows._internal.experiments.plan import PLAN, Kept, Plan, Point, check_unchanged
from narrows._internal.experiments.sequential import Ledger
from narrows._internal.experiments.store import CELL
from narrows._internal.experiments.stored import Status, StoredStudy, stored_as_planned
from narrows._internal.experiments.task import Executor, Failed, Finished, Outcome, Task, perform, resolve
from narrows._internal.files.folder import appearing
from narrows._internal.files.lease import LEASE, Lease
from narrows._internal.files.manifest import MANIFEST, write_manifest
from narrows._internal.files.toml import inline
from narrows._internal.library import shown
from narrows._internal.run.summary import digest

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.run.shared import Shared

    # Of a study's folder, its plan and the table of its cells.
    Conclude = Callable[[Path, Plan, pa.Table], None]


class Progress(NamedTuple):
    """The progress of a study."""

    cells: int  # number of cells, as far as it is decided
    finished: int  # number of finished cells
    failed: int  # number of failed cells
    fraction: float  # fraction of the work of this process that is done, 0 to 1
    cells_per_s: float  # finished cells per second of this process


class Watch(Protocol):
    """Receives the progress of a study and may stop it."""

    def update(self, progress: Progress) -> None:
        """Receive the progress."""

    def stopped(self) -> bool:
        """Return True to stop the work."""


def begin(study: Study, plan: Plan, folder: Path, files: Mapping[str, str] | None = None) -> StoredStudy:
    """Create the folder of a study atomically, and open it."""
    refuse_begun(folder)
    with appearing(folder) as partial:
        for name, source in zip(("study.toml", "extended.toml"), study.document.sources, strict=False):
            (partial / name).write_text(_as_kept(source.text, study, plan), encoding="utf-8")
        (partial / "scenario.toml").write_text(plan.portable().base.text, encoding="utf-8")
        plan.save(partial)
        for name, text in (files or {}).items():
            (partial / name).write_text(text, encoding="utf-8")
    return stored_as_planned(plan, folder)


def _as_kept(text: str, study: Study, plan: Plan) -> str:
    """Return the text of a study file with every file named by its path in the study's folder."""
    text = (plan.kept or Kept()).argument(text)
    named = study.places["scenario"].plain
    if shown(study.scenario.file) == study.scenario.file.name:
        # A scenario of the library needs no copy.
        text = text.replace(inline(named), '"scenario.toml"').replace(f"'{named}'", '"scenario.toml"')
    return EXTENDS.sub(r'\1"extended.toml"', text)


def refuse_begun(folder: Path) -> None:
    """Check that `folder` holds no study."""
    if (folder / PLAN).exists():
        again = shlex.join(["narrows", "study", "resume", str(folder)])
        raise OutputError(f"{folder} holds a study that was begun: go on with `{again}`, or name another folder")


def work(  # noqa: PLR0913  # each is an option with a default
    study: StoredStudy,
    executor: Executor,
    watch: Watch,
    *,
    retry: bool = False,
    command: str | None = None,
    conclude: Conclude | None = None,
    say: Callable[[str], None] | None = None,
    shared: Shared | None = None,
) -> Status:
    """Run every cell of a study that has neither finished nor failed, and gather the results."""
    check_unchanged(study.plan, study.folder)
    with Lease(study.folder) as lease:
        campaign = _Campaign(study, watch, lease, executor.again, shared)
        try:
            for file in campaign.prepare(retry=retry):
                if say is not None:
                    say(f"{file} is damaged: its cells run again")
            with executor:
                campaign.run(executor)
            campaign.finish(command, conclude)
        except OSError as error:
            problem = f"the results cannot be written: {error.strerror or error}"
            raise Interrupted(f"{problem}; {campaign.how_to_go_on()}") from error
    return study.status()


def conclude_whole(study: StoredStudy, command: str | None, conclude: Conclude) -> bool:
    """Gather the results of a study that others ran, and write its manifest, if no cell is still to run."""
    with Lease(study.folder) as lease:
        campaign = _Campaign(study, _UNWATCHED, lease, (), None)
        campaign.prepare(retry=False)
        if not campaign.todo:
            campaign.finish(command, conclude)
        return not campaign.todo


class _Unwatched:
    def update(self, progress: Progress) -> None:
        pass

    def stopped(self) -> bool:
        return False


_UNWATCHED = _Unwatched()


def digest_of(cells: pa.Table) -> str:
    """Return the digest of the records of the finished cells of a study in their order; empty without cells."""
    return digest(cells["digest"].to_pylist()) if cells.num_rows else ""


class Replay(NamedTuple):
    """The result of running a cell again."""

    point: Point  # point of the cell
    replication: int  # number of its replication
    outcome: Outcome  # the result of this run
    before: str | None  # digest of the records of its first run; None if it failed, or if there was none


def replay(study: StoredStudy, key: str) -> Replay:
    """Run a cell of a study again in this process, without writing anything."""
    plan, store = study.plan, study.store
    check_unchanged(plan, study.folder)
    ledger, finished, _ = study.recovered()
    found = [cell for cell in ledger.all_cells() if plan.key(*cell).startswith(key)]
    if len(found) != 1:
        problem = "no cell has this key" if not found else f"{len(found)} cells have a key that begins so"
        raise InputError(key, f"{problem}; the column `cell` of the results and the files in {store.failed} name them")
    point, replication = found[0]
    whole = plan.key(point, replication)
    before = None
    if whole in finished:
        rows = store.table(plan, ledger.all_cells())
        before = dict(zip(rows["cell"].to_pylist(), rows["digest"].to_pylist(), strict=True))[whole]
    return Replay(point, replication, perform(plan.task(point, replication)), before)


class _Campaign:
    def __init__(
        self, study: StoredStudy, watch: Watch, lease: Lease, again: Sequence[str], shared: Shared | None
    ) -> None:
        self.study = study
        self.folder, self.plan, self.store = study.folder, study.plan, study.store
        self.watch = watch
        self.lease = lease
        self.again = again
        self.shared = shared
        self.ledger = Ledger(study.plan, study.share)
        self.finished: set[str] = set()
        self.failed: set[str] = set()
        self.todo: deque[tuple[Point, int]] = deque()
        self.running: dict[str, tuple[Point, int]] = {}
        # Cells that have finished or failed, until they are written together.
        self.arrived: dict[str, Outcome] = {}
        self.written_s = self.begun_s = time.monotonic()
        self.total_s = self.done_s = 0.0
        self.here = 0

    def prepare(self, *, retry: bool) -> list[Path]:
        """Find the cells that have to run; return files of cells that were damaged, and are removed."""
        self.store.prepare()
        damaged = self.store.discard_damaged()
        if retry:
            self.store.forget_failures()
        self.ledger, self.finished, self.failed = self.study.recovered()
        settled = self.finished | self.failed
        self._add([cell for cell in self.ledger.all_cells() if self.plan.key(*cell) not in settled])
        return damaged

    def run(self, machine: Executor) -> None:
        while self.todo or self.running:
            if self.watch.stopped() or self.lease.lost:
                machine.cancel()
                self._drain(machine)
                reason = "another process has taken the study over" if self.lease.lost else ""
                raise Interrupted(f"{reason}; {self.how_to_go_on()}".removeprefix("; "))
            try:
                self._advance(machine)
            except Interrupted as stop:
                self._settle()
                raise Interrupted(f"{stop}; {self.how_to_go_on()}") from None
            self._report(machine)

    def _advance(self, machine: Executor) -> None:
        known = 0
        while self.todo and len(self.running) - len(self.arrived) < machine.slots and known < MOST_AT_ONCE:
            point, replication = self.todo.popleft()
            task = self.plan.task(point, replication)
            self.running[task.key] = (point, replication)
            if there := self._taken_over(task):
                self._arrive([there])
                known += 1
            else:
                machine.submit(task)
        self._arrive(machine.completed(0 if known else STEP_S))
        # The last cells may ask for further ones.
        if not self.todo or time.monotonic() - self.written_s >= WRITE_S:
            self._settle()

    def _taken_over(self, task: Task) -> Finished | None:
        """Return the result of a cell that another command has run."""
        found = self.shared.find(task.key, task.measures) if self.shared and self._is_shared(task) else None
        return Finished(task.key, **found) if found else None

    def _is_shared(self, task: Task) -> bool:
        """Return whether other commands may have the cell, too; a user's file changes with each edit."""
        named = " ".join([*task.overrides, task.subject or ""])
        return not any(file in named for file in self.plan.external) and not self.plan.base.commands

    def finish(self, command: str | None, conclude: Conclude | None) -> None:
        # An earlier manifest does not list the table that is written now.
        (self.folder / MANIFEST).unlink(missing_ok=True)
        table = self.store.gather(self.plan, self.ledger.all_cells())
        if conclude is not None:
            conclude(self.folder, self.plan, table)
        facts = {
            "title": self.plan.title,
            "size": self.plan.size,
            "variant": self.plan.variant,
            "command": command,
            "scenario": f"sha256:{digest(point.digest for point in self.plan.points).removeprefix('sha256:')}",
            "inputs": {path: f"sha256:{each}" for path, each in self.plan.inputs.items()},
            "seed": self.plan.seed,
            "replications": max(self.ledger.targets, default=0),
            "cells": self.ledger.cells,
            "finished": len(self.finished),
            "failed": sorted(self.failed),
            "interrupted": False,
            "digest": digest_of(table),
        }
        write_manifest(self.folder, facts, without=[LEASE])

    def how_to_go_on(self) -> str:
        again = shlex.join(["narrows", "study", "resume", str(self.folder), *self.again, *self._trust()])
        # If the disk was full from the start, the results of an earlier process are not known yet.
        finished = self.finished or self.store.finished()
        return f"{len(finished)} of {self.ledger.cells} cells are finished and kept; go on with `{again}`"

    def _trust(self) -> list[str]:
        """Return the arguments with which a further command has the same trust."""
        return ["--trust"] if self.plan.needs_trust else []

    def _drain(self, machine: Executor) -> None:
        # Cells that finish while the rest stops are kept.
        end = time.monotonic() + PATIENCE_S
        while len(self.arrived) < len(self.running) and time.monotonic() < end:
            self._arrive(machine.completed(STEP_S))
        self._settle()

    def _arrive(self, outcomes: Sequence[Outcome]) -> None:
        for each in outcomes:
            # A cell that was lost with its worker, and ran again, may arrive twice.
            if each.key in self.running and each.key not in self.arrived:
                self.arrived[each.key] = each
                self.done_s += self.running[each.key][0].duration_s

    def _settle(self) -> None:
        """Write the cells that have arrived, and add those that follow from them."""
        known, self.arrived = list(self.arrived.values()), {}
        self.written_s = time.monotonic()
        good = [each for each in known if isinstance(each, Finished)]
        if good:
            self.store.keep(good)
            self._share(good)
        for each in known:
            point, replication = self.running.pop(each.key)
            measured = None
            if isinstance(each, Finished):
                self.finished.add(each.key)
                self.here += 1
                measured = each.measured
            elif isinstance(each, Failed):
                self._keep_failure(each, point, replication)
            else:
                continue
            self._add(self.ledger.settle(point, replication, measured))

    def _share(self, good: Sequence[Finished]) -> None:
        for each in good if self.shared else ():
            task = self.plan.task(*self.running[each.key])
            if self.shared and self._is_shared(task) and self.shared.find(task.key, task.measures) is None:
                self.shared.add(task.key, task.measures, {name: getattr(each, name) for name in CELL})

    def _keep_failure(self, failed: Failed, point: Point, replication: int) -> None:
        self.failed.add(failed.key)
        scenario = ""
        with suppress(core.ScenarioError):
            scenario = resolve(self.plan.base, point.overrides, point.written, point.on).portable
        about = {
            "levels": point.levels,
            "algorithm": point.algorithm,
            "seed": self.plan.seed,
            "replication": replication,
            "replay": shlex.join(["narrows", "study", "replay", ".", failed.key, *self._trust()]),
        }
        self.store.keep_failure(failed, scenario, about)

    def _add(self, cells: Sequence[tuple[Point, int]]) -> None:
        self.todo.extend(cells)
        self.total_s += sum(point.duration_s for point, _ in cells)

    def _report(self, machine: Executor) -> None:
        elapsed_s = max(time.monotonic() - self.begun_s, 1e-9)
        done_s = min(self.done_s + machine.simulated_s(), self.total_s)
        self.watch.update(
            Progress(
                cells=self.ledger.cells,
                finished=len(self.finished),
                failed=len(self.failed),
                fraction=done_s / self.total_s if self.total_s else 1.0,
                cells_per_s=self.here / elapsed_s,
            )
        )


EXTENDS = re.compile(r"^(\s*extends\s*=\s*).*$", re.MULTILINE)
STEP_S = 0.1
# Cells of other commands that are kept at a time.
MOST_AT_ONCE = 64
# Cells that finish within this time are written together.
WRITE_S = 0.1
PATIENCE_S = 10.0
