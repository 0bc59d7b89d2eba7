# SPDX-License-Identifier: Apache-2.0
"""The run of a suite: a study per set of cells and backend, each with a folder that can be resumed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from narrows._internal import cards, core
from narrows._internal.errors import InputError
from narrows._internal.evaluation.definition import ALGORITHM, SUITE_FILE, Row, Suite, narrowed, read_suite
from narrows._internal.experiments.definition import read_study
from narrows._internal.experiments.overlay import Choice, offered
from narrows._internal.experiments.planner import Refused, make_plan
from narrows._internal.external.card import external_card
from narrows._internal.external.names import short_names
from narrows._internal.external.source import IN_STACKS, absolute, is_external
from narrows._internal.files.disk import write_whole
from narrows._internal.files.json_objects import read_object
from narrows._internal.files.kept import open_or_make
from narrows._internal.files.text import read_text
from narrows._internal.frozen import frozen
from narrows._internal.library import ships
from narrows._internal.linux import backend
from narrows._internal.linux.backend import BOTH, LINUX, SIMULATOR
from narrows._internal.names import UnknownNameError
from narrows._internal.reproduction.experiment import Part
from narrows._internal.run.levels import read_queue


@frozen
class Cells:
    """A set of cells on a backend."""

    part: Part  # the study; its plan has no points if the backend cannot run any
    refused: list[Refused]  # the points that the backend cannot run


@frozen
class Evaluation:
    """A suite with its subject, every cell planned."""

    suite: Suite
    subject: str  # the subject as given
    names: list[str]  # names in the results: of the subject, then of the references
    size: str  # "quick" or "full"
    on: str  # the backend as given: `simulator`, `linux`, `linux:NAME` or `both`
    sections: Sequence[str]  # the only sections whose rows are measured; empty for all
    card: Mapping[str, Any]  # card of the subject
    cells: Mapping[tuple[str, str], Cells]  # sets of cells, by backend and name
    # Reason why a set of cells cannot run with the subject, by backend and name of the set.
    faults: Mapping[tuple[str, str], str]

    @property
    def backends(self) -> list[str]:
        """The backends, the one whose results rows have first."""
        return _backends(self.on)

    @property
    def parts(self) -> list[Part]:
        """The studies that have cells."""
        return [each.part for each in self.cells.values() if each.part.plan.points]

    @property
    def identity(self) -> dict[str, str]:
        """The identity of the evaluation in its folder, for a later command that continues it."""
        keys = [
            part.plan.key(point, part.plan.replications.maximum) for part in self.parts for point in part.plan.points
        ]
        cells = hashlib.sha256("\n".join(keys).encode()).hexdigest()
        about = {"suite": self.suite.name, "subject": self.names[0], "size": self.size, "on": self.on, "cells": cells}
        return {**about, "rows": ",".join(self.sections)} if self.sections else about


def prepare(  # noqa: PLR0913, PLR0917  # the arguments of the command line
    file: str,
    subject: str,
    size: str,
    seed: int | None,
    replications: int | None,
    on: str = SIMULATOR,
    sections: Sequence[str] = (),
    overrides: Sequence[str] = (),
    *,
    trust: bool = False,
) -> Evaluation:
    """Read a suite and plan its cells."""
    if size not in SUITE_SIZES:
        raise UnknownNameError("size", size, SUITE_SIZES)
    suite = narrowed(read_suite(file), sections)
    kernels = [backend.find(each) for each in _backends(on)]
    card = card_of_subject(
        suite, subject, [name for kernel in kernels if kernel is not None for name in kernel["algorithms"]]
    )
    given = [subject, *(each for each in suite.references if each != subject)]
    short = short_names(given)
    cells, faults = {}, {}
    for each in _backends(on):
        for name, study_file in suite.cells.items():
            choice = Choice(size if size in offered(study_file) else None)
            measures = list(dict.fromkeys(text for row in suite.rows if row.cells == name for text in _measures(row)))
            asked = (suite, study_file, each, short, choice, (seed, replications), measures, overrides, trust)
            try:
                cells[each, name] = _cells(name, given, *asked)
            except core.ScenarioError as error:
                # Cells that run with the references alone are not at fault.
                _cells(name, given[1:], *asked)
                faults[each, name] = str(error.diagnostics[0]["message"])
    names = [short[each] for each in given]
    evaluation = Evaluation(suite, subject, names, size, on, list(sections), card, cells, faults)
    _check_subject(evaluation)
    return evaluation


def _backends(on: str) -> list[str]:
    return [SIMULATOR, LINUX] if on == BOTH else [on]


def _cells(  # noqa: PLR0913, PLR0917  # arguments of the suite and the command
    name: str,
    given: Sequence[str],
    suite: Suite,
    file: str,
    on: str,
    short: Mapping[str, str],
    choice: Choice,
    numbers: tuple[int | None, int | None],
    measures: Sequence[str],
    overrides: Sequence[str],
    trust: bool,  # noqa: FBT001  # one of the ten
) -> Cells:
    whole = [absolute(each) for each in given] if suite.subject == ALGORITHM else list(given)
    subjects = whole if suite.subject == ALGORITHM else [read_queue(each, each) for each in given]
    words = {"subjects": subjects, "names": [short[each] for each in given]}
    study = read_study(file, *numbers, choice, words)
    if on != SIMULATOR:
        study = replace(study, on=on)
    refused: list[Refused] = []
    plan = make_plan(study, overrides, measures, whole, trust=trust, refused=refused)
    return Cells(Part(name if on == SIMULATOR else f"{LINUX}/{name}", "", study, plan), refused)


def _check_subject(evaluation: Evaluation) -> None:
    """Check that a backend runs the subject somewhere."""
    subject = evaluation.names[0]
    by = evaluation.suite.subject
    tested = [
        point.algorithm if by == ALGORITHM else str(point.levels[by])
        for each in evaluation.cells.values()
        for point in each.part.plan.points
    ]
    refused = [
        each.reason
        for cells in evaluation.cells.values()
        for each in cells.refused
        if subject in {each.algorithm, str(each.levels.get(by))}
    ]
    if refused and subject not in tested:
        raise InputError(evaluation.subject, f"no cell of {evaluation.suite.title} runs with it: {refused[0]}")


def _measures(row: Row) -> list[str]:
    return [] if row.measure is None else [each for each in (row.measure.text, row.measure.per) if each is not None]


def card_of_subject(suite: Suite, subject: str, of_kernels: Sequence[str]) -> Mapping[str, Any]:
    """Return the card of a subject."""
    if suite.subject == ALGORITHM and is_external(subject):
        return external_card(subject)
    known = cards.algorithms() if suite.subject == ALGORITHM else cards.queues()
    bare = subject.partition("(")[0].strip()
    for card in known:
        if card["name"] == bare:
            return card
    prefix, _, theirs = bare.partition(":")
    if suite.subject == ALGORITHM and prefix == LINUX:
        if theirs in of_kernels:
            return {"name": bare}
        there = ", ".join(f"{LINUX}:{name}" for name in of_kernels)
        raise InputError(subject, f"only a Linux kernel has it; allowed with --on linux or both: {there or 'its own'}")
    if suite.subject == ALGORITHM and prefix in core.stacks():
        if theirs in core.stacks()[prefix]:
            return {"name": bare}
        if theirs.startswith(IN_STACKS):
            return card_of_subject(suite, theirs.removeprefix(IN_STACKS), of_kernels)
        raise UnknownNameError(f"controller of {prefix}", theirs, core.stacks()[prefix])
    hint = f"`narrows list {suite.subject}s` names them"
    raise UnknownNameError(suite.subject, bare, [card["name"] for card in known], hint)


def open_folder(evaluation: Evaluation, folder: Path, shard: Mapping[str, Any] | None = None) -> None:
    """Create the folder of an evaluation, unless it exists and holds the same one."""
    refusal = "holds the suite of another subject, size, backend, version, shard or other rows"
    about = {**evaluation.identity, **({"shard": shard} if shard else {})}
    open_or_make(folder, ABOUT, about, refusal)


def keep_suite(suite: Suite, folder: Path) -> None:
    """Copy the files of a suite that is not part of Narrows into the folder of an evaluation, to judge it again."""
    files = [Path(suite.given), *map(Path, suite.cells.values())]
    if not ships(files[0]):
        (folder / OWN).mkdir(exist_ok=True)
        for file in files:
            name = SUITE_FILE if file == files[0] else file.relative_to(files[0].parent)
            (folder / OWN / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(folder / OWN / name, read_text(file))


def place(folder: Path) -> Path:
    """Return the folder of the studies of an evaluation."""
    return folder / CELLS


def failures(folder: Path, part: str = "") -> list[Refused]:
    """Return the points of which a cell failed, and why, once for each cell."""
    found = [read_object(file) for file in sorted((place(folder) / part).rglob("failed/*.json"))]
    return [Refused(each["levels"], each["algorithm"], _in_a_line(str(each["error"]))) for each in found]


def _in_a_line(error: str) -> str:
    """Return the decisive line of an error: the last line of a traceback."""
    lines = error.strip().splitlines()
    return lines[-1 if "Traceback" in error else 0].strip() if lines else "no reason is known"


SUITE_SIZES = ("quick", "full")
ABOUT = "suite.json"
CELLS = "cells"
# The folder with the files of a suite that is not part of Narrows.
OWN = "suite"
