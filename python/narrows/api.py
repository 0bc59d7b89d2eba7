# SPDX-License-Identifier: Apache-2.0
"""The commands as functions of checked arguments. Each imports what it alone needs, since others start without it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from narrows.arguments import check_numbers, listed, typed
from narrows.core import RunError
from narrows.errors import InputError
from narrows.external.algorithm import named
from narrows.files.disk import new_file
from narrows.formats.rates import import_rates as import_rates  # noqa: PLC0414  # it is public here
from narrows.linux.backend import BOTH, SIMULATOR
from narrows.run.jobs import Watch, observer
from narrows.run.options import Options
from narrows.run.scenario import NOTHING, Scenario, load

if TYPE_CHECKING:
    from narrows.commands.job import Job
    from narrows.commands.studies import Studying
    from narrows.explain.moment import Explanation
    from narrows.opened.folder import OpenedStudy
    from narrows.run.results import Comparison
    from narrows.share.verify import Verdict

    Result = TypeVar("Result")


@typed
def compare(  # noqa: PLR0913  # each has a default
    algorithms: Sequence[str | type] = (),
    scenario: str | os.PathLike[str] | Mapping[str, object] | Scenario = "two-flows",
    *,
    vary: Mapping[str, Sequence[object]] = NOTHING,
    subjects: Sequence[str] = (),
    on: str = SIMULATOR,
    overrides: Sequence[str] = (),
    metrics: Sequence[str] = (),
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
        subjects: Groups whose algorithm is replaced, in place of those that the scenario marks.
        on: The backend: `simulator`, `linux`, `linux:NAME`, or `both`; not with a `Scenario`, which has its own.
        overrides: Changes of keys, each `"key.path=value"` as after `--set`; not with a `Scenario`, which has its own.
        metrics: Further metrics for the summary, as in `"cov(bin=10s)"`.
        margins: Margins that differences must exceed to matter, as in `"rtt_mean_s=1ms"`.
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
    return read.with_subjects(listed(subjects)).compare(
        algorithms, replications, seed, jobs, watch, metrics, margins, vary
    )


@typed
def suite(  # noqa: PLR0913  # each has a default
    name: str | os.PathLike[str],
    subject: str | type,
    out: str | os.PathLike[str] | None = None,
    *,
    size: str = "quick",
    rows: Sequence[str] = (),
    on: str = SIMULATOR,
    overrides: Sequence[str] = (),
    seed: int | None = None,
    replications: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
    trust: bool = False,
) -> dict[str, Any]:
    """Evaluate an algorithm or queue by the criteria of a suite, as `narrows suite`.

    Args:
        name: Name of a suite, or the path of a suite file or its folder.
        subject: The algorithm or queue under test; a class at the top level of a Python file, too.
        out: Folder of the results; one that holds the same suite is resumed. None is one below `runs`.
        size: "quick" or "full".
        rows: Sections of the document whose rows alone are measured, each with those below it; empty for all.
        on: The backend: `simulator`, `linux`, `linux:NAME`, or `both` for the kernel beside the simulator in every row.
        overrides: Changes of every scenario, each `"key.path=value"` as after `--set`.
        seed: Master seed; None is that of the suite.
        replications: Number of replications; None is that of the suite.
        jobs: Maximum number of cells at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished cells are kept.
        trust: Whether Python files elsewhere than in the folder of the file, and commands in it, may be executed.

    Returns:
        The contents of `summary.json`. `rows` has a row per criterion and condition; `failed` has `algorithm`,
        `condition` and `reason` of each cell that failed, for which rows are not measured. Errors as `matrix`.
    """
    from narrows.commands.suites import Measuring

    options = Options(
        seed, replications, jobs, on=on, out=_path(out), trust=trust, watch=observer(watch), overrides=listed(overrides)
    )
    job = Measuring.prepare(os.fspath(name), named(subject), options, size, listed(rows))
    return dict(_results(job).summary)


@typed
def matrix(  # noqa: PLR0913  # each has a default
    algorithms: Sequence[str | type],
    out: str | os.PathLike[str] | None = None,
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
    """Run every pair of algorithms, as `narrows matrix`.

    Args:
        algorithms: Names, or classes.
        out: Folder of the results, which must not hold any; None is one below `runs`.
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
        InputError: An argument has an error, or a file cannot be read.
        ScenarioError: A file, or one of `overrides`, has faults.
        OutputError: The folder holds something else.
        RunError: A cell failed.
        Interrupted: The work was stopped.
        ReportError: The results are written, but their report could not be built.
        ValueError: A number is out of range.
    """
    from narrows.commands.studies import of_view
    from narrows.experiments.views import matrix as pairs

    check_numbers(flows=flows, maximum=maximum)
    options = Options(seed, replications, jobs, on=on, out=_path(out), watch=observer(watch))
    _check_backend("matrix", on)
    conditions = pairs.Conditions(listed(rates), listed(rtts), listed(buffers), listed(queues))
    stop = None if within is None and maximum is None else pairs.Stop.read(within, maximum)
    names = [named(each) for each in listed(algorithms)]
    return _opened(of_view(pairs.Matrix(names, conditions, flows, listed(overrides), stop), options))


@typed
def deploy(  # noqa: PLR0913  # each has a default
    algorithm: str | type,
    out: str | os.PathLike[str] | None = None,
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
    """Replace one algorithm by another in a growing share of flows, as `narrows deploy`.

    Args:
        algorithm: The new algorithm, a name or a class.
        out: Folder of the results, which must not hold any; None is one below `runs`.
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
    from narrows.commands.studies import of_view
    from narrows.experiments.views.deployment import Deployment

    check_numbers(flows=flows)
    options = Options(seed, replications, jobs, on=on, out=_path(out), watch=observer(watch))
    _check_backend("deploy", on)
    shares = [each if isinstance(each, str) else f"{each:g}" for each in listed(fractions)]
    view = Deployment(named(algorithm), named(against), shares, flows, listed(overrides))
    return _opened(of_view(view, options))


