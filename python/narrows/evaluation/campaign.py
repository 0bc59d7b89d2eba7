"""The run of a suite: a study per set of cells, each with a folder that can be resumed, then a verdict per row."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows import cards, core
from narrows.errors import InputError, OutputError
from narrows.evaluation.definition import ALGORITHM, ANY, OWN, read_suite
from narrows.evaluation.verdict import NOT_MEASURED, WITHIN, Judged, judge, lenient
from narrows.external.card import external_card
from narrows.external.names import short_names
from narrows.external.source import is_external, named_files
from narrows.files.folder import check_place, file_name
from narrows.files.inputs import keep
from narrows.files.manifest import to_json
from narrows.files.sealed import read_object
from narrows.reproduction.part import Part
from narrows.run.lists import read_queue
from narrows.study import campaign
from narrows.study.definition import read_study
from narrows.study.overlay import Choice, offered
from narrows.study.plan import make_plan
from narrows.study.task import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from narrows.evaluation.definition import Row, Suite
    from narrows.study.plan import Plan, Point

    Cell = Mapping[str, Any]


@dataclass(frozen=True)
class Evaluation:
    """A suite with its subject, every cell planned.

    Attributes:
        suite: The suite.
        subject: The subject as given.
        names: What results call the subject, then the references.
        size: "quick" or "full".
        card: Card of the subject.
        parts: A study per set of cells.
        refused: By the name of a set of cells, why it cannot run with the subject.
    """

    suite: Suite
    subject: str
    names: list[str]
    size: str
    card: Mapping[str, Any]
    parts: list[Part]
    refused: Mapping[str, str]

    @property
    def identity(self) -> dict[str, str]:
        """What the folder of the evaluation holds, for a later command that goes on with it."""
        keys = [
            part.plan.key(point, part.plan.replications.maximum) for part in self.parts for point in part.plan.points
        ]
        cells = hashlib.sha256("\n".join(keys).encode()).hexdigest()
        return {"suite": self.suite.name, "subject": self.names[0], "size": self.size, "cells": cells}


def prepare(file: Path, subject: str, size: str, seed: int | None, replications: int | None) -> Evaluation:
    """Read a suite and plan its cells.

    Args:
        file: The suite file.
        subject: The algorithm or queue under test.
        size: "quick" or "full".
        seed: Master seed in place of the files' own; None for theirs.
        replications: Number of replications in place of the files' own; None for theirs.

    Raises:
        InputError: A file cannot be read, or the subject is not known.
        ScenarioError: A file has faults.
    """
    suite = read_suite(file)
    card = _card(suite, subject)
    given = [subject, *(each for each in suite.references if each != subject)]
    short = short_names(given)
    parts, refused = [], {}
    for name, cells in suite.cells.items():
        choice = Choice(size if size in offered(cells) else None)
        measures = dict.fromkeys(text for row in suite.rows if row.cells == name for text in _measures(row))
        try:
            parts.append(_part(name, cells, suite, given, short, choice, (seed, replications), list(measures)))
        except core.ScenarioError as error:
            # What runs with the references alone is not at fault.
            _part(name, cells, suite, given[1:], short, choice, (seed, replications), list(measures))
            refused[name] = str(error.diagnostics[0]["message"])
    return Evaluation(suite, subject, [short[each] for each in given], size, card, parts, refused)


def _part(  # noqa: PLR0913, PLR0917  # what the suite and the command say
    name: str,
    file: Path,
    suite: Suite,
    given: Sequence[str],
    short: Mapping[str, str],
    choice: Choice,
    numbers: tuple[int | None, int | None],
    measures: Sequence[str],
) -> Part:
    whole = [_absolute(each) for each in given] if suite.subject == ALGORITHM else list(given)
    subjects = whole if suite.subject == ALGORITHM else [read_queue(each, each) for each in given]
    words = {"subjects": subjects, "names": [short[each] for each in given]}
    study = read_study(file, *numbers, choice, words)
    return Part(name, "", study, make_plan(study, (), measures, named_files(whole, [], Path())))


def _absolute(name: str) -> str:
    return str(Path(name).absolute()) if is_external(name) else name


def _measures(row: Row) -> list[str]:
    return [] if row.measure is None else [each for each in (row.measure.text, row.measure.per) if each is not None]


def _card(suite: Suite, subject: str) -> Mapping[str, Any]:
    if suite.subject == ALGORITHM and is_external(subject):
        return external_card(subject)
    known = cards.algorithms() if suite.subject == ALGORITHM else cards.queues()
    bare = subject.partition("(")[0].strip()
    for card in known:
        if card["name"] == bare:
            return card
    near = core.nearest(bare, [card["name"] for card in known])
    hint = f"did you mean {near}?" if near else f"`narrows list {suite.subject}s` names them"
    raise InputError(subject, f"no {suite.subject} has this name; {hint}")


def open_folder(evaluation: Evaluation, folder: Path) -> None:
    """Create the folder of an evaluation, unless it exists and holds the same one.

    Raises:
        OutputError: The path holds another evaluation or something else.
    """
    file = folder / ABOUT
    if file.is_file():
        if read_object(file) != evaluation.identity:
            raise OutputError(f"{folder} holds the suite of another subject, size or version: name another folder")
        return
    check_place(folder, replace=False)
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(to_json(evaluation.identity) + "\n", encoding="utf-8")


def place(folder: Path) -> Path:
    """Return the folder of the studies of an evaluation."""
    return folder / CELLS


def failures(folder: Path) -> list[str]:
    """Return why cells of an evaluation failed, a text per cell."""
    return [str(read_object(file)["error"]) for file in sorted(place(folder).glob("*/failed/*.json"))]


def rows(evaluation: Evaluation, folder: Path) -> list[dict[str, Any]]:
    """Judge every row of a suite whose cells are finished, and write the scenario file of each.

    Args:
        evaluation: The suite with its subject.
        folder: Folder of the evaluation.

    Returns:
        The rows of `summary.json`: for each criterion a row per combination of levels.
    """
    tables = {part.experiment: campaign.table(place(folder) / part.path).to_pylist() for part in evaluation.parts}
    plans = {part.experiment: part.plan for part in evaluation.parts}
    found: list[dict[str, Any]] = []
    for row in evaluation.suite.rows:
        if row.absent is not None:
            found.append(_without(row, *row.absent))
        elif row.card:
            found.append(_of_card(row, evaluation.card))
        elif row.cells in evaluation.refused:
            found.append(_without(row, NOT_MEASURED, f"the cells cannot run: {evaluation.refused[row.cells]}"))
        else:
            found += _measured(evaluation, row, plans[row.cells], tables[row.cells], folder)
    return found


def _measured(
    evaluation: Evaluation, row: Row, plan: Plan, cells: Sequence[Cell], folder: Path
) -> Iterator[dict[str, Any]]:
    measure, predicate = row.measure, row.predicate
    if measure is None or predicate is None:
        return
    tested, by = evaluation.names[0], "algorithm" if evaluation.suite.subject == ALGORITHM else "queue"
    factors = [name for name in plan.factors if name != by]
    unknown = set(row.where) | set(predicate.at)
    if unknown - set(factors):
        problem = f"section {row.section}: {row.cells}.toml has no factor {min(unknown - set(factors))}"
        raise InputError(str(evaluation.suite.folder / "suite.toml"), f"{problem}; it has {', '.join(factors)}")
    chosen = [
        point
        for point in plan.points
        if _subject(point, by) == tested
        and all(str(point.levels[name]) in map(str, wanted) for name, wanted in row.where.items())
    ]
    for point in chosen:
        condition = {name: point.levels[name] for name in factors}
        own = _values(cells, by, tested, condition, row)
        against = None
        if predicate.than == OWN:
            other = _values(cells, by, tested, {**condition, **predicate.at}, row)
            against = [other.get(each, math.nan) for each in own]
        elif predicate.than is not None:
            wanted = evaluation.suite.references if predicate.than == ANY else [predicate.than]
            others = [_values(cells, by, each, condition, row) for each in wanted]
            against = lenient([[other.get(each, math.nan) for each in own] for other in others], upper=predicate.upper)
        found = judge(measure, predicate, list(own.values()), against)
        link = _scenario(plan, point, row.cells, condition, folder)
        yield _row(row, found, condition, link, (tested, len(own)))


def _subject(point: Point, by: str) -> str | None:
    return point.algorithm if by == "algorithm" else str(point.levels[by])


def _values(cells: Sequence[Cell], by: str, name: str, condition: Mapping[str, Any], row: Row) -> dict[int, float]:
    """Return the measure of a row by replication."""
    if row.measure is None:
        return {}
    found = {}
    for cell in cells:
        if cell[by] == name and all(str(cell[factor]) == str(level) for factor, level in condition.items()):
            value = cell[row.measure.text]
            if row.measure.per is not None:
                divisor = cell[row.measure.per]
                value = value / divisor if value is not None and divisor else None
            found[int(cell["replication"])] = math.nan if value is None else float(value)
    return dict(sorted(found.items()))


def _scenario(plan: Plan, point: Point, cells: str, condition: Mapping[str, Any], folder: Path) -> str:
    """Write the scenario of a point, with the subject in place; return its path within the folder."""
    home = folder / SCENARIOS
    home.mkdir(exist_ok=True)
    words = "-".join(str(each) for each in condition.values())
    name = file_name("-".join(each for each in (cells, words) if each).replace(" ", "-")) + ".toml"
    if not (home / name).exists():
        scenario = resolve(plan.base, point.overrides, point.written)
        keep(home, scenario.files)
        (home / name).write_text(scenario.portable, encoding="utf-8")
    return f"{SCENARIOS}/{name}"


def _row(
    row: Row, found: Judged, condition: Mapping[str, Any], scenario: str, basis: tuple[str, int]
) -> dict[str, Any]:
    measure, predicate = row.measure, row.predicate
    if measure is None or predicate is None:
        return {}
    tested, replications = basis
    return {
        **_about(row),
        "condition": dict(condition),
        "verdict": found.verdict,
        "decided": found.decided,
        "reference": _reference(predicate.than, predicate.at),
        "measured": found.measured["mean"],
        "interval": found.measured["ci95"],
        "reference_measured": None if found.against is None else found.against["mean"],
        "reference_interval": None if found.against is None else found.against["ci95"],
        "bound": {"at_most" if predicate.upper else "at_least": found.bound},
        "excess": {"mean": found.excess["mean"], "ci95": found.excess["ci95"]},
        "measure": f"{measure.text} / {measure.per}" if measure.per else measure.text,
        "unit": "" if measure.per else measure.metric.unit,
        "predicate": predicate.kind,
        "predicate_source": row.whose,
        "subject": tested,
        "replications": replications,
        "scenario": scenario,
        "reason": None,
    }


def _reference(than: str | None, at: Mapping[str, Any]) -> str | None:
    if than == OWN:
        return "its own at " + ", ".join(f"{name} = {level}" for name, level in at.items())
    return "the most lenient reference" if than == ANY else than


def _about(row: Row) -> dict[str, Any]:
    return {"section": row.section, "criterion": row.criterion, "level": row.level or None}


def _without(row: Row, verdict: str, reason: str) -> dict[str, Any]:
    empty = dict.fromkeys(
        ("reference", "measured", "interval", "reference_measured", "reference_interval", "bound", "excess", "measure")
    )
    return {
        **_about(row),
        "condition": {},
        "verdict": verdict,
        "decided": False,
        **empty,
        "unit": "",
        "predicate": None,
        "predicate_source": row.whose or None,
        "replications": 0,
        "scenario": None,
        "reason": reason,
    }


def _of_card(row: Row, card: Mapping[str, Any]) -> dict[str, Any]:
    entries = card.get(row.card) or []
    if not entries:
        return _without(row, NOT_MEASURED, f"the card of {card['name']} states no {row.card}")
    return {**_without(row, WITHIN, " ".join(entries)), "decided": True, "measure": f"card: {row.card}"}


ABOUT = "suite.json"
CELLS = "cells"
SCENARIOS = "scenarios"
