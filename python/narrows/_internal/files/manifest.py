# SPDX-License-Identifier: Apache-2.0
"""`manifest.json`: the origin of a results folder and the digests of its files, to repeat it and to detect changes."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from narrows._internal import core
from narrows._internal.comparison import KINDS, runs_of
from narrows._internal.errors import InputError, OutputError
from narrows._internal.files.format import numbered, read_kept
from narrows._internal.files.json_objects import check_seal, sealed, write_json
from narrows._internal.files.kinds import kind_of
from narrows._internal.files.place import inside
from narrows._internal.files.shape import ANY_NAME, ANYTHING, check_shape
from narrows._internal.versions import version


def write_manifest(folder: Path, facts: dict[str, Any], without: Sequence[str] = ()) -> None:
    """Write `manifest.json` into `folder`, after all other files except the report."""
    manifest = {
        "digest_schema": core.digest_schema(),
        "versions": {
            "narrows": version("narrows"),
            "engine": core.fingerprint(),
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "pyarrow", "scipy") if find_spec(name)},
        },
        **facts,
        "host": {
            "system": _system(),
            "machine": platform.machine(),
            "processors": os.cpu_count(),
        },
        # The report is left out: it can be built again from the rest.
        "files": {
            path.relative_to(folder).as_posix(): file_digest(path)
            for path in sorted([*folder.iterdir(), *folder.glob(f"{PROGRAMS}/*")])
            if _counts(path, without)
        },
    }
    write_json(folder / MANIFEST, sealed(numbered(MANIFEST, manifest)))


def _system() -> str:
    """Return system, release and C library as `platform.platform` does, which starts a process for the processor."""
    if sys.platform != "linux":
        return platform.platform()
    own = platform.uname()
    return f"{own.system}-{own.release}-{own.machine}-with-{''.join(platform.libc_ver())}"


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a folder of results, whether its seal is right or not."""
    content = read_kept(folder / MANIFEST)
    check_shape(content, SHAPE, folder / MANIFEST)
    return content


def runs_in(folder: Path, manifest: Mapping[str, Any]) -> dict[str, Path]:
    """Return the folder of each run of a comparison, by name; empty if the manifest describes no comparison."""
    places = runs_of(manifest) or {}
    found = {name: inside(folder, place, folder / MANIFEST) for name, place in places.items()}
    for name, place in found.items():
        if place.resolve() == folder.resolve():
            raise InputError(
                str(folder / MANIFEST), f"names the folder itself, {places[name]!r}, as the folder of {name}"
            )
    return found


def check_folder(folder: Path, within: Path | None = None) -> None:
    """Compare the files of a run or comparison with the digests in its manifest."""
    if not folder.is_dir():
        raise InputError(str(folder), "is a file, not a folder of results" if folder.exists() else "no such folder")
    try:
        manifest = read_manifest(folder)
        # Manifests of the first format have no seal.
        if manifest["format"] != 1:
            check_seal(folder / MANIFEST, manifest)
    except FileNotFoundError:
        inner = [str(each.parent) for pattern in ("*", "*/*") for each in sorted(folder.glob(f"{pattern}/{MANIFEST}"))]
        allowed = f"; allowed: {', '.join(inner[:MOST_NAMED])}{' …' if inner[MOST_NAMED:] else ''}" if inner else ""
        kind = kind_of(folder)
        problem = "not a folder of a run, comparison or study: "
        problem += f"it is of the kind {kind.name}" if kind and kind.own else f"it has no {MANIFEST}"
        raise InputError(str(folder), f"{problem}{allowed}") from None
    for name in manifest.get("files", ()):
        check_file(folder, name, manifest)
    runs = runs_in(folder, manifest)
    if runs and within is not None:
        problem = f"belongs to a run of the comparison {within}, and names runs of its own; allowed: none"
        raise InputError(str(folder / MANIFEST), problem)
    for run in runs.values():
        # An interrupted comparison may lack some.
        if run.is_dir():
            check_folder(run, folder)


def check_file(folder: Path, name: str, manifest: dict[str, Any], remedy: str = "") -> None:
    """Compare a file of a folder with the digest in its manifest; nothing is wrong if the manifest does not list it."""
    expected = manifest.get("files", {}).get(name)
    if expected is None:
        return
    file = inside(folder, name, folder / MANIFEST)
    if not file.is_file():
        raise InputError(str(file), f"is missing, and {MANIFEST} lists it")
    if file_digest(file) != expected:
        problem = f"has changed since it was written: {MANIFEST} lists another digest"
        raise InputError(str(file), f"{problem}{remedy and '; '}{remedy}")


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file as `sha256:` followed by hexadecimal digits."""
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def _counts(path: Path, without: Sequence[str]) -> bool:
    return path.is_file() and not path.name.startswith(".") and path.name not in {"report.html", MANIFEST, *without}


def keep(folder: Path, files: Iterable[tuple[str, str, str]]) -> None:
    """Copy files into a folder of results."""
    for path, digest, kept in files:
        target = folder / kept
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(path, target)
        except OSError as error:
            raise OutputError(f"{path} cannot be kept with the results: {error.strerror or error}") from error
        if file_digest(target) != f"sha256:{digest}":
            raise OutputError(f"{path} has changed since it was read, so the results cannot keep what they rest on")


MANIFEST = "manifest.json"
# Folders that a message names at most.
MOST_NAMED = 5
# The folder of what programs have printed.
PROGRAMS = "programs"
DIGESTS = {ANY_NAME: str}
WHOLE = range(2**63)
# Of a run, a comparison and a study, which have some of it each.
SHAPE: dict[Any, Any] = {
    "format": int,
    "digest_schema?": WHOLE,
    "versions?": {ANY_NAME: str},
    "title?": str,
    "command?": (str, None),
    "description?": [[str]],
    "scenario?": str,
    "inputs?": DIGESTS,
    "seed?": WHOLE,
    "replications?": range(1_000_001),
    "cells?": WHOLE,
    "finished?": ([WHOLE], {ANY_NAME: [WHOLE]}, WHOLE),
    "failed?": ([str], {ANY_NAME: str}),
    "interrupted?": bool,
    "digest?": str,
    "started?": str,
    "wall_s?": float,
    "backend?": {"on?": str, "queue?": str, ANY_NAME: ANYTHING},
    "host?": {ANY_NAME: ANYTHING},
    "files?": DIGESTS,
    **{f"{kind}?": {ANY_NAME: str} for kind in KINDS},
    ANY_NAME: ANYTHING,
}
