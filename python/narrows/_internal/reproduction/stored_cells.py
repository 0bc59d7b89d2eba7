# SPDX-License-Identifier: Apache-2.0
"""The results of a reproduction as one small columnar file, from which another folder can continue.

A row is a finished cell: its experiment, variant, replication, whether it was added because claims were open, the
values of the study's metrics, the digest of its records and its cost. Levels, algorithm, seed and replication identify
a cell. If the scenario or the build of the simulator has changed since, the cells of an experiment count only if this
build gives the same records for three of them: the cells with the fewest packets, of different points.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from narrows._internal.errors import InputError
from narrows._internal.experiments.plan import PLAN, Plan, Point, check_unchanged, load_plan
from narrows._internal.experiments.sequential import cells_until
from narrows._internal.experiments.store import Store
from narrows._internal.experiments.task import Finished, perform
from narrows._internal.files.parquet import read_parquet, write_parquet
from narrows._internal.files.system import move_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from narrows._internal.reproduction.experiment import Part, Placed

    # A point of an experiment, and the row of one of its cells.
    _Cell = tuple[Point, Mapping[str, Any]]


def keep(parts: Sequence[Part], folder: Path) -> None:
    """Write every finished cell of a reproduction into `cells.parquet` in its folder."""
    found = table([part.placed for part in parts], folder)
    if found is not None:
        partial = folder / f".{CELLS}.partial"
        write_parquet(found, partial, 19)
        move_file(partial, folder / CELLS)


def table(parts: Sequence[Placed], folder: Path) -> pa.Table | None:
    """Return every finished cell of a reproduction; None if no experiment was begun."""
    import pyarrow as pa

    tables = [
        _rows(part, load_plan(folder / part.path), Store(place), added=added)
        for part in parts
        for place, added in ((folder / part.path, False), (folder / ADDED / part.path, True))
        if (folder / part.path / PLAN).exists() and place.exists()
    ]
    return pa.concat_tables(tables) if tables else None


def _rows(part: Placed, begun: Plan, store: Store, *, added: bool) -> pa.Table:
    import pyarrow as pa

    names = [column.name for column in begun.columns]
    finished = store.finished()
    most = 1 + max(replications(begun, finished), default=-1)
    found = store.table(begun, cells_until(begun, [most] * len(begun.rows))).to_pylist()
    marks = {begun.key(point, number): mark(point, begun.seed) for point in begun.points for number in range(most)}
    rows = [
        {
            "experiment": part.experiment, "variant": part.variant, "point": marks[row["cell"]],
            "replication": row["replication"], "added": added, "made": made(begun), "digest": row["digest"],
            "checks_failed": row["checks_failed"], "cpu_s": row["cpu_s"], "packet_hops": row["packet_hops"],
            "values": [(name, row[name]) for name in names],
        }
        for row in found
    ]  # fmt: skip
    text, number = pa.string(), pa.float64()
    schema = pa.schema([
        ("experiment", text), ("variant", text), ("point", text), ("replication", pa.int32()),
        ("added", pa.bool_()), ("made", text), ("digest", text), ("checks_failed", text), ("cpu_s", pa.float32()),
        ("packet_hops", pa.int64()), ("values", pa.map_(text, number)),
    ])  # fmt: skip
    return pa.Table.from_pylist(rows, schema=schema)


def replications(plan: Plan, keys: set[str]) -> set[int]:
    """Return the numbers of the replications of the cells with these keys, except after a long gap."""
    found: set[int] = set()
    replication, missing = 0, -plan.replications.minimum
    while keys and missing <= GAP:
        here = any(plan.key(point, replication) in keys for point in plan.points)
        found |= {replication} if here else set()
        missing = 0 if here else missing + 1
        replication += 1
    return found


def mark(point: Point, seed: int) -> str:
    """Return the mark of a point: a hash of its levels, its algorithm and the seed."""
    return _hash([point.levels, point.written, seed])


def made(plan: Plan) -> str:
    """Return a hash of how the cells of an experiment are made: the build, the scenario and all changes of it."""
    return _hash([plan.base.engine, plan.base.text, [point.overrides for point in plan.points]])


def _hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


def restore(parts: Sequence[Part], folder: Path, file: Path, say: Callable[[str], None]) -> int:
    """Copy the cells of a file that the folder of a reproduction lacks; return their number."""
    import pyarrow as pa

    try:
        rows = read_parquet(file).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise InputError(str(file), f"not a file of cells: {error}") from error
    taken = 0
    for part in parts:
        own = [row for row in rows if (row["experiment"], row["variant"]) == (part.experiment, part.variant)]
        taken += _restore(part, folder, own, say) if own else 0
    return taken


def _restore(part: Part, folder: Path, rows: Sequence[Mapping[str, Any]], say: Callable[[str], None]) -> int:
    plan, place = part.plan, folder / part.path
    check_unchanged(part.opened(folder).plan, place)
    every, least = plan.replications.minimum, {column.name for column in plan.columns}
    points = {mark(point, plan.seed): point for point in plan.points}
    known = [(points[row["point"]], row) for row in rows if row["point"] in points]
    complete = [
        (point, row)
        for point, row in known
        if {name for name, _ in row["values"]} >= least and part.has(point, row["replication"])
    ]
    # Files of earlier versions have no added cells, and no column for them.
    base = _lacking(plan, place, [(point, row) for point, row in complete if row["replication"] < every])
    later = [(point, row) for point, row in complete if row.get("added") and row["replication"] >= every]
    added = _lacking(plan, folder / ADDED / part.path, later)
    wanted = [*base, *added]
    if not wanted:
        return 0
    if {row["made"] for _, row in wanted} != {made(plan)} and not _same(plan, wanted):
        say(f"{part.path}: this build has other results; its cells are not taken over")
        return 0
    for cells, store in ((base, Store(place)), (added, Store(folder / ADDED / part.path))):
        if cells:
            store.folder.mkdir(parents=True, exist_ok=True)
            store.prepare()
            store.keep([_finished(plan, point, row) for point, row in cells])
    return len(wanted)


def _lacking(plan: Plan, place: Path, cells: Sequence[_Cell]) -> list[_Cell]:
    """Return the cells that a folder lacks."""
    there = Store(place).finished() if place.exists() else set[str]()
    return [(point, row) for point, row in cells if plan.key(point, row["replication"]) not in there]


def _same(plan: Plan, cells: Sequence[_Cell]) -> bool:
    """Return whether this build gives the same records for a few cells."""
    cheapest = {point.digest: (point, row) for point, row in sorted(cells, key=lambda each: -each[1]["packet_hops"])}
    for point, row in sorted(cheapest.values(), key=lambda each: each[1]["packet_hops"])[:CHECKED]:
        again = perform(plan.task(point, row["replication"]))
        if not isinstance(again, Finished) or again.digest != row["digest"]:
            return False
    return True


def _finished(plan: Plan, point: Point, row: Mapping[str, Any]) -> Finished:
    measured: dict[str, dict[str, dict[str, float | None]]] = {"groups": {}, "links": {}}
    values = dict(row["values"])
    for column in plan.columns:
        own = point.subjects if column.of == "group" else point.bottlenecks
        owner = column.owner or own[0]
        measured[f"{column.of}s"].setdefault(owner, {})[column.measure] = values[column.name]
    failed = row["checks_failed"].split(", ") if row["checks_failed"] else []
    key = plan.key(point, row["replication"])
    return Finished(key, measured, row["digest"], failed, row["cpu_s"], row["packet_hops"])


CELLS = "cells.parquet"
# The folder of replications that were added because claims were open.
ADDED = "decided"
GAP, CHECKED = 100, 3
