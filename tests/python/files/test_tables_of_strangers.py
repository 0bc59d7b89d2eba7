# SPDX-License-Identifier: Apache-2.0
"""Reliability: a small file with very many equal rows is refused before it is read, by whatever reads tables."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import narrows as nw
from narrows._internal.files.parquet import MOST_ROWS, read_parquet, write_parquet


@pytest.fixture(scope="module")
def bomb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A series of six million equal rows, in less than a megabyte."""
    file = tmp_path_factory.mktemp("bomb") / "series.parquet"
    part = pa.table(
        {
            "replication": pa.array([0] * 1_000_000, pa.uint32()),
            "name": pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), ["link"]),
        }
    )
    with pq.ParquetWriter(file, part.schema, compression="zstd") as writer:
        for _ in range(6):
            writer.write_table(part)
    assert file.stat().st_size < 1_000_000
    return file


@pytest.mark.parametrize("filters", [None, [("replication", "=", 0)]])
def test_many_rows_in_a_small_file_are_not_read(bomb: Path, filters: list[tuple[str, str, int]] | None) -> None:
    before = pa.total_allocated_bytes()
    with pytest.raises(nw.InputError, match="has 6000000 rows in") as error:
        read_parquet(bomb, ["replication"], filters)
    assert error.value.file == str(bomb)
    assert pa.total_allocated_bytes() - before < 10_000_000


def test_a_small_file_that_unpacks_to_gigabytes_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("narrows._internal.files.parquet.MOST_BYTES", 100_000_000)
    text = "x" * 3_000_000
    with pq.ParquetWriter(tmp_path / "t.parquet", pa.schema([("a", pa.string())]), compression="zstd") as writer:
        for _ in range(40):
            writer.write_table(pa.table({"a": [text]}))
    with pytest.raises(nw.InputError, match="bytes when unpacked"):
        read_parquet(tmp_path / "t.parquet")


LABELS = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000, pa.int32()), ["x" * 100_000])


@pytest.mark.parametrize(
    "columns",
    [
        {"a": LABELS},
        {"a": pa.ListArray.from_arrays(range(1_001), LABELS)},
        {f"c{number}": pa.array([1] * 100_000) for number in range(20)},
    ],
    ids=["labels", "labels in lists", "numbers"],
)
def test_values_that_repeat_count_as_often_as_they_stand_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: dict[str, pa.Array]
) -> None:
    monkeypatch.setattr("narrows._internal.files.parquet.MOST_BYTES", 10_000_000)
    pq.write_table(pa.table(columns), tmp_path / "t.parquet", compression="zstd")
    with pytest.raises(nw.InputError, match="bytes when unpacked"):
        read_parquet(tmp_path / "t.parquet")


def test_a_table_as_a_run_writes_it_is_read(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array(range(100_000))})
    write_parquet(table, tmp_path / "t.parquet")
    assert read_parquet(tmp_path / "t.parquet").equals(table)
    assert table.num_rows < MOST_ROWS


def test_nothing_else_reads_parquet() -> None:
    package = Path(nw.__file__).parent
    readers = re.compile(r"\b(read_table|ParquetFile|ParquetDataset|read_pandas|pyarrow\.dataset)\b")
    found = {file.relative_to(package).as_posix() for file in package.rglob("*.py") if readers.search(file.read_text())}
    assert found == {"_internal/files/parquet.py"}
