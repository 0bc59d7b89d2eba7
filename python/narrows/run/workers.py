"""Worker processes for runs with algorithms written in Python: one process per run.

A fresh process with fixed hashing makes a run independent of earlier runs, and a process can be killed while an
algorithm is in an endless loop.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import TYPE_CHECKING, Any

from narrows import core
from narrows.run.frames import GarbledError, receive, send
from narrows.run.jobs import work_s

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.run.jobs import Job, Watch


def execute(jobs: Sequence[Job], at_a_time: int, watch: Watch) -> list[core.Records | None]:
    """Run jobs in worker processes; arguments, result and errors are those of `narrows.run.execution.execute`."""
    workers = _Pool()
    total_s = sum(work_s(scenario) for scenario, _ in jobs)
    with ThreadPoolExecutor(max_workers=min(at_a_time, len(jobs))) as pool:
        futures = [pool.submit(workers.run, place, job) for place, job in enumerate(jobs)]
        try:
            done_s = 0.0
            while wait(futures, timeout=STEP_S, return_when=FIRST_EXCEPTION).not_done:
                done_s = max(done_s, workers.simulated_s())
                watch.update(min(done_s / total_s, 1.0))
                if watch.stopped() or any(_failed(future) for future in futures):
                    workers.stop()
        except BaseException:
            workers.stop()
            raise
    for future in futures:
        problem = future.exception()
        if problem is not None:
            raise problem
    return [future.result() for future in futures]


def _failed(future: Future[Any]) -> bool:
    return future.done() and future.exception() is not None


class CancelWatch:
    """A watch that stops the work when a progress is cancelled."""

    def __init__(self, progress: core.Progress) -> None:
        """Make the watch of `progress`."""
        self._progress = progress

    def update(self, fraction: float) -> None:
        """Ignore the progress."""

    def stopped(self) -> bool:
        """Whether the progress was cancelled."""
        return self._progress.is_cancelled()


class _Pool:
    """The running worker processes."""

    def __init__(self) -> None:
        self._stop = Event()
        self._progress: dict[int, float] = {}
        self._processes: dict[int, subprocess.Popen[bytes]] = {}

    def simulated_s(self) -> float:
        """Return the simulated time done so far, summed over jobs, seconds."""
        return sum(self._progress.copy().values())

    def stop(self) -> None:
        """Kill every process and start no other."""
        self._stop.set()
        for process in list(self._processes.values()):
            process.kill()

    def run(self, place: int, job: Job) -> core.Records | None:
        """Run one job in a worker process."""
        scenario, replication = job
        if self._stop.is_set():
            return None
        process = subprocess.Popen(
            # `-P`: without it, modules in the working directory would take the place of Python's own.
            [sys.executable, "-P", "-m", "narrows.run.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )
        with process:
            self._processes[place] = process
            if self._stop.is_set():
                process.kill()
            try:
                answer = self._converse(process, place, job)
            except BaseException:
                process.kill()
                raise
            finally:
                del self._processes[place]
        if self._stop.is_set():
            return answer[1] if answer is not None and answer[0] == "records" else None
        self._progress[place] = work_s(scenario)
        return _outcome(answer, process.wait(), replication)

    def _converse(self, process: subprocess.Popen[bytes], place: int, job: Job) -> tuple[str, Any] | None:
        scenario, replication = job
        assert process.stdin is not None  # noqa: S101  # both are pipes
        assert process.stdout is not None  # noqa: S101
        try:
            send(process.stdin, (pickle.dumps(scenario), scenario.digest, replication, scenario.seed))
            answer: tuple[str, Any] | None = receive(process.stdout)
            while answer is not None and answer[0] == "progress":
                self._progress[place] = answer[1]
                answer = receive(process.stdout)
        except BrokenPipeError:
            return None
        except GarbledError:
            process.kill()
            return "algorithm error", f"replication {replication}: {GARBLED}"
        return answer


def _outcome(answer: tuple[str, Any] | None, status: int, replication: int) -> core.Records:
    if answer is None:
        ended = f"by signal {signal.Signals(-status).name}" if status < 0 else f"with exit status {status}"
        raise core.AlgorithmError(f"replication {replication}: the process that ran it ended {ended}")
    kind, content = answer
    if kind == "algorithm error":
        raise core.AlgorithmError(content)
    if kind == "run error":
        raise core.RunError(content)
    records: core.Records = content
    return records


STEP_S = 0.1
GARBLED = "an algorithm wrote to a file descriptor of the process that ran it, and the results are lost"
