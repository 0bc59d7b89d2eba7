# SPDX-License-Identifier: Apache-2.0
"""A scenario at several levels of its keys, with several algorithms or in place of them; lists in arguments."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product

from narrows._internal import core
from narrows._internal.arguments import listed
from narrows._internal.comparison import ALGORITHM, BACKEND, run_name
from narrows._internal.errors import InputError
from narrows._internal.files.toml import inline
from narrows._internal.frozen import frozen
from narrows._internal.typed import JOINED, like, spread


def split(text: str) -> list[str]:
    """Split a list at the commas outside parentheses, brackets and braces.

    Examples:
        >>> split("droptail, red(min=5pkt,max=15pkt)")
        ['droptail', 'red(min=5pkt,max=15pkt)']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def read_queue(text: str, argument: str) -> dict[str, object]:
    """Read a queue with parameters, as in `red(gentle=true, min=5pkt)`."""
    name, opened, rest = text.partition("(")
    found: dict[str, object] = {"kind": name.strip()}
    if not opened:
        return found
    if not rest.endswith(")"):
        raise InputError(argument, "a parenthesis is not closed")
    for part in split(rest[:-1]):
        key, equals, value = part.partition("=")
        if not equals:
            raise InputError(argument, f"expected a parameter with its value, as in red(gentle=true), got {part!r}")
        found[key.strip()] = _value(value.strip())
    return found


def _value(text: str) -> object:
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text


def problem(diagnostic: Mapping[str, object]) -> str:
    """Return a diagnostic of a scenario in a line: the fault, the allowed values, a hint."""
    text = str(diagnostic["message"])
    if diagnostic["allowed"]:
        text += f"; allowed: {diagnostic['allowed']}"
    return f"{text}; {diagnostic['hint']}" if diagnostic["hint"] else text


Resolve = Callable[[str | None, Sequence[str]], core.Scenario]


@frozen
class Crossed:
    """Every combination of algorithms and levels."""

    # The levels of each factor: `algorithm` if algorithms are given, then the keys.
    factors: Mapping[str, Sequence[str]]
    at: Mapping[str, Mapping[str, str]]  # level of each factor, by name of the run
    scenarios: Mapping[str, core.Scenario]  # the resolved scenarios by the names of the runs


def read_levels(given: Sequence[str]) -> dict[str, list[str]]:
    """Return the levels of each key from texts such as `"path.queue=droptail,codel"`."""
    found: dict[str, list[str]] = {}
    for text in given:
        key, equals, levels = text.partition("=")
        if not equals or not key.strip():
            raise InputError(OPTION, f"expected a key with levels, {EXAMPLE}, got {text!r}")
        joined = JOINED.join(part.strip() for part in key.split(JOINED))
        if joined in found:
            raise InputError(f"{OPTION} {text}", f"gives `{joined}` twice; allowed: all levels of a key at once")
        found[joined] = [like(text, level) for level in split(levels)]
    return found


def cross(resolve: Resolve, names: Mapping[str, str], vary: Mapping[str, Sequence[object]]) -> Crossed:
    """Resolve a scenario at every combination of algorithms and levels."""
    if not isinstance(vary, Mapping):
        raise InputError("vary", f'expected a dict, as in {{"path.queue": ["droptail", "codel"]}}, got {vary!r}')
    levels = {key: _levels(key, listed(each)) for key, each in vary.items()}
    _check_apart(levels)
    factors: dict[str, list[str]] = {ALGORITHM: list(names.values())} if names else {}
    factors |= levels
    count = math.prod(len(each) for each in factors.values())
    if count > MOST_RUNS:
        raise InputError(OPTION, f"makes {count} runs; allowed: at most {MOST_RUNS} in a comparison, more in a study")
    # A factor with one level says nothing of a run.
    named = [factor for factor, each in factors.items() if len(each) > 1]
    at: dict[str, dict[str, str]] = {}
    scenarios: dict[str, core.Scenario] = {}
    for subject in names or [None]:
        for chosen in product(*levels.values()):
            point = dict(zip(levels, chosen, strict=True))
            full = point if subject is None else {ALGORITHM: names[subject], **point}
            name = run_name({factor: full[factor] for factor in named})
            at[name] = full
            scenarios[name] = _resolve(resolve, subject, point)
    _check_alike(levels, scenarios)
    return Crossed(factors, at, scenarios)


