"""The scenarios of a trial: files, those of a suite, or those that come with Narrows, each with A and with B."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from narrows.errors import InputError
from narrows.evaluation.definition import ALGORITHM, SUITES, find_suite, read_suite
from narrows.external.names import short_names
from narrows.external.source import is_external, named_files
from narrows.library import find_scenario
from narrows.run.scenario import read
from narrows.study.definition import read_study
from narrows.study.overlay import Choice, offered
from narrows.study.plan import make_plan
from narrows.study.task import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from narrows import core
    from narrows.evaluation.definition import Suite


@dataclass(frozen=True)
class Pair:
    """A scenario with A and with B.

    Attributes:
        name: Name of the scenario.
        a: The scenario with A as the subject.
        b: The scenario with B as the subject.
        wanted: Metrics that are judged, as `group.NAME.METRIC` or `link.NAME.METRIC`; empty for the usual ones.
    """

    name: str
    a: core.Scenario
    b: core.Scenario
    wanted: list[str] = field(default_factory=list)


def names(a: str, b: str) -> tuple[str, str]:
    """Return what results call A and B."""
    short = short_names([a, b]) if a != b else {a: a}
    return short[a], short[b]


def of_files(files: Sequence[str], a: str, b: str, seed: int | None) -> list[Pair]:
    """Return the pairs of scenario files, or of names of the library.

    Raises:
        InputError: A file cannot be read.
        ScenarioError: A scenario or an algorithm has faults.
    """
    found = []
    for given in files:
        place = find_scenario(given)
        scenario = read(place.file, place.changes)
        name = Path(given).stem if place.file == Path(given) else given
        found.append(Pair(name, scenario.resolve(a, None, seed), scenario.resolve(b, None, seed)))
    return found


def of_narrows(a: str, b: str, seed: int | None) -> list[Pair]:
    """Return the pairs of the scenarios that come with Narrows for trials."""
    return of_files([str(file) for file in sorted((SUITES / OWN).glob("*.toml"))], a, b, seed)


def of_suite(given: str, a: str, b: str, seed: int | None) -> list[Pair]:
    """Return the pairs of a suite: each of its cells at the quick size, with the measures of its rows.

    Raises:
        InputError: There is no such suite, or its subject is no algorithm.
        ScenarioError: A file or an algorithm has faults.
    """
    suite = read_suite(find_suite(given))
    if suite.subject != ALGORITHM:
        raise InputError(given, "is a suite of queues; allowed: one of algorithms")
    return [pair for cells in suite.cells for pair in _of_cells(suite, cells, a, b, seed)]


def _of_cells(suite: Suite, cells: str, a: str, b: str, seed: int | None) -> Iterator[Pair]:
    file = suite.cells[cells]
    subjects = [str(Path(each).absolute()) if is_external(each) else each for each in dict.fromkeys((a, b))]
    choice = Choice("quick" if "quick" in offered(file) else None)
    study = read_study(file, seed, None, choice, {"subjects": subjects, "names": subjects})
    measured = [row.measure for row in suite.rows if row.cells == cells and row.measure is not None]
    wanted = dict.fromkeys(each.text for each in measured if each.metric.cards[each.of]["better"])
    plan = make_plan(study, (), list(wanted), named_files(subjects, [], Path()))
    for points in plan.rows:
        resolved = [resolve(plan.base, point.overrides, point.written) for point in points]
        condition = " ".join(str(points[0].levels[name]) for name in plan.factors)
        yield Pair(f"{cells} {condition}".strip(), resolved[0], resolved[-1], list(wanted))


OWN = "changes"
