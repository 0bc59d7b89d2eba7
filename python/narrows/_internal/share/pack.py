# SPDX-License-Identifier: Apache-2.0
"""A folder of results as one file: a ZIP archive of everything that is needed to read it and to repeat it.

The folder, and so the archive, holds the content of every file that its scenarios name. Equal folders make equal
archives: neither times nor owners of files are kept.
"""

from __future__ import annotations

import json
import os
import struct
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from narrows._internal.errors import InputError
from narrows._internal.experiments.plan import PLAN, check_kept, load_plan
from narrows._internal.experiments.store import CELLS, FAILED, TABLE
from narrows._internal.files.format import PACK, check_number, numbered
from narrows._internal.files.json_objects import from_json, read_sealed, sealed
from narrows._internal.files.kinds import call, kind_of
from narrows._internal.files.manifest import MANIFEST, check_folder, file_digest, read_manifest, runs_in
from narrows._internal.files.place import inside, leaves
from narrows._internal.files.shape import ANY_NAME, check_shape
from narrows._internal.files.text import is_text
from narrows._internal.linux.backend import LINUX, SIMULATOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from narrows._internal.files.kinds import Kind


def pack(folder: str | os.PathLike[str], file: str | os.PathLike[str]) -> None:
    """Write the folder of a run, comparison, study, suite, reproduction, trial or search into an archive."""
    # Only the files that manifest and plan list, and the files that every such folder has, are packed.
    folder = Path(folder)
    kind = kind_of(folder)
    is_collection = kind is not None and bool(kind.own)
    if kind is not None and kind.packable:
        call(kind.packable, folder)
    for each in studies_of(folder) if is_collection else [folder]:
        if (each / PLAN).is_file():
            check_kept(load_plan(each), each)
        if not (each / PLAN).is_file() or (each / MANIFEST).is_file():
            check_folder(each)
    for each in folder.rglob("*"):
        if not is_text(each.name):
            problem = (
                f"holds a file whose name is not UTF-8: {os.fsencode(each.name).decode(errors='backslashreplace')}"
            )
            raise InputError(str(folder), problem)
    # A link to a folder within would name its files twice.
    taken = {place: inside(folder, place, folder) for place in sorted(set(_all_places(folder)))}
    if len(taken) > MOST_FILES:
        raise InputError(str(folder), f"holds {len(taken)} files; allowed in an archive: at most {MOST_FILES}")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        archive.comment = json.dumps(numbered(PACK, {})).encode()
        for place, each in taken.items():
            entry = zipfile.ZipInfo(place, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = READABLE << 16
            archive.writestr(entry, each.read_bytes())
        if is_collection:
            archive.writestr(zipfile.ZipInfo(LISTING, EPOCH), listing(taken))


def _all_places(folder: Path) -> Iterator[str]:
    """Yield the places of the files in a folder of results that are packed."""
    kind = kind_of(folder)
    if kind is None or not kind.own:
        yield from _places(folder, Path())
        return
    yield from own_files(folder, kind)
    for study in studies_of(folder):
        yield from _places(folder, study.relative_to(folder))


def _places(folder: Path, below: Path) -> Iterator[str]:
    """Yield the places of the files in a folder of results that are packed, from the folder `below` on."""
    here = inside(folder, below.as_posix(), folder)
    listed = [*ALWAYS_THERE]
    manifest = {}
    if (here / MANIFEST).is_file():
        manifest = read_manifest(here)
        listed += [*manifest.get("files", ()), *manifest.get("inputs", ())]
    if (here / PLAN).is_file():
        listed += load_plan(here).inputs
        listed += [f"{each.parent.name}/{each.name}" for name in OF_CELLS for each in here.glob(name)]
    yield from ((below / place).as_posix() for place in listed if (here / place).is_file())
    for inner in runs_in(here, manifest).values():
        if inner.is_dir():
            yield from _places(folder, inner.relative_to(folder))
    for name in (SIMULATOR, LINUX):
        # The studies of a matrix or deployment on both backends.
        if (here / name / PLAN).is_file():
            yield from _places(folder, below / name)


def unpack(file: str | os.PathLike[str], folder: Path) -> None:
    """Write the files of an archive into an existing folder."""
    # A device has no end to look for.
    if Path(file).exists() and not Path(file).is_dir() and not Path(file).is_file():
        raise InputError(str(file), "is not a file")
    try:
        with zipfile.ZipFile(file) as archive:
            _check_entries(file, archive.infolist())
            _check_number(file, archive.comment)
            archive.extractall(folder)
    except FileNotFoundError:
        raise InputError(str(file), "no such file") from None
    except IsADirectoryError:
        raise InputError(str(file), "is a folder; `narrows pack` makes a file of it") from None
    except zipfile.BadZipFile as error:
        # An error of a damaged part is useful; for a file that is no archive, it names another program.
        said = str(error) if "zip" not in str(error) else "it is cut off, or of another program"
        raise InputError(str(file), f"cannot be unpacked as a file of `narrows pack`: {said}") from None
    except DAMAGE as error:
        raise InputError(str(file), f"cannot be unpacked: it is damaged: {error}") from None
    except OSError as error:
        raise InputError(str(file), f"cannot be unpacked: {error.strerror or error}") from None


def _check_entries(file: str | os.PathLike[str], entries: list[zipfile.ZipInfo]) -> None:
    """Check that an archive is one of `pack`, and how large it is, before anything of it is unpacked."""
    names = [each.filename for each in entries]
    # `pack` writes neither names that `zipfile` cuts off at a zero byte nor names with other separators.
    strange = [each for each in entries if leaves(each.filename) or each.filename != each.orig_filename]
    methods = {each.compress_type for each in entries} - {zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED}
    if strange or methods or len(set(names)) < len(names) or not {MANIFEST, PLAN, LISTING} & set(names):
        raise InputError(str(file), "is not a file written by `narrows pack`")
    if len(names) > MOST_FILES:
        raise InputError(str(file), f"holds {len(names)} files; allowed: at most {MOST_FILES}")
    # No file is unpacked further than to the size that is checked here.
    size, most = sum(each.file_size for each in entries), _most_bytes(Path(file))
    if size > most:
        problem = f"would be {size} bytes when unpacked; allowed: at most {most}, {RATIO} times its own size"
        raise InputError(str(file), problem)


def _check_number(file: str | os.PathLike[str], comment: bytes) -> None:
    """Check the number of the format, which is in the comment of an archive."""
    try:
        content = from_json(comment) if comment else {}
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise InputError(str(file), "is not a file written by `narrows pack`")
    check_number(content, PACK, os.fspath(file))


def _most_bytes(file: Path) -> int:
    return max(RATIO * file.stat().st_size, ALWAYS)


def studies_of(folder: Path) -> list[Path]:
    """Return the folders of the studies of a collection."""
    return sorted(file.parent for file in folder.rglob(PLAN))


def own_files(folder: Path, kind: Kind) -> Iterator[str]:
    """Yield the places of the files of a collection that are none of its studies."""
    for pattern in kind.own:
        yield from (each.relative_to(folder).as_posix() for each in folder.glob(pattern) if each.is_file())


def listing(files: Mapping[str, Path]) -> str:
    """Return the content of the file of an archive that lists the digests of all others."""
    digests = {place: file_digest(file) for place, file in files.items()}
    return json.dumps(sealed({"files": digests}), indent=1) + "\n"


def changed(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each file of an unpacked collection that differs from the packed one, and the difference."""
    file = folder / LISTING
    if not file.is_file():
        raise InputError(str(folder), f"holds no {LISTING}")
    content = read_sealed(file)
    check_shape(content, {"files": {ANY_NAME: str}}, file)
    listed = content["files"]
    for place, digest in listed.items():
        there = inside(folder, place, file)
        if not there.is_file():
            yield place, "is missing"
        elif file_digest(there) != digest:
            yield place, "is not the one that was packed"
    found = {each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()}
    yield from ((place, "was not packed") for place in sorted(found - set(listed) - {LISTING}))


# The greatest ratio of unpacked to packed size, and the unpacked size that is always allowed, bytes. Tables are
# compressed already; texts of results shrink to a thirtieth at best.
RATIO = 100
ALWAYS = 64 << 20
# The time of every file: the earliest that the format has.
EPOCH = (1980, 1, 1, 0, 0, 0)
READABLE = 0o644
# Files of an archive at most.
MOST_FILES = 20_000
# Errors that a damaged archive causes besides the errors of `zipfile`.
DAMAGE = (
    EOFError, IndexError, KeyError, NotImplementedError, OverflowError, RuntimeError, ValueError, struct.error,
    zlib.error,
)  # fmt: skip
# Files of folders of results that a manifest need not list; an unfinished study has no manifest.
ALWAYS_THERE = (
    MANIFEST, PLAN, TABLE, "extended.toml", "report.html", "scenario.toml", "study.toml", "summary.json", "view.json",
)  # fmt: skip
# Files of cells of a study that are not gathered, and one for each cell that failed.
OF_CELLS = tuple(f"{folder}/[0-9a-f]*.{ending}" for folder in (CELLS, FAILED) for ending in ("json", "toml"))
LISTING = "packed.json"
