# SPDX-License-Identifier: Apache-2.0
"""How a shard of a reproduction or a suite ends on the command line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from narrows.cli.status import DONE, INTERNAL
from narrows.files.json_objects import to_json
from narrows.plural import counted

if TYPE_CHECKING:
    import argparse

    from narrows.cli.work import Work
    from narrows.commands.shards import Sharding


def run(work: Work, job: Sharding, arguments: argparse.Namespace) -> int:
    """Run what falls to a shard, and print how many of its cells are finished."""
    done = work.perform(job)
    found = done.result
    if arguments.json:
        print(to_json(found._asdict()))
    else:
        cells = counted(found.cells, "cell is", "cells are")
        print(f"shard {job.options.shard}: {found.finished} of {cells} finished, {found.failed} failed")
    if found.failed:
        print(f"{job.place}/*/failed says why", file=sys.stderr)
    return work.end(done, INTERNAL if found.failed else DONE)
