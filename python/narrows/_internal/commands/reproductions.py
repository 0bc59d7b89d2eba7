# SPDX-License-Identifier: Apache-2.0
"""Reproductions: the experiments of a published study, and verdicts on its claims; the part that falls to a shard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from narrows._internal.commands import page
from narrows._internal.commands.job import Job
from narrows._internal.errors import InputError, Interrupted
from narrows._internal.experiments.executors.threads import Threads
from narrows._internal.experiments.stored import Status
from narrows._internal.extras import require
from narrows._internal.files.json_objects import write_json
from narrows._internal.frozen import frozen
from narrows._internal.plural import counted
from narrows._internal.reproduction import campaign
from narrows._internal.reproduction.agreement import agreement
from narrows._internal.reproduction.campaign import Whole
from narrows._internal.reproduction.deciding import Report, decide
from narrows._internal.reproduction.experiment import Part, Standing
from narrows._internal.reproduction.ledger import Found, Item, Watched
from narrows._internal.reproduction.own_claims import keep_claims
from narrows._internal.reproduction.registry import LEDGER, RESULTS, TABLES, StudyFolder, find, write_results
from narrows._internal.reproduction.stored_cells import keep, restore
from narrows._internal.run.options import Options, Shard


@frozen
class Sharding(Job[Status]):
    """The part of several studies that falls to a shard."""

    parts: Sequence[Part]
    place: Path

    def work(self) -> Status:
        """Run every cell that is missing."""
        watch = self.options.watch
        whole = Whole([part.standing(self.place) for part in self.parts], watch.update, watch.stopped)
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
    # The parts whose cells are run; of the others, those that are finished are judged.
    running: Sequence[Part]
    # Of all parts, before anything runs.
    before: Sequence[Standing]
    # For further seeds of open claims; 0 for none.
    decide_s: float
    # Nothing runs, and the finished cells are judged.
    only_judge: bool

    @classmethod
    def prepare(  # noqa: PLR0913  # each is an option
        cls,
        name: str,
        options: Options,
        size: str = "quick",
        decide_s: float = 0.0,
        *,
        only: Sequence[str] = (),
        only_judge: bool = False,
    ) -> Reproducing:
        """Plan every experiment, create or open the folder, and take over the cells that the study keeps.

        `only` names the experiments and variants whose cells are run; without it, all are run, but at the medium size
        no variant.
        """
        study = find(name)
        # The verdicts need it, after hours of simulation.
        require("scipy")
        parts = campaign.parts(study, size, options.seed, options.replications, trust=options.trust)
        chosen = campaign.chosen(parts, size, only)
        folder = options.out or Path("runs") / f"{study.name}-{size}"
        campaign.prepare(study, size, folder)
        if not only_judge:
            _take_over(study, size, parts, folder, options)
        before = [part.standing(folder) for part in parts]
        # Where nothing is left to run, the cells are gathered.
        running = [part for part, now in zip(parts, before, strict=True) if part in chosen or not now.left]
        return cls(folder, options, study, size, parts, [] if only_judge else running, before, decide_s, only_judge)

    @classmethod
    def shard(
        cls, name: str, options: Options, size: str = "quick", only: Sequence[str] = (), **refused: object
    ) -> Sharding:
        """Plan the cells of a shard, and create or open its folder; see `prepare`."""
        refuse_with_shard(options, **refused)
        study = find(name)
        whole = campaign.parts(study, size, options.seed, options.replications, trust=options.trust)
        digits = str(options.shard).replace("/", "-of-")
        folder = options.out or Path("runs") / f"{study.name}-{size}-{digits}"
        own = of_shard(campaign.chosen(whole, size, only), options.shard)
        campaign.prepare(study, size, folder, asked(options, name=name, only=list(only)))
        _take_over(study, size, own, folder, options)
        return Sharding(folder, options, own, folder)

    def work(self) -> Judged:
        """Run every cell, and judge every claim."""
        with self.resumable():
            failed = self._run()
            decided = self._decide() if self.decide_s and not failed else None
            self.options.watch.update(0.0, "reading the cells")
            watched = self._watched("judging claims")
            ledger, results = campaign.judge(self.study, self.size, self.parts, self.folder, watched)
            watched, published = self._watched("comparing tables"), self.study.claims(self.size)
            tables = agreement(published, self.size, ledger["digest"], results, watched)
        keep(self.parts, self.folder)
        keep_claims(self.study, self.parts, self.folder)
        write_json(self.folder / LEDGER, ledger)
        write_json(self.folder / TABLES, tables)
        if any(now.left for now in self._at_start()) or not (self.folder / RESULTS).is_file():
            write_results(self.folder, self.size)
        return Judged(ledger, results, failed, decided)

    def build(self, result: Judged) -> None:
        """Build the page from the results, which are large, without reading them again."""
        page.reproduction(self.folder, self.study.claims(self.size), result.ledger, result.results)

    def _run(self) -> int:
        watch = self.options.watch
        whole = campaign.Whole(self._at_start(), watch.update, watch.stopped)
        return campaign.work(self.running, self.folder, lambda: Threads(self.options.threads), whole.of)

    def _at_start(self) -> list[Standing]:
        """Return the state of the parts that run before they do."""
        known = {part.path for part in self.running}
        return [now for now in self.before if now.path in known]

    def _watched(self, doing: str) -> Watched:
        """Return a function that yields what it is given, and reports the progress before each."""
        watch = self.options.watch

        def each(given: Sequence[Item]) -> Iterator[Item]:
            for place, item in enumerate(given):
                watch.update(place / len(given), f"{doing}, {place + 1} of {len(given)}")
                if watch.stopped():
                    raise Interrupted(f"stopped while {doing}")
                yield item

        return each

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


def _take_over(study: StudyFolder, size: str, parts: Sequence[Part], folder: Path, options: Options) -> None:
    """Take over the cells that a study keeps of a size."""
    kept = study.cells(size)
    if kept.is_file():
        taken = restore(parts, folder, kept, options.say)
        options.say(f"{counted(taken, 'cell')} of {kept.name} taken over")
