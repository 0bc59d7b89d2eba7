"""How a command lays out a study: a study file as text, and every argument checked by itself before."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from narrows import core
from narrows.errors import InputError
from narrows.external.source import named_files
from narrows.files.toml import inline
from narrows.library import find_scenario
from narrows.linux.backend import SIMULATOR
from narrows.run.scenario import read
from narrows.study.definition import parse_study
from narrows.study.plan import Plan, make_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from narrows.core import Scenario
    from narrows.study.definition import Study

    # Of each factor the labels of its levels, and what each key path holds at them.
    Factors = Mapping[str, tuple[Sequence[str], Mapping[str, Sequence[object]]]]


def study_text(  # noqa: PLR0913, PLR0917  # the keys of the file
    title: str, question: str, scenario: str, on: str, measures: Sequence[str], factors: Factors
) -> str:
    """Return the text of a study file."""
    lines = [
        f"title    = {inline(title)}",
        f"question = {inline(question)}",
        f"scenario = {inline(scenario)}",
        *([f"on       = {inline(on)}"] if on != SIMULATOR else []),
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
    """Read the study file of a command, and resolve all its points.

    Args:
        text: Text of the file.
        command: Name of the file in messages.
        algorithms: Algorithms that the command line names, whose files may therefore be executed.
        overrides: Changes of the base scenario, as after `--set`.
        seed: Master seed in place of the scenario's; None keeps it.
        replications: Number of replications; None for five.

    Raises:
        InputError: The arguments are not valid in combination.
    """
    try:
        study = parse_study(text, command, seed, replications)
        return study, make_plan(study, overrides, trusted=named_files(algorithms, [], study.directory))
    except core.ScenarioError as error:
        problems = dict.fromkeys(_problem(each) for each in error.diagnostics[:MOST])
        raise InputError(command, "\n  ".join(problems)) from error


def checked(
    scenario: str, on: str, overrides: Sequence[str], arguments: Iterable[tuple[str, Sequence[str]]]
) -> list[Scenario]:
    """Resolve a scenario once for each argument, with the changes that follow from it.

    Args:
        scenario: Name of a scenario of the library.
        on: The backend.
        overrides: Changes for all, as after `--set`.
        arguments: Arguments as written, each with the changes that follow from it.

    Raises:
        InputError: An argument has an error; the message names it as written.
        ScenarioError: One of `overrides` has an error.
    """
    file, own = find_scenario(scenario)
    read(file, [*own, *overrides], on=on).resolve()
    found = []
    for argument, changes in arguments:
        try:
            found.append(read(file, [*own, *overrides, *changes], on=on).resolve())
        except core.ScenarioError as error:
            raise InputError(argument, _problem(error.diagnostics[0])) from error
    return found


def split(text: str) -> list[str]:
    """Split a list at the commas outside parentheses.

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


def read_queue(text: str, argument: str) -> dict[str, object]:
    """Read a queue with parameters, as in `red(gentle=true, min=5pkt)`.

    Args:
        text: The queue as written.
        argument: What messages call it.

    Returns:
        The table that a scenario has for it.

    Raises:
        InputError: A parameter cannot be read.
    """
    name, opened, rest = text.partition("(")
    found: dict[str, object] = {"kind": name.strip()}
    if not opened:
        return found
    if not rest.endswith(")"):
        raise InputError(argument, "a parenthesis is not closed")
    for part in split(rest[:-1]):
        key, equals, value = part.partition("=")
        if not equals:
            raise InputError(argument, f"`{part}` is no parameter; allowed: as in red(gentle=true)")
        found[key.strip()] = _value(value.strip())
    return found


def _value(text: str) -> object:
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text


def _problem(diagnostic: Mapping[str, object]) -> str:
    text = str(diagnostic["message"])
    if diagnostic["allowed"]:
        text += f"; allowed: {diagnostic['allowed']}"
    return f"{text}; {diagnostic['hint']}" if diagnostic["hint"] else text


# Combinations with the same fault are many, and one is enough to see it.
MOST = 3