@typed
def study(  # noqa: PLR0913  # each has a default
    file: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    overrides: Sequence[str] = (),
    metrics: Sequence[str] = (),
    subjects: Sequence[str] = (),
    size: str | None = None,
    variant: str | None = None,
    seed: int | None = None,
    replications: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
    trust: bool = False,
) -> OpenedStudy:
    """Run the study of a file, as `narrows study run`; an interrupted study in the folder is resumed.

    Args:
        file: The study file.
        out: Folder of the results; None is one below `runs`.
        overrides: Changes of the base scenario, each `"key.path=value"`.
        metrics: Further metrics, such as `cov(bin=10s)`.
        subjects: As of `compare`.
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
    from narrows.commands.studies import Studying, from_file
    from narrows.experiments.overlay import Choice
    from narrows.experiments.plan import PLAN

    folder, numbers = _path(out), (seed, replications, jobs, listed(metrics))
    options = Options(*numbers, out=folder, trust=trust, watch=observer(watch))
    if folder is not None and (folder / PLAN).is_file():
        from narrows.experiments.stored import stored
        from narrows.external.trust import of_results

        return _opened(Studying(folder, options, stored(folder, of_results(folder, trust=trust))))
    return _opened(from_file(Path(file), options, listed(overrides), Choice(size, variant), listed(subjects)))


@typed
def reproduce(  # noqa: PLR0913  # each has a default
    name: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    size: str = "quick",
    seed: int | None = None,
    replications: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
    trust: bool = False,
) -> dict[str, Any]:
    """Reproduce a published study, or a study of your own, and evaluate its claims, as `narrows reproduce`.

    Args:
        name: Name of a published study, or the folder of one's own.
        out: Folder of the results; one that holds the same study is resumed. None is one below `runs`.
        size: "quick", "medium" or "full".
        seed: Master seed; None is that of the study.
        replications: Number of replications; None is that of the study.
        jobs: Maximum number of cells at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished cells are kept.
        trust: Whether Python files elsewhere than in the folder of the file, and commands in it, may be executed.

    Returns:
        The ledger; `claims` has a verdict for each claim. Errors as `matrix`.
    """
    from narrows.commands.reproductions import Reproducing

    options = Options(seed, replications, jobs, out=_path(out), trust=trust, watch=observer(watch))
    job = Reproducing.prepare(os.fspath(name), options, size)
    found = _results(job)
    if found.failed:
        left_out = "claims on them are not judged"
        raise RunError(f"{found.failed} cells failed, and {left_out}; {job.folder}/*/failed has the reasons")
    return dict(found.ledger)


@typed
def export(
    form: str,
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    replication: int | None = None,
    at: Sequence[str] = ("sender",),
) -> Path:
    """Export a run folder in the format of another tool, as `narrows export`.

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
    from narrows.formats.export import export as write

    return write(form, Path(folder), _path(out), replication, listed(at))


