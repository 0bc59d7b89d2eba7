# SPDX-License-Identifier: Apache-2.0
"""The tree in which a kernel is compiled: source, additions, and the objects that let a build continue."""

from __future__ import annotations

import filecmp
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from narrows._internal.files.system import move_file, move_folder
from narrows._internal.linux import additions, source

NAME = "tree"
RECORD = "tree.json"
PARTIAL = "build-source"


def prepare(found: Path, place: Path, key: str, timer_hz: int) -> Path:
    """Return the root of the tree in `place`, with the objects of an earlier build.

    The tree of a folder takes over the changes of the folder since then; the tree of an archive is used again for
    the same key.
    """
    root = place / NAME
    record = _read(place / RECORD) if root.is_dir() else {}
    if not found.is_dir():
        if record.get("key") != key:
            _start(found, place, {"key": key}, timer_hz)
        return root
    if "files" not in record:
        record = {"files": source.files(found)}
        _start(found, place, record)
        # Remains of other builds, which are removed from the copy, never come back.
        record["others"] = [name for name in record["files"] if not (root / name).exists()]
    else:
        record["files"] = _update(found, root, record, set(additions.files(timer_hz)))
    with _times_of_equal_files_kept(root, additions.files(timer_hz)):
        for name in additions.files(timer_hz):
            if (found / name).is_file():
                shutil.copy(found / name, root / name)
        additions.apply(root, timer_hz)
    _write(place / RECORD, record)
    return root


def remove(place: Path) -> None:
    """Remove the tree."""
    (place / RECORD).unlink(missing_ok=True)
    shutil.rmtree(place / NAME, ignore_errors=True)


def _start(found: Path, place: Path, record: dict[str, Any], timer_hz: int | None = None) -> None:
    """Unpack the source, with the additions if a timer frequency is given."""
    remove(place)
    try:
        unpacked = source.unpack(found, place / PARTIAL)
        if timer_hz is not None:
            additions.apply(unpacked, timer_hz)
        # The name of a complete tree is given last: an interrupted one is not used.
        move_folder(unpacked, place / NAME)
    finally:
        shutil.rmtree(place / PARTIAL, ignore_errors=True)
    _write(place / RECORD, record)


def _update(found: Path, root: Path, record: dict[str, Any], added: set[str]) -> dict[str, list[int]]:
    """Copy the files whose size or time differs from the record and whose content from the tree's; return all files."""
    before, now = record["files"], source.files(found)
    for name in now.keys() - added - set(record.get("others", ())):
        if now[name] == before.get(name):
            continue
        copy = root / name
        if not copy.is_file() or not filecmp.cmp(found / name, copy, shallow=False):
            copy.parent.mkdir(parents=True, exist_ok=True)
            # With the present time: make compiles a file that is newer than its object.
            shutil.copy(found / name, copy)
    for name in before.keys() - now.keys():
        (root / name).unlink(missing_ok=True)
    return now


@contextmanager
def _times_of_equal_files_kept(root: Path, names: list[str]) -> Iterator[None]:
    """Give files whose content is the same afterwards their former time, so that make does not compile them again."""
    before = {path: (path.read_bytes(), path.stat()) for name in names if (path := root / name).is_file()}
    yield
    for path, (content, status) in before.items():
        if path.read_bytes() == content:
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _read(file: Path) -> dict[str, Any]:
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _write(file: Path, record: dict[str, Any]) -> None:
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(record), encoding="utf-8")
    move_file(partial, file)
