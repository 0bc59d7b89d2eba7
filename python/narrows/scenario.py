"""A scenario, as a file, a text or a dict, and what can be done with it: check, run, compare."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from narrows import core
from narrows.errors import InputError
from narrows.guest import named
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
    scenario.check()
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
        """Take a scenario as it is; `check`, `run` and `compare` find its faults.

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

    def __repr__(self) -> str:
        """Say where it comes from."""
        return f"Scenario({self.name!r})"

    def run(
        self,
        replications: int | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        watch: Watch | None = None,
        measures: Sequence[str] = (),
    ) -> Run:
        """Run the scenario.

        Args:
            replications: How many; the scenario's own number, or one, unless given.
            seed: Instead of the scenario's own.
            jobs: How many run at a time; as many as there are processors unless given. The results are the same.
            watch: Is told of the progress and may stop the work: what has finished by then is returned.
            measures: For the summary beside those that every run has, as in `"cov(bin=10s)"`.

        Returns:
            The run.

        Raises:
            ScenarioError: The scenario has faults.
            MeasureError: A measure does not exist or says nothing about this scenario.
            RunError: A run broke one of the simulator's own rules.
            AlgorithmError: An algorithm written in Python made a mistake.
            Interrupted: The work was stopped before a replication had finished.
        """
        from narrows.execution import run

        return run(self.resolve(None, replications, seed), jobs, watch, measures)

    def compare(  # noqa: PLR0913, PLR0917  # each says how, and has a default
        self,
        algorithms: Sequence[str | type],
        replications: int | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        watch: Watch | None = None,
        measures: Sequence[str] = (),
    ) -> Comparison:
        """Run the scenario once per algorithm on the same random numbers.

        Args:
            algorithms: Each takes the place of the groups marked as subject, of all groups where none is. A name, or a
                class at the top of a Python file, which every run reads anew.
            replications: How many of each; the scenario's own number, or five, unless given.
            seed: Instead of the scenario's own.
            jobs: How many run at a time; as many as there are processors unless given. The results are the same.
            watch: Is told of the progress and may stop the work: what has finished by then is returned.
            measures: For the summary beside those that every run has, as in `"cov(bin=10s)"`.

        Returns:
            The comparison.

        Raises:
            InputError: A class cannot be found again in a file.
            ScenarioError: The scenario or an algorithm has faults.
            MeasureError: A measure does not exist or says nothing about this scenario.
            RunError: A run broke one of the simulator's own rules.
            AlgorithmError: An algorithm written in Python made a mistake.
            Interrupted: The work was stopped before a replication had finished.
            ValueError: No algorithm is given, or one is given twice.
        """
        from narrows.execution import compare

        names = [named(algorithm) for algorithm in algorithms]
        return compare(self.resolve_each(names, replications, seed), jobs, watch, measures)

    def check(self, replications: int | None = None, seed: int | None = None) -> core.Scenario:
        """Check the scenario, for a run or, where a group's algorithm is `subject`, for a comparison.

        Args:
            replications: Instead of the scenario's own.
            seed: Instead of the scenario's own.

        Raises:
            ScenarioError: The scenario has faults.
        """
        try:
            return self.resolve(None, replications, seed)
        except core.ScenarioError:
            # All that a run may lack is a subject, and then any will do.
            return self.resolve(STAND_IN, replications, seed)

    def resolve(
        self, subject: str | None = None, replications: int | None = None, seed: int | None = None
    ) -> core.Scenario:
        """Check the scenario and write out every default.

        Args:
            subject: The algorithm that takes the place of the groups marked as subject.
            replications: Instead of the scenario's own.
            seed: Instead of the scenario's own.

        Raises:
            ScenarioError: The scenario has faults.
        """
        return core.load(self.text, self.name, str(self.directory), self.overrides, subject, seed, replications)

    def resolve_each(
        self, subjects: Sequence[str], replications: int | None = None, seed: int | None = None
    ) -> dict[str, core.Scenario]:
        """Resolve the scenario with one algorithm after the other in the subject's place.

        Args:
            subjects: The algorithms.
            replications: How many of each; the scenario's own number, or five, unless given.
            seed: Instead of the scenario's own.

        Raises:
            ScenarioError: The scenario or an algorithm has faults.
            ValueError: No algorithm is given, or one is given twice.
        """
        if not subjects:
            raise ValueError("at least one algorithm is needed")
        twice = given_twice(subjects)
        if twice is not None:
            raise ValueError(f"{twice} is given twice: a comparison names each algorithm once")
        if replications is None:
            replications = self.resolve(subjects[0]).replications_written or COMPARED_REPLICATIONS
        return {name: self.resolve(name, replications, seed) for name in subjects}


def given_twice(names: Sequence[str]) -> str | None:
    """Return the first name that is given twice, `./mine.py:Mine` being the same as `mine.py:Mine`."""
    plain = [name.removeprefix("./") for name in names]
    return next((name for name, short in zip(names, plain, strict=True) if plain.count(short) > 1), None)


STAND_IN = "newreno"
COMPARED_REPLICATIONS = 5
