# SPDX-License-Identifier: Apache-2.0
"""Reproductions: the experiments of a published study, and verdicts on its claims; the part that falls to a shard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from narrows.commands import page
from narrows.commands.job import Job
from narrows.errors import InputError
from narrows.experiments.executors.threads import Threads
from narrows.experiments.stored import Status
from narrows.extras import require
from narrows.files.json_objects import write_json
from narrows.frozen import frozen
from narrows.plural import counted
from narrows.reproduction import campaign
from narrows.reproduction.agreement import agreement
from narrows.reproduction.campaign import Whole
from narrows.reproduction.deciding import Report, decide
from narrows.reproduction.experiment import Part
from narrows.reproduction.ledger import Found
from narrows.reproduction.own_claims import keep_claims
from narrows.reproduction.registry import LEDGER, TABLES, StudyFolder, find
from narrows.reproduction.stored_cells import keep, restore
from narrows.run.options import Options, Shard


@frozen
class Sharding(Job[Status]):
    """The part of several studies that falls to a shard."""

    parts: Sequence[Part]
    place: Path

    def work(self) -> Status:
        """Run every cell that is missing."""
        watch = self.options.watch
        whole = Whole(self.parts, watch.update, watch.stopped)
        with self.resumable():
            campaign.work(self.parts, self.place, lambda: Threads(self.options.threads), whole.of)
        found = [part.opened(self.place).status() for part in self.parts]
        cells, finished = sum(one.cells for one in found), sum(one.finished for one in found)
        return Status(cells, finished, sum(one.failed for one in found), None)

    def build(self, _result: Status) -> None:
        """Build no page: a part of the cells has no verdict."""


def of_shard(parts: Sequence[Part], shard: Shard | None) -> list[Part]:
    """Return studies that run only the cells of a shard."""
    return [replace(part, shard=shard) for part in parts]


def asked(options: Options, **arguments: Any) -> dict[str, Any]:
    """Return the arguments that the folder of a shard keeps, so that a merge can plan the same cells."""
    return {"shard": str(options.shard), "seed": options.seed, "replications": options.replications, **arguments}


def refuse_with_shard(options: Options, **given: object) -> None:
    """Check that no argument requires the cells of all shards."""
    for name, value in given.items():
        if options.shard is not None and value:
            problem = "needs the cells of all: join them with `narrows study merge`, then give it to the same command"
            raise InputError(f"--{name}", f"{problem} without --shard, with the joined folder as --out")


class Judged(NamedTuple):
    """The outcome of a reproduction."""

    ledger: Mapping[str, Any]
    results: Found
    failed: int
    # Of the attempt to decide open claims.
    decided: Report | None


@frozen
class Reproducing(Job[Judged]):
    """A published study at a size."""

    study: StudyFolder
    size: str
    parts: Sequence[Part]
    # For further seeds of open claims; 0 for none.
    decide_s: float
    # Nothing runs, and the finished cells are judged.
    only_judge: bool

    @classmethod
    def prepare(
        cls, name: str, options: Options, size: str = "quick", decide_s: float = 0.0, *, only_judge: bool = False
    ) -> Reproducing:
        """Plan every experiment, create or open the folder, and take over the cells that the study keeps."""
        study = find(name)
        # The verdicts need it, after hours of simulation.
        require("scipy")
        parts = campaign.parts(study, size, options.seed, options.replications, trust=options.trust)
        folder = options.out or Path("runs") / f"{study.name}-{size}"
        campaign.prepare(study, size, folder)
        kept = study.cells(size)
        if kept.is_file() and not only_judge:
            taken = restore(parts, folder, kept, options.say)
            options.say(f"{counted(taken, 'cell')} of {kept.name} taken over")
        return cls(folder, options, study, size, parts, decide_s, only_judge)

    @classmethod
    def shard(cls, name: str, options: Options, size: str = "quick", **refused: object) -> Sharding:
        """Plan the cells of a shard, and create or open its folder; see `prepare`."""
        refuse_with_shard(options, **refused)
        study = find(name)
        whole = campaign.parts(study, size, options.seed, options.replications, trust=options.trust)
        digits = str(options.shard).replace("/", "-of-")
        folder = options.out or Path("runs") / f"{study.name}-{size}-{digits}"
        campaign.prepare(study, size, folder, asked(options, name=name))
        return Sharding(folder, options, of_shard(whole, options.shard), folder)

    def work(self) -> Judged:
        """Run every cell, and judge every claim."""
        with self.resumable():
            failed = 0 if self.only_judge else self._run()
            decided = self._decide() if self.decide_s and not failed else None
        ledger, results = campaign.judge(self.study, self.size, self.parts, self.folder)
        keep(self.parts, self.folder)
        keep_claims(self.study, self.parts, self.folder)
        write_json(self.folder / LEDGER, ledger)
        tables = agreement(self.study.claims(self.size), self.size, ledger["digest"], results)
        write_json(self.folder / TABLES, tables)
        return Judged(ledger, results, failed, decided)

    def build(self, result: Judged) -> None:
        """Build the page from the results, which are large, without reading them again."""
        page.reproduction(self.folder, self.study.claims(self.size), result.ledger, result.results)

    def _run(self) -> int:
        watch = self.options.watch
        whole = campaign.Whole(self.parts, watch.update, watch.stopped)
        return campaign.work(self.parts, self.folder, lambda: Threads(self.options.threads), whole.of)

    def _decide(self) -> Report:
        watch = self.options.watch

        def stopped(fraction: float, note: str) -> bool:
            watch.update(min(fraction, 1.0), note)
            return watch.stopped()

        claims, threads = self.study.claims(self.size).claims, self.options.threads
        budget_s = self.decide_s
        done = decide(claims, self.parts, self.folder, lambda: Threads(threads), budget_s=budget_s, stopped=stopped)
        for error in done.failed:
            self.options.say(f"a cell failed: {error}")
        return done
