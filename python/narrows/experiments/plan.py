# SPDX-License-Identifier: Apache-2.0
"""The plan of a study: every point resolved and checked, before anything runs; kept in the study's folder."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from narrows import core
from narrows.comparison import Replaced
from narrows.errors import InputError
from narrows.experiments.definition import WIDTH, Replications, Study
from narrows.experiments.kept_files import Kept
from narrows.experiments.keys import ON
from narrows.experiments.measures import Column, Known, added, asked, columns, half_width
from narrows.experiments.plan_shape import check_plan
from narrows.experiments.task import Base, Task, given, resolve
from narrows.external.names import short_names
from narrows.external.source import named_files
from narrows.external.trust import ALL_CHANGES, EVERYTHING, Executed, Trust, executed, of_results, refuse_untrusted
from narrows.files.format import numbered, read_kept
from narrows.files.inputs import keep
from narrows.files.json_objects import sealed, write_json
from narrows.files.manifest import file_digest
from narrows.files.place import inside
from narrows.files.text import read_text
from narrows.files.toml import inline
from narrows.frozen import frozen
from narrows.library import ships, shown
from narrows.linux.backend import SIMULATOR
from narrows.run import workers
from narrows.run.subjects import replaced_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from narrows.experiments.design import Row
    from narrows.experiments.document import Node


@frozen
class Point:
    """A point of a study: a combination of levels with an algorithm.

    Attributes:
        row: Number of the combination of levels; points of one row differ in the algorithm alone.
        levels: Values of the columns of factors, and of key paths that change together.
        overrides: Changes of the base scenario, each as after `--set`.
        algorithm: Name of the algorithm under test; None for those of the scenario.
        digest: Digest of the resolved scenario and the files that it names.
        subjects: Names of the groups under test.
        duration_s: Simulated time of one replication, seconds.
        bottlenecks: Names of their bottlenecks, each once.
        written: The algorithm under test as it is written.
        on: The backend.
    """

    row: int
    levels: dict[str, Any]
    overrides: tuple[str, ...]
    algorithm: str | None
    digest: str
    subjects: list[str]
    duration_s: float
    bottlenecks: list[str] = field(default_factory=list)
    written: str | None = None
    on: str = SIMULATOR


class Refused(NamedTuple):
    """A point that its backend cannot run.

    Attributes:
        levels: Values of the columns of factors.
        algorithm: Name of the algorithm under test; None for those of the scenario.
        reason: The key of the scenario, and why the backend refuses its value.
    """

    levels: dict[str, Any]
    algorithm: str | None
    reason: str


@frozen
class Plan:
    """The plan of a study: all its points.

    Attributes:
        title: Title of the study.
        question: Question that its report answers; empty without one.
        base: Base scenario and seed of all cells.
        seed: Master seed.
        replications: Number of replications of each point.
        factors: Names of the factors.
        columns: The metrics that are analysed.
        design: Facts of the design, as in `Design`.
        inputs: SHA-256 of every file that a scenario names, by where the study's folder keeps it.
        points: Every combination of levels with every algorithm.
        size: Size of the study file; None for the description without one.
        variant: Variant of the study file; None for none.
        external: The Python files of external algorithms.
        margins: Margin that a difference must exceed to matter, by metric, where it is not that of the card.
        replaced: Whose algorithm the study replaces, where it does not replace that of all groups.
        digest_schema: Number of what the digests of its cells cover; 0 in older folders.
        kept: The files before the study has a folder; None once it has one.
    """

    title: str
    question: str
    base: Base
    seed: int
    replications: Replications
    factors: list[str]
    columns: list[Column]
    design: dict[str, Any]
    inputs: dict[str, str]
    points: list[Point] = field(repr=False)
    size: str | None = None
    variant: str | None = None
    external: list[str] = field(default_factory=list)
    margins: dict[str, str] = field(default_factory=dict)
    replaced: Replaced | None = None
    digest_schema: int = field(default_factory=core.digest_schema)
    kept: Kept | None = field(default=None, repr=False)

    @property
    def needs_trust(self) -> bool:
        """Whether its cells execute Python files or commands."""
        return bool(self.external or self.base.commands)

    def key(self, point: Point, replication: int) -> str:
        """Return the key of a cell: a hash of everything on which its result depends."""
        content = f"{point.digest} {self.seed} {replication} {self.base.engine}"
        return hashlib.sha256(content.encode()).hexdigest()[:KEY_DIGITS]

    def task(self, point: Point, replication: int) -> Task:
        """Return the task that runs a cell."""
        key = self.key(point, replication)
        return Task(key, self.base, point.overrides, point.written, replication, point.digest, self._asked, point.on)

    @cached_property
    def _asked(self) -> tuple[str, ...]:
        return asked(self.columns)

    @cached_property
    def rows(self) -> list[list[Point]]:
        """The points of each combination of levels."""
        return [list(points) for _, points in groupby(self.points, key=lambda point: point.row)]

    @property
    def algorithms(self) -> list[str | None]:
        """The algorithms of its points, each once; None is that of the scenario."""
        return list(dict.fromkeys(point.algorithm for point in self.points))

    def portable(self) -> Plan:
        """Return the plan as the study's folder has it: with the files that it keeps, and paths relative to it."""
        kept = self.kept or Kept()
        base = replace(
            self.base,
            text=kept.base(self.base.text),
            file=shown(Path(self.base.file)),
            directory="",
            overrides_directory="",
        )
        points = [
            replace(
                point,
                overrides=tuple(kept.argument(each) for each in point.overrides),
                written=point.written and kept.argument(point.written),
            )
            for point in self.points
        ]
        places = {path: place for place, (path, _) in kept.files.items()}
        external = [places.get(file, file) for file in self.external]
        return replace(self, base=base, points=points, external=external, kept=None)

    def save(self, folder: Path) -> None:
        """Write the plan, and the files that its scenarios name, into an existing folder.

        Raises:
            OutputError: A file has changed since the plan was made.
        """
        keep(folder, [(path, digest, kept) for kept, (path, digest) in (self.kept or Kept()).files.items()])
        content = numbered(PLAN, asdict(self.portable()))
        del content["kept"], content["base"]["trust"]
        write_json(folder / PLAN, sealed(content))


