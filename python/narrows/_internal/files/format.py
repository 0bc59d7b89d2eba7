# SPDX-License-Identifier: Apache-2.0
"""The numbers of the formats of kept files, and the check of the number that a file states."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from narrows._internal.errors import InputError
from narrows._internal.files.disk import write_whole
from narrows._internal.files.json_objects import SEAL, check_seal, read_object, sealed, to_json
from narrows._internal.files.kinds import COMMAND_AGAIN, KINDS, REPRODUCE_AGAIN, Format
from narrows._internal.versions import version


class FormatError(InputError):
    """A file is of a format that this version does not read."""


def numbered(name: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a file with the number of its format in front."""
    return {"format": FORMATS[name].number, **content}


def write_kept(file: Path, content: Mapping[str, Any], *, is_sealed: bool = False) -> dict[str, Any]:
    """Write a JSON file that a user keeps, whole or not at all, and return its content."""
    whole = numbered(file.name, content)
    write_whole(file, to_json(sealed(whole) if is_sealed else whole) + "\n")
    return whole


def read_kept(file: Path, *, is_sealed: bool = False) -> dict[str, Any]:
    """Read a JSON file that a user keeps."""
    content = read_object(file)
    check_number(content, file.name, file)
    if is_sealed:
        check_seal(file, content)
        del content[SEAL]
    return content


def check_number(content: Mapping[str, Any], name: str, file: Path | str) -> None:
    """Check the number of a format."""
    given = content.get("format", 0)
    number, oldest, again = FORMATS[name]
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise InputError(str(file), f"is damaged: `format` is {json.dumps(given)}; allowed: a whole number from 1")
    if oldest <= given <= number:
        return
    reads = f"format {number}" if oldest == number else f"formats {oldest} to {number}"
    here = f"Narrows {version('narrows')}, which is installed, reads {reads}"
    if given > number:
        raise FormatError(str(file), f"is of format {given}, of a newer version; {here}; install a newer version")
    is_of = f"is of format {given}," if given else "has no number of its format, so it is"
    raise FormatError(
        str(file), f"{is_of} of an older version; {here}; {again}, or read it with the version that wrote it"
    )


PACK = "pack"
# A number changes when a file of the old format would be misread.
FORMATS = {
    **{kind.file: kind.format for kind in KINDS},
    "shard.json": Format(1, 1, "run the shard again in another folder"),
    "experiments.json": Format(1, 1, REPRODUCE_AGAIN),
    # A file without a number has format 1.
    "summary.json": Format(1, 0, COMMAND_AGAIN),
    "view.json": Format(1, 0, COMMAND_AGAIN),
    "atlas.json": Format(1, 0, COMMAND_AGAIN),
    "curves.json": Format(1, 1, COMMAND_AGAIN),
    # Two: agreement by quantity, as factors.
    **dict.fromkeys(("tables.json", "tables-quick.json"), Format(2, 2, REPRODUCE_AGAIN)),
    # The comment of the archive.
    PACK: Format(1, 0, "`narrows pack` the folder again"),
    # Three: a sample of each experiment. Four: strict bounds, intervals of possible effects, classes of causes.
    **dict.fromkeys(("ledger.json", "ledger-quick.json"), Format(4, 3, REPRODUCE_AGAIN)),
}
SUMMARY = "summary.json"
