# SPDX-License-Identifier: Apache-2.0
"""The only list of the kinds of folders of results, and how the kind of a folder is recognised."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from narrows._internal import comparison
from narrows._internal.errors import InputError
from narrows._internal.files.json_objects import read_object


class Format(NamedTuple):
    """The formats of a kind of file that this version writes and reads."""

    number: int  # the number that is written
    oldest: int  # the lowest number that is read
    again: str  # the way to make a file of another number again


class Kind(NamedTuple):
    """A kind of folder of results; functions are named by path, `module:function`, and imported when called."""

    name: str
    plural: str
    file: str  # states the number of the format of the folder
    format: Format
    page: str  # builds the page of a folder
    repeat: str  # repeats an unpacked folder, to verify it
    open: str  # makes the object that `narrows.open` returns from a folder and `trust`
    results: str = "summary.json"  # a folder without it has neither page nor entry in an index
    marks: tuple[str, ...] = ()  # files that only this kind has
    keys: tuple[str, ...] = ()  # keys of a summary or manifest that distinguish the kind if no kind has marks there
    rows: str = ""  # key of the results whose list is the table of the folder
    title: str = "title"  # key of their title
    own: tuple[str, ...] = ()  # patterns of further files of an archive; empty if a manifest or plan lists them
    draws: str = ""  # draws a metric of its cells against factors; empty if it has none
    packable: str = ""  # raises an error for a folder that cannot be repeated; empty if there is none


def kind_of(folder: Path) -> Kind | None:
    """Return the kind of a folder; None if it holds no results."""
    marked = next((kind for kind in KINDS if any((folder / name).is_file() for name in kind.marks)), None)
    if marked is not None or not any((folder / name).is_file() for name in UNMARKED):
        return marked
    content = _content(folder)
    return next((kind for kind in KINDS if any(key in content for key in kind.keys)), RUN)


def call(path: str, *arguments: Any, **named: Any) -> Any:
    """Call a function that a row names."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)(*arguments, **named)


def _content(folder: Path) -> Mapping[str, Any]:
    for name in UNMARKED:
        try:
            return read_object(folder / name)
        except (InputError, FileNotFoundError):
            # The reader of a damaged file reports the damage.
            continue
    return {}


MANIFEST_FORMAT = Format(2, 1, "make the results again with the command in its manifest")
COMMAND_AGAIN = "repeat the command that wrote it in another folder"
REPRODUCE_AGAIN = "repeat `narrows reproduce` in another folder"
# Files of kinds that have no marks of their own.
UNMARKED = ("summary.json", "manifest.json")
RUN = Kind(
    "run", "runs", "manifest.json", MANIFEST_FORMAT,
    page="narrows._internal.commands.page:run",
    repeat="narrows._internal.share.verify:repeat_runs",
    open="narrows._internal.opened.folder:OpenedRun",
)  # fmt: skip
KINDS = [
    RUN,
    Kind(
        "study", "studies", "plan.json", Format(3, 3, "`narrows study run` the study anew in another folder"),
        marks=("plan.json",),
        results="plan.json",
        page="narrows._internal.commands.page:study_in",
        repeat="narrows._internal.share.verify:repeat_study",
        open="narrows._internal.opened.folder:OpenedStudy",
        draws="narrows._internal.commands.responses:response",
    ),
    Kind(
        "study on both backends", "studies on both backends", "manifest.json", MANIFEST_FORMAT,
        keys=("simulator",),
        rows="differences",
        page="narrows._internal.commands.page:both",
        repeat="narrows._internal.share.verify:repeat_both",
        open="narrows._internal.opened.folder:OpenedBoth",
        draws="narrows._internal.commands.responses:response",
    ),
    # Before the suite, whose summary has a key that a trial's has, too.
    Kind(
        "trial", "trials", "trial.json", Format(1, 1, COMMAND_AGAIN),
        marks=("trial.json",),
        keys=("alpha",),
        rows="rows",
        own=("trial.json", "summary.json", "comment.md", "junit.xml", "report.html", "pairs.jsonl", "scenarios/**/*"),
        packable="narrows._internal.share.kept_runs:of_trial",
        page="narrows._internal.commands.page:trial",
        repeat="narrows._internal.share.verify:repeat_trial",
        open="narrows._internal.opened.folder:OpenedTable",
    ),
    Kind(
        "suite", "suites", "suite.json", Format(1, 1, COMMAND_AGAIN),
        marks=("suite.json",),
        keys=("rows",),
        rows="rows",
        own=("suite.json", "summary.json", "annex.md", "report.html", "scenarios/**/*", "suite/**/*"),
        page="narrows._internal.commands.page:suite",
        repeat="narrows._internal.share.verify:repeat_suite",
        open="narrows._internal.opened.folder:OpenedTable",
    ),
    Kind(
        "reproduction", "reproductions", "reproduction.json", Format(1, 1, REPRODUCE_AGAIN),
        marks=("reproduction.json", "ledger.json"),
        results="ledger.json",
        rows="claims",
        title="study",
        own=(
            "reproduction.json", "ledger.json", "tables.json", "results.toml", "cells.parquet", "report.html",
            # The second has the cells that were added for open claims.
            "claims/**/*", "decided/**/*",
        ),
        page="narrows._internal.commands.page:reproduction_in",
        repeat="narrows._internal.share.verify:repeat_reproduction",
        open="narrows._internal.opened.folder:OpenedReproduction",
        draws="narrows._internal.commands.responses:response",
    ),
    Kind(
        "atlas", "atlases", "search.json", Format(1, 1, COMMAND_AGAIN),
        marks=("search.json", "atlas.json"),
        results="atlas.json",
        rows="found",
        own=("search.json", "atlas.json", "curves.json", "history.jsonl", "report.html", "found/**/*"),
        packable="narrows._internal.share.kept_runs:of_atlas",
        page="narrows._internal.commands.page:atlas",
        repeat="narrows._internal.share.verify:repeat_atlas",
        open="narrows._internal.opened.folder:OpenedTable",
    ),
    # The last one with keys, as the summary of a trial has `backends`, too.
    RUN._replace(
        name="comparison", plural="comparisons",
        keys=comparison.KINDS,
        open="narrows._internal.opened.folder:OpenedComparison",
    ),
]  # fmt: skip
