# SPDX-License-Identifier: Apache-2.0
"""The default folder of results: `runs/TITLE-HASH`."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from narrows import core
from narrows.errors import InputError
from narrows.files.manifest import read_manifest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrows.core import Scenario


def default_folder(scenarios: Sequence[Scenario]) -> Path:
    """Return the default folder of a run or comparison; its hash is over everything that the records depend on."""
    return folder_of(scenarios[0].title, [f"{each.digest} {each.seed} {each.replications}" for each in scenarios])


def folder_of(title: str, parts: Sequence[str]) -> Path:
    """Return the folder of a title and a hash of everything that the results depend on."""
    identity = "\n".join(parts) + core.fingerprint()
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:LONGEST_TITLE].strip("-")
    return Path("runs") / f"{name or 'untitled'}-{hashlib.sha256(identity.encode()).hexdigest()[:HASH_DIGITS]}"


def is_whole(folder: Path) -> bool:
    """Return whether `folder` holds a complete run or comparison."""
    try:
        manifest = read_manifest(folder)
    except (FileNotFoundError, InputError):
        return False
    return manifest.get("interrupted") is False


LONGEST_TITLE = 60
HASH_DIGITS = 8
