"""A scenario, as a file, a text or a dict, and what can be done with it: check, run, compare."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from narrows import core
from narrows.errors import InputError, Interrupted
from narrows.execution import Unwatched, execute
from narrows.toml import to_toml

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from narrows.execution import Watch
    from narrows.results import Comparison, Run


def load(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> Scenario:
    """Read a scenario file and check it.

    Args:
        path: The file.
        overrides: `"key.path=value"`, each as after `--set`.

    Raises:
        InputError: The file cannot be read.
        ScenarioError: The scenario has faults; `diagnostics` lists them with line and column.
    """
    scenario = read(path, overrides)
    scenario.resolve()
    return scenario


def read(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> Scenario:
    """Read a scenario file, no more.

    Args:
        path: The file.
        overrides: `"key.path=value"`, each as after `--set`.

    Raises:
        InputError: The file cannot be read.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(str(file), error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise InputError(str(file), f"is no UTF-8 text: byte {error.start} cannot be read") from error
    return Scenario(text, str(file), file.parent, overrides)


class Scenario:
    """What a person wrote, to be run as often as wanted."""

    def __init__(
        self,
        source: str | Mapping[str, object],
        name: str = "scenario",
        directory: str | os.PathLike[str] = ".",
        overrides: Sequence[str] = (),
    ) -> None:
        """Take a scenario as it is; `resolve`, `run` and `compare` check it.

        Args:
            source: The TOML text, or the same as a dict.
            name: What messages call it.
            directory: What paths in it are relative to.
            overrides: `"key.path=value"`, each as after `--set`.
        """
        self.text = to_toml(source) if isinstance(source, Mapping) else source
        self.name = name
        self.directory = Path(directory)
        self.overrides = list(overrides)

    def resolve(
        self, subject: str | None = None, seed: int | None = None, replications: int | None = None
    ) -> core.Scenario:
        """Check the scenario and write out every default.

        Args:
            subject: The algorithm that takes the place of the groups marked `subject`.
            seed: Instead of the scenario's own.
            replications: Instead of the scenario's own.

        Raises:
            ScenarioError: The scenario has faults.
        """
        return core.load(self.text, self.name, str(self.directory), self.overrides, subject, seed, replications)

    def run(
        self,
        replications: int | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        watch: Watch | None = None,
    ) -> Run:
        """Run the scenario.

        Args:
            replications: How many; the scenario's own number, or one, unless given.
            seed: Instead of the scenario's own.
            jobs: How many run at a time; as many as there are processors unless given. The results are the same.
            watch: Is told of the progress and may stop the work: what has finished by then is returned.

        Returns:
            The run.

        Raises:
            ScenarioError: The scenario has faults.
            RunError: A run broke one of the simulator's own rules.
            Interrupted: The work was stopped before a replication had finished.
        """
        from narrows.results import Run

        resolved = self.resolve(None, seed, replications)
        planned = resolved.replications or DEFAULT_RUN_REPLICATIONS
        clock = _Clock()
        outcome = execute([(resolved, index) for index in range(planned)], jobs, watch or Unwatched())
        records = {index: each for index, each in enumerate(outcome) if each is not None}
        if not records:
            raise Interrupted("stopped before a replication had finished")
        return Run(resolved, planned, records, clock.started, clock.elapsed_s())

    def compare(
        self,
        algorithms: Sequence[str],
        replications: int | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        watch: Watch | None = None,
    ) -> Comparison:
        """Run the scenario once per algorithm on the same random numbers.

        Args:
            algorithms: Each takes the place of the groups marked `subject`, of all groups where none is.
            replications: How many of each; the scenario's own number, or five, unless given.
            seed: Instead of the scenario's own.
            jobs: How many run at a time; as many as there are processors unless given. The results are the same.
            watch: Is told of the progress and may stop the work: what has finished by then is returned.

        Returns:
            The comparison.

        Raises:
            ScenarioError: The scenario or an algorithm has faults.
            RunError: A run broke one of the simulator's own rules.
            Interrupted: The work was stopped before a replication had finished.
            ValueError: No algorithm is given, or one is given twice.
        """
        from narrows.results import Comparison, Run

        if not algorithms:
            raise ValueError("at least one algorithm is needed")
        for name in algorithms:
            if list(algorithms).count(name) > 1:
                raise ValueError(f"{name} is given twice: a comparison names each algorithm once")
        resolved = {name: self.resolve(name, seed, replications) for name in algorithms}
        planned = next(iter(resolved.values())).replications or DEFAULT_COMPARE_REPLICATIONS
        # Replication by replication, so that what has finished at an interrupt is still paired.
        plan = [(name, index) for index in range(planned) for name in algorithms]
        clock = _Clock()
        outcome = execute([(resolved[name], index) for name, index in plan], jobs, watch or Unwatched())
        wall_s = clock.elapsed_s()
        records: dict[str, dict[int, core.Records]] = {name: {} for name in algorithms}
        for (name, index), each in zip(plan, outcome, strict=True):
            if each is not None:
                records[name][index] = each
        runs = {
            name: Run(resolved[name], planned, finished, clock.started, wall_s)
            for name, finished in records.items()
            if finished
        }
        if not runs:
            raise Interrupted("stopped before a replication had finished")
        return Comparison(list(algorithms), runs, clock.started, wall_s)


class _Clock:
    def __init__(self) -> None:
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self._start_s = time.monotonic()

    def elapsed_s(self) -> float:
        return time.monotonic() - self._start_s


DEFAULT_RUN_REPLICATIONS = 1
DEFAULT_COMPARE_REPLICATIONS = 5
