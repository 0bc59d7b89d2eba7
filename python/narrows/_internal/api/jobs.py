# SPDX-License-Identifier: Apache-2.0
"""Parts shared by the functions: they perform a job, and return its results or raise its error."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from narrows._internal.core import RunError

if TYPE_CHECKING:
    from narrows._internal.commands.job import Job
    from narrows._internal.commands.studies import Studying
    from narrows._internal.opened.folder import OpenedStudy

    Result = TypeVar("Result")


def path(given: str | os.PathLike[str] | None) -> Path | None:
    """Return a place as a path; None stays None."""
    return None if given is None else Path(given)


def opened(job: Studying) -> OpenedStudy:
    """Perform the job of a study, and open its folder."""
    from narrows._internal.opened.folder import OpenedStudy

    found = results(job).status
    if found.failed:
        raise RunError(f"{found.failed} of {found.cells} cells failed; {job.folder / 'failed'} has the reasons")
    return OpenedStudy(job.folder)


def results(job: Job[Result]) -> Result:
    """Perform a job and return its results."""
    from narrows._internal.commands.job import perform

    done = perform(job)
    if done.problem is not None:
        raise done.problem
    return done.result
