"""`narrows report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.errors import InputError

if TYPE_CHECKING:
    import argparse


def report(arguments: argparse.Namespace) -> int:
    """Build the report of a run or comparison again and name it."""
    if not (arguments.folder / "summary.json").is_file():
        raise InputError(str(arguments.folder), "is no folder of a run or comparison: it has no summary.json")
    from narrows.report import build

    print(build(arguments.folder))
    return DONE
