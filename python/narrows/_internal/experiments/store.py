# SPDX-License-Identifier: Apache-2.0
"""The contents of a study's folder: finished cells, failed cells, and the table of all.

Finished cells are kept in a file, `cells/NAME.json`, which is written under another name, synced, renamed, and its
folder synced; only then they count. `gather` writes all of them into `cells.parquet`, which replaces the old file
atomically, and removes only files whose cells are safely in it. So a kill at any moment neither loses a cell that
counts nor leaves an incomplete one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal.errors import InputError
from narrows._internal.experiments.measures import split
from narrows._internal.experiments.numbers import UNITS, Numbers, numbers_of
from narrows._internal.files.disk import write_whole
from narrows._internal.files.json_objects import read_sealed, sealed
from narrows._internal.files.manifest import check_file, read_manifest
from narrows._internal.files.parquet import read_parquet, write_parquet
from narrows._internal.files.shape import ANY_NAME, ANYTHING, check_shape
from narrows._internal.files.system import move_file, sync
from narrows._internal.files.toml import inline

if TYPE_CHECKING:
    import pyarrow as pa

    from narrows._internal.experiments.plan import Plan, Point
    from narrows._internal.experiments.sequential import Cell
    from narrows._internal.experiments.task import Failed, Finished


class Store:
    """The results of a study on the disk."""

    def __init__(self, folder: Path) -> None:
        """Open the results in `folder`; nothing is read yet."""
        self.folder = folder
        self.cells = folder / CELLS
        self.failed = folder / FAILED
        self.table_file = folder / TABLE
        self._checked: tuple[int, ...] | None = None

    def prepare(self) -> None:
        """Create the folders and remove incomplete files of killed processes; only for the holder of the lease."""
        for folder in (self.cells, self.failed):
            folder.mkdir(exist_ok=True)
            for entry in folder.glob(".*.partial"):
                entry.unlink(missing_ok=True)
        for entry in self.folder.glob(".*.partial"):
            entry.unlink(missing_ok=True)
        sync(self.folder)

    def finished(self) -> set[str]:
        """Return the keys of all finished cells."""
        # Files first: one that vanishes meanwhile is in the table by then.
        keys = set(self._fresh())
        table = self._gathered(["cell"])
        return keys if table is None else keys | set(table["cell"].to_pylist())

    def failures(self) -> set[str]:
        """Return the keys of all failed cells."""
        return set(_names(self.failed))

    def failure(self, key: str) -> dict[str, Any]:
        """Return the record of a failed cell: error, scenario and levels."""
        content = read_sealed(self.failed / f"{key}.json")
        check_shape(content, FAILURE, self.failed / f"{key}.json")
        return content

    def discard_damaged(self) -> list[Path]:
        """Remove the damaged files of finished and failed cells; only for the holder of the lease."""
        damaged = []
        for folder in (self.cells, self.failed):
            for name in sorted(_names(folder)):
                file = folder / f"{name}.json"
                try:
                    read_sealed(file)
                except InputError:
                    file.unlink(missing_ok=True)
                    damaged.append(file)
            sync(folder)
        return damaged

    def forget_failures(self) -> None:
        """Remove all failures, so that their cells run again."""
        for key in self.failures():
            for ending in ("json", "toml"):
                (self.failed / f"{key}.{ending}").unlink(missing_ok=True)
        sync(self.failed)

    def keep(self, cells: Sequence[Finished]) -> None:
        """Write finished cells to the disk durably, in one file."""
        content = {"cells": {cell.key: {name: getattr(cell, name) for name in CELL} for cell in cells}}
        text = json.dumps(sealed(content), allow_nan=False, separators=(",", ":"))
        # A process that has lost its lease may write the same cells, and others.
        name = hashlib.sha256("".join(content["cells"]).encode()).hexdigest()[:NAME_LENGTH]
        write_whole(self.cells / f"{name}.json", text)
        sync(self.cells)

    def keep_failure(self, failed: Failed, scenario: str, about: Mapping[str, Any]) -> None:
        """Write the error of a failed cell with its resolved scenario and further facts."""
        write_whole(self.failed / f"{failed.key}.toml", scenario)
        content = {"cell": failed.key, "error": failed.error, **about}
        write_whole(
            self.failed / f"{failed.key}.json", json.dumps(sealed(content), indent=2, ensure_ascii=False) + "\n"
        )
        sync(self.failed)

    def measured(self, keys: Iterable[str]) -> dict[str, Mapping[str, Any]]:
        """Return the values of metrics of the finished cells among `keys`, by key."""
        wanted = set(keys)
        found = {key: cell["measured"] for key, cell in self._fresh().items() if key in wanted}
        table = self._gathered(["cell", MEASURED]) if wanted - set(found) else None
        if table is not None:
            for key, pairs in zip(table["cell"].to_pylist(), table[MEASURED].to_pylist(), strict=True):
                if key in wanted and key not in found:
                    found[key] = _nested(pairs)
        return found

    def table(self, plan: Plan, wanted: Iterable[Cell]) -> pa.Table:
        """Return the table of the finished cells, a row per cell."""
        return self._table(plan, wanted, self._fresh())

    def _table(self, plan: Plan, wanted: Iterable[Cell], fresh: Mapping[str, Any]) -> pa.Table:
        import pyarrow as pa

        old = self._gathered()
        place = {key: index for index, key in enumerate(old["cell"].to_pylist())} if old is not None else {}
        known = numbers_of(plan)
        schema = _schema(plan, known)
        cells: list[tuple[int, dict[str, Any]]] = []
        kept: list[tuple[int, int]] = []
        for point, replication in wanted:
            key = plan.key(point, replication)
            if key in place:
                kept.append((len(kept) + len(cells), place[key]))
            elif key in fresh:
                row = _row(plan, schema, point, replication, fresh[key])
                row |= {each.name: each.values[point.levels[each.factor]] for each in known}
                cells.append((len(kept) + len(cells), row))
        made = pa.Table.from_pylist([row for _, row in cells], schema=schema)
        if old is None:
            return made
        try:
            taken = _numbered(old.take(pa.array([at for _, at in kept], pa.int64())), known, schema).cast(schema)
        except (pa.ArrowException, ValueError) as error:
            problem = f"does not have the columns of the plan: {error}; {self._remedy}"
            raise InputError(str(self.table_file), problem) from None
        order = [0] * (len(kept) + len(cells))
        for source, (target, _) in enumerate([*kept, *cells]):
            order[target] = source
        return pa.concat_tables([taken, made]).take(pa.array(order, pa.int64()))

    def gather(self, plan: Plan, wanted: Iterable[Cell]) -> pa.Table:
        """Move all finished cells into `cells.parquet`; only for the holder of the lease."""
        files = self._files()
        table = self._table(plan, wanted, _together(files))
        partial = self.folder / f".{TABLE}.partial"
        write_parquet(table, partial)
        sync(partial)
        move_file(partial, self.table_file)
        sync(self.folder)
        there = set(table["cell"].to_pylist())
        for file, cells in files.items():
            if there.issuperset(cells):
                file.unlink()
        return table

    def _fresh(self) -> dict[str, Any]:
        """Return the entries of the cells that are not gathered, by key."""
        return _together(self._files())

    def _files(self) -> dict[Path, dict[str, Any]]:
        """Return the entries of the cells in each file, by key."""
        found = {}
        for name in _names(self.cells):
            file = self.cells / f"{name}.json"
            # Another process may be gathering them.
            with suppress(FileNotFoundError):
                found[file] = self._read(file)
        return found

    def _read(self, file: Path) -> dict[str, Any]:
        try:
            content = read_sealed(file)
            # Before, a file had one cell, and its name was the key.
            cells: dict[str, Any] = content.get("cells", {file.stem: content})
            check_shape(cells, {ANY_NAME: CELL}, file)
        except InputError as error:
            remedy = f"{RESUME} {self.folder}` runs its cells again"
            raise InputError(error.file, f"{error.problem}; {remedy}") from None
        return cells

    def _gathered(self, columns: list[str] | None = None) -> pa.Table | None:
        """Return columns, or all, of the cells that were gathered; None before any were."""
        import pyarrow as pa

        try:
            state = self.table_file.stat()
        except FileNotFoundError:
            return None
        # The digest is computed again only if the file has changed.
        seen = (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
        if seen != self._checked:
            with suppress(FileNotFoundError):
                check_file(self.folder, TABLE, read_manifest(self.folder), self._remedy)
                self._checked = seen
        try:
            return read_parquet(self.table_file, columns)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise InputError(str(self.table_file), f"is damaged: {error}; {self._remedy}") from None

    @property
    def _remedy(self) -> str:
        return f"remove it, and {RESUME} {self.folder}` runs its cells again"


def _together(files: Mapping[Path, Mapping[str, Any]]) -> dict[str, Any]:
    return {key: cell for cells in files.values() for key, cell in cells.items()}


def _names(folder: Path) -> list[str]:
    """Return the names of the files in a folder, without their ending."""
    try:
        with os.scandir(folder) as entries:
            return [
                entry.name.removesuffix(".json")
                for entry in entries
                if entry.name.endswith(".json") and not entry.name.startswith(".")
            ]
    except FileNotFoundError:
        return []


def _numbered(old: pa.Table, known: Sequence[Numbers], schema: pa.Schema) -> pa.Table:
    """Return a table with the columns of numbers, which tables of earlier versions lack."""
    import pyarrow as pa

    for each in known:
        if each.name not in old.column_names and each.factor in old.column_names:
            written = {_written(level): value for level, value in each.values.items()}
            values = [written.get(level) for level in old[each.factor].to_pylist()]
            old = old.append_column(each.name, pa.array(values, pa.float64()))
    return old.select(schema.names) if set(old.column_names) == set(schema.names) else old


def _schema(plan: Plan, known: Sequence[Numbers]) -> pa.Schema:
    import pyarrow as pa

    numbers = {each.factor: each for each in known}
    levels: list[pa.Field] = []
    for name in plan.points[0].levels:
        values = [point.levels[name] for point in plan.points]
        kind = _type(values)
        distinct = list(dict.fromkeys(values))
        # The order of the study, which texts do not have by themselves.
        ordered = kind == pa.string() and len(distinct) <= MOST_LISTED
        levels.append(pa.field(name, kind, metadata={"levels": json.dumps(distinct)} if ordered else None))
        if name in numbers:
            own = numbers[name]
            levels.append(pa.field(own.name, pa.float64(), metadata={"unit": UNITS[own.unit]} if own.unit else None))
    return pa.schema(
        [
            ("cell", pa.string()),
            *levels,
            ("algorithm", pa.string()),
            ("replication", pa.int32()),
            ("seed", pa.uint64()),
            *((column.name, pa.float64()) for column in plan.columns),
            ("checks_failed", pa.string()),
            ("digest", pa.string()),
            ("cpu_s", pa.float64()),
            ("packet_hops", pa.int64()),
            (MEASURED, pa.map_(pa.string(), pa.float64())),
        ]
    )


def _type(values: Sequence[Any]) -> pa.DataType:
    import pyarrow as pa

    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int}:
        return pa.int64()
    return pa.float64() if kinds <= {int, float} else pa.string()


def _row(plan: Plan, schema: pa.Schema, point: Point, replication: int, cell: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "cell": plan.key(point, replication),
        **{name: _fitting(value, schema.field(name).type) for name, value in point.levels.items()},
        "algorithm": point.algorithm,
        "replication": replication,
        "seed": plan.seed,
        **{column.name: column.value(cell["measured"], point) for column in plan.columns},
        "checks_failed": ", ".join(cell["checks_failed"]),
        "digest": cell["digest"],
        "cpu_s": cell["cpu_s"],
        "packet_hops": cell["packet_hops"],
        MEASURED: [
            (f"{of.removesuffix('s')}.{owner}.{measure}", value)
            for of, owners in cell["measured"].items()
            for owner, measures in owners.items()
            for measure, value in measures.items()
        ],
    }


def _fitting(value: Any, kind: pa.DataType) -> Any:
    """Write a level as text if levels of the same factor have several types."""
    return _written(value) if str(kind) == "string" else value


def _written(value: Any) -> str:
    return value if isinstance(value, str) else inline(value)


def _nested(pairs: Sequence[tuple[str, float | None]]) -> dict[str, dict[str, dict[str, float | None]]]:
    nested: dict[str, dict[str, dict[str, float | None]]] = {"groups": {}, "links": {}}
    for name, value in pairs:
        owner, measure = split(name)
        of, _, owner = owner.partition(".")
        nested[f"{of}s"].setdefault(owner, {})[measure] = value
    return nested


def independent(cells: pa.Table) -> pa.Table:
    """Return the cells that count as replications: only the first ones if all of each combination are the same run."""
    import pyarrow.compute as pc

    return cells.filter(pc.equal(cells["replication"], _first(cells))) if is_repeated(cells) else cells


def is_repeated(cells: pa.Table) -> bool:
    """Return whether there are several replications, and all replications of each combination are the same run."""
    if len(set(cells["replication"].to_pylist())) < _TWO:
        return False
    # The columns before the number of the replication, without the key of the cell, identify a combination.
    names = cells.column_names[1 : cells.column_names.index("replication")]
    digests: dict[tuple[object, ...], set[str]] = {}
    combinations = zip(*(cells[name].to_pylist() for name in names), strict=True)
    for combination, digest in zip(combinations, cells["digest"].to_pylist(), strict=True):
        digests.setdefault(combination, set()).add(digest)
    return all(len(each) == 1 for each in digests.values())


def _first(cells: pa.Table) -> int:
    first: int = min(cells["replication"].to_pylist())
    return first


MEASURES = {ANY_NAME: {ANY_NAME: (float, None)}}
# The shape of the file of finished cells, and of the file of a failed one.
CELL = {
    "measured": {"groups": MEASURES, "links": MEASURES},
    "digest": str,
    "checks_failed": [str],
    "cpu_s": float,
    "packet_hops": range(2**63),
}
FAILURE = {"cell": str, "error": str, "replay": str, ANY_NAME: ANYTHING}
TABLE = "cells.parquet"
# Folders with files of finished cells, and with one for each that failed.
CELLS = "cells"
FAILED = "failed"
RESUME = "`narrows study resume"
MEASURED = "measured"
# Of a factor, levels whose order its column states.
MOST_LISTED = 1000
# Of a file of cells, in hexadecimal digits.
NAME_LENGTH = 16
NOTE = (
    "All replications of each combination are one and the same run, as nothing in it is random: they count as one, and "
    'give no interval and no verdict. Let the flows start at random times (start = "0s..1s"), draw their round-trip '
    'times, or set transport.send_delay = "1pkt".'
)
"""What is said of a study that is repeated."""
_TWO = 2
