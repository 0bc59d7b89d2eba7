# SPDX-License-Identifier: Apache-2.0
"""Folders that are created atomically: whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

from narrows._internal.errors import OutputError
from narrows._internal.files.system import is_alive, move_folder, sync


def check_place(folder: Path, *, replace: bool) -> None:
    """Check that `folder` can be created, without writing anything."""
    if len(os.fsencode(folder.name)) > MAX_NAME_BYTES:
        raise OutputError(f"{folder} cannot be made: its name has more than {MAX_NAME_BYTES} bytes")
    if folder.exists():
        if not folder.is_dir():
            raise OutputError(f"{folder} exists and is not a folder")
        if any(folder.iterdir()) and not (replace and (folder / MANIFEST).is_file()):
            raise OutputError(f"{folder} exists and is not empty: name another folder or remove it")
    standing = next(parent for parent in folder.absolute().parents if parent.exists())
    if not (standing.is_dir() and os.access(standing, os.W_OK | os.X_OK)):
        raise OutputError(f"{folder} cannot be made: {standing} is not a folder that you can write to")


@contextmanager
def appearing(folder: Path, *, replace: bool = False, instead: bool = False) -> Iterator[Path]:
    """Create a folder atomically: yield a partial folder, which is renamed to `folder` when the block ends normally."""
    if not instead:
        check_place(folder, replace=replace)
    partial = folder.parent / f".{folder.name}.partial-{os.getpid()}"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        clear_remains(folder.parent)
        partial.mkdir()
    except OSError as error:
        raise OutputError(f"{folder} cannot be made: {error.strerror or error}") from error
    try:
        (partial / HOST).write_text(socket.gethostname())
        yield partial
        (partial / HOST).unlink()
        _sync_tree(partial)
        _take_place(partial, folder, replace=replace or instead)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise OutputError(f"{folder} cannot be written: {error.strerror or error}") from error
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def clear_remains(parent: Path) -> None:
    """Remove the partial folders in `parent` of processes of this host that have ended; restore folders moved aside."""
    for entry in parent.iterdir():
        match = REMAINS.fullmatch(entry.name)
        if match is None or is_alive(int(match["pid"])):
            continue
        if match["state"] == "replaced" and not (parent / match["name"]).exists():
            move_folder(entry, parent / match["name"])
        elif match["state"] == "replaced" or _is_of_this_host(entry):
            shutil.rmtree(entry, ignore_errors=True)


def file_name(text: str) -> str:
    """Return a file name for a text: the text itself if it is a valid name; different texts have different names.

    Examples:
        >>> file_name("a/b"), file_name("a%2Fb")
        ('a%2Fb', 'a%252Fb')
    """
    name = re.sub("%(?=(25)*2F)", "%25", text).replace("/", "%2F")
    written = os.fsencode(name)
    if len(written) <= MAX_NAME_BYTES:
        return name
    digest = hashlib.sha256(written).hexdigest()[:HASH_DIGITS]
    return f"{written[: MAX_NAME_BYTES - HASH_DIGITS - 1].decode(errors='ignore')}-{digest}"


def _take_place(partial: Path, folder: Path, *, replace: bool) -> None:
    aside = folder.parent / f".{folder.name}.replaced-{os.getpid()}"
    if replace and folder.exists() and any(folder.iterdir()):
        move_folder(folder, aside)
    try:
        # Fails if a process has put anything there since the place was checked.
        move_folder(partial, folder)
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
            raise
        raise OutputError(f"{folder} was made by another process meanwhile") from error
    sync(folder.parent)
    shutil.rmtree(aside, ignore_errors=True)


def _sync_tree(folder: Path) -> None:
    """Flush a folder and all in it to the disk; waits for the disk at the same time cost hardly more than one."""
    paths = [*folder.rglob("*"), folder]
    faults: list[OSError] = []

    def flush() -> None:
        while paths and not faults:
            with suppress(IndexError):
                path = paths.pop()
                try:
                    sync(path)
                except OSError as error:
                    faults.append(error)

    threads = [Thread(target=flush) for _ in paths[:AT_ONCE]]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for error in faults:
        raise error


def _is_of_this_host(partial: Path) -> bool:
    # A process that died between making the folder and naming its host left nothing else in it.
    host = partial / HOST
    return not host.exists() or host.read_text() == socket.gethostname()


# A file name has at most 255 bytes, and partial folders have names of their own.
MAX_NAME_BYTES = 200
# Files that are flushed at a time.
AT_ONCE = 8
HASH_DIGITS = 12
MANIFEST = "manifest.json"
HOST = ".host"
REMAINS = re.compile(r"\.(?P<name>.+)\.(?P<state>partial|replaced)-(?P<pid>\d+)")