@typed
def ab(  # noqa: PLR0913  # each has a default
    a: str | type,
    b: str | type | None = None,
    out: str | os.PathLike[str] | None = None,
    *,
    suite: str | os.PathLike[str] | None = None,
    scenarios: Sequence[str | os.PathLike[str]] = (),
    subjects: Sequence[str] = (),
    on: str = SIMULATOR,
    margin: str = "1%",
    metrics: Sequence[str] = (),
    overrides: Sequence[str] = (),
    seed: int | None = None,
    replications: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
    trust: bool = False,
) -> dict[str, Any]:
    """Test for each metric whether a change of an algorithm makes it worse, as `narrows ab`.

    Args:
        a: The algorithm that there is, a name or a class.
        b: The change; None for the same algorithm, on the second of two backends.
        out: Folder of the results; one that holds the same trial is resumed. None is one below `runs`.
        suite: The suite whose cells and metrics are used; None for none.
        scenarios: Scenario files or names of the library; without these and a suite, those that come with Narrows.
        subjects: As of `compare`, in every scenario; not with a suite, whose criteria name the groups.
        on: The backend, or that of A and that of B with a comma, as in `linux:6.12,linux:7.3`.
        margin: How much worse does not matter, as a part of the value of A.
        metrics: Metrics of each group that are judged; none is the usual ones.
        overrides: Changes of every scenario, each `"key.path=value"` as after `--set`.
        seed: Master seed; None is that of the scenarios.
        replications: Greatest number of replications, two or more; None is 40. A scenario stops when it is decided.
        jobs: Maximum number of runs at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; what has run is kept.
        trust: As of `load`.

    Returns:
        The contents of `summary.json`; `rows` has a verdict for each scenario and metric. Errors as `matrix`.

    Examples:
        >>> import narrows as nw, tempfile
        >>> found = nw.ab("cubic", "newreno", tempfile.mkdtemp() + "/ab", scenarios="pair", replications=2)
        >>> sorted(found["verdicts"])
        ['better', 'no worse', 'undecided', 'worse']
    """
    from narrows.commands.trials import Trying

    if replications == 1:
        raise ValueError("replications is 1; allowed: a whole number from 2, for intervals")
    numbers = seed, replications, jobs, listed(metrics)
    options = Options(*numbers, on=on, out=_path(out), trust=trust, watch=observer(watch), overrides=listed(overrides))
    source = [os.fspath(each) for each in listed(scenarios)] if suite is None else os.fspath(suite)
    change = None if b is None else named(b)
    return _results(Trying.prepare(named(a), change, options, source, margin, listed(subjects)))


@typed
def worst(  # noqa: PLR0913  # each has a default
    algorithm: str | type,
    out: str | os.PathLike[str] | None = None,
    *,
    against: str | type | None = None,
    on: str = SIMULATOR,
    budget: str | int = "10min",
    overrides: Sequence[str] = (),
    seed: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
) -> dict[str, Any]:
    """Search for the environments in which an algorithm performs worst relative to a reference, as `narrows worst`.

    Args:
        algorithm: The algorithm, a name or a class.
        out: Folder of the results; one that holds the same search is resumed. None is one below `runs`.
        against: The reference; None is cubic, for cubic itself bbr3, or bbr1 on a kernel.
        on: `linux` or `linux:NAME` repeats every find on a kernel, too; the search is the simulator's.
        budget: A time as in "10min", or a number of environments, with which the atlas is the same again.
        overrides: Changes of every scenario, each `"key.path=value"` as after `--set`.
        seed: Seed of everything; None is 1.
        jobs: Maximum number of runs at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; what was evaluated is kept.

    Returns:
        The contents of `atlas.json`; `found` has the finds that are confirmed. Errors as `matrix`.
    """
    from narrows.commands.searches import Searching

    options = Options(seed, None, jobs, on=on, out=_path(out), watch=observer(watch), overrides=listed(overrides))
    reference = None if against is None else named(against)
    return _results(Searching.prepare(named(algorithm), options, reference, str(budget)))


