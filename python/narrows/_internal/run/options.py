# SPDX-License-Identifier: Apache-2.0
"""The options that all commands share, the shard of a machine, and the command line as results record it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path
from typing import NamedTuple, Self

from narrows._internal.arguments import check_numbers
from narrows._internal.frozen import frozen
from narrows._internal.linux.backend import SIMULATOR
from narrows._internal.run.jobs import Observer, Unwatched, processors


def recorded(given: Sequence[str]) -> str:
    """Return the command line of arguments, without the folders of absolute paths and without the cluster.

    Examples:
        >>> recorded(["run", "/work-of/ann/dsl.toml", "--set", "path.rate.trace=/data/lte.up", "--address", "tcp://n1:8786"])
        'narrows run dsl.toml --set path.rate.trace=lte.up'
    """
    kept: list[str] = []
    skipped = False
    for argument in given:
        if not skipped and not argument.startswith(CLUSTER):
            kept.append(FOLDERS.sub(r"\1", argument))
        skipped = argument == CLUSTER
    return shlex.join(["narrows", *kept])


def called(options: Options, *words: str, **flags: object) -> str:
    """Return the command line as results record it: as typed, or as it would do what Python asked for."""
    if options.given is not None:
        return recorded(options.given)
    common = {
        "set": options.overrides,
        "metric": options.metrics,
        "seed": options.seed,
        "replications": options.replications,
        "on": "" if options.on == SIMULATOR else options.on,
        "trust": options.trust,
    }
    given = [*words]
    for name, value in {**common, **flags}.items():
        for each in value if isinstance(value, list | tuple) else [value]:
            if each is True:
                given.append(f"--{name}")
            elif each not in {None, "", False}:
                given += [f"--{name}", str(each)]
    return recorded(given)


class Shard(NamedTuple):
    """One of several machines."""

    number: int  # its number, from 1
    total: int  # number of shards

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a shard, as in 3/7; of those that total from 0, 0/7 is 7/7."""
        found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        number, total = map(int, found.groups()) if found else (1, 0)
        if not 0 <= number <= total or not total:
            raise ValueError(f"expected I/N with I from 1 to N, as in 3/7, got {text!r}")
        return cls(number or total, total)

    def has(self, turn: int) -> bool:
        """Return whether work that is given to the shards in turn falls to it."""
        return turn % self.total == self.number % self.total

    def __str__(self) -> str:
        """Return it as it is written."""
        return f"{self.number}/{self.total}"


def _silent(_line: str) -> None:
    """Say nothing."""


@frozen
class Options:
    """The options of a command; None is the default of the scenario, study or suite."""

    seed: int | None = None
    replications: int | None = None  # the greatest number, if the work ends when it is decided
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
    until_decided: bool = False  # add replications until the comparisons of the sentences are decided

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


CLUSTER = "--address"
# The folders of an absolute path, at the start of an argument or of a value in it.
FOLDERS = re.compile(r"""(^|[=,"'\[(\s])/(?:[^\s"',()=]*/)?(?=[^/])""")
