# SPDX-License-Identifier: Apache-2.0
"""`narrows playground`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.commands.playground import write

if TYPE_CHECKING:
    import argparse


def playground(arguments: argparse.Namespace) -> int:
    """Write a page that runs a scenario in a browser, and print its path."""
    print(write(arguments.file, arguments.out or Path("playground.html")))
    return DONE
