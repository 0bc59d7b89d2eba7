# SPDX-License-Identifier: Apache-2.0
"""Options, progress, interrupts and endings of the commands that run simulations."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Self, TypeVar

from narrows._internal.cli.command import DONE, INTERNAL
from narrows._internal.cli.failure import complain, status_of
from narrows._internal.commands.job import Done, Job, perform
from narrows._internal.errors import Interrupted
from narrows._internal.files.json_objects import to_json
from narrows._internal.plural import counted
from narrows._internal.run.options import Options

if TYPE_CHECKING:
    from narrows._internal.commands.reproductions import Sharding

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


class Display:
    """Shows progress and the estimated time left, and relays interrupts to the work."""

    def __init__(self, interrupt: Interrupt, *, quiet: bool) -> None:
        """Start the clock."""
        self._interrupt = interrupt
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        # Width of the line on the terminal.
        self._drawn = 0
        self.begin()

    def begin(self) -> None:
        """Start the clock again: the work begins."""
        self._start_s = time.monotonic()
        self._fraction = 0.0
        self._next_s = 0.0 if self._terminal else FIRST_LINE_S

    def update(self, fraction: float, note: str = "") -> None:
        """Show the progress, unless it was shown a moment ago; a fraction of 0 after others begins another stage."""
        if fraction == 0 < self._fraction:
            self.begin()
        self._fraction = fraction
        elapsed_s = time.monotonic() - self._start_s
        if self._quiet or elapsed_s < self._next_s:
            return
        text = f"{fraction:4.0%}  {_remaining(fraction, elapsed_s)}{note and '  '}{note}"
        if self._terminal:
            line = progress_line(fraction, text, _columns())
            print(f"\r{line:<{self._drawn}}", end="", file=sys.stderr, flush=True)
            self._drawn = len(line)
        else:
            print(f"progress: {text}", file=sys.stderr, flush=True)
            self._next_s = min(self._next_s * 2, self._next_s + LONGEST_GAP_S)

    def stopped(self) -> bool:
        """Return whether a stop was requested."""
        return self._interrupt.requested

    def close(self) -> None:
        """Clear the line of the progress bar."""
        if self._drawn:
            print(f"\r{'':{min(self._drawn, _columns() - 1)}}\r", end="", file=sys.stderr, flush=True)


def progress_line(fraction: float, text: str, columns: int) -> str:
    """Return a bar and a text on one line of a terminal."""
    text = text[: columns - 1]
    width = min(WIDTH, columns - len(text) - 2)
    if width < NARROWEST:
        return text
    done = round(fraction * width)
    return f"{'█' * done}{'░' * (width - done)} {text}"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or USUAL_COLUMNS
    except (OSError, ValueError):
        return USUAL_COLUMNS


def _remaining(fraction: float, elapsed_s: float) -> str:
    if fraction <= 0:
        return "starting"
    return f"{duration(elapsed_s * (1 - fraction) / fraction)} left"


def duration(seconds: float) -> str:
    """Return a duration as text: `5 s`, `2 min 05 s`, `1 h 02 min`."""
    whole = round(seconds)
    if whole < MINUTE_S:
        return f"{whole} s"
    if whole < HOUR_S:
        return f"{whole // MINUTE_S} min {whole % MINUTE_S:02} s"
    return f"{whole // HOUR_S} h {whole % HOUR_S // MINUTE_S:02} min"


class Interrupt:
    """A context manager that handles SIGINT and SIGTERM."""

    def __init__(self) -> None:
        """Make the context manager; nothing is handled before it is entered."""
        self.requested = False
        # For work that can be repeated at any time, such as a report.
        self.at_once = AtOnce(self)
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        for name in (signal.SIGINT, signal.SIGTERM):
            self._before[name] = signal.signal(name, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for name, handler in self._before.items():
            signal.signal(name, handler)  # type: ignore[arg-type]  # what `signal` gave, `signal` takes

    def check(self, kept: str) -> None:
        """Stop here if a signal has arrived, perhaps when the work had just ended."""
        if self.requested:
            raise Interrupted(kept)

    def _on_signal(self, _signal: int, _frame: FrameType | None) -> None:
        again, self.requested = self.requested, True
        if again or self.at_once.entered:
            raise KeyboardInterrupt


class AtOnce:
    """A context in which any signal raises `KeyboardInterrupt`; it can be entered again."""

    def __init__(self, interrupt: Interrupt) -> None:
        """Make the context of an interrupt."""
        self.entered = False
        self._interrupt = interrupt

    def __enter__(self) -> None:
        self.entered = True
        if self._interrupt.requested:
            self.entered = False
            raise KeyboardInterrupt

    def __exit__(self, *_: object) -> None:
        self.entered = False


# The options that commands have by their own names.
NAMES = ("seed", "replications", "jobs", "metrics", "margins", "on", "out", "trust", "shard", "until_decided")
MINUTE_S = 60
HOUR_S = 3600
WIDTH = 40
NARROWEST = 8
USUAL_COLUMNS = 80
FIRST_LINE_S = 2.0
LONGEST_GAP_S = 60.0
