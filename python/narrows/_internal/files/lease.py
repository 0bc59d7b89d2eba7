# SPDX-License-Identifier: Apache-2.0
"""The lease of a folder: one process works on it at a time; if it dies, another can take over."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from pathlib import Path
from typing import Any, Self

from narrows._internal.errors import OutputError
from narrows._internal.files.system import is_alive, lock, move_file


class Lease:
    """The exclusive right to work on the results in a folder, which this process holds while the context is entered."""

    def __init__(self, folder: Path) -> None:
        """Nothing is taken yet."""
        self.file = folder / LEASE
        self.lost = False
        self._mine = {"host": socket.gethostname(), "pid": os.getpid(), "born": born(os.getpid())}
        self._end = threading.Event()
        self._renewal = threading.Thread(target=self._renew, daemon=True)

    def __enter__(self) -> Self:
        with (self.file.parent / GUARD).open("w") as guard:
            # No other process may look between the check and the taking.
            lock(guard)
            holder = holder_of(self.file.parent)
            if holder is not None:
                raise OutputError(
                    f"{self.file.parent} is being worked on by process {holder['pid']} on {holder['host']}, "
                    f"since {holder['since']}; if that process has ended, remove {self.file}"
                )
            try:
                self._write()
            except OSError as error:
                raise OutputError(f"{self.file} cannot be written: {error.strerror or error}") from error
        self._renewal.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._renewal.join()
        if not self.lost:
            self.file.unlink(missing_ok=True)

    def _write(self) -> None:
        partial = self.file.parent / f".{LEASE}.{os.getpid()}.partial"
        since = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        partial.write_text(json.dumps({**self._mine, "since": since}), encoding="utf-8")
        move_file(partial, self.file)

    def _renew(self) -> None:
        while not self._end.wait(RENEWAL_S):
            written = _read(self.file)
            if written is None or any(written.get(key) != value for key, value in self._mine.items()):
                # This process slept so long that another one took over.
                self.lost = True
                return
            try:
                os.utime(self.file)
            except OSError:
                continue


def holder_of(folder: Path) -> dict[str, Any] | None:
    """Return the process that works on the results in `folder`: `host`, `pid`, `since`; None without a live one."""
    written = _read(folder / LEASE)
    if written is None:
        return None
    if written.get("host") == socket.gethostname():
        pid = written["pid"]
        return written if is_alive(pid) and written.get("born") == born(pid) else None
    try:
        renewed_s = (folder / LEASE).stat().st_mtime
    except OSError:
        return None
    # The holder renews the lease, so a time in the future means that the clock was set back.
    return written if abs(_now_there(folder) - renewed_s) < STALE_S else None


def born(pid: int) -> str | None:
    """Return the start time of a process, in units of the system, which distinguishes it from others with its `pid`."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def _now_there(folder: Path) -> float:
    """Return the time by the clock that stamps the folder's files, which may be another machine's."""
    stamp = folder / f".clock.{os.getpid()}.partial"
    try:
        stamp.write_text("", encoding="utf-8")
        return stamp.stat().st_mtime
    except OSError:
        return time.time()
    finally:
        stamp.unlink(missing_ok=True)


def _read(file: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(content, dict) or not all(isinstance(content.get(key), str) for key in ("host", "since")):
        return None
    pid = content.get("pid")
    return content if isinstance(pid, int) and 0 < pid < MAX_PID else None


LEASE = "lease.json"
GUARD = ".lease"
# The limit of the system call.
MAX_PID = 2**31
RENEWAL_S = 10.0
# For holders on other hosts, whose processes cannot be seen.
STALE_S = 120.0
