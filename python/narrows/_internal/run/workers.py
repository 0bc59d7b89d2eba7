# SPDX-License-Identifier: Apache-2.0
"""Worker processes, one per run with algorithms from files, so that runs are independent and can be killed."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ALL_COMPLETED, FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import Any

from narrows._internal import core
from narrows._internal.run import processes
from narrows._internal.run.jobs import Job, Unwatched, Watch, work_s
from narrows._internal.run.processes import GarbledError, Process, receive, send

Answer = tuple[str, Any]


def execute(jobs: Sequence[Job], at_a_time: int, watch: Watch) -> list[core.Records | None]:
    """Run jobs in worker processes, as `narrows._internal.run.execution.execute` does."""
    return [future.result() for future in _finished(jobs, at_a_time, watch, keep_going=False)]


def attempt(jobs: Sequence[Job], at_a_time: int, watch: Watch) -> list[core.Records | Exception | None]:
    """Run jobs in worker processes, as `narrows._internal.run.execution.attempt` does."""
    return [_attempted(future) for future in _finished(jobs, at_a_time, watch, keep_going=True)]


def _finished(
    jobs: Sequence[Job], at_a_time: int, watch: Watch, *, keep_going: bool
) -> list[Future[core.Records | None]]:
    workers = _Pool(keep_going=keep_going)
    total_s = sum(work_s(scenario) for scenario, _ in jobs)
    with ThreadPoolExecutor(max_workers=min(at_a_time, len(jobs))) as pool:
        futures = [pool.submit(workers.run, place, job) for place, job in enumerate(jobs)]
        workers.watch(futures, watch, total_s)
    return futures


def _attempted(future: Future[core.Records | None]) -> core.Records | Exception | None:
    problem = future.exception()
    if problem is None:
        return future.result()
    if isinstance(problem, Exception):
        return problem
    raise problem


def find_faults(
    scenarios: Sequence[core.Scenario], watch: Watch | None = None
) -> list[core.ScenarioError | None] | None:
    """Load scenarios in a worker process, which executes the Python files that they name."""
    workers = _Pool()
    with ThreadPoolExecutor(max_workers=1) as pool:
        job = ("try", [each.given for each in scenarios])
        future = pool.submit(workers.ask, 0, job, "", f"{_external(scenarios)} cannot be loaded: ")
        workers.watch([future], watch or Unwatched(), 0.0)
    try:
        answer = future.result()
    except core.AlgorithmError:
        # Run one by one to find the scenario that ends the process.
        for each in scenarios if len(scenarios) > 1 else ():
            find_faults([each], watch)
        raise
    faults: list[core.ScenarioError | None] | None = None if answer is None else answer[1]
    return faults


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

    def __init__(self, *, keep_going: bool = False) -> None:
        self._keep_going = keep_going
        # Scenarios of which a run has failed, by identity.
        self._failed: set[int] = set()
        self._stop = Event()
        self._progress: dict[int, float] = {}
        self._processes: dict[int, Process] = {}

    def watch(self, futures: Sequence[Future[Any]], watch: Watch, total_s: float) -> None:
        """Wait for futures of this pool; stop all work when the watch does or, unless it goes on, one of them fails."""
        try:
            done_s = 0.0
            until = ALL_COMPLETED if self._keep_going else FIRST_EXCEPTION
            while wait(futures, timeout=STEP_S, return_when=until).not_done:
                done_s = max(done_s, sum(self._progress.copy().values()))
                watch.update(min(done_s / total_s, 1.0) if total_s else 0.0)
                if watch.stopped() or (not self._keep_going and any(_failed(future) for future in futures)):
                    self.stop()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Kill every process and start no other."""
        self._stop.set()
        for process in list(self._processes.values()):
            process.kill()

    def run(self, place: int, job: Job) -> core.Records | None:
        """Run one job in a worker process."""
        scenario, replication = job
        if id(scenario) in self._failed:
            return None
        content = (scenario.given, scenario.digest, replication, scenario.seed)
        try:
            return self._answered(place, scenario, ("run", content), replication)
        except Exception:
            self._failed.add(id(scenario))
            raise

    def _answered(self, place: int, scenario: core.Scenario, job: Answer, replication: int) -> core.Records | None:
        answer = self.ask(place, job, f"replication {replication}: ", f"with {_external([scenario])}, ")
        if not self._stop.is_set():
            self._progress[place] = work_s(scenario)
        if answer is None or (answer[0] != "records" and self._stop.is_set()):
            return None
        return _records(answer)

    def ask(self, place: int, job: Answer, what: str, unless_called: str) -> Answer | None:
        """Send a job to a new worker process and return its answer; None if the work was stopped before."""
        if self._stop.is_set():
            return None
        with tempfile.NamedTemporaryFile(prefix="narrows-") as calls, processes.start() as process:
            self._processes[place] = process
            if self._stop.is_set():
                process.kill()
            try:
                answer = _converse(
                    process, (*job, calls.name), lambda simulated_s: self._progress.update({place: simulated_s})
                )
            except GarbledError:
                process.kill()
                raise core.AlgorithmError(f"{what}{unless_called}{GARBLED}") from None
            except BaseException:
                process.kill()
                raise
            finally:
                del self._processes[place]
            status = process.status() if answer is None else 0
            record = calls.read()
        if self._stop.is_set() or (answer is not None and answer[0] != "call error"):
            return answer
        problem = f"the process that ran it ended{_ending(status)}" if answer is None else answer[1]
        returned, last = core.last_call(record) or (True, "")
        raise core.AlgorithmError(f"{what}{unless_called}{problem}{last}" if returned else f"{what}{last}{problem}")


def _converse(process: Process, job: tuple[str, Any, str], on_progress: Callable[[float], None]) -> Answer | None:
    try:
        send(process.jobs, job)
        answer: Answer | None = receive(process.answers)
        while answer is not None and answer[0] == "progress":
            on_progress(answer[1])
            answer = receive(process.answers)
    except (BrokenPipeError, ConnectionResetError):
        return None
    return answer


def _external(scenarios: Sequence[core.Scenario]) -> str:
    return ", ".join(dict.fromkeys(text for each in scenarios for _, text in each.external))


def _records(answer: Answer) -> core.Records:
    kind, content = answer
    if kind == "scenario error":
        raise content
    if kind == "algorithm error":
        raise core.AlgorithmError(content)
    if kind == "run error":
        raise core.RunError(content)
    records: core.Records = content
    return records


def _failed(future: Future[Any]) -> bool:
    return future.done() and future.exception() is not None


def _ending(status: int | None) -> str:
    if status is None:
        return ""
    if status == -signal.SIGKILL:
        return " by signal SIGKILL, which another process sends, or the system if memory is exhausted"
    if status == -signal.SIGSTOP:
        return ": it had stopped itself (SIGSTOP), and was killed"
    return f" by signal {signal.Signals(-status).name}" if status < 0 else f" with exit status {status}"


STEP_S = 0.1
GARBLED = "an algorithm wrote to a file descriptor of the process that ran it, and the results are lost"
