"""`narrows report`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrows.cli.status import DONE
from narrows.errors import InputError
from narrows.files.format import read_kept
from narrows.files.manifest import MANIFEST, check_folder
from narrows.files.shape import fitting
from narrows.linux.backend import BOTH

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def report(arguments: argparse.Namespace) -> int:
    """Build the report of results again, or the index of a folder of results, and print its path."""
    folder = arguments.folder
    if not folder.is_dir():
        raise InputError(str(folder), "is a file, no folder of results" if folder.exists() else "no such folder")
    with fitting(folder):
        print(_build(folder))
    return DONE


def _build(folder: Path) -> Path:
    if (folder / "plan.json").is_file():
        from narrows.report.study.build import build as build_study

        if (folder / MANIFEST).is_file():
            check_folder(folder)
        return build_study(folder)
    for name, command in WITH_REPORT.items():
        if (folder / name).is_file():
            problem = f"only the command that wrote it builds its report again: {command} --out {folder}"
            raise InputError(str(folder), problem)
    if not (folder / "summary.json").is_file():
        from narrows.report.index.build import build as build_index

        return build_index(folder)
    summary = read_kept(folder / "summary.json")
    if "rows" in summary and not (folder / MANIFEST).is_file():
        return _build_rows(folder, summary)
    check_folder(folder)
    if "kind" in summary and summary.get("on") == BOTH:
        from narrows.report.study.backends import build as build_both

        return build_both(folder, summary)
    from narrows.report.run.build import build

    return build(folder)


def _build_rows(folder: Path, summary: dict[str, Any]) -> Path:
    """Build the report of a trial or a suite, whose summaries hold all of it."""
    from narrows.report.evaluation.page import suite_page
    from narrows.report.trial.page import trial_page

    file = folder / "report.html"
    try:
        page = trial_page(summary) if "alpha" in summary else suite_page(summary)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InputError(str(folder / "summary.json"), f"is damaged: {type(error).__name__}: {error}") from None
    file.write_text(page, encoding="utf-8")
    return file


# Folders whose reports show more than their files have, by a file that only such a folder has, and what writes them.
WITH_REPORT = {"atlas.json": "narrows worst ALG …", "ledger.json": "narrows reproduce NAME --judge"}
