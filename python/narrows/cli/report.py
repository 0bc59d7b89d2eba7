"""`narrows report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.errors import InputError
from narrows.files.manifest import MANIFEST, check_folder
from narrows.files.sealed import read_object
from narrows.linux.backend import BOTH

if TYPE_CHECKING:
    import argparse


def report(arguments: argparse.Namespace) -> int:
    """Build the report of a run, comparison or study again, or the index of a folder of them, and print its path."""
    if (arguments.folder / "plan.json").is_file():
        from narrows.report.study.build import build as build_study

        if (arguments.folder / MANIFEST).is_file():
            check_folder(arguments.folder)
        print(build_study(arguments.folder))
        return DONE
    if not (arguments.folder / "summary.json").is_file():
        if not arguments.folder.is_dir():
            raise InputError(str(arguments.folder), "is no folder")
        from narrows.report.index.build import build as build_index

        print(build_index(arguments.folder))
        return DONE
    from narrows.report.run.build import build

    check_folder(arguments.folder)
    summary = read_object(arguments.folder / "summary.json")
    if "kind" in summary and summary.get("on") == BOTH:
        from narrows.report.study.backends import build as build_both

        print(build_both(arguments.folder, summary))
        return DONE
    print(build(arguments.folder))
    return DONE
