"""Running: the extension works in its own threads, without the interpreter's lock, while this one watches.

Python handles signals in the main thread only, so the main thread waits in short steps and the extension is called
from another one. A run of an algorithm written in Python gets a process of its own.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from narrows import core
from narrows.errors import Interrupted
from narrows.measures import check, resolve
from narrows.results import Comparison, Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from narrows.measures import Measure

Job = tuple[core.Scenario, int]


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


def run(scenario: core.Scenario, jobs: int | None, watch: Watch | None, measures: Sequence[str] = ()) -> Run:
    """Run every replication of a scenario; the arguments are those of `Scenario.run`."""
    wanted = wanted_of(measures, [scenario])
    clock = _Clock()
    outcomes = execute([(scenario, index) for index in range(scenario.replications)], jobs, watch)
    records = {index: each for index, each in enumerate(outcomes) if each is not None}
    if not records:
        raise Interrupted(NOTHING_FINISHED)
    return Run(scenario, records, clock.started, clock.elapsed_s(), wanted)


def compare(
    scenarios: Mapping[str, core.Scenario], jobs: int | None, watch: Watch | None, measures: Sequence[str] = ()
) -> Comparison:
    """Run every replication of one scenario per algorithm; the arguments are those of `Scenario.compare`."""
    wanted = wanted_of(measures, list(scenarios.values()))
    replications = next(iter(scenarios.values())).replications
    # Replication by replication, so that what has finished at an interrupt is still paired.
    plan = [(name, index) for index in range(replications) for name in scenarios]
    clock = _Clock()
    outcomes = execute([(scenarios[name], index) for name, index in plan], jobs, watch)
    wall_s = clock.elapsed_s()
    records: dict[str, dict[int, core.Records]] = {name: {} for name in scenarios}
    for (name, index), each in zip(plan, outcomes, strict=True):
        if each is not None:
            records[name][index] = each
    runs = {
        name: Run(scenarios[name], finished, clock.started, wall_s, wanted)
        for name, finished in records.items()
        if finished
    }
    if not runs:
        raise Interrupted(NOTHING_FINISHED)
    return Comparison(list(scenarios), runs, clock.started, wall_s)


def execute(jobs: Sequence[Job], threads: int | None, watch: Watch | None) -> list[core.Records | None]:
    """Run jobs.

    Args:
        jobs: Scenarios and replications.
        threads: How many at a time; as many as there are processors unless given.
        watch: Is told of the progress and may stop it.

    Returns:
        The records of each job in order, `None` for one that had not finished when the work was stopped.

    Raises:
        RunError: A run broke one of the simulator's own rules.
        AlgorithmError: An algorithm written in Python made a mistake.
    """
    watch = watch or Unwatched()
    if any(scenario.interpreted for scenario, _ in jobs):
        from narrows.workers import execute as execute_apart

        return execute_apart(jobs, threads or processors(), watch)
    progress = core.Progress()
    total_s = sum(work_s(scenario) for scenario, _ in jobs)
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
        return future.result()


def work_s(scenario: core.Scenario) -> float:
    """Return how much time a replication simulates, seconds: twice the duration where its warm-up is to be found."""
    return scenario.duration_s * (1 if scenario.warmup_s is not None else 2)


def wanted_of(measures: Sequence[str], scenarios: Sequence[core.Scenario]) -> list[Measure]:
    """Find measures and see to it that they say something about every scenario.

    Raises:
        MeasureError: One does not.
    """
    wanted = [resolve(text) for text in measures]
    for each in wanted:
        for scenario in scenarios:
            check(each, scenario)
    return wanted


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Clock:
    def __init__(self) -> None:
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self._start_s = time.monotonic()

    def elapsed_s(self) -> float:
        return time.monotonic() - self._start_s


NOTHING_FINISHED = "nothing had finished, so nothing is kept"
STEP_S = 0.1
