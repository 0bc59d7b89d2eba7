# SPDX-License-Identifier: Apache-2.0
"""Reproductions: the experiments of a published study, and verdicts on its claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from narrows.commands import page
from narrows.commands.job import Job
from narrows.commands.shards import Sharding, asked, of_shard, refuse_with_shard
from narrows.experiments.executors.threads import Threads
from narrows.extras import require
from narrows.files.json_objects import write_json
from narrows.frozen import frozen
from narrows.plural import counted
from narrows.reproduction import campaign
from narrows.reproduction.agreement import agreement
from narrows.reproduction.deciding import Report, decide
from narrows.reproduction.experiment import Part
from narrows.reproduction.ledger import Found
from narrows.reproduction.own_claims import keep_claims
from narrows.reproduction.registry import LEDGER, TABLES, StudyFolder, find
from narrows.reproduction.stored_cells import keep, restore
from narrows.run.options import Options


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
