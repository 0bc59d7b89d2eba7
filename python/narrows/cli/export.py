"""`narrows export`: a run folder in the formats of other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.commands.export import SENDER
from narrows.commands.export import export as write

if TYPE_CHECKING:
    import argparse


def export(arguments: argparse.Namespace) -> int:
    """Write a run in the form of another tool, and print the file or the folder."""
    at = getattr(arguments, "at", None) or SENDER
    replication = getattr(arguments, "replication", None)
    print(write(arguments.form, arguments.folder, arguments.out, replication=replication, at=at))
    return DONE
