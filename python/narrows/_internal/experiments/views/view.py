# SPDX-License-Identifier: Apache-2.0
"""The view of a study: the command that defined it, the study file that it wrote, and how its cells are evaluated."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from narrows._internal import core
from narrows._internal.core import Scenario
from narrows._internal.errors import InputError
from narrows._internal.experiments.definition import Study, parse_study
from narrows._internal.experiments.plan import Plan
from narrows._internal.experiments.planner import make_plan
from narrows._internal.external.trust import granted
from narrows._internal.files.format import numbered, read_kept
from narrows._internal.files.json_objects import to_json
from narrows._internal.files.shape import ANY_NAME, check_shape
from narrows._internal.files.toml import inline
from narrows._internal.frozen import frozen
from narrows._internal.library import find_scenario
from narrows._internal.linux.backend import SIMULATOR
from narrows._internal.run.levels import problem
from narrows._internal.run.options import Options
from narrows._internal.run.scenario import read

Factors = Mapping[str, tuple[Sequence[str], Mapping[str, Sequence[object]]]]


@frozen
class View:
    """The view of a study: how its cells are summarised."""

    kind: str  # "matrix" or "deployment"
    command: str  # the command line that created the study and reproduces its figures
    facts: dict[str, Any]  # facts of the view besides the plan, as plain data

    def to_json(self) -> str:
        """Return the contents of its file, `view.json`."""
        return to_json(numbered(VIEW, asdict(self))) + "\n"


def load_view(folder: Path) -> View | None:
    """Read the view of the study in `folder`; None for a study without one."""
    file = folder / VIEW
    try:
        content = read_kept(file)
    except FileNotFoundError:
        return None
    content.pop("format", None)
    kind = content.get("kind")
    if not isinstance(kind, str) or kind not in FACTS:
        raise InputError(str(file), f"is damaged: `kind` is {kind!r}; allowed: {', '.join(FACTS)}")
    check_shape(content, {"kind": str, "command": str, "facts": FACTS[kind]}, file)
    return View(**content)


def number(value: float | None) -> float:
    """Return a metric of a cell as a number; NaN if the cell has no value."""
    return math.nan if value is None else value


def study_text(  # noqa: PLR0913, PLR0917  # the keys of the file
    title: str,
    question: str,
    scenario: str,
    on: str,
    measures: Sequence[str],
    factors: Factors,
    replications: Mapping[str, object] | None = None,
) -> str:
    """Return the text of a study file; `replications` is the table of a number that intervals decide."""
    lines = [
        f"title    = {inline(title)}",
        f"question = {inline(question)}",
        f"scenario = {inline(scenario)}",
        *([f"on       = {inline(on)}"] if on != SIMULATOR else []),
        f"measures = {inline(measures)}",
        *([f"replications = {inline(replications)}"] if replications else []),
    ]
    for name, (labels, moves) in factors.items():
        lines += ["", f"[factors.{name}]", f"labels = {inline(labels)}"]
        lines += [f"{inline(path)} = {inline(values)}" for path, values in moves.items()]
    return "\n".join(lines) + "\n"


def lay_out(
    text: str, command: str, algorithms: Sequence[str], overrides: Sequence[str], options: Options
) -> tuple[Study, Plan]:
    """Read the study file of a command, and resolve all its points."""
    try:
        study = parse_study(text, command, options.seed, options.replications)
        return study, make_plan(study, overrides, named=algorithms)
    except core.ScenarioError as error:
        problems = dict.fromkeys(problem(each) for each in error.diagnostics[:MOST])
        raise InputError(command, "\n  ".join(problems)) from error


def checked(
    scenario: str,
    on: str,
    overrides: Sequence[str],
    arguments: Iterable[tuple[str, Sequence[str]]],
    algorithms: Sequence[str] = (),
) -> list[Scenario]:
    """Resolve a scenario once for each argument, with the changes that follow from it."""
    place = find_scenario(scenario)
    read(place, overrides, on=on).resolve()
    found = []
    for argument, changes in arguments:
        try:
            # The derived changes are not typed by a user, but names in them may be.
            trust = granted(place.file, algorithms, overrides)
            found.append(read(place, [*overrides, *changes], trust=trust, on=on).resolve())
        except core.ScenarioError as error:
            raise InputError(argument, problem(error.diagnostics[0])) from error
    return found


VIEW = "view.json"
COUNT = range(1, 2**31)
# The facts of each kind of view.
FACTS: dict[str, dict[Any, Any]] = {
    "matrix": {"algorithms": [str], "flows": COUNT, "payload": float, "within": (float, None), "unlike?": str},
    "deployment": {
        "new": str,
        "old": str,
        "connections?": COUNT,
        "flows": COUNT,
        "moved": {ANY_NAME: range(2**31)},
    },
}
# Combinations with the same fault are many, and one is enough to see it.
MOST = 3
