# SPDX-License-Identifier: Apache-2.0
"""A built kernel in one file, with the network that it loads, to be taken by its digest."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO

from narrows._internal.errors import InputError
from narrows._internal.files.system import move_file
from narrows._internal.linux import cache, library

DESCRIPTION, PROGRAM, NETWORK = "kernel.json", "linux", "network.so"
# Largest sizes, some times what kernels have: of the file, and of each of its members.
MOST = 256 << 20
# A digest, as of sha256sum.
DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
BLOCK = 1 << 20


def pack(name: str, out: Path) -> str:
    """Write the kernel `name` and the network of this version of Narrows into a file; return its SHA-256."""
    kernel = cache.find(name)
    network = library.find()
    description = {**asdict(kernel), "network": network.stem.removeprefix("network-")}
    partial = out.with_name(f"{out.name}.partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as file:
        # A fixed time, so that equal kernels give equal files.
        file.writestr(zipfile.ZipInfo(DESCRIPTION), json.dumps(description, indent=2) + "\n")
        for member, path in ((PROGRAM, kernel.program), (NETWORK, network)):
            file.writestr(zipfile.ZipInfo(member), path.read_bytes(), zipfile.ZIP_DEFLATED)
    move_file(partial, out)
    return _digest(out)


def take(given: str, sha256: str, name: str, say: Callable[[str], None]) -> cache.Kernel:
    """Put the kernel of a file, or of an address that begins with https://, into the cache under `name`.

    Nothing of the file is read before its digest is the given one, and nothing is executed.
    """
    cache.check(name)
    expected = DIGEST.fullmatch(sha256.strip().lower())
    if expected is None:
        raise InputError("--sha256", f"expected 64 hexadecimal digits, as `sha256sum` prints them, got {sha256!r}")
    cache.folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache.folder(), prefix=".taken-") as folder:
        # The copy that is compared is the copy that is read.
        copy = Path(folder) / "file"
        _copy(given, copy, say)
        found = _digest(copy)
        if found != expected[1]:
            raise InputError(given, f"is another file: its SHA-256 is {found}, expected {expected[1]}")
        try:
            return _unpack(copy, given, name)
        except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, TypeError, EOFError, NotImplementedError):
            raise InputError(given, "is not a kernel of `narrows linux pack`") from None


def _copy(given: str, copy: Path, say: Callable[[str], None]) -> None:
    with copy.open("wb") as target:
        if "://" in given:
            _fetch(given, target, say)
            return
        source = Path(given)
        if not source.is_file():
            raise InputError(given, "no such file")
        with source.open("rb") as file:
            _limited(file, target, given)


def _fetch(address: str, target: IO[bytes], say: Callable[[str], None]) -> None:
    from http.client import HTTPException
    from urllib.error import URLError
    from urllib.request import urlopen

    if not address.startswith("https://"):
        raise InputError(address, "expected a file or an address that begins with https://")
    say(f"fetch {address}")
    try:
        with closing(urlopen(address, timeout=TIMEOUT_S)) as answer:  # noqa: S310  # https alone, and by its digest
            _limited(answer, target, address)
    except (URLError, HTTPException, OSError, ValueError) as error:
        raise InputError(address, f"cannot be fetched: {error}") from None


def _limited(source: IO[bytes], target: IO[bytes], given: str) -> None:
    left = MOST
    while block := source.read(BLOCK):
        left -= len(block)
        if left < 0:
            raise InputError(given, f"is larger than {MOST >> 20} MB, and kernels are not")
        target.write(block)


def _unpack(file: Path, given: str, name: str) -> cache.Kernel:
    with zipfile.ZipFile(file) as members:
        sizes = {each.filename: each.file_size for each in members.infolist()}
        if set(sizes) != {DESCRIPTION, PROGRAM, NETWORK} or max(sizes.values()) > MOST:
            raise ValueError
        entry = json.loads(members.read(DESCRIPTION))
        network = entry.pop("network")
        kernel = replace(cache.described(entry), name=name)
        current = library.path().stem.removeprefix("network-")
        if not kernel.is_current or network != current:
            raise InputError(
                given, "is of another version of Narrows; take the kernel of the release that is installed"
            )
        for member in (PROGRAM, NETWORK):
            with members.open(member) as source, (file.parent / member).open("wb") as target:
                shutil.copyfileobj(source, target)
            (file.parent / member).chmod(0o755)
    if not library.path().is_file():
        move_file(file.parent / NETWORK, library.path())
    kernel.program.parent.mkdir(exist_ok=True)
    move_file(file.parent / PROGRAM, kernel.program)
    kernel.save()
    return kernel


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


TIMEOUT_S = 60.0
