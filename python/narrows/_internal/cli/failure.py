# SPDX-License-Identifier: Apache-2.0
"""The messages of a failed command, for people and as JSON, and its exit status."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from narrows._internal.cli.colour import paint
from narrows._internal.cli.command import BAD_INPUT, INTERNAL, INTERRUPTED
from narrows._internal.cli.parser import ArgumentsError
from narrows._internal.core import AlgorithmError, RunError, ScenarioError
from narrows._internal.errors import InputError, Interrupted, OutputError, ReportError


def complain(message: str) -> None:
    """Print a message for people; its first line in red if colours are shown."""
    first, newline, rest = message.rstrip("\n").partition("\n")
    print(f"{paint(first, 'bad', sys.stderr)}{newline}{rest}", file=sys.stderr)


def status_of(error: BaseException, given: Sequence[str]) -> tuple[int, str]:
    """Return the exit status for an error and the printed message."""
    replay = f"replay with: {shlex.join(['narrows', *given])}"
    match error:
        case AlgorithmError() | ArgumentsError() | InputError() | OutputError() | ScenarioError():
            return BAD_INPUT, str(error)
        case Interrupted() | KeyboardInterrupt():
            return INTERRUPTED, f"interrupted: {error}".removesuffix(": ")
        case ReportError() if _is_environment(error.__cause__):
            # The results are kept; a full disk without room for the report is no fault of this program.
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


def as_json(status: int, message: str, error: BaseException | None = None) -> str:
    """Return an error as a JSON object with the key `error`."""
    match error:
        case ScenarioError():
            diagnostics = [_whole(each) for each in error.diagnostics]
        case InputError():
            whole, _, near = error.problem.partition("; did you mean ")
            problem, _, allowed = whole.partition("; allowed: ")
            entry = {"file": error.file, "message": problem, "given": error.file, "allowed": allowed or None}
            entry["hint"] = f"did you mean {near}" if near else None
            diagnostics = [_whole(entry)]
        case _:
            diagnostics = [_whole({"message": message})]
    found = {"error": {"status": status, "message": message, "diagnostics": diagnostics}}
    return json.dumps(found, indent=2, ensure_ascii=False)


def _whole(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a diagnostic with every key, None for missing ones."""
    return {key: given.get(key) for key in KEYS}


def explain(error: ImportError) -> str | None:
    """Return a one-line explanation of a failed import, with the package to install."""
    chain = list(_chain(error))
    package = _package(error)
    if package == OWN:
        return None
    for each in chain:
        # The dynamic linkers of glibc and of musl.
        found = re.search(
            r"(lib[^\s:/]+\.so[.\d]*): cannot open|loading shared library (lib[^\s:/]+\.so[.\d]*)", str(each)
        )
        if found:
            library = found[1] or found[2]
            return f"{package}: cannot be loaded, since this system lacks {library}{_packages(library)}"
    if isinstance(error, ModuleNotFoundError) and error.name == package:
        return f"{package}: is needed and not installed; install it by `pip install {package}`"
    first = str(chain[-1]).strip().partition("\n")[0]
    return f"{package}: cannot be loaded: {first}; install it again by `pip install --force-reinstall {package}`"


def _chain(error: BaseException | None) -> Iterator[ImportError]:
    """Yield an error and what led to it, the first cause last."""
    while error is not None:
        if isinstance(error, ImportError):
            yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _package(error: ImportError) -> str:
    """Return the package that could not be loaded: the package in whose code the error arose, or the missing one."""
    trace = error.__traceback__
    while trace is not None:
        package = str(trace.tb_frame.f_globals.get("__name__", OWN)).partition(".")[0]
        if package not in {OWN, "__main__", "importlib"}:
            return package
        trace = trace.tb_next
    return (error.name or OWN).partition(".")[0]


def _packages(library: str) -> str:
    """Return the packages of distributions that contain a library; empty if they are unknown."""
    if library not in PACKAGES:
        return ""
    debian, others = PACKAGES[library]
    return f", which is in the package {debian} of Debian, {others} of Fedora and Alpine"


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
# Keys of an entry of `diagnostics`.
KEYS = ("file", "line", "column", "path", "message", "given", "allowed", "hint")
OWN = "narrows"

# Those that wheels of NumPy, PyArrow and SciPy take from the system: by Debian, by the others.
PACKAGES = {"libstdc++.so.6": ("libstdc++6", "libstdc++"), "libgcc_s.so.1": ("libgcc-s1", "libgcc")}
