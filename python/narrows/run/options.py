# SPDX-License-Identifier: Apache-2.0
"""How something is run: what the commands have in common."""

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
    """How something is run; None is the default of what is run.

    Attributes:
        seed: Master seed.
        replications: Number of replications.
        jobs: Maximum number of replications or cells at a time; None is the number of processors. Results do not depend
            on it.
        metrics: Further metrics, as in `"cov(bin=10s)"`.
        margins: Margins that differences must exceed to matter, as in `"rtt_mean_s=1ms"`.
        on: The backend: `simulator`, `linux` or `linux:NAME`; for some commands `both`, too.
        out: Folder of the results; None for one below `runs`.
        trust: Whether Python files that are neither beside the given file nor named, and commands in files, may be
            executed.
        watch: Receives the progress and may stop the work.
        say: Is called with what a person should know, a line at a time.
        given: The arguments of the command line; None from Python.
        overrides: Changes of every scenario, as after `--set`, for commands with scenarios of their own.
        shard: The part of the cells that is run; None for all.

    Raises:
        ValueError: A number is out of range.
    """

    seed: int | None = None
    replications: int | None = None
    jobs: int | None = None
    metrics: Sequence[str] = ()
    margins: Sequence[str] = ()
    on: str = SIMULATOR
    out: Path | None = None
    trust: bool = False
    watch: Observer = field(default_factory=Unwatched)
    say: Callable[[str], None] = _silent
    given: Sequence[str] | None = None
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
