# SPDX-License-Identifier: Apache-2.0
"""Interrupts: the first signal asks the work to stop and keep what has finished, the second stops it at once."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Self

from narrows.errors import Interrupted

if TYPE_CHECKING:
    from types import FrameType


class Interrupt:
    """A context manager that handles SIGINT and SIGTERM.

    Attributes:
        requested: Whether a signal has arrived.
        at_once: A context in which the first signal stops the work, too, one that arrived before included. It is for
            what can be done again at any time, such as a report.
    """

    def __init__(self) -> None:
        """Make the context manager; nothing is handled before it is entered."""
        self.requested = False
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
