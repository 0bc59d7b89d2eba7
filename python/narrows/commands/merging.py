# SPDX-License-Identifier: Apache-2.0
"""Shards joined: the folder that one machine would have written."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from narrows.commands import page
from narrows.commands.default_folder import folder_of
from narrows.commands.job import Job
from narrows.commands.studies import Studied
from narrows.errors import Interrupted
from narrows.experiments import campaign
from narrows.experiments.merge import Shards, open_shards
from narrows.experiments.stored import stored
from narrows.experiments.views.summary import write_summary
from narrows.files.folder import appearing, check_place

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from narrows.run.options import Options


@dataclass(frozen=True)
class Merging(Job[Studied]):
    """The shards of a study, which fit each other.

    Attributes:
        shards: The shards.
    """

    shards: Shards

    def work(self) -> Studied:
        """Write the folder of the study.

        Raises:
            Interrupted: The rule of the study asks for more replications; the folder has all so far.
        """
        with appearing(self.folder) as partial:
            whole = campaign.conclude_whole(self.shards.write(partial), self.options.command, write_summary)
        study = stored(self.folder)
        status = study.status()
        if not whole:
            cells = f"the rule of the study asks for {status.cells - status.finished - status.failed} cells more"
            here = shlex.join(["narrows", "study", "resume", str(self.folder)])
            raise Interrupted(f"{cells}; go on with `{here}`, on several machines with --shard I/N --out DIR")
        return Studied(study, status)

    def build(self, result: Studied) -> None:
        """Build the page."""
        page.study(result.study)


def merging(folders: Sequence[Path], options: Options) -> Merging:
    """Check that shards fit, and that their results have a place; nothing is written.

    Args:
        folders: The folders of the shards, in any order.
        options: How they are joined.

    Raises:
        InputError: They do not fit, or one is missing.
        OutputError: The folder for the results holds something.
    """
    shards = open_shards(folders)
    plan = shards.found[0].plan
    folder = options.out or folder_of(plan.title, [plan.key(point, 0) for point in plan.points])
    check_place(folder, replace=False)
    return Merging(folder, options, shards)
