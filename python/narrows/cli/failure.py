# SPDX-License-Identifier: Apache-2.0
"""What a command that fails says, and its exit status."""

from __future__ import annotations

import errno
import os
import shlex
import sys
from typing import TYPE_CHECKING

from narrows.cli.colour import paint
from narrows.cli.parser import ArgumentsError
from narrows.cli.status import BAD_INPUT, INTERNAL, INTERRUPTED
from narrows.cli.unloadable import explain
from narrows.core import AlgorithmError, RunError, ScenarioError
from narrows.errors import InputError, Interrupted, OutputError, ReportError

if TYPE_CHECKING:
    from collections.abc import Sequence


def complain(message: str) -> None:
    """Print a message for people; its first line in red where there are colours."""
    first, newline, rest = message.rstrip("\n").partition("\n")
    print(f"{paint(first, 'bad', sys.stderr)}{newline}{rest}", file=sys.stderr)


def status_of(error: BaseException, given: Sequence[str]) -> tuple[int, str]:
    """Return the exit status for an error and what is printed."""
    replay = f"replay with: {shlex.join(['narrows', *given])}"
    match error:
        case AlgorithmError() | ArgumentsError() | InputError() | OutputError() | ScenarioError():
            return BAD_INPUT, str(error)
        case Interrupted() | KeyboardInterrupt():
            return INTERRUPTED, f"interrupted: {error}".removesuffix(": ")
        case ReportError() if _is_environment(error.__cause__):
            # The results are kept, and that the disk has no room for the report is no fault of this program.
            return INTERRUPTED, str(error)
        case OSError() if _is_environment(error):
            where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
            return BAD_INPUT, f"{where}{error.strerror}"
        case ImportError() if (text := explain(error)) is not None:
            # The installation is at fault.
            return BAD_INPUT, text
        case ReportError():
            # It says how the report is built again.
            problem = str(error)
        case RunError():
            problem = f"{error}\n{replay}"
        case _:
            problem = f"{type(error).__name__}: {error} ({_place(error)})\n{replay}"
    return INTERNAL, f"internal error: {problem}"


def _is_environment(error: BaseException | None) -> bool:
    """Return whether an error comes from the file system: a full disk, a lack of rights, a name that is too long."""
    return isinstance(error, OSError) and error.errno in OF_FILE_SYSTEM


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "no trace"


OF_FILE_SYSTEM = frozenset(
    {
        errno.EACCES,
        errno.EDQUOT,
        errno.EIO,
        errno.EISDIR,
        errno.ELOOP,
        errno.EMFILE,
        errno.ENAMETOOLONG,
        errno.ENFILE,
        errno.ENOENT,
        errno.ENOSPC,
        errno.ENOTDIR,
        errno.EPERM,
        errno.EROFS,
    }
)
