"""How something is run: what the commands have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from narrows.arguments import check_numbers, listed
from narrows.run.command import recorded
from narrows.run.jobs import Observer, Unwatched, Watch, Wordless, processors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def _silent(_line: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Options:
    """How something is run; None is the default of what is run.

    Attributes:
        seed: Master seed.
        replications: Number of replications.
        jobs: Maximum number of replications or cells at a time; None is the number of processors. Results do not depend
            on it.
        metrics: Further metrics, as in `"cov(bin=10s)"`.
        margins: What differences must exceed to matter, as in `"rtt_mean_s=1ms"`.
        trust: Whether Python files that are neither beside the given file nor named, and commands in files, may be
            executed.
        watch: Receives the progress and may stop the work.
        say: Is called with what a person should know, a line at a time.
        given: The arguments of the command line; None from Python.

    Raises:
        ValueError: A number is out of range.
    """

    seed: int | None = None
    replications: int | None = None
    jobs: int | None = None
    metrics: Sequence[str] = ()
    margins: Sequence[str] = ()
    trust: bool = False
    watch: Observer = field(default_factory=Unwatched)
    say: Callable[[str], None] = _silent
    given: Sequence[str] | None = None

    def __post_init__(self) -> None:
        check_numbers(seed=self.seed, replications=self.replications, jobs=self.jobs)

    @classmethod
    def called(  # noqa: PLR0913, PLR0917  # those of the public functions
        cls,
        seed: int | None,
        replications: int | None,
        jobs: int | None,
        watch: Watch | None,
        metrics: Sequence[str] = (),
        margins: Sequence[str] = (),
        *,
        trust: bool = False,
    ) -> Options:
        """Return the options of a call from Python; the arguments are the attributes."""
        seen = Unwatched() if watch is None else Wordless(watch)
        return cls(seed, replications, jobs, listed(metrics), listed(margins), trust=trust, watch=seen)

    @property
    def threads(self) -> int:
        """Maximum number of replications or cells at a time, as a number."""
        return self.jobs or processors()

    @property
    def command(self) -> str | None:
        """The command line as results record it; None from Python."""
        return None if self.given is None else recorded(self.given)
