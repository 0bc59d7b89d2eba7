# SPDX-License-Identifier: Apache-2.0
"""Suites: the criteria of a document, measured for an algorithm or a queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from narrows._internal.commands.job import Job
from narrows._internal.commands.reproductions import Sharding, asked, of_shard
from narrows._internal.evaluation import campaign
from narrows._internal.evaluation import rows as judging
from narrows._internal.evaluation.campaign import Evaluation
from narrows._internal.evaluation.definition import find_suite
from narrows._internal.evaluation.verdict import summarize
from narrows._internal.experiments.executors.threads import Threads
from narrows._internal.experiments.store import CELL
from narrows._internal.files.format import SUMMARY, write_kept
from narrows._internal.frozen import frozen
from narrows._internal.reproduction.campaign import Whole, work
from narrows._internal.run import shared as sharing
from narrows._internal.run.options import Options, called


class Measured(NamedTuple):
    """The results of a suite."""

    summary: Mapping[str, Any]
    failed: int
    reason: str


@frozen
class Measuring(Job[Measured]):
    """A suite with its subject."""

    evaluation: Evaluation
    called: str

    @classmethod
    def prepare(
        cls, name: str, subject: str, options: Options, size: str = "quick", rows: Sequence[str] = ()
    ) -> Measuring:
        """Plan every cell, and create or open the folder; see `narrows.suite`."""
        evaluation = planned(name, subject, options, size, rows)
        command = called(options, "suite", name, subject, **{size: True, "rows": ",".join(rows)})
        digits = evaluation.identity["cells"][:HASH_DIGITS]
        folder = options.out or Path("runs") / f"{evaluation.suite.name}-{evaluation.size}-{digits}"
        campaign.open_folder(evaluation, folder)
        campaign.keep_suite(evaluation.suite, folder)
        return cls(folder, options, evaluation, command)

    @classmethod
    def shard(
        cls, name: str, subject: str, options: Options, size: str = "quick", rows: Sequence[str] = ()
    ) -> Sharding:
        """Plan the cells of a shard, and create or open its folder; see `prepare`."""
        evaluation = planned(name, subject, options, size, rows)
        digits = f"{evaluation.identity['cells'][:HASH_DIGITS]}-{str(options.shard).replace('/', '-of-')}"
        folder = options.out or Path("runs") / f"{evaluation.suite.name}-{evaluation.size}-{digits}"
        given = {"name": name, "subject": subject, "sections": list(rows), "overrides": list(options.overrides)}
        campaign.open_folder(evaluation, folder, asked(options, **given))
        return Sharding(folder, options, of_shard(evaluation.parts, options.shard), campaign.place(folder))

    def work(self) -> Measured:
        """Run every cell, and judge every row."""
        evaluation, options = self.evaluation, self.options
        with self.resumable():
            place = campaign.place(self.folder)
            before = [part.standing(place) for part in evaluation.parts]
            whole = Whole(before, options.watch.update, options.watch.stopped)
            shared = sharing.Shared(sharing.kept(), CELL)
            failed = work(
                evaluation.parts, place, lambda: Threads(options.threads), whole.of, retry=True, shared=shared
            )
        found = judging.rows(evaluation, self.folder)
        failures = campaign.failures(self.folder) if failed else []
        lost = [{"algorithm": each.algorithm, "condition": each.levels, "reason": each.reason} for each in failures]
        content = {**summarize(evaluation, found), "failed": lost, "command": self.called}
        summary = write_kept(self.folder / SUMMARY, content)
        return Measured(summary, failed, failures[0].reason if failures else "")


def planned(name: str, subject: str, options: Options, size: str, rows: Sequence[str]) -> Evaluation:
    """Plan every cell of a suite; see `narrows.suite`."""
    given = (subject, size, options.seed, options.replications, options.on, rows, options.overrides)
    return campaign.prepare(find_suite(name), *given, trust=options.trust)


HASH_DIGITS = 8
