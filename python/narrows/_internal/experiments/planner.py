# SPDX-License-Identifier: Apache-2.0
"""Planning of a study: every point is resolved and checked, before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from narrows._internal import core
from narrows._internal.comparison import Replaced
from narrows._internal.errors import InputError
from narrows._internal.experiments.definition import WIDTH, Study
from narrows._internal.experiments.design import Row
from narrows._internal.experiments.document import Node
from narrows._internal.experiments.factors import label_of
from narrows._internal.experiments.keys import ON
from narrows._internal.experiments.measures import Column, Known, added, columns, half_width
from narrows._internal.experiments.plan import Kept, Plan, Point
from narrows._internal.experiments.task import Base, resolve
from narrows._internal.external.names import short_names
from narrows._internal.external.trust import ALL_CHANGES, Trust, granted
from narrows._internal.files.text import read_text
from narrows._internal.files.toml import inline
from narrows._internal.run import workers
from narrows._internal.run.summary import replaced_in


class Refused(NamedTuple):
    """A point that its backend cannot run."""

    levels: dict[str, Any]  # values of the columns of factors
    algorithm: str | None  # name of the algorithm under test; None for the scenario's algorithms
    reason: str  # the key of the scenario, and why the backend refuses its value


def make_plan(  # noqa: PLR0913  # each has a default
    study: Study,
    overrides: Sequence[str] = (),
    measures: Sequence[str] = (),
    named: Sequence[str] = (),
    *,
    trust: bool = False,
    execute: bool = True,
    refused: list[Refused] | None = None,
) -> Plan:
    """Resolve every point of a study."""
    own = study.changes
    changes = (*own, *overrides)
    asked = study.document.file, named, changes, study.directory
    typed = granted(*asked, beside=study.scenario.file, trust=trust)
    # If nothing is executed, a plan lists the files that a run would execute.
    listing = typed if execute else typed._replace(text=True, changes=ALL_CHANGES)
    planner = _Planner(study, changes, listing, refused)
    planner.try_base()
    points = _named(
        [point for row, levels in enumerate(_distinct(study.design.rows)) for point in planner.points(row, levels)]
    )
    study.document.check()
    # Combinations that the backend refuses have no number.
    numbers = {row: number for number, row in enumerate(dict.fromkeys(point.row for point in points))}
    points = [replace(point, row=numbers[point.row]) for point in points]
    if execute:
        planner.try_algorithms()
    study.document.check()
    known = Known(planner.groups, planner.links, points)
    measured = columns(study.document, study.measures, known) if points else []
    for column in (column for text in measures if points for column in added(text, known)):
        if column not in measured:
            measured.append(column)
    if points:
        _check_sequential(study, measured)
    study.document.check()
    # The folder of a study names no other folder, unless commands need it.
    trusting = planner.base.trust._replace(text=typed.text, changes=typed.changes)
    base = replace(planner.base, trust=trusting)
    base = base if planner.has_programs else replace(base, commands="")
    plan = Plan(
        title=study.title,
        question=study.question,
        base=base,
        seed=planner.seed,
        replications=study.replications,
        factors=[factor.name for factor in study.factors],
        columns=measured,
        design={"kind": study.design.kind, **study.design.facts},
        inputs={kept: digest for kept, (_, digest) in planner.kept.files.items()},
        points=points,
        size=study.choice.size,
        variant=study.choice.variant,
        external=sorted({file for file, _ in planner.external}),
        margins=dict(study.margins),
        replaced=planner.replaced,
        kept=planner.kept,
    )
    if points:
        _check_keys(study, plan)
    return plan


class _Planner:
    def __init__(self, study: Study, overrides: tuple[str, ...], trust: Trust, refused: list[Refused] | None) -> None:
        self.study = study
        self.overrides = overrides
        self.refused = refused
        directory, study_directory = str(study.scenario.file.parent.absolute()), str(study.directory.absolute())
        self.base = Base(
            text=read_text(study.scenario.file),
            file=str(study.scenario.file),
            directory=directory,
            overrides_directory=study_directory,
            seed=study.seed,
            engine=core.fingerprint(),
            trust=trust,
            commands=directory,
        )
        self.seed = 0
        self.groups: set[str] = set()
        self.links: set[str] = set()
        self.has_programs = False
        self.replaced: Replaced | None = None
        self.kept = Kept()
        self.names = short_names(study.algorithms)
        # For each, a scenario that uses it, with the levels and the algorithm that define the scenario.
        self.external: dict[tuple[str, str], tuple[core.Scenario, Row, str | None]] = {}

    def try_base(self) -> None:
        """Report faults of the base scenario itself, with their places in it, before any level is tried."""
        first = self.study.algorithms[0] if self.study.algorithms else None
        try:
            resolve(self.base, self.overrides, first, self.study.on)
        except InputError as error:
            self._complain_of_backend(error, {})
        except core.ScenarioError as error:
            if _is_refusal(error):
                # The levels may replace the keys that the backend refuses; the points report the others.
                return
            faults = [each for each in error.diagnostics if each["file"] != ON_COMMAND_LINE]
            if any(each["file"].startswith(SET) and self._setting(each["file"]) is None for each in faults):
                raise
            if faults:
                # The scenario changed by `set` may be valid only with the levels.
                resolve(self.base, (), first, self.study.on)
            # A fault of the algorithm belongs to the study; the points find its place.

    def points(self, row: int, levels: Row) -> Iterator[Point]:
        moves = {path: value for level in levels.values() for path, value in level.moves.items()}
        on = str(moves.pop(ON, self.study.on))
        changes = [f"{path}={inline(value)}" for path, value in moves.items()]
        overrides = (*self.overrides, *changes)
        algorithms: list[str | None] = [*self.study.algorithms]
        cells = _cells_of(levels)
        for algorithm in algorithms or [None]:
            try:
                scenario = resolve(self.base, overrides, algorithm, on)
            except InputError as error:
                self._complain_of_backend(error, levels)
                continue
            except core.ScenarioError as error:
                if self.refused is not None and _is_refusal(error):
                    name = algorithm and self.names[algorithm]
                    self.refused.append(Refused(_cells_of(levels), name, _reason(error)))
                else:
                    self._blame(error, levels, algorithm)
                continue
            groups = scenario.groups
            names = [name for name, _ in groups]
            # A dict, as a network may have thousands of groups.
            subjects = dict.fromkeys([name for name, tested in groups if tested] or names)
            self.seed = scenario.seed
            self.groups |= set(names)
            self.links |= set(scenario.links)
            self.kept.add(scenario)
            self.has_programs = self.has_programs or PROGRAM in scenario.resolved
            # The algorithms of the other groups are the same beside every algorithm under test.
            if self.replaced is None and algorithm is not None and algorithm == algorithms[0]:
                self.replaced = replaced_in(scenario)
            for each in scenario.external:
                self.external.setdefault(each, (scenario, levels, algorithm))
            yield Point(
                row=row,
                levels=cells,
                overrides=overrides,
                algorithm=algorithm and self.names[algorithm],
                written=algorithm,
                on=on,
                digest=scenario.digest,
                subjects=[*subjects],
                duration_s=scenario.duration_s,
                bottlenecks=list(dict.fromkeys(link for name, link, _ in scenario.paths if name in subjects and link)),
            )

    def try_algorithms(self) -> None:
        """Report external algorithms that fail when their files are executed."""
        if not self.external:
            return
        tried = list(self.external.values())
        faults = workers.find_faults([scenario for scenario, _, _ in tried]) or ()
        for (_, levels, algorithm), fault in zip(tried, faults, strict=False):
            if fault is not None:
                self._blame(fault, levels, algorithm)

    def _blame(self, error: core.ScenarioError, levels: Row, algorithm: str | None) -> None:
        document, places = self.study.document, self.study.places
        for each in error.diagnostics:
            detail = {"allowed": each["allowed"], "hint": each["hint"]}
            described = ", ".join(f"{name} = {level.label}" for name, level in levels.items())
            if each["file"] == ON_COMMAND_LINE and algorithm is not None:
                named = places["algorithms"].items[self.study.algorithms.index(algorithm)]
                document.complain(named, each["message"], **detail)
            elif (setting := self._setting(each["file"])) is not None and not self._moved_by(each["file"]):
                document.complain(setting, each["message"], **detail)
            elif factor := self._moved_by(each["file"]):
                changed = each["file"].removeprefix(SET)
                path = changed.partition("=")[0]
                where = (factor.keys.get(path, factor.span), f"factors.{factor.name}")
                # A fault of the key itself is the same at every level and is reported once.
                named = path if each["message"].startswith(OF_KEYS) else changed
                document.complain(where, f"{named}: {each['message']}", **detail)
            else:
                whole = places["factors"] if "factors" in places else places["scenario"]
                line = f"{each['file']}:{each['line']}:{each['column']}" if each["line"] else each["file"]
                message = ": ".join(filter(None, [f"with {described}", line, each["path"], each["message"]]))
                document.complain((whole.span, whole.path), message, **detail)

    def _complain_of_backend(self, error: InputError, levels: Row) -> None:
        """Report a backend that does not exist, at the key or the factor that names it."""
        moved = [factor for factor in self.study.factors if ON in factor.paths and factor.name in levels]
        for factor in moved:
            self.study.document.complain((factor.span, f"factors.{factor.name}"), str(error))
        if not moved:
            self.study.document.complain(self.study.places[ON], str(error))

    def _setting(self, argument: str) -> Node | None:
        return self.study.settings.get(argument.removeprefix(SET).partition("=")[0])

    def _moved_by(self, argument: str) -> Any:
        path = argument.removeprefix(SET).partition("=")[0]
        found = [factor for factor in self.study.factors if path in factor.paths]
        return found[0] if argument.startswith(SET) and found else None


# Beginnings of the messages on a key that do not depend on its value.
OF_KEYS = ("unknown key", "unknown element")


def _is_refusal(error: core.ScenarioError) -> bool:
    """Return whether only the backend refuses the scenario."""
    return all(each["refused"] for each in error.diagnostics)


def _reason(error: core.ScenarioError) -> str:
    first = error.diagnostics[0]
    return f"{first['path']}: {first['message']}"


def _cells_of(levels: Row) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for name, level in levels.items():
        cells[name] = level.label
        cells |= {path: label_of(value) for path, value in level.moves.items() if path != name}
    return cells


def _named(points: Sequence[Point]) -> list[Point]:
    """Replace the names of external algorithms among the levels by their short names."""
    columns: dict[str, dict[str, None]] = {}
    for point in points:
        for column, value in point.levels.items():
            if isinstance(value, str):
                columns.setdefault(column, {})[value] = None
    names = {column: short_names(list(values)) for column, values in columns.items()}
    return [
        replace(
            point,
            levels={
                column: names[column].get(value, value) if isinstance(value, str) else value
                for column, value in point.levels.items()
            },
        )
        for point in points
    ]


def _distinct(rows: Sequence[Row]) -> list[Row]:
    """Drop repeated rows: replications have their own key."""
    kept = {inline([dict(level.moves) for level in row.values()]): row for row in reversed(rows)}
    return list(kept.values())[::-1]


def _check_sequential(study: Study, measured: Sequence[Column]) -> None:
    wanted = study.replications
    if not wanted.measure:
        return
    entries = study.places["replications"].entries
    known = {column.name: column for column in measured}
    for name in wanted.measure:
        if name not in known:
            study.document.unknown(entries["measure"].node, "unknown column of the study", name, [*known])
        elif half_width(wanted.within, known[name]) is None:
            study.document.complain(entries["within"].node, f"not a width of an interval of {name}", allowed=WIDTH)
    factors = {factor.name: factor for factor in study.factors}
    if wanted.by is not None and wanted.by not in factors:
        study.document.unknown(entries["by"].node, "unknown factor of the study", wanted.by, [*factors])
    elif wanted.by is not None:
        labels = list(dict.fromkeys(level.label for level in factors[wanted.by].levels))
        for label in wanted.levels:
            if label not in labels:
                study.document.unknown(entries["levels"].node, f"unknown level of {wanted.by}", label, labels)


def _check_keys(study: Study, plan: Plan) -> None:
    seen: dict[str, Point] = {}
    for point in plan.points:
        other = seen.setdefault(point.digest, point)
        if other is not point:
            where = study.places.get("factors") or study.places["algorithms"]
            study.document.complain(
                (where.span, where.path),
                f"two points are the same scenario: {_describe(other)}; and {_describe(point)}",
                allowed="levels and algorithms that differ in what runs",
            )
            study.document.check()
    taken = {column.name for column in plan.columns} & set(plan.points[0].levels)
    if taken:
        where = study.places["factors"]
        study.document.complain((where.span, where.path), f"{min(taken)} is a measure and cannot be a factor's name")
        study.document.check()


def _describe(point: Point) -> str:
    levels = {**point.levels, **({"algorithm": point.algorithm} if point.algorithm else {})}
    return ", ".join(f"{name} = {value}" for name, value in levels.items())


# Table of a resolved scenario in which programs carry a group.
PROGRAM = "\n[flows.program]\n"
SET = "--set "
ON_COMMAND_LINE = "the command line"
