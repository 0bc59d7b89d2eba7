"""A folder of results as one file: a ZIP archive of everything that is needed to read it and to repeat it.

The folder holds the content of every file that its scenarios name, so the archive does, too. Equal folders make equal
archives: neither times nor owners of files are kept.
"""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from narrows.errors import InputError
from narrows.files.manifest import MANIFEST, check_folder
from narrows.study.plan import PLAN, check_kept, load_plan

if TYPE_CHECKING:
    import os


def pack(folder: str | os.PathLike[str], file: str | os.PathLike[str]) -> None:
    """Write the folder of a run, comparison or study into an archive.

    Args:
        folder: The folder.
        file: The archive; an existing one is replaced.

    Raises:
        InputError: The path is not such a folder, or a file in it is damaged.
        OSError: The archive cannot be written.
    """
    folder = Path(folder)
    if (folder / PLAN).is_file():
        check_kept(load_plan(folder), folder)
    if not (folder / PLAN).is_file() or (folder / MANIFEST).is_file():
        check_folder(folder)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for each in sorted(folder.rglob("*")):
            name = each.relative_to(folder)
            if each.is_file() and not any(part.startswith(".") for part in name.parts) and name.name not in OF_PROCESS:
                entry = zipfile.ZipInfo(name.as_posix(), EPOCH)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = READABLE << 16
                archive.writestr(entry, each.read_bytes())


def unpack(file: str | os.PathLike[str], folder: Path) -> None:
    """Write the files of an archive into an existing folder.

    Args:
        file: The archive.
        folder: The folder.

    Raises:
        InputError: The file is no archive of results, is damaged, or is far larger than its size says.
    """
    # A device has no end to look for.
    if Path(file).exists() and not Path(file).is_dir() and not Path(file).is_file():
        raise InputError(str(file), "is not a file")
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            strange = [name for name in names if _is_outside(name)]
            if strange or not {MANIFEST, PLAN} & set(names):
                raise InputError(str(file), "is no file that `narrows pack` wrote")
            # No file is unpacked further than to the size that is checked here.
            size, most = sum(entry.file_size for entry in archive.infolist()), _most_bytes(Path(file))
            if size > most:
                problem = f"would be {size} bytes when unpacked; allowed: at most {most}, {RATIO} times its own size"
                raise InputError(str(file), problem)
            archive.extractall(folder)
    except FileNotFoundError:
        raise InputError(str(file), "no such file") from None
    except IsADirectoryError:
        raise InputError(str(file), "is a folder; `narrows pack` makes a file of it") from None
    except zipfile.BadZipFile as error:
        # What the archive's own words say of a part is of use; of a file that is none, they name another program.
        said = str(error) if "zip" not in str(error) else "it is cut off, or of another program"
        raise InputError(str(file), f"cannot be unpacked as a file of `narrows pack`: {said}") from None
    except (EOFError, NotImplementedError, OSError, RuntimeError) as error:
        raise InputError(str(file), f"cannot be unpacked: {error}") from None


def _is_outside(name: str) -> bool:
    return PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\\" in name


def _most_bytes(file: Path) -> int:
    return max(RATIO * file.stat().st_size, ALWAYS)


# How many times its size an archive may have when it is unpacked, and what any may have, bytes. Tables are compressed
# before; texts of results shrink to a thirtieth at best.
RATIO = 100
ALWAYS = 64 << 20
# The time of every file: the earliest that the format has.
EPOCH = (1980, 1, 1, 0, 0, 0)
READABLE = 0o644
# What belongs to a process that works on a study, not to its results.
OF_PROCESS = {"lease.json"}
