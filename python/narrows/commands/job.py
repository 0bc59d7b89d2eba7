# SPDX-License-Identifier: Apache-2.0
"""The life of a command: prepare, run, save, and then build the page, in a step that can fail alone."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Generic, TypeVar

from narrows.commands import page
from narrows.errors import Interrupted, ReportError
from narrows.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from narrows.run.options import Options

    # Why there is no page, though the results are saved.
    Problem = Interrupted | ReportError

Result = TypeVar("Result")


@frozen
class Job(ABC, Generic[Result]):
    """Work that is prepared: its input is valid, and its folder may be written."""

    folder: Path
    options: Options

    @abstractmethod
    def work(self) -> Result:
        """Run the remaining work, save the results in the folder, and return them."""

    def build(self, _result: Result) -> None:
        """Build the page of the folder from its results, which are saved."""
        page.build(self.folder)

    @property
    def again(self) -> str:
        """The command that builds the page later."""
        return shlex.join(["narrows", "report", str(self.folder)])

    @contextmanager
    def resumable(self) -> Iterator[None]:
        """Within the context, an interrupt names the command that goes on with all of the work."""
        try:
            yield
        except Interrupted as stop:
            if self.options.given is None:
                raise
            reason = str(stop).partition("; go on with")[0]
            place = [] if "--out" in self.options.given else ["--out", str(self.folder)]
            again = shlex.join(["narrows", *self.options.given, *place])
            raise Interrupted(f"{reason or 'stopped'}; go on with `{again}`") from None


@frozen
class Done(Generic[Result]):
    """A job whose results are saved."""

    folder: Path
    result: Result
    # Why there is no page.
    problem: Problem | None = None


def perform(job: Job[Result], stoppable: AbstractContextManager[None] | None = None) -> Done[Result]:
    """Do a job: results that are saved are not lost with their page."""
    result = job.work()
    try:
        with stoppable or nullcontext():
            job.build(result)
    except KeyboardInterrupt:
        stopped = Interrupted(f"the results are in {job.folder}, and `{job.again}` builds their report")
        return Done(job.folder, result, stopped)
    except Exception as error:  # noqa: BLE001  # hours of simulation are not thrown away for want of a picture
        reason = f"{type(error).__name__}: {error}".removesuffix(": ")
        text = f"the results are in {job.folder}, but their report could not be built: {reason}"
        problem = ReportError(f"{text}; `{job.again}` builds it")
        problem.__cause__ = error
        return Done(job.folder, result, problem)
    return Done(job.folder, result)
