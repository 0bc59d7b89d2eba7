# SPDX-License-Identifier: Apache-2.0
"""The part of a reproduction or a suite that falls to a shard: its cells, without a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from narrows.commands.job import Job
from narrows.errors import InputError
from narrows.experiments.executors.threads import Threads
from narrows.experiments.stored import Status
from narrows.frozen import frozen
from narrows.reproduction import campaign
from narrows.reproduction.campaign import Whole
from narrows.reproduction.experiment import Part
from narrows.run.options import Options, Shard


@frozen
class Sharding(Job[Status]):
    """The part of several studies that falls to a shard."""

    parts: Sequence[Part]
    place: Path

    def work(self) -> Status:
        """Run every cell that is missing."""
        watch = self.options.watch
        whole = Whole(self.parts, watch.update, watch.stopped)
        with self.resumable():
            campaign.work(self.parts, self.place, lambda: Threads(self.options.threads), whole.of)
        found = [part.opened(self.place).status() for part in self.parts]
        cells, finished = sum(one.cells for one in found), sum(one.finished for one in found)
        return Status(cells, finished, sum(one.failed for one in found), None)

    def build(self, _result: Status) -> None:
        """Build no page: a part of the cells has no verdict."""


def of_shard(parts: Sequence[Part], shard: Shard | None) -> list[Part]:
    """Return studies that run only the cells of a shard."""
    return [replace(part, shard=shard) for part in parts]


def asked(options: Options, **arguments: Any) -> dict[str, Any]:
    """Return the arguments that the folder of a shard keeps, so that a merge can plan the same cells."""
    return {"shard": str(options.shard), "seed": options.seed, "replications": options.replications, **arguments}


def refuse_with_shard(options: Options, **given: object) -> None:
    """Check that no argument requires the cells of all shards."""
    for name, value in given.items():
        if options.shard is not None and value:
            problem = "needs the cells of all: join them with `narrows study merge`, then give it to the same command"
            raise InputError(f"--{name}", f"{problem} without --shard, with the joined folder as --out")
