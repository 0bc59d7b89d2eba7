# SPDX-License-Identifier: Apache-2.0
"""A worker process: reads a job, runs it and writes the result; only here, files that a scenario names are executed."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread
from typing import IO, Any, NoReturn

from narrows._internal import core
from narrows._internal.run.processes import receive, send


def main() -> None:
    """Run the job on standard input, and answer on standard output."""
    leave_signals_to_the_parent()
    jobs, answers = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb")
    close_standard_streams()
    serve(os.getppid(), jobs, answers)


def leave_signals_to_the_parent() -> None:
    """Ignore signals that a time limit or a terminal sends to all processes: the parent keeps finished results."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)


def close_standard_streams() -> None:
    """Leave an algorithm an empty standard input, and standard error for its output."""
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)


def serve(parent: int, jobs: IO[bytes], answers: IO[bytes]) -> NoReturn:
    """Run one job and end this process."""
    end_with(parent)
    try:
        job = receive(jobs)
    except OSError:
        job = None
    if job is None:
        os._exit(1)
    Thread(target=end_with_stream, args=(jobs,), daemon=True).start()
    # A process that an algorithm forks has no other thread of this one: it would wait for them forever.
    os.register_at_fork(after_in_child=lambda: os._exit(1))
    _Replies(answers).work(job)
    # Not even a thread that an algorithm has started keeps the process alive.
    os._exit(0)


class _Replies:
    """The answers to one job: progress, repeatedly, then one result or error (`_answer`)."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = Lock()

    def work(self, job: tuple[str, Any, str]) -> None:
        kind, content, calls = job
        # Only the error of a process that ends in a call is better with it.
        with suppress(OSError):
            core.note_calls(calls)
        progress, end = core.Progress(), Event()
        Thread(target=self._report, args=(progress, end, Path(calls)), daemon=True).start()
        answer = _answer(kind, content, progress)
        end.set()
        self._send(answer)

    def _report(self, progress: core.Progress, end: Event, calls: Path) -> None:
        call, since_s = 0, (0.0, 0.0)
        before, most = _memory(), _most_memory()
        while not end.wait(STEP_S):
            # Without a call into a native library the memory is the simulator's own.
            if _memory() - before > most and core.last_call(calls.read_bytes()) is not None:
                self._send(("call error", TOO_MUCH.format(most)))
                os._exit(0)
            running = core.running_call()
            now_s = (time.process_time(), time.monotonic())
            if running is None or running != call:
                call, since_s = running or 0, now_s
            elif any(now - since > most for now, since, most in zip(now_s, since_s, CALL_S, strict=True)):
                self._send(("call error", TOO_LONG))
                os._exit(0)
            self._send(("progress", progress.simulated_s()))

    def _send(self, answer: tuple[str, Any]) -> None:
        with self._lock:
            try:
                send(self._stream, answer)
            except OSError:
                os._exit(1)


def _memory() -> int:
    """Return the bytes of this process that are in memory; 0 on systems that do not report them."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _most_memory() -> int:
    """Return the bytes by which a run with a native library may grow."""
    given = os.environ.get(MEMORY, "")
    return int(given) if given.isascii() and given.isdigit() else 1 << 30


def _answer(kind: str, content: Any, progress: core.Progress) -> tuple[str, Any]:
    if kind == "try":
        return "tried", [_fault(given) for given in content]
    given, digest, replication, seed = content
    # An algorithm that draws from Python's own generator meets the same numbers in every process.
    random.seed(f"{seed} {replication}")
    try:
        scenario = core.load(given, execute=True)
    except core.ScenarioError as error:
        return "scenario error", error
    if scenario.digest != digest:
        return "algorithm error", "a file of the scenario changed while its runs were in progress"
    try:
        return "records", core.run([(scenario, replication)], 1, progress)[0]
    except (core.AlgorithmError, core.ScenarioError) as error:
        return "algorithm error", str(error)
    except core.RunError as error:
        return "run error", str(error)


def _fault(given: Any) -> core.ScenarioError | None:
    try:
        core.load(given, execute=True)
    except core.ScenarioError as error:
        return error
    return None


def end_with_stream(jobs: IO[bytes]) -> None:
    """End this process when a stream ends that the parent keeps open."""
    # It ends with a reset if the parent was killed while answers were in progress.
    with suppress(OSError):
        jobs.read(1)
    os._exit(1)


def end_with(parent: int) -> None:
    """Let Linux kill this process when its parent ends: native code may block the interpreter for all threads."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


STEP_S = 0.1
# A call into a native library may take so much processor time, or so much time.
CALL_S = (5.0, 60.0)
TOO_LONG = (
    f"the call has not returned within {CALL_S[0]:g} s of processor time or {CALL_S[1]:g} s, and its process was ended"
)
PR_SET_PDEATHSIG = 1
# The environment variable with the memory of a run with a native library, in bytes.
MEMORY = "NARROWS_LIBRARY_MEMORY"
TOO_MUCH = (
    f"the process that ran it took more than {{}} bytes of memory, and was ended; {MEMORY} may allow another number"
)

if __name__ == "__main__":
    main()
