# SPDX-License-Identifier: Apache-2.0
"""Options, progress, interrupts and endings of the commands that run simulations."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from narrows.cli.failure import complain, status_of
from narrows.cli.progress import Display, Interrupt
from narrows.cli.status import DONE, INTERNAL
from narrows.commands.job import Done, Job, perform
from narrows.files.json_objects import to_json
from narrows.plural import counted
from narrows.run.options import Options

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from narrows.commands.shards import Sharding

    Result = TypeVar("Result")


class Work:
    """A command that runs something."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        """Read the options."""
        self._arguments = arguments
        self._interrupt = Interrupt()
        self._display = Display(self._interrupt, quiet=getattr(arguments, "quiet", False))
        self.options = Options(
            **{name: value for name in NAMES if (value := getattr(arguments, name, None)) is not None},
            watch=self._display,
            say=say,
            given=arguments.given,
            overrides=getattr(arguments, "set", ()),
        )

    def perform(self, job: Job[Result]) -> Done[Result]:
        """Do a job, with progress on standard error, until it ends or is interrupted."""
        with self.watched():
            return perform(job, self._interrupt.at_once)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Within the context, progress is shown, and an interrupt stops the work."""
        with self._interrupt:
            self._display.begin()
            try:
                yield
            finally:
                self._display.close()

    def end(self, done: Done[Result], status: int = DONE) -> int:
        """Print the places of the results and their page, or the reason for no page; return the exit status."""
        page = done.folder / "report.html"
        # A shard has none.
        if done.problem is None and page.is_file():
            print(f"Report: {page}", file=sys.stderr)
        if done.problem is not None:
            status, message = status_of(done.problem, self._arguments.given)
            complain(message)
        print(done.folder, file=sys.stderr if self._arguments.json else sys.stdout)
        return status

    def shard(self, job: Sharding) -> int:
        """Run the cells of a shard, print the number of finished ones, and return the exit status."""
        done = self.perform(job)
        found = done.result
        if self._arguments.json:
            print(to_json(found._asdict()))
        else:
            cells = counted(found.cells, "cell is", "cells are")
            print(f"shard {job.options.shard}: {found.finished} of {cells} finished, {found.failed} failed")
        if found.failed:
            print(f"{job.place}/*/failed says why", file=sys.stderr)
        return self.end(done, INTERNAL if found.failed else DONE)


def say(line: str) -> None:
    """Print a message for people at once."""
    print(line, file=sys.stderr, flush=True)


# The options that commands have by their own names.
NAMES = ("seed", "replications", "jobs", "metrics", "margins", "on", "out", "trust", "shard")
