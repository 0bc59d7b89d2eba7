# SPDX-License-Identifier: Apache-2.0
"""Threads of this process: the simulator runs in them without the interpreter's lock."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from narrows._internal import core
from narrows._internal.experiments.task import Outcome, Task, perform


class Threads:
    """Runs cells on threads of this process."""

    def __init__(self, threads: int) -> None:
        """Create the executor; no cell runs yet."""
        self.threads = threads
        self._pool = ThreadPoolExecutor(max_workers=threads)
        self._outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self._running: set[core.Progress] = set()
        self._guard = threading.Lock()
        self._cancelled = False

    @property
    def again(self) -> Sequence[str]:
        """None: threads are the default."""
        return ()

    @property
    def slots(self) -> int:
        """Number of cells to submit at a time: more than threads, so that none is idle while results are written."""
        return 2 * self.threads + SPARE

    def submit(self, task: Task) -> None:
        """Submit a cell to the next free thread."""
        self._pool.submit(self._perform, task)

    def completed(self, timeout_s: float) -> list[Outcome]:
        """Return the results that have arrived; waits for the first at most `timeout_s` seconds."""
        try:
            found = [self._outcomes.get(timeout=timeout_s)]
        except queue.Empty:
            return []
        while not self._outcomes.empty():
            found.append(self._outcomes.get())
        return found

    def simulated_s(self) -> float:
        """Return the simulated time done in the cells that are running, seconds."""
        with self._guard:
            return sum(progress.simulated_s() for progress in self._running)

    def cancel(self) -> None:
        """Cancel all cells: running ones stop soon, the others do not start."""
        with self._guard:
            self._cancelled = True
            for progress in self._running:
                progress.cancel()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()
        self._pool.shutdown(cancel_futures=True)

    def _perform(self, task: Task) -> None:
        # A run that fails stops its own progress, and no other's.
        progress = core.Progress()
        with self._guard:
            self._running.add(progress)
            if self._cancelled:
                progress.cancel()
        outcome = perform(task, progress)
        # Noted before it is taken off the running ones, so that the time shown does not fall back for long.
        self._outcomes.put(outcome)
        with self._guard:
            self._running.discard(progress)


SPARE = 64
