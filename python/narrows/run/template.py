# SPDX-License-Identifier: Apache-2.0
"""The template of worker processes on Linux: `python -P -m narrows.run.template` forks one whenever it is asked to.

Standard input is a socket. Each byte on it comes with three file descriptors: the stream of jobs and answers of a new
process, a socket for its life, and its standard error. The latter two sockets are this process's share: where the other
end closes it for writing, the process is killed; its exit status is sent when it has ended. The template ends where
standard input does, and the kernel kills its processes with it.

This process has one thread and executes no file that a scenario names.
"""

from __future__ import annotations

import gc
import os
import selectors
import signal
import socket
import sys
import traceback
from contextlib import suppress
from typing import NoReturn

# Every run needs it, and it is most of the time that a start takes.
import numpy as np  # noqa: F401

from narrows.run import worker
from narrows.run.processes import STATUS_BYTES


def main() -> None:
    """Fork processes until standard input ends."""
    worker.leave_signals_to_the_parent()
    control = socket.socket(fileno=os.dup(0))
    worker.close_standard_streams()
    # What is here now is never collected, so that forks share its pages.
    gc.freeze()
    _Template(control).serve()
    os._exit(0)


class _Template:
    """The processes that are running, by their numbers, each with the socket for its life."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._lives: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        self._ended, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        self._selector.register(self._control, selectors.EVENT_READ)
        self._selector.register(self._ended, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._control:
                    message, descriptors, _, _ = socket.recv_fds(self._control, 1, 3)
                    if not message:
                        return
                    self._fork(*descriptors)
                elif key.fileobj == self._ended:
                    os.read(self._ended, 1024)
                    self._reap()
                elif key.data in self._lives:
                    # The number is that of a process of this one until its status has been taken.
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
        while self._lives:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                return
            life = self._lives.pop(process)
            with suppress(KeyError):
                self._selector.unregister(life)
            with suppress(OSError), life:
                life.sendall(os.waitstatus_to_exitcode(status).to_bytes(STATUS_BYTES, "little", signed=True))


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


if __name__ == "__main__":
    main()
