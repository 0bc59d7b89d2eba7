# SPDX-License-Identifier: Apache-2.0
"""`narrows report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.commands import page
from narrows.files.manifest import MANIFEST, check_folder
from narrows.files.shape import fitting

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def report(arguments: argparse.Namespace) -> int:
    """Build the page of results, or the index of a folder of results, and print its path."""
    folder: Path = arguments.folder
    with fitting(folder):
        if (folder / MANIFEST).is_file():
            check_folder(folder)
        print(page.build(folder))
    return DONE
