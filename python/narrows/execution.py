"""Running jobs: the extension works in its own threads, without the interpreter's lock, while this one watches.

Python handles signals in the main thread only, so the main thread waits in short steps and the extension is called
from another one.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Protocol

from narrows import core

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows._core import Records, Scenario

Job = tuple["Scenario", int]


class Watch(Protocol):
    """Somebody who is told how far the work is and may stop it."""

    def update(self, fraction: float) -> None:
        """Take note that this share of all simulated time, 0 to 1, is done."""

    def stopped(self) -> bool:
        """Whether the work shall stop."""


class Unwatched:
    """Nobody looks."""

    def update(self, fraction: float) -> None:
        """Ignore it."""

    def stopped(self) -> bool:
        """Never."""
        return False


def execute(jobs: Sequence[Job], threads: int | None, watch: Watch) -> list[Records | None]:
    """Run jobs.

    Args:
        jobs: Scenarios and replications.
        threads: How many at a time; as many as there are processors unless given.
        watch: Is told of the progress and may stop it.

    Returns:
        The records of each job in order, `None` for one that had not finished when the work was stopped.

    Raises:
        RunError: A run broke one of the simulator's own rules.
    """
    progress = core.Progress()
    total_s = sum(scenario.duration_s for scenario, _ in jobs)
    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(core.run, list(jobs), threads or processors(), progress)
        try:
            while wait([future], timeout=STEP_S).not_done:
                watch.update(min(progress.simulated_s() / total_s, 1.0))
                if watch.stopped():
                    progress.cancel()
        except BaseException:
            progress.cancel()
            raise
        watch.update(1.0)
        return future.result()


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


STEP_S = 0.1
