# SPDX-License-Identifier: Apache-2.0
"""The template of worker processes on Linux: `python -P -m narrows._internal.run.template` forks one on request."""

from __future__ import annotations

import ctypes
import gc
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from contextlib import suppress
from typing import NoReturn

# Every run needs it, and it is most of the time that a start takes.
import numpy as np  # noqa: F401

from narrows._internal.run import worker
from narrows._internal.run.processes import STATUS_BYTES


def main() -> None:
    """Fork processes until standard input ends."""
    worker.leave_signals_to_the_parent()
    control = socket.socket(fileno=os.dup(0))
    worker.close_standard_streams()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    # Present objects are never collected, so that forks share their pages.
    gc.freeze()
    _Template(control).serve()
    os._exit(0)


# Each byte on standard input, a socket, comes with three descriptors: the stream of jobs and answers of a new process,
# a socket for its life, and its standard error. The process is killed when the other end of its life socket is closed
# for writing; its exit status is sent when it has ended. This process has one thread and executes no scenario's files.
class _Template:
    """The running processes by number, each with the socket for its life."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._lives: dict[int, socket.socket] = {}
        # How often, and when last, each stopped process was found stopped.
        self._stopped: dict[int, tuple[int, float]] = {}
        self._selector = selectors.DefaultSelector()
        self._ended, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        self._selector.register(self._control, selectors.EVENT_READ)
        self._selector.register(self._ended, selectors.EVENT_READ)
        while True:
            ready = self._selector.select(TICK_S if self._stopped else None)
            self._end_stopped()
            for key, _ in ready:
                if key.fileobj is self._control:
                    message, descriptors, _, _ = socket.recv_fds(self._control, 1, 3)
                    if not message:
                        self._end()
                        return
                    self._fork(*descriptors)
                elif key.fileobj == self._ended:
                    os.read(self._ended, 1024)
                    self._reap()
                elif key.data in self._lives:
                    # The number stays reserved until the status has been taken.
                    self._selector.unregister(self._lives[key.data])
                    os.kill(key.data, signal.SIGKILL)

    def _fork(self, data: int, life: int, errors: int) -> None:
        template = os.getpid()
        process = os.fork()
        if process == 0:
            _become_worker(template, data, errors)
        os.close(data)
        os.close(errors)
        self._lives[process] = socket.socket(fileno=life)
        self._selector.register(self._lives[process], selectors.EVENT_READ, process)

    def _reap(self) -> None:
        # There may be no child left.
        with suppress(ChildProcessError):
            while True:
                process, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
                if not process:
                    break
                if not os.WIFSTOPPED(status):
                    self._ended_with(process, os.waitstatus_to_exitcode(status))
                elif process in self._lives:
                    self._stopped[process] = 0, time.monotonic()
        for process in _children() - set(self._lives):
            os.kill(process, signal.SIGKILL)

    def _ended_with(self, process: int, status: int) -> None:
        life = self._lives.pop(process, None)
        was_stopped = self._stopped.pop(process, (0, 0.0))[0] >= TICKS and status == -signal.SIGKILL
        if life is None:
            # A process that one of them had started.
            return
        with suppress(KeyError):
            self._selector.unregister(life)
        with suppress(OSError), life:
            code = -signal.SIGSTOP if was_stopped else status
            life.sendall(code.to_bytes(STATUS_BYTES, "little", signed=True))

    def _end_stopped(self) -> None:
        """Kill processes that stay stopped while this one runs; a terminal or batch system stops and continues all."""
        now = time.monotonic()
        for process, (seen, last) in list(self._stopped.items()):
            # It is killed and has not ended yet, or the turn came for another process.
            if seen >= TICKS or now - last < TICK_S:
                continue
            if not _is_stopped(process):
                del self._stopped[process]
                continue
            self._stopped[process] = seen + 1, now
            if seen + 1 == TICKS:
                os.kill(process, signal.SIGKILL)

    def _end(self) -> None:
        """Kill all processes, and the processes that they have started, unless these keep starting others."""
        for process in self._lives:
            os.kill(process, signal.SIGKILL)
        with suppress(ChildProcessError):
            for _ in range(MOST):
                os.waitpid(-1, 0)
                for process in _children():
                    os.kill(process, signal.SIGKILL)


def _become_worker(template: int, data: int, errors: int) -> NoReturn:
    """Run one job in this process, which was forked just now."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(errors, 1)
        os.dup2(errors, 2)
        # Neither this process nor what it executes has the streams of another one.
        os.dup2(data, 3)
        os.closerange(4, os.sysconf("SC_OPEN_MAX"))
        worker.serve(template, os.fdopen(3, "rb", buffering=0), os.fdopen(os.dup(3), "wb"))
    except BaseException:  # noqa: BLE001  # nothing returns to the template
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)


def _children() -> set[int]:
    """Return the numbers of the processes of which this one is the parent."""
    own = os.getpid()
    with suppress(OSError), open(f"/proc/{own}/task/{own}/children", encoding="utf-8") as file:  # noqa: PTH123
        return {int(each) for each in file.read().split()}
    # Not every kernel lists them.
    found = set()
    for each in os.listdir("/proc"):  # noqa: PTH208  # nothing else of a path is needed
        if each.isdigit() and (state := _state(int(each))) is not None and state[1] == own:
            found.add(int(each))
    return found


def _is_stopped(process: int) -> bool:
    state = _state(process)
    return state is not None and state[0] == "T"


def _state(process: int) -> tuple[str, int] | None:
    """Return the state of a process and the number of its parent; None if there is no such process."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123  # as above
            # A name in parentheses may hold anything.
            fields = file.read().rpartition(")")[2].split()
        return fields[0], int(fields[1])
    except (OSError, IndexError, ValueError):
        return None


# Linux: the children of a child that has ended become children of this process.
PR_SET_CHILD_SUBREAPER = 36
# Processes that are waited for at the end.
MOST = 1000
# A process that is found stopped this often, at this interval, was not stopped together with all others.
TICK_S, TICKS = 1.0, 5

if __name__ == "__main__":
    main()
