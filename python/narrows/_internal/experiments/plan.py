# SPDX-License-Identifier: Apache-2.0
"""The plan of a study, kept in its folder: every point, resolved and checked before anything ran; and its shape."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from narrows._internal import core
from narrows._internal.comparison import Replaced
from narrows._internal.core import Scenario
from narrows._internal.errors import InputError
from narrows._internal.experiments.definition import Replications
from narrows._internal.experiments.measures import Column, asked, half_width
from narrows._internal.experiments.task import Base, Task, given
from narrows._internal.external.trust import EVERYTHING, Executed, Trust, executed, of_results, refuse_untrusted
from narrows._internal.files.format import numbered, read_kept
from narrows._internal.files.json_objects import sealed, write_json
from narrows._internal.files.manifest import file_digest, keep
from narrows._internal.files.place import inside
from narrows._internal.files.shape import ANY_NAME, ANYTHING, check_shape
from narrows._internal.frozen import frozen
from narrows._internal.library import shown
from narrows._internal.linux.backend import SIMULATOR
from narrows.metrics import card_of


@frozen
class Point:
    """A point of a study: a combination of levels with an algorithm."""

    row: int  # number of the combination of levels; points of one row differ in the algorithm alone
    levels: dict[str, Any]  # values of the columns of factors, and of key paths that change together
    overrides: tuple[str, ...]  # changes of the base scenario, each as after `--set`
    algorithm: str | None  # name of the algorithm under test; None for the scenario's algorithms
    digest: str  # digest of the resolved scenario and the files that it names
    subjects: list[str]  # names of the groups under test
    duration_s: float  # simulated time of one replication, seconds
    bottlenecks: list[str] = field(default_factory=list)  # names of their bottlenecks, each once
    written: str | None = None  # the algorithm under test as it is written
    on: str = SIMULATOR  # the backend


@frozen
class Plan:
    """The plan of a study: all its points."""

    title: str  # title of the study
    question: str  # question that its report answers; empty without one
    base: Base  # base scenario and seed of all cells
    seed: int  # master seed
    replications: Replications  # number of replications of each point
    factors: list[str]  # names of the factors
    columns: list[Column]  # the metrics that are analysed
    design: dict[str, Any]  # facts of the design, as in `Design`
    inputs: dict[str, str]  # SHA-256 of every file that a scenario names, by its path in the study's folder
    points: list[Point] = field(repr=False)  # every combination of levels with every algorithm
    size: str | None = None  # size of the study file; None for the description without one
    variant: str | None = None  # variant of the study file; None for none
    external: list[str] = field(default_factory=list)  # the Python files of external algorithms
    # Margin that a difference must exceed to matter, by metric, if it differs from the card.
    margins: dict[str, str] = field(default_factory=dict)
    # The groups whose algorithm the study replaces, if not all.
    replaced: Replaced | None = None
    # Number of the definition of the digests of its cells; 0 in older folders.
    digest_schema: int = field(default_factory=core.digest_schema)
    # The files before the study has a folder; None once it has one.
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
        """The algorithms of its points, each once; None is the scenario's."""
        return list(dict.fromkeys(point.algorithm for point in self.points))

    def portable(self) -> Plan:
        """Return the plan as in the study's folder: with the files that the folder keeps, and paths relative to it."""
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
        """Write the plan, and the files that its scenarios name, into an existing folder."""
        keep(folder, [(path, digest, kept) for kept, (path, digest) in (self.kept or Kept()).files.items()])
        content = numbered(PLAN, asdict(self.portable()))
        del content["kept"], content["base"]["trust"]
        write_json(folder / PLAN, sealed(content))


def load_plan(folder: Path, trust: Trust | None = None) -> Plan:
    """Read the plan in the folder of a study."""
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
    """Return the files and commands that the cells of a study would execute, each once; nothing is executed."""
    points = ((point.overrides, point.written) for point in plan.points)
    return list(dict.fromkeys(each for changes in points for each in executed(given(plan.base, *changes))))


def check_unchanged(plan: Plan, folder: Path) -> None:
    """Check that engine and input files are unchanged, and that all code that the plan would execute is trusted."""
    if plan.base.trust != EVERYTHING:
        try:
            found = executed_by(plan)
        except core.ScenarioError as error:
            # An unreadable scenario is not taken for harmless.
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
    """Check that the files that the scenarios of a study name are unchanged since the plan."""
    for path, digest in plan.inputs.items():
        kept = inside(folder, path, folder / PLAN)
        if not kept.is_file() or file_digest(kept) != f"sha256:{digest}":
            raise InputError(str(kept), f"has changed since the study in {folder} was begun")