def load_plan(folder: Path, trust: Trust | None = None) -> Plan:
    """Read the plan in the folder of a study.

    Args:
        folder: Folder of the study, which may come from somebody else.
        trust: What its scenarios may execute and read; None for nothing but to read what is in the folder.

    Raises:
        InputError: The path is not a folder of a study.
    """
    try:
        content = read_kept(folder / PLAN, is_sealed=True)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(str(folder), f"not a study folder: it has no {PLAN}") from None
    check_plan(content, folder / PLAN)
    del content["format"]
    content.setdefault("digest_schema", 0)
    points = [Point(**{**point, "overrides": tuple(point["overrides"])}) for point in content.pop("points")]
    here = str(folder.absolute())
    base = Base(**{**content["base"], "directory": here, "overrides_directory": here})
    content["base"] = replace(base, trust=trust or of_results(folder))
    content["external"] = [str(folder / each) for each in content["external"]]
    content["replications"] = _replications(content["replications"])
    content["replaced"] = Replaced(**content["replaced"]) if content.get("replaced") else None
    content["columns"] = [Column(*column) for column in content["columns"]]
    return Plan(**content, points=points)


def _replications(content: Mapping[str, Any]) -> Replications:
    return Replications(**{**content, "measure": tuple(content["measure"]), "levels": tuple(content["levels"])})


def executed_by(plan: Plan) -> list[Executed]:
    """Return what the cells of a study would execute, each once; nothing is executed.

    Raises:
        ScenarioError: The scenario of a point has faults.
    """
    points = ((point.overrides, point.written) for point in plan.points)
    return list(dict.fromkeys(each for changes in points for each in executed(given(plan.base, *changes))))


def check_unchanged(plan: Plan, folder: Path) -> None:
    """Check that engine and input files are those of the plan, and that all that it would execute is trusted.

    Raises:
        InputError: The engine is different, a file that a scenario names has changed, or something is not trusted or
            cannot be read.
    """
    if plan.base.trust != EVERYTHING:
        try:
            found = executed_by(plan)
        except core.ScenarioError as error:
            # What cannot be read is not taken for harmless.
            problem = f"has a scenario that cannot be read; if you trust all that it names, add --trust\n{error}"
            raise InputError(str(folder / PLAN), problem) from None
        refuse_untrusted(str(folder), {PLAN: found})
    if plan.base.engine != core.fingerprint():
        raise InputError(
            str(folder),
            f"was begun by engine {plan.base.engine[:SHOWN]}, and this one is {core.fingerprint()[:SHOWN]}: results of "
            "different engines are not mixed; `narrows study run` the study anew in another folder",
        )
    check_kept(plan, folder)


def check_kept(plan: Plan, folder: Path) -> None:
    """Check that the files that the scenarios of a study name are those of the plan.

    Raises:
        InputError: One is missing or has changed.
    """
    for path, digest in plan.inputs.items():
        kept = inside(folder, path, folder / PLAN)
        if not kept.is_file() or file_digest(kept) != f"sha256:{digest}":
            raise InputError(str(kept), f"has changed since the study in {folder} was begun")