@typed
def pack(folder: str | os.PathLike[str], out: str | os.PathLike[str] | None = None) -> Path:
    """Pack a run, comparison, study, suite, reproduction, trial or atlas into one file, as `narrows pack`.

    Args:
        folder: The folder of the results.
        out: The file, which must not exist; None is the name of the folder with `.zip`, in the working directory.

    Returns:
        The file.

    Raises:
        InputError: It is not a folder of results, or a file in it is damaged.
        OutputError: The file exists, or cannot be written.
    """
    from narrows.share import pack as packing

    place = _path(out) or Path(f"{Path(folder).resolve().name}.zip")
    with new_file(place) as archive:
        packing.pack(folder, archive)
    return place


@typed
def verify(
    file: str | os.PathLike[str], *, jobs: int | None = None, watch: Watch | None = None, trust: bool = False
) -> Verdict:
    """Rerun packed results and compare them, as `narrows verify`.

    Args:
        file: A file that `pack` wrote.
        jobs: Maximum number of runs at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work.
        trust: Whether the Python files and the commands in it may be executed.

    Returns:
        The verdict: `same`, `differences`, and the digests that were `repeated`.

    Raises:
        InputError: It is not a file written by `narrows pack`, or it is damaged.
        Interrupted: The work was stopped.
    """
    from narrows.share import verify as verifying

    options = Options(jobs=jobs, watch=observer(watch))
    return verifying.verify(file, options.threads, trust=trust, watch=options.watch)


@typed
def playground(scenario: str | os.PathLike[str] = "two-flows", out: str | os.PathLike[str] = "playground.html") -> Path:
    """Write a web page that runs a scenario in the browser, as `narrows playground`.

    Args:
        scenario: A scenario file, the name of one of the library, or the folder of a run.
        out: The page, which must not exist.

    Returns:
        The page.

    Raises:
        InputError: There is no such scenario, it names files, or the simulator for browsers was not built.
        ScenarioError: The scenario has faults.
        OutputError: The page exists, or cannot be written.
    """
    from narrows.commands.playground import write

    return write(os.fspath(scenario), Path(out))


@typed
def why(
    folder: str | os.PathLike[str],
    flow: str | int = 0,
    at: str | float | None = None,
    *,
    replication: int | None = None,
    window: str | float = "1s",
) -> Explanation:
    """Explain what happened to a flow around a given time, or list every change of its window, as `narrows why`.

    Args:
        folder: The folder of a run.
        flow: The flow: its number from 0, `GROUP[NUMBER]`, or its group.
        at: The moment: a time of the run with its unit, as in "12.3s", or a number of seconds; None lists
            every change of the window.
        replication: Number of the replication; None is the first.
        window: How far from it to look; a number is seconds.

    Returns:
        The explanation: the `answer`, and `sentences` in order of time.

    Raises:
        InputError: The folder has no log of events, or flow, time or replication are not in it.
    """
    from narrows.explain.moment import explain

    return explain(Path(folder), str(flow), None if at is None else _time(at), replication, _time(window))


def _time(given: str | float) -> str:
    return given if isinstance(given, str) else f"{given!r}s"


def _path(given: str | os.PathLike[str] | None) -> Path | None:
    return None if given is None else Path(given)


def _check_backend(command: str, on: str) -> None:
    if on == BOTH:
        problem = f"a study has one backend; call it for each, or run `narrows {command} --on both`, which writes both"
        raise InputError(f'on="{on}"', f"{problem}; allowed: simulator, linux, linux:NAME")


def _opened(job: Studying) -> OpenedStudy:
    """Perform the job of a study, and open its folder."""
    from narrows.opened.folder import OpenedStudy

    found = _results(job).status
    if found.failed:
        raise RunError(f"{found.failed} of {found.cells} cells failed; {job.folder / 'failed'} has the reasons")
    return OpenedStudy(job.folder)


def _results(job: Job[Result]) -> Result:
    """Perform a job and return its results.

    Raises:
        ReportError: The results are saved, but their page could not be built.
    """
    from narrows.commands.job import perform

    done = perform(job)
    if done.problem is not None:
        raise done.problem
    return done.result
