# SPDX-License-Identifier: Apache-2.0
"""Rule: counts are whole numbers in every table, and nothing else that has the unit of one is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import narrows as nw
from narrows._internal import core
from narrows._internal.run import tables

MIXED = """
duration = "6s"
warmup = "2s"
record = { flows = "all" }
[path]
rate = "8Mbps"
rtt = "40ms"
queue = { kind = "droptail", limit = "60ms" }
[[flows]]
name = "bulk"
algorithm = "cubic"
count = 2
[[flows]]
name = "web"
algorithm = "newreno"
source = { kind = "web", think = "500ms", levels = [{ size = "30kB" }, { count = 6, size = "20kB" }] }
[[flows]]
name = "video"
algorithm = "cubic"
source = { kind = "video", ladder = ["500kbps", "3Mbps"], segment = "1s", buffer = "4s" }
"""


@pytest.fixture(scope="module")
def run() -> nw.Run:
    return nw.Scenario(MIXED).run(replications=1, jobs=1)


def test_counts_are_whole_numbers_and_keep_their_values(run: nw.Run) -> None:
    whole = 0
    for schema in tables.schemas():
        table, records = run.table(schema["name"]), run.records[0].tables[schema["name"]]
        for column in schema["columns"]:
            if column["name"] not in table.column_names or column["kind"] not in {"whole", "real"}:
                continue
            kept = table[column["name"]]
            assert pa.types.is_integer(kept.type) == (column["kind"] == "whole"), (schema["name"], column)
            values, _ = records[column["name"]]
            found = np.array([np.nan if each is None else each for each in kept.to_pylist()])
            assert np.array_equal(found, values.astype(np.float64), equal_nan=True), (schema["name"], column)
            whole += column["kind"] == "whole" and values.dtype.kind == "f" and len(values) > 0
    assert whole > 15


def test_windows_and_means_of_counts_are_no_counts() -> None:
    real = {
        f"{schema['name']}.{each['name']}"
        for schema in tables.schemas()
        for each in schema["columns"]
        if each["kind"] == "real" and each["unit"] in tables.COUNTED
    }
    for name in ("flows.cwnd_mean_packets", "groups.active_flows", "links.queue_mean_packets", "series.queue_packets"):
        assert name in real
    meanings = {
        f"{schema['name']}.{each['name']}": each["meaning"] for schema in core.tables() for each in schema["columns"]
    }
    words = ("window", "threshold", "average", "mean", "in flight", "as in `events`")
    assert not [name for name in real if not any(word in meanings[name] for word in words)]


def test_a_missing_count_is_null_in_a_frame(run: nw.Run) -> None:
    series = run.table("series")
    drops = series.filter(pc.equal(series["kind"].cast(pa.string()), "flow"))["dropped_packets"]
    assert drops.type == pa.int64()
    assert drops.null_count == len(drops) > 0
    assert run.table("links").to_pandas()["dropped_packets"].dtype == np.int64
