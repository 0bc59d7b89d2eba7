# SPDX-License-Identifier: Apache-2.0
"""Versions of installed packages, without `importlib.metadata`, which loads the parsers of mail."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path


@cache
def version(package: str) -> str:
    """Return the version of an installed package: that in the name of the folder of its metadata, if it has one."""
    before, after = f"{package.replace('-', '_')}-", ".dist-info"
    for place in sys.path:
        try:
            names = [file.name for file in Path(place or ".").iterdir()]
        except OSError:
            continue
        found = [name for name in names if name.lower().startswith(before) and name.endswith(after)]
        if len(found) == 1:
            return found[0][len(before) : -len(after)]
        if found:
            break
    from importlib import metadata

    return metadata.version(package)
