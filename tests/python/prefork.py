# SPDX-License-Identifier: Apache-2.0
"""Start commands by `fork` from a process that has imported what they need, so that none imports it again.

As a program this file is that process. A request on its standard input, a socket, has the arguments, the folder and the
environment of a command, and three descriptors for its input, output and errors. The answer is its exit status.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import multiprocessing
import os
import pkgutil
import runpy
import socket
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import narrows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# What commands import beside the modules of Narrows; PyArrow does so with pandas where it is installed.
PRELOADED = (
    "duckdb",
    "pandas",
    "pyarrow.csv",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "scipy.stats",
    "statsmodels.stats.multitest",
)
MOST = 1 << 20


class Prefork:
    """The process from which commands start."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen([sys.executable, __file__], stdin=theirs.fileno())
        atexit.register(self._end)

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run `narrows` with `arguments` in `folder` to its end."""
        request = json.dumps([list(arguments), str(folder), dict(environment)]).encode()
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors, open(os.devnull, "rb") as nothing:  # noqa: PTH123
            socket.send_fds(self._socket, [request], [nothing.fileno(), output.fileno(), errors.fileno()])
            status = int(self._socket.recv(64))
            output.seek(0)
            errors.seek(0)
            written = output.read().decode(), errors.read().decode()
        return subprocess.CompletedProcess(["narrows", *arguments], status, *written)

    def _end(self) -> None:
        self._socket.close()
        self._process.wait()


def serve() -> None:
    """Start commands until the other side is gone."""
    own = [module.name for module in pkgutil.walk_packages(narrows.__path__, "narrows.")]
    for name in [*PRELOADED, *(name for name in own if name != "narrows.__main__")]:
        importlib.import_module(name)
    # What is there already is not looked through again by each process, which would copy its memory.
    gc.freeze()
    requests = socket.socket(fileno=0)
    fork = multiprocessing.get_context("fork")
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, MOST, 3)
        if not request:
            os._exit(0)
        # Of this kind, a process ends without clearing what it has imported, which takes longer than most commands.
        process = fork.Process(target=become, args=(*json.loads(request), descriptors))
        process.start()
        for each in descriptors:
            os.close(each)
        process.join()
        requests.send(str(process.exitcode).encode())


def become(arguments: list[str], folder: str, environment: dict[str, str], descriptors: list[int]) -> None:
    """Be `python -m narrows` with `arguments`."""
    for number, each in enumerate(descriptors):
        os.dup2(each, number)
        os.close(each)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["narrows", *arguments]
    sys.path[0] = folder
    try:
        runpy.run_module("narrows", run_name="__main__", alter_sys=True)
    finally:
        atexit._run_exitfuncs()  # noqa: SLF001  # a process of this kind leaves them out


if __name__ == "__main__":
    serve()
