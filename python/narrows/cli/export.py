# SPDX-License-Identifier: Apache-2.0
"""`narrows export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.api import export as write
from narrows.cli.status import DONE

if TYPE_CHECKING:
    import argparse


def export(arguments: argparse.Namespace) -> int:
    """Write a run in the form of another tool, and print the file or the folder."""
    options = {name: value for name in ("at", "replication") if (value := getattr(arguments, name, None)) is not None}
    print(write(arguments.form, arguments.folder, arguments.out, **options))
    return DONE
