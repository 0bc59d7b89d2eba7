"""Studies: those of files, and those that the commands `matrix` and `deploy` define."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows.commands.default_folder import folder_of
from narrows.commands.job import Job
from narrows.errors import OutputError
from narrows.external.trust import of_results
from narrows.files.folder import check_place
from narrows.files.format import SUMMARY, numbered
from narrows.files.manifest import MANIFEST, write_json, write_manifest
from narrows.files.sealed import read_object, read_sealed
from narrows.linux.backend import BOTH, LINUX, SIMULATOR
from narrows.study import campaign
from narrows.study.definition import Study, read_study
from narrows.study.executor import Executor
from narrows.study.executors.threads import Threads
from narrows.study.overlay import Choice
from narrows.study.plan import PLAN, Plan, load_plan, make_plan, trust_of
from narrows.study.views import deployment as stages
from narrows.study.views import matrix as pairs
from narrows.study.views.backends import differences
from narrows.study.views.summary import write_summary
from narrows.study.views.view import VIEW, View
from narrows.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from narrows.external.trust import Trust
    from narrows.run.jobs import Observer
    from narrows.run.options import Options

# Returns where cells run, for a study each.
Executors = Callable[[], Executor]


class New(NamedTuple):
    """A study that is to begin.

    Attributes:
        study: The study file, as read.
        plan: Its plan.
        files: Contents of further files of its folder, by name.
    """

    study: Study
    plan: Plan
    files: Mapping[str, str]


@dataclass(frozen=True)
class Watched:
    """The observer of a study that says how many cells there are.

    Attributes:
        observer: Receives the progress in words.
    """

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


@dataclass(frozen=True)
class Studying(Job[campaign.Status]):
    """A study in its folder.

    Attributes:
        executor: Where its cells run.
        new: The study that begins, unless the folder holds one that was begun; None where it does.
        retry: Whether failed cells run again.
    """

    executor: Executor
    new: New | None = None
    retry: bool = False

    def work(self) -> campaign.Status:
        """Run every cell that is missing."""
        if self.new is not None and not (self.folder / PLAN).is_file():
            campaign.begin(self.new.study, self.new.plan, self.folder, self.new.files)
        return campaign.work(
            self.folder,
            self.executor,
            Watched(self.options.watch),
            retry=self.retry,
            command=self.options.command,
            conclude=write_summary,
            trust=self._trust(),
            say=self.options.say,
        )

    def _trust(self) -> Trust:
        if self.new is None:
            return of_results(self.folder, trust=self.options.trust)
        return trust_of(self.new.plan, self.folder)


@dataclass(frozen=True)
class Resuming(Studying):
    """A study that was begun earlier."""

    def build(self, _result: campaign.Status) -> None:
        """Build the page, unless it cites the digest of the results already."""
        digest, report = read_sealed(self.folder / MANIFEST)["digest"], self.folder / "report.html"
        if not (digest and report.is_file() and digest in report.read_text(encoding="utf-8")):
            super().build(_result)


def resumed(folder: Path, options: Options, executor: Executor | None = None, *, retry: bool = False) -> Resuming:
    """Prepare the study that a folder holds.

    Args:
        folder: The folder.
        options: How it is run.
        executor: Where its cells run; None for threads.
        retry: Whether failed cells run again.
    """
    return Resuming(folder, options, executor or Threads(options.threads), retry=retry)


def from_file(  # noqa: PLR0913  # each has a default
    file: Path,
    options: Options,
    out: Path | None,
    executor: Executor | None = None,
    *,
    overrides: Sequence[str] = (),
    choice: Choice = Choice(),  # noqa: B008  # it cannot be changed
) -> Studying:
    """Prepare the study of a file.

    Args:
        file: The study file.
        options: How it is run.
        out: The folder; None for that of the study below `runs`.
        executor: Where its cells run; None for threads.
        overrides: Changes of the base scenario.
        choice: One of the file's sizes and variants.

    Raises:
        InputError: A file cannot be read.
        ScenarioError: A file has faults.
        OutputError: The folder holds something.
    """
    if out is not None:
        _check_new(out)
    study = read_study(file, options.seed, options.replications, choice)
    plan = make_plan(study, overrides, options.metrics, trust=options.trust)
    folder = out or folder_of(plan.title, [plan.key(point, 0) for point in plan.points])
    campaign.refuse_begun(folder)
    return Studying(folder, options, executor or Threads(options.threads), New(study, plan, {}))


class Layout(NamedTuple):
    """What a command defines as a study.

    Attributes:
        kind: "matrix" or "deployment".
        on: Returns the study, its plan and the facts of its view for a backend.
    """

    kind: str
    on: Callable[[str], tuple[Study, Plan, dict[str, Any]]]

    def new(self, on: str, options: Options) -> New:
        """Return the study for a backend."""
        study, plan, facts = self.on(on)
        view = View(self.kind, options.command or f"narrows.{self.kind}", facts)
        return New(study, plan, {VIEW: view.to_json()})


def matrix(  # noqa: PLR0913  # what distinguishes one
    algorithms: Sequence[str],
    conditions: pairs.Conditions,
    options: Options,
    *,
    flows: int = 1,
    overrides: Sequence[str] = (),
    rule: tuple[str | float | None, int | None] = (None, None),
) -> Layout:
    """Return the layout of a matrix.

    Args:
        algorithms: The algorithms, each of which runs against each.
        conditions: The conditions of each pair.
        options: How it is run.
        flows: Number of flows of each side.
        overrides: Changes of the scenario.
        rule: The half-width at which there are enough replications, and their greatest number; None for the usual ones.

    Raises:
        InputError: The rule is wrong.
    """
    stop = None if rule == (None, None) else pairs.Stop.read(*rule)
    given = options.seed, options.replications
    return Layout("matrix", lambda on: pairs.layout(algorithms, conditions, flows, overrides, *given, on, stop))


def deployment(  # noqa: PLR0913  # what distinguishes one
    algorithm: str,
    against: str,
    fractions: Sequence[str],
    options: Options,
    *,
    flows: int | None = None,
    overrides: Sequence[str] = (),
) -> Layout:
    """Return the layout of a deployment.

    Args:
        algorithm: The new algorithm.
        against: The old one.
        fractions: Percentages of the flows that have moved.
        options: How it is run.
        flows: Number of flows; None for twenty, or as many more as the fractions need.
        overrides: Changes of the scenario.
    """
    given = options.seed, options.replications
    return Layout("deployment", lambda on: stages.layout(algorithm, against, fractions, flows, overrides, *given, on))


def from_layout(
    layout: Layout, on: str, options: Options, out: Path | None, executor: Executor | None = None
) -> Studying:
    """Prepare a matrix or a deployment on one backend.

    Args:
        layout: The matrix or the deployment.
        on: The backend.
        options: How it is run.
        out: The folder; None for that of the study below `runs`, where an interrupted one goes on.
        executor: Where its cells run; None for threads.

    Raises:
        InputError: An argument has an error.
        ScenarioError: A change of the scenario has an error.
        OutputError: The folder holds something.
    """
    if out is not None:
        _check_new(out)
    new = layout.new(on, options)
    folder = out or folder_of(new.plan.title, identity(new.plan))
    return Studying(folder, options, executor or Threads(options.threads), new)


def identity(plan: Plan) -> list[str]:
    """Return what the results depend on: the cells, and what decides how many of them there are."""
    rule = plan.replications
    keys = [plan.key(point, rule.maximum) for point in plan.points]
    return [*keys, f"{rule.minimum} {rule.within}"] if rule.measure else keys


class OnBoth(NamedTuple):
    """What a matrix or a deployment has found on both backends.

    Attributes:
        summary: The contents of `summary.json`.
        failed: Number of cells that failed.
    """

    summary: Mapping[str, Any]
    failed: int


@dataclass(frozen=True)
class Beside(Job[OnBoth]):
    """A matrix or a deployment on the simulator and on the kernel, each in a folder of its own.

    Attributes:
        kind: "matrix" or "deployment".
        studies: The study of each backend.
    """

    kind: str
    studies: Mapping[str, Studying]

    @classmethod
    def prepare(cls, layout: Layout, options: Options, out: Path | None, executors: Executors) -> Beside:
        """Plan both studies; the folder may hold those of an interrupted command.

        Args:
            layout: The matrix or the deployment.
            options: How it is run.
            out: The folder; None for that of the study below `runs`.
            executors: Returns where the cells of a study run.

        Raises:
            InputError: An argument has an error, or there is no kernel.
            ScenarioError: A change of the scenario has an error.
            OutputError: The folder holds something else.
        """
        planned = {on: layout.new(on, options) for on in (SIMULATOR, LINUX)}
        keys = {on: identity(new.plan) for on, new in planned.items()}
        title = planned[SIMULATOR].plan.title
        folder = out or folder_of(f"{title} on both", [key for each in keys.values() for key in each])
        begun = [on for on in planned if (folder / on / PLAN).is_file()]
        for on in begun:
            if identity(load_plan(folder / on)) != keys[on]:
                raise OutputError(f"{folder} holds something else that was begun: name another folder")
        if not begun:
            check_place(folder, replace=False)
        studies = {on: Studying(folder / on, options, executors(), new) for on, new in planned.items()}
        return cls(folder, options, layout.kind, studies)

    @property
    def plan(self) -> Plan:
        """The plan of either study."""
        new = self.studies[SIMULATOR].new
        assert new is not None  # noqa: S101  # `prepare` made it
        return new.plan

    def work(self) -> OnBoth:
        """Run the study on the simulator, then on the kernel, and write both side by side."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.resumable():
            failed = sum(study.work().failed for study in self.studies.values())
        found = {on: read_object(study.folder / SUMMARY) for on, study in self.studies.items()}
        cells = {on: campaign.table(study.folder) for on, study in self.studies.items()}
        content = {
            "title": self.plan.title,
            "kind": self.kind,
            "on": BOTH,
            "seed": self.plan.seed,
            "replications": max(len(set(each["replication"].to_pylist())) for each in cells.values()),
            "command": self.options.command,
            **found,
            "differences": differences(self.plan, cells),
        }
        summary = numbered(SUMMARY, content)
        write_json(self.folder / SUMMARY, summary)
        write_manifest(self.folder, {"title": self.plan.title, "command": self.options.command})
        return OnBoth(summary, failed)


def _check_new(folder: Path) -> None:
    campaign.refuse_begun(folder)
    check_place(folder, replace=False)
