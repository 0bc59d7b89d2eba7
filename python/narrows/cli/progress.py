# SPDX-License-Identifier: Apache-2.0
"""Progress on standard error, a bar on a terminal and otherwise plain lines at growing intervals; and interrupts."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Self

from narrows.errors import Interrupted

if TYPE_CHECKING:
    from types import FrameType


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
        self._next_s = 0.0 if self._terminal else FIRST_LINE_S

    def update(self, fraction: float, note: str = "") -> None:
        """Show the progress, unless it was shown a moment ago."""
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


MINUTE_S = 60
HOUR_S = 3600
WIDTH = 40
NARROWEST = 8
USUAL_COLUMNS = 80
FIRST_LINE_S = 2.0
LONGEST_GAP_S = 60.0
