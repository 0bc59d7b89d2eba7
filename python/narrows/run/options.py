# SPDX-License-Identifier: Apache-2.0
"""The options that all commands share."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from narrows.arguments import check_numbers
from narrows.frozen import frozen
from narrows.linux.backend import SIMULATOR
from narrows.run.command import recorded
from narrows.run.jobs import Observer, Unwatched, processors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from narrows.run.shard import Shard


def _silent(_line: str) -> None:
    """Say nothing."""


@frozen
class Options:
    """The options of a command; None is the default of the scenario, study or suite."""

    seed: int | None = None
    replications: int | None = None
    jobs: int | None = None  # results do not depend on it
    metrics: Sequence[str] = ()
    margins: Sequence[str] = ()
    on: str = SIMULATOR
    out: Path | None = None
    trust: bool = False  # execute Python files elsewhere that are not named, and commands in files
    watch: Observer = field(default_factory=Unwatched)
    say: Callable[[str], None] = _silent
    given: Sequence[str] | None = None  # the arguments of the command line; None from Python
    overrides: Sequence[str] = ()
    shard: Shard | None = None

    def __post_init__(self) -> None:
        check_numbers(seed=self.seed, replications=self.replications, jobs=self.jobs)

    @property
    def threads(self) -> int:
        """Maximum number of replications or cells at a time, as a number."""
        return self.jobs or processors()

    @property
    def command(self) -> str | None:
        """The command line as results record it; None from Python."""
        return None if self.given is None else recorded(self.given)
