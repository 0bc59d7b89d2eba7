# SPDX-License-Identifier: Apache-2.0
"""Queries of the results of a study in SQL.

DuckDB answers them in a process of `narrows._internal.experiments.answering`: an SQL function may run for hours without
checking for interrupts, and only the end of its process stops it.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any, cast

from narrows._internal.errors import InputError
from narrows._internal.run.processes import receive, send


def query(folder: Path, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Run an SQL query on the table `cells` of a study."""
    with subprocess.Popen(  # our own module
        # `-P`: without it, modules in the working directory would take the place of Python's own.
        [sys.executable, "-P", "-m", "narrows._internal.experiments.answering"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        # Ctrl-C in a terminal interrupts only this process, which ends the other.
        start_new_session=True,
    ) as process:
        assert process.stdin is not None  # noqa: S101  # both are pipes
        assert process.stdout is not None  # noqa: S101
        try:
            # If the process has ended already, no answer arrives, and `_next` reports it.
            with suppress(BrokenPipeError):
                send(process.stdin, (folder, sql))
            with BufferedReader(cast("RawIOBase", process.stdout)) as answers:
                names = _next(answers)
                rows: list[tuple[Any, ...]] = []
                while part := _next(answers):
                    rows += part
        finally:
            process.kill()
            # After an interrupt `Popen` waits for a quarter of a second, and much memory takes longer to free.
            process.wait()
    return names, rows


def _next(answers: IO[bytes]) -> Any:
    """Return the next part of the answer, or raise the error that the process sends."""
    received = receive(answers)
    if received is None:
        raise InputError("the question", "the process that answers it was ended; is there enough memory?")
    if isinstance(received, BaseException):
        raise received
    return received
