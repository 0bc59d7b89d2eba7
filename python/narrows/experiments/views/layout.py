# SPDX-License-Identifier: Apache-2.0
"""Study files of commands: the arguments are checked, then written as a study file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows import core
from narrows.errors import InputError
from narrows.experiments.definition import Study, parse_study
from narrows.experiments.planner import make_plan
from narrows.external.trust import granted
from narrows.files.toml import inline
from narrows.library import find_scenario
from narrows.linux.backend import SIMULATOR
from narrows.run.list_arguments import problem
from narrows.run.scenario import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from narrows.core import Scenario
    from narrows.experiments.plan import Plan

    # The labels of the levels of each factor, and the values of each key path at them.
    Factors = Mapping[str, tuple[Sequence[str], Mapping[str, Sequence[object]]]]
    from narrows.run.options import Options


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


# Combinations with the same fault are many, and one is enough to see it.
MOST = 3
