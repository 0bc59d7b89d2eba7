"""The commands that answer a question about an algorithm, as functions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows.core import RunError
from narrows.evaluation import campaign
from narrows.evaluation.definition import find_suite
from narrows.external.algorithm import named
from narrows.report.evaluation.build import conclude
from narrows.reproduction.campaign import Whole, work
from narrows.run.jobs import Unwatched, processors
from narrows.study.executors.threads import Threads

if TYPE_CHECKING:
    import os

    from narrows.run.jobs import Watch


def suite(  # noqa: PLR0913  # each has a default
    name: str | os.PathLike[str],
    subject: str | type,
    out: str | os.PathLike[str],
    *,
    size: str = "quick",
    seed: int | None = None,
    replications: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
) -> dict[str, Any]:
    """Measure the criteria of a suite, as `narrows suite`.

    Args:
        name: Name of a suite, or the path of a suite file or its folder.
        subject: The algorithm or queue under test; a class at the top level of a Python file, too.
        out: Folder of the results; one that holds the same suite, begun or finished, is gone on with.
        size: "quick" or "full".
        seed: Master seed; None is that of the suite.
        replications: Number of replications; None is that of the suite.
        jobs: Maximum number of cells at a time; None is the number of processors. The results do not depend on it.
        watch: Receives the progress and may stop the work; finished cells are kept.

    Returns:
        The contents of `summary.json`; `rows` has a row per criterion and condition.

    Raises:
        InputError: There is no such suite or subject, or a file cannot be read.
        ScenarioError: A file of the suite has faults.
        OutputError: The folder holds something else.
        RunError: A cell failed.
        Interrupted: The work was stopped.
        ReportError: The results are written, but their report could not be built.
    """
    folder, observer = Path(out), watch or Unwatched()
    given = named(subject)
    evaluation = campaign.prepare(find_suite(str(name)), given, size, seed, replications)
    campaign.open_folder(evaluation, folder)
    whole = Whole(evaluation.parts, lambda fraction, _: observer.update(fraction), observer.stopped)
    threads = jobs or processors()
    if work(evaluation.parts, campaign.place(folder), lambda: Threads(threads), whole.of, retry=True):
        raise RunError(campaign.failures(folder)[0])
    return conclude(evaluation, folder, f"narrows suite {evaluation.suite.name} {given} --{size}")
