# SPDX-License-Identifier: Apache-2.0
"""Processes for runs with algorithms written in Python, each of one run alone, and messages to and from them."""

from __future__ import annotations

import os
import pickle
import socket
import struct
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from typing import IO, Any, Protocol, Self


class Process(Protocol):
    """A process that waits for a job."""

    jobs: IO[bytes]
    answers: IO[bytes]

    def kill(self) -> None:
        """End the process at once; does nothing if it has ended."""

    def status(self) -> int | None:
        """Wait for the end; return the exit status, a signal as its negative number, or None if it is not known."""

    def __enter__(self) -> Self:
        """Return the process itself."""

    def __exit__(self, *_: object) -> None:
        """Wait for its end."""


def start() -> Process:
    """Start a process for a run: with the environment, the folder and the standard error of this one."""
    # A fork of a process with all imports takes milliseconds, a new interpreter more than 0.1 s. Elsewhere, system
    # libraries do not survive a fork.
    return _current().fork() if sys.platform == "linux" else _Started()


class _Started:
    def __init__(self) -> None:
        self._process = _python("narrows._internal.run.worker", subprocess.PIPE, subprocess.PIPE)
        assert self._process.stdin is not None  # noqa: S101  # both are pipes
        assert self._process.stdout is not None  # noqa: S101
        self.jobs: IO[bytes] = self._process.stdin
        self.answers: IO[bytes] = self._process.stdout

    def kill(self) -> None:
        self._process.kill()

    def status(self) -> int | None:
        return self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.__exit__(None, None, None)


class _Forked:
    def __init__(self, template: _Template, data: socket.socket, life: socket.socket) -> None:
        # Without it the template would end, and this process with it.
        self._template = template
        self._life = life
        with data:
            self.jobs: IO[bytes] = data.makefile("wb")
            self.answers: IO[bytes] = data.makefile("rb")

    def kill(self) -> None:
        with suppress(OSError):
            self._life.shutdown(socket.SHUT_WR)

    def status(self) -> int | None:
        status = self._life.recv(STATUS_BYTES, socket.MSG_WAITALL)
        return int.from_bytes(status, "little", signed=True) if len(status) == STATUS_BYTES else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self.jobs.close()
        self.answers.close()
        with self._life:
            self.status()


class _Template:
    def __init__(self) -> None:
        self.origin = _origin()
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = _python("narrows._internal.run.template", theirs.fileno())
        weakref.finalize(self, _end, self._control, self._process)

    def fits(self) -> bool:
        """Whether forks would be as processes that this one starts now."""
        return self.origin == _origin() and self._process.poll() is None

    def fork(self) -> _Forked:
        data, their_data = socket.socketpair()
        life, their_life = socket.socketpair()
        with their_data, their_life:
            socket.send_fds(self._control, [b"f"], [their_data.fileno(), their_life.fileno(), 2])
        return _Forked(self, data, life)


def _current() -> _Template:
    global _template  # noqa: PLW0603  # one for all runs of this process
    with _guard:
        if _template is None or not _template.fits():
            _template = _Template()
        return _template


def _python(module: str, jobs: int, answers: int | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  # our own modules
        # `-P`: without it, modules in the working directory would take the place of Python's own.
        [sys.executable, "-P", "-m", module],
        stdin=jobs,
        stdout=answers,
        env=_environment(),
    )


def _environment() -> dict[str, str]:
    # A run has one thread: further threads of a library would slow other runs, and its sums depend on their number.
    return {"OMP_NUM_THREADS": "1", **os.environ, "PYTHONHASHSEED": "0"}


def _origin() -> tuple[int, int, int, dict[str, str]]:
    folder = os.stat(".")  # noqa: PTH116  # a folder that was deleted has no path
    return os.getpid(), folder.st_dev, folder.st_ino, _environment()


def _end(control: socket.socket, process: subprocess.Popen[bytes]) -> None:
    control.close()
    process.wait()


class GarbledError(Exception):
    """The bytes received are not a frame."""


def send(stream: IO[bytes], message: object) -> None:
    """Write one message."""
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(HEAD.pack(MARK, len(content)) + content)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message; None if the stream ends before or within it."""
    head = _read(stream, HEAD.size)
    if len(head) < HEAD.size:
        return None
    mark, length = HEAD.unpack(head)
    if mark != MARK:
        raise GarbledError
    content = _read(stream, length)
    if len(content) < length:
        return None
    try:
        return pickle.loads(content)  # noqa: S301  # the other end is this program
    except Exception as error:  # a damaged pickle may raise anything
        raise GarbledError from error


def _read(stream: IO[bytes], length: int) -> bytes:
    content = b""
    while len(content) < length:
        part = stream.read(length - len(content))
        if not part:
            break
        content += part
    return content


STATUS_BYTES = 4
_guard = threading.Lock()
_template: _Template | None = None
# Bytes without the mark come from an algorithm that writes to a file descriptor of its process.
MARK = b"narrows\x01"
HEAD = struct.Struct("<8sQ")
