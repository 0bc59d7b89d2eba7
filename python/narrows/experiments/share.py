# SPDX-License-Identifier: Apache-2.0
"""The cells of a study that fall to a shard, and the file `shard.json` of its folder.

The hash in the key of a cell selects its shard, so that shards have nearly the same size and are independent. If
combinations stop by themselves, all cells of a combination fall to the same shard, which alone decides their number. If
all combinations stop together (`by`), no shard can decide: a round runs as many replications as the one before it, and
`merge` decides, and leaves out superfluous cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from narrows.errors import InputError
from narrows.files.disk import write_whole
from narrows.files.format import numbered, read_kept
from narrows.files.json_objects import sealed, to_json
from narrows.files.shape import check_shape
from narrows.run.shard import Shard

if TYPE_CHECKING:
    from pathlib import Path

    from narrows.experiments.plan import Plan, Point


class Share(NamedTuple):
    """The cells of a study that fall to a shard."""

    shard: Shard
    first: int = 0  # the first replication of this round
    until: int = 0  # the replication before which this round ends; 0 if the rule of the study decides
    after: str = ""  # digest of the results of the earlier rounds; empty for the first

    def has(self, plan: Plan, point: Point, replication: int) -> bool:
        """Return whether a cell falls to it."""
        whole = decides(plan)
        return self.shard.has(plan.key(plan.rows[point.row][0], 0) if whole else plan.key(point, replication))

    def text(self) -> str:
        """Return the content of the file."""
        content = {"shard": str(self.shard), "replications": [self.first, self.until], "after": self.after}
        return to_json(sealed(numbered(SHARD, content))) + "\n"


def decides(plan: Plan) -> bool:
    """Return whether each combination of a study stops by itself, so that a shard can decide when."""
    return bool(plan.replications.measure) and plan.replications.by is None


def load_share(folder: Path) -> Share | None:
    """Read the share of a shard in the folder of a study; None if the folder holds the whole study."""
    file = folder / SHARD
    if not file.is_file():
        return None
    content = read_kept(file, is_sealed=True)
    check_shape(content, SHAPE, file)
    try:
        shard = Shard.parse(content["shard"])
        first, until = content["replications"]
    except ValueError as error:
        raise InputError(str(file), f"is damaged: {error}") from None
    return Share(shard, first, until, content["after"])


def save_share(folder: Path, share: Share) -> None:
    """Write the file into a folder."""
    write_whole(folder / SHARD, share.text())


SHARD = "shard.json"
SHAPE = {"format": int, "shard": str, "replications": [range(1_000_001)], "after": str}
