# SPDX-License-Identifier: Apache-2.0
"""The commands that run simulations, as functions of checked arguments."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from narrows._internal.api.jobs import opened, path, results
from narrows._internal.arguments import Overrides, listed, typed
from narrows._internal.core import RunError
from narrows._internal.errors import InputError
from narrows._internal.external.algorithm import named
from narrows._internal.linux.backend import SIMULATOR
from narrows._internal.run.jobs import Watch, observer
from narrows._internal.run.options import Options
from narrows._internal.run.scenario import NOTHING, Scenario, load

if TYPE_CHECKING:
    from narrows._internal.opened.folder import OpenedStudy
    from narrows._internal.run.results import Comparison


@typed
def compare(  # noqa: PLR0913  # each has a default
    algorithms: Sequence[str | type] = (),
    scenario: str | os.PathLike[str] | Mapping[str, object] | Scenario = "two-flows",
    *,
    vary: Mapping[str, Sequence[object]] = NOTHING,
    subjects: Sequence[str] = (),
    on: str = SIMULATOR,
    overrides: Overrides = (),
    metrics: Sequence[str] = (),
    margins: Sequence[str] = (),
    seed: int | None = None,
    replications: int | None = None,
    until_decided: bool = False,
    jobs: int | None = None,
    watch: Watch | None = None,
    trust: bool = False,
) -> Comparison:
    """Run a scenario once per algorithm, per level of a key, or per combination, as `narrows compare`.

    Args:
        algorithms: Names, or classes; none keeps the scenario's, if `vary` has a key.
        scenario: A file, the name of a scenario of the library, a dict, or a scenario.
        vary: The levels of keys, as in `{"path.queue": ["droptail", "codel"]}`; `+` joins keys that have the same
            levels, as in `"path.queue+path.reverse.queue"`.
        subjects: Groups whose algorithm is replaced, in place of those that the scenario marks.
        on: The backend: `simulator`, `linux`, `linux:NAME`, or `both`; not with a `Scenario`, which has its own.
        overrides: Changes of keys, each `"key.path=value"` as after `--set`, or a dict; not with a
            `Scenario`, which has its own.
        metrics: Further metrics for the summary, as in `"cov(bin=10s)"`.
        margins: Margins that differences must exceed to matter, as in `"rtt_mean_s=1ms"`.
        seed: Master seed; None is the scenario's.
        replications: Number of replications of each run; None is the scenario's, or five. With `until_decided` the
            greatest number, two or more; None is 40.
        until_decided: As of `Scenario.compare`.
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
        algorithms, replications, seed, jobs, watch, metrics, margins, vary, until_decided=until_decided
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
    overrides: Overrides = (),
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
        overrides: Changes of every scenario, each `"key.path=value"` as after `--set`, or a dict.
        seed: Master seed; None is the suite's.
        replications: Number of replications; None is the suite's.
        jobs: Maximum number of cells at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished cells are kept.
        trust: Whether Python files elsewhere than in the folder of the file, and commands in it, may be executed.

    Returns:
        The contents of `summary.json`. `rows` has a row per criterion and condition; `failed` has `algorithm`,
        `condition` and `reason` of each cell that failed, for which rows are not measured. Errors as `matrix`.
    """
    from narrows._internal.commands.suites import Measuring

    options = Options(
        seed, replications, jobs, on=on, out=path(out), trust=trust, watch=observer(watch), overrides=listed(overrides)
    )
    job = Measuring.prepare(os.fspath(name), named(subject), options, size, listed(rows))
    return dict(results(job).summary)


@typed
def study(  # noqa: PLR0913  # each has a default
    file: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    overrides: Overrides = (),
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
        overrides: Changes of the base scenario, each `"key.path=value"`, or a dict.
        metrics: Further metrics, such as `cov(bin=10s)`.
        subjects: As of `compare`.
        size: One of the file's sizes; None is the description as it stands.
        variant: One of the file's variants.
        seed: Master seed; None is the file's.
        replications: Number of replications; None is the file's.
        jobs: Maximum number of cells at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished cells are kept.
        trust: Whether Python files elsewhere than in the folders of the files, and commands in them, may be executed;
            in a study that is resumed, whether anything may be.

    Returns:
        The study; its `cells` are the table of results. Errors as `matrix`.
    """
    from narrows._internal.commands.studies import Studying, from_file
    from narrows._internal.experiments.overlay import Choice
    from narrows._internal.experiments.plan import PLAN

    folder, numbers = path(out), (seed, replications, jobs, listed(metrics))
    options = Options(*numbers, out=folder, trust=trust, watch=observer(watch))
    if folder is not None and (folder / PLAN).is_file():
        from narrows._internal.experiments.stored import stored
        from narrows._internal.external.trust import of_results

        return opened(Studying(folder, options, stored(folder, of_results(folder, trust=trust))))
    return opened(from_file(os.fspath(file), options, listed(overrides), Choice(size, variant), listed(subjects)))


