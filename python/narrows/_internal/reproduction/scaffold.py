# SPDX-License-Identifier: Apache-2.0
"""The files of a new study with claims."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

from narrows._internal.errors import InputError, OutputError
from narrows._internal.files.folder import appearing
from narrows._internal.reproduction.registry import CLAIMS

if TYPE_CHECKING:
    from pathlib import Path


def new_claims(name: str, folder: Path) -> list[Path]:
    """Write a study of one experiment with two claims, which can be reproduced as it is."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise InputError("NAME", f"expected a letter, then letters, digits, - and _, got {name!r}")
    place = folder / name
    if place.exists():
        raise OutputError(f"{place} is there: choose another name")
    names = ("scenario.toml", "delay.toml", CLAIMS)
    with appearing(place) as partial:
        for file in names:
            text = (TEMPLATES / file).read_text(encoding="utf-8")
            (partial / file).write_text(text.replace("NAME", name), encoding="utf-8")
    return [place / file for file in names]


TEMPLATES = files("narrows._internal.reproduction") / "templates"
