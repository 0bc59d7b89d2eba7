"""How a command lays out a study: a study file as text, and every argument checked by itself before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows import core
from narrows.errors import InputError
from narrows.external.source import named_files
from narrows.files.toml import inline
from narrows.library import find_scenario
from narrows.run.scenario import read
from narrows.study.definition import parse_study
from narrows.study.plan import Plan, make_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from narrows.core import Scenario
    from narrows.study.definition import Study

    # Of each factor the labels of its levels, and what each key path holds at them.
    Factors = Mapping[str, tuple[Sequence[str], Mapping[str, Sequence[object]]]]


def study_text(title: str, question: str, scenario: str, measures: Sequence[str], factors: Factors) -> str:
    """Return a study file."""
    lines = [
        f"title    = {inline(title)}",
        f"question = {inline(question)}",
        f"scenario = {inline(scenario)}",
        f"measures = {inline(measures)}",
    ]
    for name, (labels, moves) in factors.items():
        lines += ["", f"[factors.{name}]", f"labels = {inline(labels)}"]
        lines += [f"{inline(path)} = {inline(values)}" for path, values in moves.items()]
    return "\n".join(lines) + "\n"


def lay_out(  # noqa: PLR0913, PLR0917  # what the command line gives
    text: str,
    command: str,
    algorithms: Sequence[str],
    overrides: Sequence[str],
    seed: int | None,
    replications: int | None,
) -> tuple[Study, Plan]:
    """Read a study file that a command wrote, and resolve all its points.

    Args:
        text: The file.
        command: What messages call it.
        algorithms: That the command line names, so that their files may be executed.
        overrides: Of the base scenario, as after `--set`.
        seed: Instead of the scenario's.
        replications: Instead of five.

    Raises:
        InputError: Arguments that are good by themselves do not go together.
    """
    try:
        study = parse_study(text, command, seed, replications)
        return study, make_plan(study, overrides, trusted=named_files(algorithms, [], study.directory))
    except core.ScenarioError as error:
        problems = dict.fromkeys(_problem(each) for each in error.diagnostics[:MOST])
        raise InputError(command, "\n  ".join(problems)) from error


def checked(scenario: str, overrides: Sequence[str], arguments: Iterable[tuple[str, Sequence[str]]]) -> list[Scenario]:
    """Resolve a scenario once with the changes that each argument makes.

    Args:
        scenario: Name of one of the library.
        overrides: That count for all, as after `--set`.
        arguments: The given ones, with the overrides that follow from it.

    Raises:
        InputError: One of the arguments has a fault; the message names it as it was written.
        ScenarioError: One of `overrides` has.
    """
    file, own = find_scenario(scenario)
    read(file, [*own, *overrides]).resolve()
    found = []
    for argument, changes in arguments:
        try:
            found.append(read(file, [*own, *overrides, *changes]).resolve())
        except core.ScenarioError as error:
            raise InputError(argument, _problem(error.diagnostics[0])) from error
    return found


def split(text: str) -> list[str]:
    """Split a list at the commas that are in no parentheses.

    Examples:
        >>> split("droptail, red(min=5pkt,max=15pkt)")
        ['droptail', 'red(min=5pkt,max=15pkt)']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _problem(diagnostic: Mapping[str, object]) -> str:
    text = str(diagnostic["message"])
    if diagnostic["allowed"]:
        text += f"; allowed: {diagnostic['allowed']}"
    return f"{text}; {diagnostic['hint']}" if diagnostic["hint"] else text


# Combinations with the same fault are many, and one is enough to see it.
MOST = 3