@dataclass
class Kept:
    """The files that the scenarios of a study name."""

    # By the bytes of the base scenario that name a file, the name as written and the kept path.
    spans: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    # By the name as written in a level, an algorithm or a change, the kept path.
    names: dict[str, str] = field(default_factory=dict)
    # By the kept path of a file, its own path and the SHA-256 of its content in hexadecimal.
    files: dict[str, tuple[str, str]] = field(default_factory=dict)

    def add(self, scenario: Scenario) -> None:
        """Add the files that a scenario names."""
        for each in scenario.inputs:
            self.files[each["kept"]] = (each["path"], each["digest"])
            if each["span"] is None:
                self.names[each["written"]] = each["kept"]
            else:
                self.spans[each["span"]] = (each["written"], each["kept"])

    def base(self, text: str) -> str:
        """Return the base scenario with its files named as they are kept."""
        content = text.encode()
        for (start, end), (written, kept) in sorted(self.spans.items(), reverse=True):
            content = content[:start] + content[start:end].replace(written.encode(), kept.encode()) + content[end:]
        return content.decode()

    def argument(self, text: str) -> str:
        """Return a text that names files, such as an algorithm or a change, with the kept paths instead."""
        # Not in the middle of another name; of two names with the same beginning, the longer one.
        longest_first = sorted(self.names, key=len, reverse=True)
        names = "|".join(re.escape(written) for written in longest_first)
        return (
            re.sub(rf"(?<![\w./-])(?:{names})(?![\w/-])", lambda found: self.names[found[0]], text) if names else text
        )


def check_plan(content: Mapping[str, Any], file: Path) -> None:
    """Check that the content of a plan has the right types, and that its parts fit each other."""
    check_shape(content, SHAPE, file)
    problem = next(_misfits(content), None)
    if problem is not None:
        raise InputError(str(file), f"is damaged: {problem}")


def _misfits(content: Mapping[str, Any]) -> Iterator[str]:
    """Yield the faults in words."""
    points = content["points"]
    if not points:
        yield "it has no points"
    else:
        yield from _misfits_of_points(content, points)
        yield from _misfits_of_columns(content, points)


def _misfits_of_points(content: Mapping[str, Any], points: list[Mapping[str, Any]]) -> Iterator[str]:
    levels = set(points[0]["levels"])
    rows = [point["row"] for point in points]
    if any(set(point["levels"]) != levels for point in points):
        yield "its points have different factors"
    if rows[0] != 0 or any(after - before not in {0, 1} for before, after in itertools.pairwise(rows)):
        yield "its rows are not numbered in their order"
    if not set(content["factors"]) <= levels:
        yield "its points lack a factor"


def _misfits_of_columns(content: Mapping[str, Any], points: list[Mapping[str, Any]]) -> Iterator[str]:
    columns: dict[str, Column] = {}
    for each in content["columns"]:
        if len(each) != len(Column._fields) or each[1] not in {"group", "link"} or each[0] in columns:
            yield f"`columns` has {each}"
            return
        columns[each[0]] = Column(*each)
        key = "subjects" if each[1] == "group" else "bottlenecks"
        if not each[2] and any(not point[key] for point in points):
            yield f"column {each[0]} is of the {key} of a point that has none"
    if taken := {*columns, *OWN} & set(points[0]["levels"]):
        yield f"{min(taken)} is both a factor and a column"
    for column in columns.values():
        try:
            card_of(column.measure, column.of)
        except (InputError, KeyError):
            yield f"{column.measure} is not a metric of a {column.of}"
    yield from _misfits_of_replications(content["replications"], columns, points[0])


def _misfits_of_replications(
    replications: Mapping[str, Any], columns: Mapping[str, Column], point: Mapping[str, Any]
) -> Iterator[str]:
    if replications["maximum"] < replications["minimum"]:
        yield "`replications` has a maximum below its minimum"
    if any(name not in columns for name in replications["measure"]):
        yield "`replications.measure` names no column"
    elif any(half_width(replications["within"], columns[name]) is None for name in replications["measure"]):
        yield "`replications.within` is not a width of an interval"
    if replications["by"] is not None and replications["by"] not in point["levels"]:
        yield "`replications.by` is not a factor"


PLAN = "plan.json"
# 128 bits: collisions of cells are practically impossible.
KEY_DIGITS = 32
SHOWN = 16
TIMES = range(1, 1_000_001)
BASE = {
    "text": str,
    "file": str,
    "directory": str,
    "overrides_directory": str,
    "seed": (range(2**63), None),
    "engine": str,
    "commands?": str,
}
POINT = {
    "row": range(2**31),
    "levels": {ANY_NAME: (str, float, bool)},
    "overrides": [str],
    "algorithm": (str, None),
    "digest": str,
    "subjects": [str],
    "duration_s": float,
    "bottlenecks": [str],
    "written": (str, None),
    "on": str,
}
SHAPE = {
    "format": int,
    "replaced?": ({"groups": [str], "kept": {ANY_NAME: str}, "bound?": [str]}, None),
    "digest_schema?": range(2**31),
    "title": str,
    "question": str,
    "base": BASE,
    "seed": range(2**63),
    "replications": {
        "minimum": TIMES,
        "maximum": TIMES,
        "measure": [str],
        "within": str,
        "by": (str, None),
        "levels": [str],
    },
    "factors": [str],
    "columns": [[str]],
    "design": {
        "kind": str,
        "name": str,
        "letters?": {ANY_NAME: str},
        "generators?": [str],
        "defining?": [str],
        "resolution?": (range(3, 11), None),
        "aliases?": {ANY_NAME: [str]},
        "note?": (str, None),
        ANY_NAME: ANYTHING,
    },
    "inputs": {ANY_NAME: str},
    "points": [POINT],
    "size": (str, None),
    "variant": (str, None),
    "external": [str],
    "margins": {ANY_NAME: str},
}
# The columns of every table of cells beside factors and metrics.
OWN = ("cell", "algorithm", "replication", "seed", "checks_failed", "digest", "cpu_s", "packet_hops", "measured")
