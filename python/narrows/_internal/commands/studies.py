# SPDX-License-Identifier: Apache-2.0
"""Studies from files, and from the commands `matrix` and `deploy`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from narrows._internal.commands import page
from narrows._internal.commands.job import Job, folder_of
from narrows._internal.errors import InputError, OutputError
from narrows._internal.experiments import campaign
from narrows._internal.experiments.definition import Study, read_study, with_marks
from narrows._internal.experiments.executors.threads import Threads
from narrows._internal.experiments.merge import copy_description
from narrows._internal.experiments.overlay import Choice
from narrows._internal.experiments.plan import PLAN, Plan, load_plan
from narrows._internal.experiments.planner import make_plan
from narrows._internal.experiments.sequential import SHARD, Share, load_share, save_share
from narrows._internal.experiments.stored import Status, StoredStudy, stored, stored_as_planned, trusted_as
from narrows._internal.experiments.task import Executor
from narrows._internal.experiments.views.backends import beside
from narrows._internal.experiments.views.deployment import Deployment
from narrows._internal.experiments.views.matrix import Matrix
from narrows._internal.experiments.views.summary import write_summary
from narrows._internal.experiments.views.view import VIEW, View
from narrows._internal.external.trust import of_results
from narrows._internal.extras import require
from narrows._internal.files.folder import appearing, check_place
from narrows._internal.files.format import SUMMARY, write_kept
from narrows._internal.files.json_objects import read_object, read_sealed
from narrows._internal.files.manifest import MANIFEST, write_manifest
from narrows._internal.frozen import frozen
from narrows._internal.linux.backend import LINUX, SIMULATOR
from narrows._internal.plural import counted
from narrows._internal.run.jobs import Observer
from narrows._internal.run.options import Options


class New(NamedTuple):
    """A new study."""

    study: Study
    plan: Plan
    files: Mapping[str, str]


class Further(NamedTuple):
    """One shard of an additional round of replications."""

    study: StoredStudy
    share: Share

    @property
    def plan(self) -> Plan:
        """The plan of the study."""
        return self.study.plan

    def opened(self, folder: Path) -> StoredStudy:
        """Begin it in a folder, unless it was begun there."""
        if not (folder / PLAN).is_file():
            with appearing(folder) as partial:
                copy_description(self.study, partial)
                save_share(partial, self.share)
        return trusted_as(self.study.plan, self.study.plan.base.trust, stored(folder))


@frozen
class Watched:
    """The observer of a study that says how many cells there are."""

    observer: Observer

    def update(self, progress: campaign.Progress) -> None:
        """Show the progress."""
        failed = f", {progress.failed} failed" if progress.failed else ""
        settled = progress.finished + progress.failed
        cells = f"{settled} of {counted(progress.cells, 'cell')}{failed}, {progress.cells_per_s:.3g} cells/s"
        self.observer.update(progress.fraction, cells)

    def stopped(self) -> bool:
        """Return whether a stop was requested."""
        return self.observer.stopped()


class Studied(NamedTuple):
    """A study in its folder, and its state."""

    study: StoredStudy
    status: Status


@frozen
class Studying(Job[Studied]):
    """A study in its folder."""

    study: New | StoredStudy | Further
    executor: Executor | None = None
    retry: bool = False

    def work(self) -> Studied:
        """Run every cell that is missing."""
        if self._has_report():
            # The findings, after hours of simulation, need tests of differences.
            require("scipy")
        study = self._stored()
        status = campaign.work(
            study,
            self.executor or Threads(self.options.threads),
            Watched(self.options.watch),
            retry=self.retry,
            command=self.options.command,
            conclude=write_summary,
            say=self.options.say,
        )
        return Studied(study, status)

    def _has_report(self) -> bool:
        if isinstance(self.study, New):
            return VIEW not in self.study.files and SHARD not in self.study.files
        return isinstance(self.study, StoredStudy) and self.study.share is None

    def _stored(self) -> StoredStudy:
        if isinstance(self.study, StoredStudy):
            return self.study
        if isinstance(self.study, Further):
            return self.study.opened(self.folder)
        if (self.folder / PLAN).is_file():
            return stored_as_planned(self.study.plan, self.folder)
        return campaign.begin(self.study.study, self.study.plan, self.folder, self.study.files)

    def build(self, result: Studied) -> None:
        """Build the page; of a study that was begun earlier, unless it cites the digest of the results already."""
        if result.study.share is not None:
            return
        report = self.folder / "report.html"
        if isinstance(self.study, StoredStudy) and not self.retry and report.is_file():
            digest = read_sealed(self.folder / MANIFEST)["digest"]
            if digest and digest in report.read_text(encoding="utf-8"):
                return
        page.study(result.study)


def from_file(  # noqa: PLR0913, PLR0917  # the arguments of the command line
    file: str,
    options: Options,
    overrides: Sequence[str],
    choice: Choice,
    subjects: Sequence[str] = (),
    executor: Executor | None = None,
) -> Studying:
    """Prepare the study of a file, or resume its shard; see `narrows.study`."""
    shard = options.shard
    if shard is None:
        _check_new(options.out)
    study = read_study(file, options.seed, options.replications, choice)
    changes = with_marks(study, overrides, subjects, trust=options.trust)
    plan = make_plan(study, changes, options.metrics, trust=options.trust)
    keys = [plan.key(point, 0) for point in plan.points]
    if shard is None:
        folder = options.out or folder_of(plan.title, keys)
        campaign.refuse_begun(folder)
        return Studying(folder, options, New(study, plan, {}), executor)
    folder = options.out or folder_of(f"{plan.title} shard {shard}", keys)
    share = Share(shard)
    check_shard(plan, share, folder)
    return Studying(folder, options, New(study, plan, {SHARD: share.text()}), executor)


def check_shard(plan: Plan, share: Share, folder: Path) -> None:
    """Check that a folder is free, or of this shard of this study."""
    if not (folder / PLAN).is_file():
        check_place(folder, replace=False)
    elif load_share(folder) != share or identity(load_plan(folder)) != identity(plan):
        raise OutputError(f"{folder} holds another study or shard: name another folder")


def next_round(folder: Path, options: Options, executor: Executor | None = None) -> Studying:
    """Prepare the part of a shard in the next round of a study whose combinations stop together."""
    if options.shard is None or options.out is None:
        raise InputError("study resume", "--shard and --out belong together: the part to run, and the folder for it")
    study = stored(folder, of_results(folder, trust=options.trust))
    ledger, finished, failed = study.recovered()
    if study.share is not None or not study.plan.replications.by or ledger.cells == len(finished | failed):
        problem = "needs no further round: only a merged study does, whose combinations stop together (`by`)"
        raise InputError(str(folder), f"{problem} and whose rule asks for more replications")
    first, maximum = max(ledger.targets) - 1, study.plan.replications.maximum
    share = Share(options.shard, first, min(maximum, 2 * first), campaign.digest_of(study.table()))
    check_shard(study.plan, share, options.out)
    return Studying(options.out, options, Further(study, share), executor)


def of_view(view: Matrix | Deployment, options: Options, executor: Executor | None = None) -> Studying:
    """Prepare a matrix or a deployment on one backend; without a folder, an interrupted one goes on."""
    _check_new(options.out)
    new = _new(view, options, options.on)
    folder = options.out or folder_of(new.plan.title, identity(new.plan))
    return Studying(folder, options, new, executor)


def _new(view: Matrix | Deployment, options: Options, on: str) -> New:
    study, plan, facts = view.layout(options, on)
    return New(study, plan, {VIEW: View(view.kind, view.called(options), facts).to_json()})


def identity(plan: Plan) -> list[str]:
    """Return the inputs of the results: the cells, and the keys that determine their number."""
    rule = plan.replications
    keys = [plan.key(point, rule.maximum) for point in plan.points]
    return [*keys, f"{rule.minimum} {rule.within}"] if rule.measure else keys


class OnBoth(NamedTuple):
    """The results of a matrix or a deployment on both backends."""

    summary: Mapping[str, Any]
    studies: Mapping[str, Studied]


@frozen
class Beside(Job[OnBoth]):
    """A matrix or a deployment on the simulator and on the kernel, each in a folder of its own."""

    studies: Mapping[str, Studying]

    @classmethod
    def prepare(cls, view: Matrix | Deployment, options: Options, executors: Callable[[], Executor]) -> Beside:
        """Plan both studies; without a folder, or with their own, those that were interrupted go on."""
        planned = {on: _new(view, options, on) for on in (SIMULATOR, LINUX)}
        keys = {on: identity(new.plan) for on, new in planned.items()}
        title = planned[SIMULATOR].plan.title
        folder = options.out or folder_of(f"{title} on both", [key for each in keys.values() for key in each])
        begun = [on for on in planned if (folder / on / PLAN).is_file()]
        for on in begun:
            if identity(load_plan(folder / on)) != keys[on]:
                raise OutputError(f"{folder} holds something else that was begun: name another folder")
        if not begun:
            check_place(folder, replace=False)
        studies = {on: Studying(folder / on, options, new, executors()) for on, new in planned.items()}
        return cls(folder, options, studies)

    @property
    def plan(self) -> Plan:
        """The plan of either study."""
        return self.studies[SIMULATOR].study.plan

    def work(self) -> OnBoth:
        """Run the study on the simulator, then on the kernel, and write both side by side."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.resumable():
            done = {on: study.work() for on, study in self.studies.items()}
        found = {on: read_object(study.folder / SUMMARY) for on, study in self.studies.items()}
        cells = {on: each.study.table() for on, each in done.items()}
        content = beside(self.plan, self.options.command, found, cells)
        summary = write_kept(self.folder / SUMMARY, content)
        write_manifest(self.folder, {"title": self.plan.title, "command": self.options.command})
        return OnBoth(summary, done)


def _check_new(folder: Path | None) -> None:
    if folder is not None:
        campaign.refuse_begun(folder)
        check_place(folder, replace=False)
