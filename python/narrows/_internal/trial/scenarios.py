# SPDX-License-Identifier: Apache-2.0
"""The scenarios of a trial: files, a suite, or the scenarios of Narrows, each with A and with B."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, NamedTuple

from narrows._internal import core
from narrows._internal.errors import InputError
from narrows._internal.evaluation.definition import ALGORITHM, Suite, find_suite, read_suite
from narrows._internal.experiments.definition import read_study
from narrows._internal.experiments.overlay import Choice, offered
from narrows._internal.experiments.planner import Refused, make_plan
from narrows._internal.experiments.task import resolve
from narrows._internal.external.names import short_names
from narrows._internal.external.source import absolute
from narrows._internal.files.folder import file_name
from narrows._internal.files.manifest import keep
from narrows._internal.frozen import frozen
from narrows._internal.library import SUITES, find_scenario
from narrows._internal.linux import backend
from narrows._internal.linux.backend import BOTH, SIMULATOR
from narrows._internal.run.scenario import Scenario, read
from narrows._internal.trace.scenario import latin
from narrows._internal.trace.shown import show


@frozen
class Pair:
    """A scenario with A and with B."""

    name: str  # name of the scenario
    a: core.Scenario  # the scenario with A as the subject
    b: core.Scenario  # the scenario with B as the subject
    # Metrics that are judged, as `group.NAME.METRIC` or `link.NAME.METRIC`; empty for the usual ones.
    wanted: list[str] = field(default_factory=list)
    programs: str = ""  # a hash that changes with the files of commands; empty for algorithms
    # Scenarios with A and with B that differ in the unknown quantities of a path; each replication runs the next.
    # `a` and `b` are the first. Empty if all replications run `a` and `b`.
    draws: Sequence[tuple[core.Scenario, core.Scenario]] = ()

    def sides(self, replication: int) -> tuple[core.Scenario, core.Scenario]:
        """Return the scenarios with A and with B of a replication."""
        return self.draws[replication % len(self.draws)] if self.draws else (self.a, self.b)


class Sides(NamedTuple):
    """The algorithms and backends that a trial compares."""

    a: str  # the present algorithm
    b: str  # the change
    on: tuple[str, str] = (SIMULATOR, SIMULATOR)  # the backends that run them, the backend of A first


def read_backends(text: str) -> tuple[str, str]:
    """Return the backends of A and B from a text with one for both, or two with a comma."""
    found = [each.strip() for each in text.split(",")]
    if len(found) > 2 or BOTH in found or not all(found):  # noqa: PLR2004  # A and B
        what = "simulator, linux, linux:NAME, or two of them for A and B, as in linux:6.12,linux:7.3"
        raise InputError(f"--on {text}", f"is neither one backend nor one for each side; allowed: {what}")
    kernels = [backend.find(each) for each in found]
    if found[0] != found[-1] and kernels[0] == kernels[-1]:
        same = backend.describe(kernels[0])["on"]
        raise InputError(f"--on {text}", f"names one kernel twice, {same}; allowed: two kernels, or one backend")
    return found[0], found[-1]


def read_sides(a: str, b: str | None, on: str) -> Sides:
    """Return the compared sides: two algorithms, or one on two backends."""
    backends = read_backends(on)
    if b is None and backends[0] == backends[1]:
        what = "the change, or two backends for the one algorithm, as in --on linux:6.12,linux:7.3"
        raise InputError("B", f"is missing, and --on {on} is one backend; expected {what}")
    return Sides(a, a if b is None else b, backends)


def names(sides: Sides) -> tuple[str, str]:
    """Return the names of A and B in results, with their backends if these differ."""
    if sides.on[0] == backend.REAL_TIME:
        return sides.a, sides.b
    short = short_names([sides.a, sides.b]) if sides.a != sides.b else {sides.a: sides.a}
    a, b = short[sides.a], short[sides.b]
    return (a, b) if sides.on[0] == sides.on[1] else (f"{a} on {sides.on[0]}", f"{b} on {sides.on[1]}")


def of_files(  # noqa: PLR0913  # arguments of the command
    files: Sequence[str],
    sides: Sides,
    seed: int | None,
    overrides: Sequence[str] = (),
    subjects: Sequence[str] = (),
    *,
    trust: bool = False,
) -> list[Pair]:
    """Return the pairs of scenario files, or of names of the library, each with the changes `overrides`."""
    found = []
    for given in files:
        place = find_scenario(given)
        resolved = []
        for subject, on in zip((sides.a, sides.b), sides.on, strict=True):
            try:
                text = read(place, overrides, trust=trust, on=on)
                resolved.append(text.with_subjects(subjects).resolve(subject, None, seed))
            except core.ScenarioError as error:
                if sides.on[0] == sides.on[1]:
                    raise
                # Which of the two backends refuses it.
                raise InputError(f"--on {on}", str(error).rstrip()) from None
        name = Path(given).stem if place.file == Path(given) else given
        a, b = resolved
        found.append(Pair(name, a, b))
    return found


def of_traces(
    given: Sequence[str], sides: Sides, seed: int | None, overrides: Sequence[str], draws: int
) -> tuple[list[Pair], dict[str, str]]:
    """Return the pairs of traces, and why other files of a folder are left out.

    The quantities of a path that a trace leaves open are drawn from their intervals, for each replication anew.
    """
    found: list[Pair] = []
    left_out: dict[str, str] = {}
    for place in map(Path, given):
        for file in sorted(each for each in place.iterdir() if each.is_file()) if place.is_dir() else [place]:
            try:
                shown = show(file)
            except InputError as error:
                if file == place:
                    raise
                left_out[file.name] = str(error)
                continue
            drawn = []
            for draw in latin(draws, seed or 1):
                text = shown.drawn(draw)
                of_sides = [
                    Scenario(text, str(file), overrides=overrides, on=on).resolve(subject, None, seed)
                    for subject, on in zip(sides[:2], sides.on, strict=True)
                ]
                drawn.append((of_sides[0], of_sides[1]))
            found.append(Pair(file.name, *drawn[0], draws=drawn))
    if not found:
        raise InputError(" ".join(given), f"has no trace: {next(iter(left_out.values()), 'the folder is empty')}")
    return found, left_out


def of_narrows() -> list[str]:
    """Return the scenario files that come with Narrows for trials."""
    return [str(file) for file in sorted((SUITES / OWN).glob("*.toml"))]


def of_suite(
    given: str, sides: Sides, seed: int | None, overrides: Sequence[str] = (), *, trust: bool = False
) -> tuple[list[Pair], dict[str, str]]:
    """Return the pairs of a suite: each of its cells at the quick size, with the measures of its rows."""
    suite = read_suite(find_suite(given))
    if suite.subject != ALGORITHM:
        raise InputError(given, "is a suite of queues; allowed: one of algorithms")
    left_out: dict[str, str] = {}
    asked = (sides, seed, overrides, left_out)
    found = [pair for cells in suite.cells for pair in _of_cells(suite, cells, *asked, trust=trust)]
    if not found:
        raise InputError(given, f"the backend runs none of its cells: {next(iter(left_out.values()))}")
    return found, left_out


def _of_cells(  # noqa: PLR0913, PLR0917  # arguments of the suite and the command
    suite: Suite,
    cells: str,
    sides: Sides,
    seed: int | None,
    overrides: Sequence[str],
    left_out: dict[str, str],
    *,
    trust: bool,
) -> Iterator[Pair]:
    file = suite.cells[cells]
    subjects = [absolute(each) for each in dict.fromkeys(sides[:2])]
    choice = Choice("quick" if "quick" in offered(file) else None)
    study = read_study(file, seed, None, choice, {"subjects": subjects, "names": subjects})
    measured = [row.measure for row in suite.rows if row.cells == cells and row.measure is not None]
    wanted = dict.fromkeys(each.text for each in measured if each.metric.cards[each.of]["better"])
    resolved: list[dict[str, core.Scenario]] = []
    for on, subject in zip(sides.on, (subjects[0], subjects[-1]), strict=True):
        refused: list[Refused] = []
        own = study if on == SIMULATOR else replace(study, on=on)
        plan = make_plan(own, overrides, list(wanted), subjects, trust=trust, refused=refused)
        resolved.append(
            {
                _named(cells, plan.factors, point.levels): resolve(plan.base, point.overrides, point.written, on)
                for point in plan.points
                if point.written == subject
            }
        )
        short = short_names(subjects)[subject]
        left_out.update(
            {_named(cells, plan.factors, each.levels): each.reason for each in refused if each.algorithm == short}
        )
    for name, a in resolved[0].items():
        if name in resolved[1]:
            yield Pair(name, a, resolved[1][name], list(wanted))


def _named(cells: str, factors: Sequence[str], levels: Mapping[str, Any]) -> str:
    condition = " ".join(str(levels[name]) for name in factors)
    return f"{cells} {condition}".strip()


def write_scenarios(folder: Path, pairs: Sequence[Pair], sides: Sides) -> dict[str, list[str]]:
    """Write the scenarios of each pair with A and with B into the folder of a trial, draws in their order."""
    home = folder / SCENARIOS
    home.mkdir(exist_ok=True)
    found = {}
    for pair in pairs:
        files = []
        for number, draw in enumerate(pair.draws or [(pair.a, pair.b)], 1):
            for side, scenario, on in zip(("a", "b"), draw, sides.on, strict=True):
                keep(home, scenario.files)
                of_draw = f".{number}" if pair.draws else ""
                name = f"{file_name(pair.name.replace(' ', '-'))}{of_draw}.{side}.toml"
                command = "emulate FILE --trust" if on == backend.REAL_TIME else f"run FILE --on {on}"
                note = "" if on == SIMULATOR else f"# narrows {command}\n\n"
                (home / name).write_text(note + scenario.portable, encoding="utf-8")
                files.append(f"{SCENARIOS}/{name}")
        found[pair.name] = files
    return found


OWN = "changes"
SCENARIOS = "scenarios"