@typed
def reproduce(  # noqa: PLR0913  # each has a default
    name: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    size: str = "quick",
    only: str | Sequence[str] = (),
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
        only: Experiments and variants whose cells are run; without any all are, but with "medium" no variant.
        seed: Master seed; None is the study's.
        replications: Number of replications; None is the study's.
        jobs: Maximum number of cells at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished cells are kept.
        trust: Whether Python files elsewhere than in the folder of the file, and commands in it, may be executed.

    Returns:
        The ledger; `claims` has a verdict for each claim. Errors as `matrix`.
    """
    from narrows._internal.commands.reproductions import Reproducing

    options = Options(seed, replications, jobs, out=path(out), trust=trust, watch=observer(watch))
    job = Reproducing.prepare(os.fspath(name), options, size, only=listed(only))
    found = results(job)
    if found.failed:
        left_out = "claims on them are not judged"
        raise RunError(f"{found.failed} cells failed, and {left_out}; {job.folder}/*/failed has the reasons")
    return dict(found.ledger)


@typed
def ab(  # noqa: PLR0913  # each has a default
    a: str | type,
    b: str | type | None = None,
    out: str | os.PathLike[str] | None = None,
    *,
    suite: str | os.PathLike[str] | None = None,
    scenarios: Sequence[str | os.PathLike[str]] = (),
    like: Sequence[str | os.PathLike[str]] = (),
    subjects: Sequence[str] = (),
    on: str = SIMULATOR,
    margin: str = "1%",
    metrics: Sequence[str] = (),
    overrides: Overrides = (),
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
        like: Traces of real flows, as for `import_trace`, or folders of traces, whose paths are the scenarios; their
            quantities are drawn from their intervals for each replication.
        subjects: As of `compare`, in every scenario; not with a suite, whose criteria name the groups.
        on: The backend, or the backends of A and B separated by a comma, as in `linux:6.12,linux:7.3`.
        margin: How much worse does not matter, as a part of the value of A.
        metrics: Metrics of each group that are judged; none is the usual ones.
        overrides: Changes of every scenario, each `"key.path=value"` as after `--set`, or a dict.
        seed: Master seed; None is the scenarios'.
        replications: Greatest number of replications, two or more; None is 40. A scenario stops when it is decided.
        jobs: Maximum number of runs at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished runs are kept.
        trust: As of `load`.

    Returns:
        The contents of `summary.json`; `rows` has a verdict for each scenario and metric. Errors as `matrix`.

    Examples:
        >>> import narrows as nw, tempfile
        >>> found = nw.ab("cubic", "newreno", tempfile.mkdtemp() + "/ab", scenarios="pair", replications=2)
        >>> sorted(found["verdicts"])
        ['better', 'no worse', 'undecided', 'worse']
    """
    from narrows._internal.commands.trials import Trying

    if replications == 1:
        raise ValueError("replications is 1; allowed: a whole number from 2, for intervals")
    numbers = seed, replications, jobs, listed(metrics)
    options = Options(*numbers, on=on, out=path(out), trust=trust, watch=observer(watch), overrides=listed(overrides))
    source = [os.fspath(each) for each in listed(scenarios)] if suite is None else os.fspath(suite)
    change = None if b is None else named(b)
    traces = [os.fspath(each) for each in listed(like)]
    return results(Trying.prepare(named(a), change, options, source, margin, listed(subjects), traces=traces))


@typed
def worst(  # noqa: PLR0913  # each has a default
    algorithm: str | type,
    out: str | os.PathLike[str] | None = None,
    *,
    against: str | type | None = None,
    on: str = SIMULATOR,
    budget: str | int = "10min",
    overrides: Overrides = (),
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
        overrides: Changes of every scenario, each `"key.path=value"` as after `--set`, or a dict.
        seed: Seed of everything; None is 1.
        jobs: Maximum number of runs at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished evaluations are kept.

    Returns:
        The contents of `atlas.json`; `found` has the finds that are confirmed. Errors as `matrix`.
    """
    from narrows._internal.commands.searches import Searching

    options = Options(seed, None, jobs, on=on, out=path(out), watch=observer(watch), overrides=listed(overrides))
    reference = None if against is None else named(against)
    return results(Searching.prepare(named(algorithm), options, reference, str(budget)))
