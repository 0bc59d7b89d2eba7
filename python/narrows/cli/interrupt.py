"""Interrupts: the first signal asks the work to stop and keep what has finished, the second stops it at once."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import FrameType, TracebackType


class Interrupt:
    """A context manager that handles SIGINT and SIGTERM.

    Attributes:
        requested: Whether a signal has arrived.
    """

    def __init__(self) -> None:
        """Make the context manager; nothing is handled before it is entered."""
        self.requested = False
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        for name in (signal.SIGINT, signal.SIGTERM):
            self._before[name] = signal.signal(name, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name, handler in self._before.items():
            signal.signal(name, handler)  # type: ignore[arg-type]  # what `signal` gave, `signal` takes

    def _on_signal(self, _signal: int, _frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
