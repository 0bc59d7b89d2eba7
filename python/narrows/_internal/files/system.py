# SPDX-License-Identifier: Apache-2.0
"""Differences of operating systems, which no other module handles: locks, renames, live processes, and memory."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from narrows._internal.errors import InputError


def lock(file: IO[Any], *, wait: bool = True) -> None:
    """Lock a file against other processes until it is closed."""
    if sys.platform == "win32":
        import msvcrt

        while True:
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            except OSError as error:
                if not wait:
                    raise BlockingIOError(*error.args) from None
                time.sleep(AGAIN_S)
            else:
                return
    import fcntl

    fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def move_file(file: Path, target: Path) -> None:
    """Rename a file; a file `target` is replaced."""
    _again_where_open(lambda: file.replace(target))


def move_folder(folder: Path, target: Path) -> None:
    """Rename a folder to `target`, which does not exist or is an empty folder."""
    if sys.platform == "win32" and target.is_dir():
        # There, a folder does not take the place of an empty one.
        target.rmdir()
    _again_where_open(lambda: folder.rename(target))


def is_alive(pid: int) -> bool:
    """Return whether a process of this host with the number `pid` exists."""
    if sys.platform == "win32":
        # There, signal 0 is not a question: it is an interrupt.
        import ctypes

        system = ctypes.windll.kernel32
        process = system.OpenProcess(SYNCHRONIZE, False, pid)  # noqa: FBT003  # it is not inherited
        if not process:
            return False
        waiting = system.WaitForSingleObject(process, 0) == WAIT_TIMEOUT
        system.CloseHandle(process)
        return bool(waiting)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def peak_rss_bytes() -> int:
    """Return the peak resident set size of this process, bytes; 0 if the system does not report it."""
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes.
    return peak if sys.platform == "darwin" else peak * 1024


def user_cache() -> Path:
    """Return the folder of this user's cache on this machine: `$XDG_CACHE_HOME/narrows`, or `~/.cache/narrows`."""
    # A relative path is ignored, as the XDG Base Directory Specification says.
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        return (given if given.is_absolute() else Path.home() / ".cache") / "narrows"
    except RuntimeError:
        problem = (
            "is not set to an absolute path, and this user has no home directory; "
            "expected a folder in which runs and kernels are kept"
        )
        raise InputError("XDG_CACHE_HOME", problem) from None


def sync(path: os.PathLike[str]) -> None:
    """Flush a file, or the names in a folder, to the disk; Windows has no flushing of folders."""
    if sys.platform == "win32" and os.path.isdir(path):  # noqa: PTH112  # it is a path of any kind
        return
    # Windows flushes only files that are open for writing.
    descriptor = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _again_where_open(rename: Callable[[], object]) -> None:
    # Windows renames no open file; scanners of new files close them soon.
    end_s = time.monotonic() + (PATIENCE_S if sys.platform == "win32" else 0.0)
    while True:
        try:
            rename()
        except PermissionError:
            if time.monotonic() >= end_s:
                raise
            time.sleep(AGAIN_S)
        else:
            return


AGAIN_S = 0.05
PATIENCE_S = 2.0
# Of the Windows interface: the right to wait for a process, and the answer that it has not ended.
SYNCHRONIZE = 0x00100000
WAIT_TIMEOUT = 0x102
