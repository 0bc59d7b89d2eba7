# SPDX-License-Identifier: Apache-2.0
"""The life of a command: prepare, run, save, and then build the page, in a step that can fail alone; its folder."""

from __future__ import annotations

import hashlib
import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from narrows._internal import core
from narrows._internal.commands import page
from narrows._internal.core import Scenario
from narrows._internal.errors import InputError, Interrupted, ReportError
from narrows._internal.files.manifest import read_manifest
from narrows._internal.frozen import frozen

if TYPE_CHECKING:
    from narrows._internal.run.options import Options

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


def default_folder(scenarios: Sequence[Scenario], options: Options) -> Path:
    """Return the default folder of a run or comparison; its hash is over everything that the records depend on."""
    parts = [f"{each.digest} {each.seed} {each.replications}" for each in scenarios]
    return folder_of(scenarios[0].title, [*parts, *(["until decided"] if options.until_decided else [])])


def folder_of(title: str, parts: Sequence[str]) -> Path:
    """Return the folder of a title and a hash of everything that the results depend on."""
    identity = "\n".join(parts) + core.fingerprint()
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:LONGEST_TITLE].strip("-")
    return Path("runs") / f"{name or 'untitled'}-{hashlib.sha256(identity.encode()).hexdigest()[:HASH_DIGITS]}"


def is_whole(folder: Path) -> bool:
    """Return whether `folder` holds a complete run or comparison."""
    try:
        manifest = read_manifest(folder)
    except (FileNotFoundError, InputError):
        return False
    return manifest.get("interrupted") is False


LONGEST_TITLE = 60
HASH_DIGITS = 8
