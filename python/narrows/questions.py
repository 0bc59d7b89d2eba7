"""The commands that answer a question about an algorithm, as functions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows.arguments import check_numbers, listed, typed
from narrows.commands import page
from narrows.commands.job import finish
from narrows.core import RunError
from narrows.errors import InputError, OutputError
from narrows.evaluation import campaign
from narrows.evaluation.definition import find_suite
from narrows.evaluation.rows import rows as judged
from narrows.evaluation.summary import summarize
from narrows.export import csv, pcapng, qlog
from narrows.export.source import RunFolder
from narrows.external.algorithm import named
from narrows.external.trust import Trust, of_results
from narrows.files.folder import appearing, check_place
from narrows.files.manifest import write_json
from narrows.linux.backend import BOTH, SIMULATOR
from narrows.opened.folder import OpenedStudy
from narrows.reproduction import campaign as reproductions
from narrows.reproduction.agreement import agreement
from narrows.reproduction.campaign import Whole, work
from narrows.reproduction.registry import LEDGER, TABLES
from narrows.reproduction.registry import find as find_study
from narrows.run.jobs import Unwatched, processors
from narrows.run.scenario import NOTHING, Scenario, load
from narrows.study import campaign as studies
from narrows.study.definition import read_study
from narrows.study.executors.threads import Threads
from narrows.study.overlay import Choice
from narrows.study.plan import PLAN, make_plan, trust_of
from narrows.study.views import deployment
from narrows.study.views import matrix as pairs
from narrows.study.views.summary import write_summary
from narrows.study.views.view import VIEW, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.run.jobs import Watch
    from narrows.run.results import Comparison
    from narrows.study.definition import Study
    from narrows.study.plan import Plan


@typed
def compare(  # noqa: PLR0913  # each has a default
    algorithms: Sequence[str | type] = (),
    scenario: str | os.PathLike[str] | Mapping[str, object] | Scenario = "two-flows",
    *,
    vary: Mapping[str, Sequence[object]] = NOTHING,
    on: str = SIMULATOR,
    overrides: Sequence[str] = (),
    measures: Sequence[str] = (),
    margins: Sequence[str] = (),
    seed: int | None = None,
    replications: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
    trust: bool = False,
) -> Comparison:
    """Run a scenario once per algorithm, per level of a key, or per combination, as `narrows compare`.

    Args:
        algorithms: Names, or classes; none keeps those of the scenario, if `vary` has a key.
        scenario: A file, the name of a scenario of the library, a dict, or a scenario.
        vary: The levels of keys, as in `{"path.queue": ["droptail", "codel"]}`.
        on: The backend: `simulator`, `linux`, `linux:NAME`, or `both`; not with a `Scenario`, which has its own.
        overrides: Changes of keys, each `"key.path=value"` as after `--set`; not with a `Scenario`, which has its own.
        measures: Further metrics for the summary, as in `"cov(bin=10s)"`.
        margins: What differences must exceed to matter, as in `"rtt_mean_s=1ms"`.
        seed: Master seed; None is that of the scenario.
        replications: Number of replications of each run; None is that of the scenario, or five.
        jobs: Maximum number of replications at a time; None is the number of processors.
        watch: Receives the progress and may stop the work; the replications that have finished are returned.
        trust: As of `load`; not with a `Scenario`, which has its own.

    Returns:
        The comparison. Errors as `Scenario.compare`.

    Examples:
        >>> import narrows as nw
        >>> found = nw.compare(vary={"path.rate": ["5Mbps", "10Mbps"]}, overrides=["duration=20s"], replications=1)
        >>> list(found.summary["levels"])
        ['rate=5Mbps', 'rate=10Mbps']
    """
    if isinstance(scenario, Scenario):
        if overrides or on != SIMULATOR or trust:
            what = "overrides" if overrides else "trust" if trust else "on"
            raise InputError(what, "belong to a scenario that is named; this one has its own")
        read = scenario
    elif isinstance(scenario, Mapping):
        read = Scenario(scenario, overrides=overrides, trust=trust, on=on)
    else:
        read = load(scenario, overrides, trust=trust, on=on)
    return read.compare(algorithms, replications, seed, jobs, watch, measures, margins, vary)


@typed
def suite(  # noqa: PLR0913  # each has a default
    name: str | os.PathLike[str],
    subject: str | type,
    out: str | os.PathLike[str],
    *,
    size: str = "quick",
    rows: Sequence[str] = (),
    on: str = SIMULATOR,
    seed: int | None = None,
    replications: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
    trust: bool = False,
) -> dict[str, Any]:
    """Measure the criteria of a suite, as `narrows suite`.

    Args:
        name: Name of a suite, or the path of a suite file or its folder.
        subject: The algorithm or queue under test; a class at the top level of a Python file, too.
        out: Folder of the results; one that holds the same suite is resumed.
        size: "quick" or "full".
        rows: Sections of the document whose rows alone are measured, each with those below it; empty for all.
        on: The backend: `simulator`, `linux`, `linux:NAME`, or `both` for the kernel beside the simulator in every row.
        seed: Master seed; None is that of the suite.
        replications: Number of replications; None is that of the suite.
        jobs: Maximum number of cells at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished cells are kept.
        trust: Whether Python files elsewhere than in the folder of the file, and commands in it, may be executed.

    Returns:
        The contents of `summary.json`; `rows` has a row per criterion and condition.

    Raises:
        InputError: There is no such suite, row or subject, or a file cannot be read.
        ScenarioError: A file of the suite has faults.
        OutputError: The folder holds something else.
        RunError: A cell failed.
        Interrupted: The work was stopped.
        ReportError: The results are written, but their report could not be built.
        ValueError: A number is out of range.
    """
    check_numbers(seed=seed, replications=replications, jobs=jobs)
    folder, observer, rows = Path(out), watch or Unwatched(), listed(rows)
    given = named(subject)
    evaluation = campaign.prepare(find_suite(str(name)), given, size, seed, replications, on, rows, trust=trust)
    campaign.open_folder(evaluation, folder)
    whole = Whole(evaluation.parts, lambda fraction, _: observer.update(fraction), observer.stopped)
    threads = jobs or processors()
    failed = work(evaluation.parts, campaign.place(folder), lambda: Threads(threads), whole.of, retry=True)
    flags = f"--{size}" + (f" --rows {','.join(rows)}" if rows else "") + ("" if on == SIMULATOR else f" --on {on}")
    command = f"narrows suite {evaluation.suite.name} {given} {flags}"
    summary = numbered(SUMMARY, {**summarize(evaluation, judged(evaluation, folder)), "command": command})
    write_json(folder / "summary.json", summary)
    problem = finish(folder)
    if failed:
        why = campaign.failures(folder)[0].reason
        raise RunError(f"{failed} cells failed, and rows are not measured for that; {folder} has the others: {why}")
    if problem is not None:
        raise problem
    return summary


@typed
def matrix(  # noqa: PLR0913  # each has a default
    algorithms: Sequence[str | type],
    out: str | os.PathLike[str],
    *,
    rates: Sequence[str] = ("10Mbps", "100Mbps"),
    rtts: Sequence[str] = ("20ms", "100ms"),
    buffers: Sequence[str] = ("1bdp", "4bdp"),
    queues: Sequence[str] = ("droptail",),
    flows: int = 1,
    on: str = SIMULATOR,
    overrides: Sequence[str] = (),
    within: str | float | None = None,
    maximum: int | None = None,
    seed: int | None = None,
    replications: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
) -> OpenedStudy:
    """Run every algorithm beside every other, as `narrows matrix`.

    Args:
        algorithms: Names, or classes.
        out: Folder of the results, which must not hold any.
        rates: Rates of the bottleneck.
        rtts: Two-way propagation delays.
        buffers: Limits of the queue.
        queues: Queue disciplines, with parameters as in `red(gentle=true)`.
        flows: Number of flows of each side.
        on: The backend: `simulator`, `linux` or `linux:NAME`. For both, call it for each.
        overrides: Changes of the scenario, each `"key.path=value"`.
        within: Part of the fair share to which each share of a pair is to be known, as "5%" or 0.05; None is "5%".
        maximum: Greatest number of replications that are added until then; None is 20.
        seed: Master seed; None is that of the scenario.
        replications: A fixed number of replications; None is as many as `within` needs.
        jobs: Maximum number of cells at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished cells are kept.

    Returns:
        The study; its `summary` has the shares, harm and delay of each pair.

    Raises:
        InputError: An argument has an error.
        ScenarioError: One of `overrides` has an error.
        OutputError: The folder holds something.
        RunError: A cell failed.
        Interrupted: The work was stopped.
        ReportError: The results are written, but their report could not be built.
        ValueError: A number is out of range.
    """
    check_numbers(flows=flows, maximum=maximum, seed=seed, replications=replications, jobs=jobs)
    conditions = pairs.Conditions(listed(rates), listed(rtts), listed(buffers), listed(queues))
    names, overrides = [named(each) for each in listed(algorithms)], listed(overrides)
    _check_backend("matrix", on)
    stop = None if within is None and maximum is None else pairs.Stop.read(within, maximum)
    laid_out = pairs.layout(names, conditions, flows, overrides, seed, replications, on, stop)
    return _run_view("matrix", *laid_out, Path(out), jobs, watch)


@typed
def deploy(  # noqa: PLR0913  # each has a default
    algorithm: str | type,
    out: str | os.PathLike[str],
    *,
    against: str | type = "cubic",
    fractions: Sequence[str | float] = (5, 25, 50, 75, 95),
    flows: int | None = None,
    on: str = SIMULATOR,
    overrides: Sequence[str] = (),
    seed: int | None = None,
    replications: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
) -> OpenedStudy:
    """Let an algorithm replace another one in more and more flows, as `narrows deploy`.

    Args:
        algorithm: The new algorithm, a name or a class.
        out: Folder of the results, which must not hold any.
        against: The old algorithm.
        fractions: Percentages of the flows that have moved; 0 and 100 are always among them.
        flows: Number of flows; None for twenty, or as many more as the fractions need.
        on: The backend: `simulator`, `linux` or `linux:NAME`. For both, call it for each.
        overrides: Changes of the scenario, each `"key.path=value"`.
        seed: Master seed; None is that of the scenario.
        replications: Number of replications; None is five.
        jobs: Maximum number of cells at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished cells are kept.

    Returns:
        The study; its `summary` has the results of both camps at each stage. Errors as `matrix`.
    """
    check_numbers(flows=flows, seed=seed, replications=replications, jobs=jobs)
    shares = [each if isinstance(each, str) else f"{each:g}" for each in listed(fractions)]
    overrides = listed(overrides)
    _check_backend("deploy", on)
    laid_out = deployment.layout(named(algorithm), named(against), shares, flows, overrides, seed, replications, on)
    return _run_view("deployment", *laid_out, Path(out), jobs, watch)


@typed
def study(  # noqa: PLR0913  # each has a default
    file: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    overrides: Sequence[str] = (),
    measures: Sequence[str] = (),
    size: str | None = None,
    variant: str | None = None,
    seed: int | None = None,
    replications: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
    trust: bool = False,
) -> OpenedStudy:
    """Run the study of a file, as `narrows study run`; one that was begun in the folder is resumed.

    Args:
        file: The study file.
        out: Folder of the results.
        overrides: Changes of the base scenario, each `"key.path=value"`.
        measures: Further metrics, such as `cov(bin=10s)`.
        size: One of the file's sizes; None is the description as it stands.
        variant: One of the file's variants.
        seed: Master seed; None is that of the file.
        replications: Number of replications; None is that of the file.
        jobs: Maximum number of cells at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished cells are kept.
        trust: Whether Python files elsewhere than in the folders of the files, and commands in them, may be executed;
            in a study that is resumed, whether anything may be.

    Returns:
        The study; its `cells` are the table of results. Errors as `matrix`.
    """
    check_numbers(seed=seed, replications=replications, jobs=jobs)
    folder = Path(out)
    may = of_results(folder, trust=trust)
    if not (folder / PLAN).is_file():
        check_place(folder, replace=False)
        read = read_study(Path(file), seed, replications, Choice(size, variant))
        plan = make_plan(read, listed(overrides), listed(measures), trust=trust)
        studies.begin(read, plan, folder)
        may = trust_of(plan, folder)
    return _work(folder, may, jobs, watch)


@typed
def reproduce(  # noqa: PLR0913  # each has a default
    name: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    size: str = "quick",
    seed: int | None = None,
    replications: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
    trust: bool = False,
) -> dict[str, Any]:
    """Run a published study, or a study of one's own with claims, and judge its claims, as `narrows reproduce`.

    Args:
        name: Name of a published study, or the folder of one's own.
        out: Folder of the results; one that holds the same study is resumed.
        size: "quick", "medium" or "full".
        seed: Master seed; None is that of the study.
        replications: Number of replications; None is that of the study.
        jobs: Maximum number of cells at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished cells are kept.
        trust: Whether Python files elsewhere than in the folder of the file, and commands in it, may be executed.

    Returns:
        The ledger; `claims` has a verdict for each claim. Errors as `matrix`.
    """
    check_numbers(seed=seed, replications=replications, jobs=jobs)
    folder, observer = Path(out), watch or Unwatched()
    published = find_study(os.fspath(name))
    parts = reproductions.parts(published, size, seed, replications, trust=trust)
    reproductions.prepare(published, size, folder)
    whole = Whole(parts, lambda fraction, _: observer.update(fraction), observer.stopped)
    failed = work(parts, folder, lambda: Threads(jobs or processors()), whole.of)
    ledger, results = reproductions.judge(published, size, parts, folder)
    claims = published.claims(size)
    write_json(folder / LEDGER, ledger)
    write_json(folder / TABLES, agreement(claims, size, ledger["digest"], results))
    problem = finish(folder, partial(page.reproduction, published=claims, ledger=ledger, results=results))
    if failed:
        raise RunError(f"{failed} cells failed, and claims on them are not judged; {folder}/*/failed has the reasons")
    if problem is not None:
        raise problem
    return ledger


@typed
def export(
    form: str,
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    replication: int | None = None,
    at: Sequence[str] = ("sender",),
) -> Path:
    """Write the folder of a run in the form of another tool, as `narrows export`.

    Args:
        form: `pcapng`, `csv` or `qlog`.
        folder: The folder of a run.
        out: The file of a capture, or the folder of the others, which must not exist; None is in the folder of the run.
        replication: Number of the replication, but for `csv`; None is the first.
        at: Where packets are captured: `sender`, `receiver`, or links.

    Returns:
        The file or folder.

    Raises:
        InputError: There is no such form, or the run has no packet log for it.
        OutputError: The place is taken or cannot be written.
    """
    run = RunFolder(Path(folder))
    place = Path(out) if out is not None else run.path / {"pcapng": "packets.pcapng"}.get(form, form)
    match form:
        case "pcapng":
            if place.exists():
                raise OutputError(f"{place} exists: name another file or remove it")
            pcapng.write(run, place, listed(at), replication)
        case "csv" if replication is not None:
            raise InputError(f"replication={replication}", "does not apply: csv has the tables of all replications")
        case "csv" | "qlog":
            with appearing(place) as inner:
                if form == "csv":
                    csv.write(run, inner)
                else:
                    qlog.write(run, inner, replication)
        case _:
            raise InputError(form, "is no form; allowed: pcapng, csv, qlog")
    return place


def _run_view(  # noqa: PLR0913, PLR0917  # what a layout gives, and how to run it
    kind: str,
    of: Study,
    plan: Plan,
    facts: dict[str, Any],
    folder: Path,
    jobs: int | None,
    watch: Watch | None,
) -> OpenedStudy:
    studies.refuse_begun(folder)
    check_place(folder, replace=False)
    studies.begin(of, plan, folder, {VIEW: View(kind, f"narrows.{kind}", facts).to_json()})
    return _work(folder, trust_of(plan, folder), jobs, watch)


def _check_backend(command: str, on: str) -> None:
    if on == BOTH:
        problem = f"a study has one backend; call it for each, or run `narrows {command} --on both`, which writes both"
        raise InputError(f'on="{on}"', f"{problem}; allowed: simulator, linux, linux:NAME")


def _work(folder: Path, trust: Trust, jobs: int | None, watch: Watch | None) -> OpenedStudy:
    found = studies.work(
        folder,
        Threads(jobs or processors()),
        _Relay(watch or Unwatched()),
        conclude=write_summary,
        trust=trust,
    )
    problem = finish(folder)
    if found.failed:
        raise RunError(f"{found.failed} of {found.cells} cells failed; {folder / 'failed'} has the reasons")
    if problem is not None:
        raise problem
    return OpenedStudy(folder)


@dataclass(frozen=True)
class _Relay:
    """The observer of a study that passes its progress on as a fraction."""

    watch: Watch

    def update(self, progress: studies.Progress) -> None:
        self.watch.update(progress.fraction)

    def stopped(self) -> bool:
        return self.watch.stopped()
