# SPDX-License-Identifier: Apache-2.0
"""The source of a kernel: found, named by its content, and unpacked."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from narrows._internal.errors import InputError

# The place of the packages linux-source-VERSION of Debian and Ubuntu.
PACKAGED = Path("/usr/src")
MISSING = (
    "no kernel source is given, and /usr/src has none. Install Debian's package linux-source-6.12 (or fetch it with "
    "`apt-get download linux-source-6.12`), or fetch linux-6.12.y.tar.xz from https://kernel.org, and name the file "
    "with --source"
)
PACKAGE = ".deb"
# The files of every kernel source that can be built as User-Mode Linux.
NEEDED = ("arch/um/Kconfig", "Makefile", "net/ipv4/Makefile")
# Files of git or of a build in the folder, which are no part of a source: folders, folders in `include`, and endings
# of names.
UNWANTED = {".git"}
MADE_FOLDERS = {"config", "generated"}
MADE = (".a", ".cmd", ".i", ".ko", ".mod", ".o", ".order", ".s", ".so", ".tmp")


def find(given: str | None) -> Path:
    """Return the source: an archive, a package of Debian that holds one, or a folder."""
    if given is None:
        archives = packaged()
        if not archives:
            raise InputError("--source", MISSING)
        return archives[-1]
    path = Path(given)
    if not path.exists():
        raise InputError(given, "no such file or folder")
    lacking = [name for name in NEEDED if path.is_dir() and not (path / name).is_file()]
    if lacking:
        raise InputError(given, f"is not the source of a Linux kernel: it has no {lacking[0]}")
    return path.resolve()


def packaged() -> list[Path]:
    """Return the archives of the distribution, the newest last."""
    return sorted(PACKAGED.glob("linux-source-*.tar.*"), key=_version)


def _version(archive: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", archive.name)]


def digest(source: Path) -> str:
    """Return the SHA-256 of an archive, or of the names, sizes and times of a folder's files, in hexadecimal."""
    if source.is_file():
        with source.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    total = hashlib.sha256()
    for name, (size, time_ns) in files(source).items():
        total.update(f"{name} {size} {time_ns}\n".encode(errors="surrogateescape"))
    return total.hexdigest()


def files(folder: Path) -> dict[str, list[int]]:
    """Return size and time in nanoseconds of each file of a source by its path, without those that a build makes."""
    found: dict[str, list[int]] = {}
    start = len(os.fspath(folder)) + 1
    for place, folders, names in os.walk(folder):
        unwanted = UNWANTED | (MADE_FOLDERS if place.endswith("/include") else set())
        folders[:] = [name for name in folders if name not in unwanted]
        for name in names:
            # Texts, since a kernel has 90 000 files.
            path = f"{place}/{name}"
            if not name.endswith(MADE) and os.path.isfile(path):  # noqa: PTH113
                status = os.stat(path)  # noqa: PTH116
                found[path[start:]] = [status.st_size, status.st_mtime_ns]
    return dict(sorted(found.items()))


def unpack(source: Path, place: Path) -> Path:
    """Put a copy of the source below `place`, and return its root."""
    place.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, place / "source", symlinks=True, ignore=shutil.ignore_patterns(".git"))
        # Remains of other builds are not ours.
        _run(["make", "-C", os.fspath(place / "source"), "ARCH=um", "mrproper"], source)
        return place / "source"
    if source.suffix == PACKAGE:
        _run(["dpkg-deb", "-x", os.fspath(source), os.fspath(place)], source)
        archives = list(place.glob("usr/src/linux-source-*.tar.*"))
        if len(archives) != 1:
            raise InputError(str(source), "not a package linux-source-VERSION: it has no /usr/src/linux-source-*.tar.*")
        return unpack(archives[0], place / "source")
    _run(["tar", "-xf", os.fspath(source), "-C", os.fspath(place)], source)
    roots = [each.parents[2] for each in place.glob("*/arch/um/Kconfig")]
    if not roots:
        raise InputError(str(source), "is not the source of a Linux kernel: it has no arch/um/Kconfig")
    return roots[0]


def _run(command: list[str], source: Path) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, errors="replace")
    except FileNotFoundError:
        raise InputError(str(source), f"cannot be unpacked: {command[0]} is missing") from None
    except subprocess.CalledProcessError as error:
        # The first line has the cause; what follows is often that this was an error.
        first = (error.stderr or "").strip().splitlines()[:1]
        raise InputError(str(source), f"cannot be unpacked: {' '.join(first) or error}") from None