def beside(found: Mapping[str, Crossed]) -> Crossed:
    """Return the combinations of several backends as one, with the backend as the first factor."""
    first = next(iter(found.values()))
    factors = {BACKEND: list(found), **first.factors}
    named = [factor for factor, each in first.factors.items() if len(each) > 1]
    at, scenarios = {}, {}
    for run in first.at:
        for backend, crossed in found.items():
            level = crossed.at[run]
            # The backend last: a run is named by the compared levels, then by its backend.
            name = run_name({**{factor: level[factor] for factor in named}, BACKEND: backend})
            at[name] = {BACKEND: backend, **level}
            scenarios[name] = crossed.scenarios[run]
    return Crossed(factors, at, scenarios)


def _levels(key: str, given: Sequence[object]) -> list[str]:
    """Return the levels of a key as written."""
    written = [like(each, each.strip()) if isinstance(each, str) else inline(each) for each in given]
    shown = f"{OPTION} {key}={','.join(written)}"
    for part in key.split(JOINED):
        if not part:
            raise InputError(shown, f"a key is empty; allowed: {EXAMPLE}, or two keys with the same levels: {TOGETHER}")
        if part in SHARED:
            raise InputError(shown, f"`{part}` is the same for all runs of a comparison; allowed: any other key")
    if len(written) < 2 or not all(written):  # noqa: PLR2004  # a comparison
        raise InputError(shown, f"needs two levels or more, and none that is empty; allowed: {EXAMPLE}")
    double = next((each for each in written if written.count(each) > 1), None)
    if double is not None:
        raise InputError(shown, f"gives {double} twice; allowed: each level once")
    return written


def _resolve(resolve: Resolve, subject: str | None, point: Mapping[str, str]) -> core.Scenario:
    # By key; of joined keys, each has the same level.
    changes = {change.partition("=")[0]: change for key, level in point.items()
               for change in spread([like(level, f"{key}={level}")])}  # fmt: skip
    try:
        return resolve(subject, [*changes.values()])
    except core.ScenarioError as error:
        # A fault of the scenario itself has its own place.
        resolve(subject, [])
        alone = [change for change in changes.values() if _is_fault(resolve, subject, [change])]
        wrong = alone or [*changes.values()]
        apart = any(PARAMETER.match(change.partition("=")[2]) for change in wrong)
        hint = f"; values of keys of a level stand in parentheses, as in {FORM}" if apart else ""
        raise InputError(f"{OPTION} {', '.join(wrong)}", f"{problem(error.diagnostics[0])}{hint}") from error


def _check_apart(keys: Iterable[str]) -> None:
    """Check that no key varies twice, alone and among joined keys."""
    parts = [part for key in keys for part in key.split(JOINED)]
    double = next((part for part in parts if parts.count(part) > 1), None)
    if double is not None:
        raise InputError(OPTION, f"gives `{double}` twice; allowed: each key once, alone or joined with others")


def _is_fault(resolve: Resolve, subject: str | None, changes: Sequence[str]) -> bool:
    try:
        resolve(subject, changes)
    except core.ScenarioError:
        return True
    return False


def _check_alike(keys: Mapping[str, object], scenarios: Mapping[str, core.Scenario]) -> None:
    """Check that groups and links can be paired by their places."""
    shapes = {name: (len(each.groups), len(each.links)) for name, each in scenarios.items()}
    first, shape = next(iter(shapes.items()))
    for name, other in shapes.items():
        if other != shape:
            counts = [
                f"{groups} groups and {links} links at {at}" for at, (groups, links) in ((first, shape), (name, other))
            ]
            problem = f"changes what is measured: {', '.join(counts)}; a study has such scenarios as factors"
            raise InputError(f"{OPTION} {', '.join(keys)}", problem)


OPTION = "--vary"
EXAMPLE = "as in path.queue=droptail,codel or path.rate=10Mbps,100Mbps"
FORM = "path.queue=droptail(limit=1s),codel"
TOGETHER = "path.queue+path.reverse.queue=fq-codel,cake"
# A value of a key that a comma has made a level of its own.
PARAMETER = re.compile(r"[a-z_]+=")
# Every run of a comparison has them in common.
SHARED = frozenset({"seed", "replications", "title"})
# Each pair has its differences.
MOST_RUNS = 64