def make_plan(  # noqa: PLR0913  # each has a default
    study: Study,
    overrides: Sequence[str] = (),
    measures: Sequence[str] = (),
    trusted: Sequence[str] = (),
    *,
    trust: bool = False,
    execute: bool = True,
    refused: list[Refused] | None = None,
) -> Plan:
    """Resolve every point of a study.

    Args:
        study: Study file as read.
        overrides: Changes of the base scenario, each as after `--set`, before any level.
        measures: Metrics in addition to the study's own, each as after `--metric`.
        trusted: Files, and folders of files, of external algorithms that may be executed, besides those in the folders
            of the study and of its scenario, and those that `overrides` name.
        trust: Whether any such file may be executed, and the commands in the files of study and scenario.
        execute: Whether the files of external algorithms are executed, in a process of their own, to check them.
        refused: Receives the points that their backend cannot run, which the plan then lacks; it may have none. None
            makes such a point an error.

    Raises:
        ScenarioError: The base scenario, a level, an algorithm or a metric has errors.
    """
    own = study.changes
    typed = Trust(
        (*named_files([], overrides, study.directory), *trusted),
        text=ships(study.scenario.file),
        changes=(len(own), len(own) + len(overrides)),
    )
    typed = EVERYTHING if trust else typed
    # Where nothing is executed, a plan says what would be.
    listing = typed if execute else typed._replace(text=True, changes=ALL_CHANGES)
    planner = _Planner(study, (*own, *overrides), listing, refused)
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
    # The folder of a study names no other, unless commands need it.
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
            trust=trust._replace(files=tuple(dict.fromkeys((directory, study_directory, *trust.files)))),
            commands=directory,
        )
        self.seed = 0
        self.groups: set[str] = set()
        self.links: set[str] = set()
        self.has_programs = False
        self.replaced: Replaced | None = None
        self.kept = Kept()
        self.names = short_names(study.algorithms)
        # A scenario with each, and the levels and the algorithm that make it.
        self.external: dict[tuple[str, str], tuple[core.Scenario, Row, str | None]] = {}

    def try_base(self) -> None:
        """Complain about the base scenario itself, with its own places, before any level is tried."""
        first = self.study.algorithms[0] if self.study.algorithms else None
        try:
            resolve(self.base, self.overrides, first, self.study.on)
        except InputError as error:
            self._complain_of_backend(error, {})
        except core.ScenarioError as error:
            if _is_refusal(error):
                # The levels may replace what the backend refuses; what they leave is found with the points.
                return
            faults = [each for each in error.diagnostics if each["file"] != ON_COMMAND_LINE]
            if any(each["file"].startswith(SET) and self._setting(each["file"]) is None for each in faults):
                raise
            if faults:
                # What `set` makes of the scenario may be sound only with the levels.
                resolve(self.base, (), first, self.study.on)
            # A fault of the algorithm is the study's, and its place is found with the points.

    def points(self, row: int, levels: Row) -> Iterator[Point]:
        moves = {path: value for level in levels.values() for path, value in level.moves.items()}
        on = str(moves.pop(ON, self.study.on))
        changes = [f"{path}={inline(value)}" for path, value in moves.items()]
        overrides = (*self.overrides, *changes)
        algorithms: list[str | None] = [*self.study.algorithms]
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
            names = [name for name, _ in scenario.groups]
            subjects = [name for name, tested in scenario.groups if tested] or names
            self.seed = scenario.seed
            self.groups |= set(names)
            self.links |= set(scenario.links)
            self.kept.add(scenario)
            self.has_programs = self.has_programs or PROGRAM in scenario.resolved
            if algorithm is not None and self.replaced is None:
                self.replaced = replaced_in(scenario)
            for each in scenario.external:
                self.external.setdefault(each, (scenario, levels, algorithm))
            yield Point(
                row=row,
                levels=_cells_of(levels),
                overrides=overrides,
                algorithm=algorithm and self.names[algorithm],
                written=algorithm,
                on=on,
                digest=scenario.digest,
                subjects=subjects,
                duration_s=scenario.duration_s,
                bottlenecks=list(dict.fromkeys(link for name, link, _ in scenario.paths if name in subjects and link)),
            )

    def try_algorithms(self) -> None:
        """Complain about external algorithms that fail when their files are executed."""
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
                # A fault of the key itself is the same at every level, and is reported once.
                named = path if each["message"].startswith(OF_KEYS) else changed
                document.complain(where, f"{named}: {each['message']}", **detail)
            else:
                whole = places["factors"] if "factors" in places else places["scenario"]
                line = f"{each['file']}:{each['line']}:{each['column']}" if each["line"] else each["file"]
                message = ": ".join(filter(None, [f"with {described}", line, each["path"], each["message"]]))
                document.complain((whole.span, whole.path), message, **detail)

    def _complain_of_backend(self, error: InputError, levels: Row) -> None:
        """Complain about a backend that does not exist, at the key or the factor that names it."""
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


# How faults of a key begin, whatever its value.
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
        cells |= {path: _scalar(value) for path, value in level.moves.items() if path != name}
    return cells


def _named(points: Sequence[Point]) -> list[Point]:
    """Call external algorithms among the levels by their short names, too."""
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


def _scalar(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else inline(value)


def _distinct(rows: Sequence[Row]) -> list[Row]:
    """Drop what repeats a row: replications are asked for by their own key."""
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


# What a resolved scenario has where programs carry a group.
PROGRAM = "\n[flows.program]\n"
PLAN = "plan.json"
# 128 bits: no two cells of any study meet by chance.
KEY_DIGITS = 32
SHOWN = 16
SET = "--set "
ON_COMMAND_LINE = "the command line"
