# SPDX-License-Identifier: Apache-2.0
"""The shards of a study, joined into the folder that one machine would have written."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal import core
from narrows._internal.errors import InputError
from narrows._internal.experiments.campaign import digest_of
from narrows._internal.experiments.plan import PLAN, SHOWN, check_kept
from narrows._internal.experiments.sequential import Share
from narrows._internal.experiments.store import FAILED, TABLE
from narrows._internal.experiments.stored import StoredStudy, stored
from narrows._internal.files.format import read_kept
from narrows._internal.files.lease import holder_of
from narrows._internal.files.manifest import file_digest
from narrows._internal.files.parquet import write_parquet
from narrows._internal.files.system import sync
from narrows._internal.frozen import frozen
from narrows._internal.plural import counted

if TYPE_CHECKING:
    import pyarrow as pa


@frozen
class Shards:
    """All shards of a study, which fit each other."""

    found: Sequence[StoredStudy]  # the folder of the earlier rounds if there is one, then the shards by their numbers

    def write(self, folder: Path) -> StoredStudy:
        """Write the study into an existing folder, without its manifest."""
        import pyarrow as pa

        copy_description(self.found[0], folder)
        tables = list(_each_once(self.found))
        write_parquet(pa.concat_tables(tables), folder / TABLE)
        sync(folder / TABLE)
        failed = folder / FAILED
        failed.mkdir()
        for each in self.found:
            _, _, keys = each.recovered()
            for key in sorted(keys):
                for ending in ("json", "toml"):
                    shutil.copyfile(each.store.failed / f"{key}.{ending}", failed / f"{key}.{ending}")
        return stored(folder)


def open_shards(folders: Sequence[Path]) -> Shards:
    """Open the shards of a study and check that they fit; nothing is written."""
    found = [stored(folder) for folder in folders]
    for each in found:
        _check_alike(found[0], each)
    if found[0].plan.base.engine != core.fingerprint():
        problem = f"is of engine {found[0].plan.base.engine[:SHOWN]}, and this one is {core.fingerprint()[:SHOWN]}"
        raise InputError(str(folders[0]), f"{problem}: join the shards with the version that ran them")
    before = [each for each in found if each.share is None]
    shards = sorted(((each, each.share) for each in found if each.share is not None), key=lambda each: each[1])
    _check_numbers(shards, before)
    for study, share in shards:
        _check_whole(study, share)
    return Shards([*before, *(study for study, _ in shards)])


def copy_description(study: StoredStudy, folder: Path) -> None:
    """Copy the description of a study into a folder, without results."""
    check_kept(study.plan, study.folder)
    for name in (*DESCRIPTION, *study.plan.inputs):
        if (study.folder / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(study.folder / name, folder / name)


def _check_alike(one: StoredStudy, other: StoredStudy) -> None:
    if other.plan.base.engine != one.plan.base.engine:
        engines = f"engine {other.plan.base.engine[:SHOWN]}, and {one.folder} is of {one.plan.base.engine[:SHOWN]}"
        raise InputError(str(other.folder), f"is of {engines}: results of different engines are not mixed")
    for place in sorted({*one.plan.inputs, *other.plan.inputs}):
        if one.plan.inputs.get(place) != other.plan.inputs.get(place):
            raise InputError(str(other.folder), f"is of another study than {one.folder}: {place} differs")
    plans = [_comparable(read_kept(each.folder / PLAN, is_sealed=True)) for each in (one, other)]
    differing = [name for name in plans[0] if plans[0][name] != plans[1].get(name)]
    files = [each for each in DESCRIPTION if each != PLAN and _digest(one, each) != _digest(other, each)]
    if differing or files:
        what = ", ".join([*files, *(WORDS.get(name, name) for name in differing)])
        raise InputError(str(other.folder), f"is of another study than {one.folder}: {what} differ")


def _comparable(plan: dict[str, Any]) -> Mapping[str, Any]:
    # The path of the scenario, for messages, is another on each machine.
    return {**plan, "base": {**plan["base"], "file": ""}}


def _digest(study: StoredStudy, name: str) -> str | None:
    return file_digest(study.folder / name) if (study.folder / name).is_file() else None


def _check_numbers(shards: Sequence[tuple[StoredStudy, Share]], before: Sequence[StoredStudy]) -> None:
    """Check that every shard of one round is there once, and the rounds before it."""
    if not shards:
        raise InputError(str(before[0].folder), "is no shard; shards are what `narrows study run --shard I/N` writes")
    first, (shard, *rounds) = shards[0][0].folder, shards[0][1]
    by_number: dict[int, Path] = {}
    for study, share in shards:
        if share.shard.total != shard.total:
            problem = f"is shard {share.shard}, and {first} is shard {shard}: all are of the same number of shards"
            raise InputError(str(study.folder), problem)
        if list(share[1:]) != rounds:
            raise InputError(str(study.folder), f"is of another round than {first}")
        twin = by_number.setdefault(share.shard.number, study.folder)
        if twin is not study.folder:
            raise InputError(str(study.folder), f"is shard {share.shard}, as is {twin}: name one of them")
    missing = [f"{number}/{shard.total}" for number in range(1, shard.total + 1) if number not in by_number]
    if missing:
        raise InputError(
            "study merge", f"{counted(len(missing), 'shard is', 'shards are')} missing: {', '.join(missing)}"
        )
    after = shards[0][1].after
    if after and [digest_of(each.table()) for each in before] != [after]:
        raise InputError(str(first), "was begun after earlier rounds: name their folder, too, and no other")
    if before and not after:
        raise InputError(str(before[0].folder), f"is no shard, and {first} is of the first round")


def _check_whole(study: StoredStudy, share: Share) -> None:
    """Check that no process works on a shard, and that all of its cells are settled."""
    if holder := holder_of(study.folder):
        where = f"process {holder['pid']} on {holder['host']}"
        raise InputError(str(study.folder), f"is being worked on by {where}: wait for its end")
    ledger, finished, failed = study.recovered()
    lacking = [key for cell in ledger.all_cells() if (key := study.plan.key(*cell)) not in finished | failed]
    if lacking:
        some = ", ".join(lacking[:MOST_NAMED]) + (" …" if lacking[MOST_NAMED:] else "")
        cells = f"lacks {len(lacking)} of its {counted(ledger.cells, 'cell')}: {some}"
        again = f"go on with `narrows study resume {study.folder}`"
        raise InputError(str(study.folder), f"is shard {share.shard}, which {cells}; {again}")


def _each_once(found: Sequence[StoredStudy]) -> Iterator[pa.Table]:
    """Yield the tables of all folders without the cells of a table before."""
    import pyarrow as pa

    seen: dict[str, str] = {}
    for each in found:
        table = each.table()
        here = dict(zip(table["cell"].to_pylist(), table["digest"].to_pylist(), strict=True))
        if other := next((key for key in here if seen.get(key, here[key]) != here[key]), None):
            raise InputError(str(each.folder), f"has other records of cell {other} than another folder")
        yield table.filter(pa.array([key not in seen for key in here], pa.bool_()))
        seen |= here


# The files that describe a study in its folder, besides the files that its scenarios name.
DESCRIPTION = (PLAN, "study.toml", "extended.toml", "scenario.toml")
# The parts of a plan whose names do not explain them.
WORDS = {
    "base": "the base scenario",
    "columns": "the measures",
    "points": "the scenarios of its cells",
    "replications": "the number of replications",
    "design": "the design",
}
# Cells that a message names.
MOST_NAMED = 3
