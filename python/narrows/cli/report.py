"""`narrows report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.errors import InputError
from narrows.files.manifest import MANIFEST, check_folder

if TYPE_CHECKING:
    import argparse


def report(arguments: argparse.Namespace) -> int:
    """Build the report of a run, comparison or study again and print its path."""
    if (arguments.folder / "plan.json").is_file():
        from narrows.report.study.build import build as build_study

        if (arguments.folder / MANIFEST).is_file():
            check_folder(arguments.folder)
        print(build_study(arguments.folder))
        return DONE
    if not (arguments.folder / "summary.json").is_file():
        problem = "is no folder of a run, comparison or study: it has neither summary.json nor plan.json"
        raise InputError(str(arguments.folder), problem)
    from narrows.report.run.build import build

    check_folder(arguments.folder)
    print(build(arguments.folder))
    return DONE
