# SPDX-License-Identifier: Apache-2.0
"""Scenarios from files, texts or dicts: check, run, compare."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from narrows._internal import core
from narrows._internal.analysis.sequences import MOST
from narrows._internal.arguments import Overrides, check_numbers, listed, typed
from narrows._internal.emulate.hosts import RealTime
from narrows._internal.errors import InputError
from narrows._internal.external.algorithm import named
from narrows._internal.external.names import short_names
from narrows._internal.external.trust import EVERYTHING, Executed, Trust, executed, granted
from narrows._internal.files.text import read_text
from narrows._internal.files.toml import to_toml
from narrows._internal.library import ScenarioFile, find_scenario
from narrows._internal.linux import backend
from narrows._internal.linux.backend import OURS, SIMULATOR
from narrows._internal.names import UnknownNameError
from narrows._internal.run.jobs import Watch, observer
from narrows._internal.run.options import Options

if TYPE_CHECKING:
    from narrows._internal.run.execution import Planned
    from narrows._internal.run.levels import Crossed
    from narrows._internal.run.results import Comparison, Run


@typed
def load(
    path: str | os.PathLike[str],
    overrides: Overrides = (),
    *,
    trust: bool = False,
    on: str = SIMULATOR,
    queue: str = OURS,
) -> Scenario:
    """Read a scenario file and check it; nothing that it names is executed.

    A run executes Python files at or below the file's folder, what `overrides` name, and, on a Linux kernel, the
    commands of a scenario of the library. A file may come from somebody else: `executes` lists the files and commands
    that a run would execute.

    Args:
        path: The scenario file, or the name of a scenario of the library.
        overrides: Changes of keys, each `"key.path=value"` as after `--set`, or a dict.
        trust: Whether a run may also execute Python files elsewhere, and the commands in the file.
        on: The backend that runs it: `simulator`, `linux` or `linux:NAME`; for `compare`, `both`, too.
        queue: `linux` or `linux:KIND` for queue disciplines of the kernel in place of ours.

    Raises:
        InputError: The file cannot be read.
        ScenarioError: The scenario has faults; `diagnostics` lists them with line and column.
    """
    scenario = read(find_scenario(os.fspath(path)), overrides, trust=trust, on=on, queue=queue)
    scenario.check()
    return scenario


def read(
    path: str | os.PathLike[str] | ScenarioFile,
    overrides: Overrides = (),
    *,
    trust: bool | Trust = False,
    on: str = SIMULATOR,
    queue: str = OURS,
) -> Scenario:
    """Read a scenario file as `load`, but do not check it; `trust` may list the trusted files and commands."""
    found = path if isinstance(path, ScenarioFile) else ScenarioFile(Path(path), given=os.fspath(path))
    file = found.file
    scenario = Scenario(read_text(file), str(file), file.parent, on=on, queue=queue)
    # Whoever calls this may have read them.
    scenario.overrides = [*found.changes, *listed(overrides)]
    scenario.trust = trust if isinstance(trust, Trust) else granted(found.given or file, trust=trust)
    return scenario


T = TypeVar("T")
# No key is varied.
NOTHING: Mapping[str, Sequence[object]] = MappingProxyType({})


class Scenario:
    """A scenario as written; `check`, `run` and `compare` resolve it."""

    @typed
    def __init__(  # noqa: PLR0913  # each has a default
        self,
        source: str | Mapping[str, object],
        name: str = "scenario",
        directory: str | os.PathLike[str] = ".",
        overrides: Overrides = (),
        *,
        trust: bool = False,
        on: str = SIMULATOR,
        queue: str = OURS,
    ) -> None:
        """Make a scenario without checking it.

        Args:
            source: The scenario as TOML text or as a dict.
            name: Name in messages.
            directory: Folder to which paths in the scenario are relative. A run executes Python files at or below it.
            overrides: Changes of keys, each `"key.path=value"` as after `--set`, or a dict. A run executes
                files that they name.
            trust: Whether a run may execute any Python file, and the commands in the source.
            on: The backend that runs it: `simulator`, `linux` or `linux:NAME`; for `compare`, `both`, too.
            queue: `linux` or `linux:KIND` for queue disciplines of the kernel in place of ours.

        Raises:
            InputError: The source is a name.
            TypeError: The source is neither text nor dict, or a value in it has no form in a scenario file.
        """
        if isinstance(source, str) and source.strip() and not {"=", "\n"} & set(source):
            raise InputError(
                source, "not the text of a scenario; `narrows.load` reads files and scenarios of the library"
            )
        self.text = to_toml(source) if isinstance(source, Mapping) else source
        self.name = name
        self.directory = Path(directory)
        self.overrides: list[str] = listed(overrides)
        here = Trust((str(self.directory.absolute()),), typed=True)
        self.trust = EVERYTHING if trust else here
        self.on = on
        self.queue = queue
        self.real_time: RealTime | None = None

    def __repr__(self) -> str:
        """Return its name."""
        return f"Scenario({self.name!r})"

    @typed
    def run(
        self,
        replications: int | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        watch: Watch | None = None,
        metrics: Sequence[str] = (),
    ) -> Run:
        """Run the scenario.

        Args:
            replications: Number of replications; None is the scenario's, or one.
            seed: Master seed; None is the scenario's.
            jobs: Maximum number of replications at a time; None is the number of processors. The results do not depend
                on it.
            watch: Receives the progress and may stop the work; the replications that have finished are returned.
            metrics: Further metrics for the summary, as in `"cov(bin=10s)"`.

        Returns:
            The run.

        Raises:
            ScenarioError: The scenario has faults.
            MetricError: A metric does not exist or does not apply to the scenario.
            RunError: A run violated an invariant of the simulator.
            AlgorithmError: An algorithm written in Python failed.
            Interrupted: The work was stopped before a replication had finished.
            ValueError: A number is out of range.
        """
        from narrows._internal.run.execution import run

        options = Options(seed, replications, jobs, listed(metrics), watch=observer(watch))
        return run(self.resolve(None, replications, seed), options)

    @typed
    def run_on_both(
        self,
        replications: int | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        watch: Watch | None = None,
        metrics: Sequence[str] = (),
    ) -> Comparison:
        """Run the scenario in the simulator and on a Linux kernel, with common random numbers.

        Arguments and errors as for `run`; the default number of replications is the scenario's, or five.

        Returns:
            The comparison of the backends, `simulator` and `linux`.
        """
        from narrows._internal.run.execution import compare

        options = Options(seed, replications, jobs, listed(metrics), watch=observer(watch))
        return compare(self.planned_on_both(options), options)

    @typed
    def compare(  # noqa: PLR0913, PLR0917  # each says how, and has a default
        self,
        algorithms: Sequence[str | type] = (),
        replications: int | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        watch: Watch | None = None,
        metrics: Sequence[str] = (),
        margins: Sequence[str] = (),
        vary: Mapping[str, Sequence[object]] = NOTHING,
        *,
        until_decided: bool = False,
    ) -> Comparison:
        """Run the scenario once per algorithm, per level of a key, or per combination, with common random numbers.

        Args:
            algorithms: Names, or classes at the top level of a Python file. Each is in turn the algorithm of the groups
                marked as subject, or of all groups if none is marked. An empty list keeps the scenario's algorithms, if
                `vary` has a key.
            replications: Number of replications per run; None is the scenario's, or five. With `until_decided` the
                greatest number, two or more; None is 40.
            seed: Master seed; None is the scenario's.
            jobs: Maximum number of replications at a time; None is the number of processors. The results do not depend
                on it.
            watch: Receives the progress and may stop the work; the replications that have finished are returned.
            metrics: Further metrics for the summary, as in `"cov(bin=10s)"`.
            margins: Smallest differences that matter, as in `"rtt_mean_s=1ms"` or `"goodput_bps=5%"`, instead of the
                margins of the metrics' cards.
            vary: The levels of keys, each as in the file, as in `{"path.queue": ["droptail", "codel"]}`. A queue is a
                name with parameters, as in `red(gentle=true)`; the other keys of the scenario's queue are kept. `+`
                joins keys that have the same levels.
            until_decided: Whether replications are added until each comparison of the sentences is decided: better,
                worse, or no difference that matters. Intervals are then confidence sequences.

        Returns:
            The comparison.

        Raises:
            InputError: A class is not at the top level of a file, or a key or level cannot be varied.
            ScenarioError: The scenario or an algorithm has faults.
            MetricError: A metric does not exist or does not apply to the scenario.
            RunError: A run violated an invariant of the simulator.
            AlgorithmError: An algorithm written in Python failed.
            Interrupted: The work was stopped before a replication had finished.
            ValueError: No algorithm and no key is given, an algorithm is given twice, or a number is out of range.
        """
        from narrows._internal.run.execution import compare

        numbers = seed, replications, jobs, listed(metrics), listed(margins)
        options = Options(*numbers, watch=observer(watch), until_decided=until_decided)
        return compare(self.planned([named(algorithm) for algorithm in listed(algorithms)], vary, options), options)

    def with_subjects(self, groups: Sequence[str]) -> Scenario:
        """Return this scenario with these groups, and no others, marked as subject."""
        marked = copy(self)
        marked.overrides = [*self.overrides, *self.marks(groups)]
        return marked

    def marks(self, groups: Sequence[str]) -> list[str]:
        """Return the changes, as after `--set`, by which these groups and no others are marked as subject."""
        if not groups:
            return []
        known = [name for name, _ in self.check().groups]
        for group in groups:
            if group not in known:
                raise UnknownNameError("flow group", group, known, f"allowed in {self.name}: {', '.join(known)}")
        changes = {f"flows.{name}.subject={str(name in groups).lower()}": name for name in known}
        marked = copy(self)
        marked.overrides = [*self.overrides, *changes]
        try:
            marked.check()
        except core.ScenarioError as error:
            for each in error.diagnostics:
                kept = changes.get(each["file"].removeprefix("--set "))
                if kept is not None:
                    problem = f'{kept} is not among them and has no algorithm but "subject"'
                    allowed = f"allowed: --subject {kept} as well, or --set flows.{kept}.algorithm=NAME"
                    raise InputError(f"--subject {' '.join(groups)}", f"{problem}; {allowed}") from error
            raise
        return list(changes)

    def planned(self, names: Sequence[str], vary: Mapping[str, Sequence[object]], options: Options) -> Planned:
        """Resolve the scenarios of a comparison; errors as `compare`."""
        from narrows._internal.comparison import LEVELS
        from narrows._internal.run.execution import Planned

        most = options.replications or (MOST if options.until_decided else None)
        if options.until_decided and most == 1:
            raise ValueError("replications is 1; allowed: a whole number from 2, for intervals")
        given = most, options.seed
        if vary or (self.on == backend.BOTH and names):
            crossed = self.resolve_crossed(names, vary, *given)
            return Planned(crossed.scenarios, LEVELS, crossed)
        return Planned(self.resolve_each(names, *given))

    def planned_on_both(self, options: Options) -> Planned:
        """Resolve the scenarios of a comparison of backends; errors as `run_on_both`."""
        from narrows._internal.comparison import BACKENDS
        from narrows._internal.run.execution import Planned

        return Planned(self.resolve_on_both(options.replications, options.seed), BACKENDS)

    def check(self, replications: int | None = None, seed: int | None = None) -> core.Scenario:
        """Check the scenario: for a run or, if the algorithm of a group is `subject`, for a comparison.

        No Python file is executed: of an external algorithm, the source is checked.

        Args:
            replications: Number of replications; None is the scenario's.
            seed: Master seed; None is the scenario's.

        Returns:
            The resolved scenario.

        Raises:
            ScenarioError: The scenario has faults.
        """
        if self.on == backend.BOTH:
            on_each = [own.check(replications, seed) for own in self._on_each().values()]
            return on_each[0]
        return _with_any_subject(lambda subject: self.resolve(subject, replications, seed))

    def resolve(
        self, subject: str | None = None, replications: int | None = None, seed: int | None = None
    ) -> core.Scenario:
        """Check the scenario and fill in every default; `subject` is the algorithm of the groups under test."""
        check_numbers(replications=replications, seed=seed)
        where = backend.elsewhere(self.on, self.queue)
        if self.real_time is not None:
            where["real_time"] = self.real_time
        return core.load(self._given(subject, replications, seed, where))

    def _given(
        self, subject: str | None, replications: int | None, seed: int | None, where: backend.Elsewhere
    ) -> core.Given:
        return {
            "text": self.text,
            "file": self.name,
            "directory": str(self.directory),
            "overrides": self.overrides,
            "subject": subject,
            "seed": seed,
            "replications": replications,
            "overrides_directory": "",
            "trusted": self._trusting(subject)._asdict(),
            **where,
        }

    def executes(self, subject: str | None = None) -> list[Executed]:
        """Return the classes in Python files and the commands that a run would execute; nothing is executed."""

        def listed(subject: str | None) -> list[Executed]:
            return executed(self._given(subject, None, None, backend.elsewhere(SIMULATOR)))

        return listed(subject) if subject is not None else _with_any_subject(listed)

    def _trusting(self, subject: str | None) -> Trust:
        """Return the permission to execute files, including the files that the user names."""
        if not self.trust.typed or self.trust == EVERYTHING:
            return self.trust
        named = granted(None, [] if subject is None else [subject], self.overrides)
        return self.trust._replace(files=(*self.trust.files, *named.files), changes=named.changes)

    def resolve_on_both(self, replications: int | None = None, seed: int | None = None) -> dict[str, core.Scenario]:
        """Resolve the scenario for the simulator and for a Linux kernel."""
        found = {}
        for on, own in self._on_each().items():
            if replications is None:
                replications = own.resolve(None, None, seed).replications_written or COMPARED_REPLICATIONS
            found[on] = own.resolve(None, replications, seed)
        return found

    def _on_each(self) -> dict[str, Scenario]:
        found = {}
        for on in (backend.SIMULATOR, backend.LINUX):
            found[on] = copy(self)
            found[on].on, found[on].queue = on, self.queue if on == backend.LINUX else backend.OURS
        return found

    def resolve_crossed(
        self,
        subjects: Sequence[str],
        vary: Mapping[str, Sequence[object]],
        replications: int | None = None,
        seed: int | None = None,
    ) -> Crossed:
        """Resolve the scenario at every combination of algorithms and levels of keys."""
        from narrows._internal.run.levels import beside, cross

        if self.on == backend.BOTH:
            each = self._on_each().values()
            return beside({own.on: own.resolve_crossed(subjects, vary, replications, seed) for own in each})
        _check_given_once(subjects)
        if replications is None:
            first = self.resolve(subjects[0] if subjects else None)
            replications = first.replications_written or COMPARED_REPLICATIONS

        def resolve(subject: str | None, more: Sequence[str]) -> core.Scenario:
            changed = copy(self)
            changed.overrides = [*self.overrides, *more]
            return changed.resolve(subject, replications, seed)

        return cross(resolve, short_names(subjects), vary)

    def resolve_each(
        self, subjects: Sequence[str], replications: int | None = None, seed: int | None = None
    ) -> dict[str, core.Scenario]:
        """Resolve the scenario once per algorithm."""
        if not subjects:
            raise ValueError("at least one algorithm is needed")
        _check_given_once(subjects)
        if replications is None:
            replications = self.resolve(subjects[0]).replications_written or COMPARED_REPLICATIONS
        return {short: self.resolve(name, replications, seed) for name, short in short_names(subjects).items()}


def _with_any_subject(make: Callable[[str | None], T]) -> T:
    """Return the result of `make` for a scenario, with any subject if it lacks nothing else."""
    try:
        return make(None)
    except core.ScenarioError as error:
        if all(each["given"] != '"subject"' for each in error.diagnostics):
            raise
        return make(stand_in())


def stand_in() -> str:
    """Return the name of any algorithm for the subject: the first of the catalogue."""
    return str(core.algorithms()[0]["name"])


def _check_given_once(names: Sequence[str]) -> None:
    twice = given_twice(names)
    if twice is not None:
        raise ValueError(f"{twice} is given twice: a comparison names each algorithm once")


def given_twice(names: Sequence[str]) -> str | None:
    """Return the first name that is given twice, None without one; `./mine.py:Mine` is the same as `mine.py:Mine`."""
    plain = [name.removeprefix("./") for name in names]
    return next((name for name, short in zip(names, plain, strict=True) if plain.count(short) > 1), None)


COMPARED_REPLICATIONS = 5
