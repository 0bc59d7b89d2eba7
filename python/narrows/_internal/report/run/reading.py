# SPDX-License-Identifier: Apache-2.0
"""Reads a run folder or a comparison folder.

Only this module of the report reads files; all others use the types of `data.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from narrows._internal.comparison import Replaced, contrasts, factors_of, kind_of
from narrows._internal.drawing.style import Style, looks
from narrows._internal.explain.client import Client, clients_of
from narrows._internal.files.manifest import MANIFEST
from narrows._internal.files.parquet import read_parquet
from narrows._internal.files.place import inside
from narrows._internal.files.run_folder import SCENARIO, RunFolder
from narrows._internal.report.run.data import Check, Columns, Comparison, Difference, Expectation, Measure, Run, Trace
from narrows._internal.run.paragraph import paragraph
from narrows._internal.run.sentences import compared


def read(folder: Path) -> Run | Comparison:
    """Read a run folder or a comparison folder."""
    whole = RunFolder(folder)
    summary = whole.summary
    of = kind_of(summary)
    if of is None:
        return _run(whole, str(summary["title"]))
    shown = _looks(summary)
    runs = {name: whole.runs.get(name, RunFolder(folder / name)) for name in shown}
    folders = {name: run.path.relative_to(folder).as_posix() for name, run in runs.items()}
    return Comparison(
        title=str(summary["title"]),
        seed=int(summary["seed"]),
        replications=int(summary["replications"]),
        digest=str(summary["digest"]),
        runs=[
            replace(_run(runs[name], name), look=look, factors=factors, folder=folders[name])
            for name, (factors, look) in shown.items()
        ],
        differences=[_difference(entry) for entry in summary.get("differences", [])],
        manifest=whole.manifest,
        folders=folders,
        kind=of,
        contrasts=contrasts(summary),
        unlike=str(summary.get("unlike", "")),
        replaced=Replaced(**summary["replaced"]) if "replaced" in summary else None,
        said=compared(summary),
        paragraph=paragraph(summary, whole.manifest),
        at_most=summary.get("at_most"),
    )


def packet_log(run: Run) -> pa.Table | None:
    """Return the packet log of the shown replication; None without one. It is read again by each call."""
    if run.packet_file is None:
        return None
    return read_parquet(run.packet_file, filters=[("replication", "=", run.shown_replication)])


def _looks(summary: Mapping[str, Any]) -> dict[str, tuple[tuple[str, str], Style]]:
    """Return algorithm and level of each run of a comparison, and its style among the others."""
    factors = factors_of(summary)
    styles = looks(factors)
    return {name: (factors[name], styles[name]) for name in factors}


def _run(folder: RunFolder, name: str) -> Run:
    summary, manifest = folder.summary, folder.manifest
    return Run(
        name=name,
        title=str(summary["title"]),
        seed=int(summary["seed"]),
        replications=int(summary["replications"]),
        digest=str(summary["digest"]),
        groups=_owners(summary["groups"]),
        bottlenecks={name: group.get("bottleneck") for name, group in summary["groups"].items()},
        links=_owners(summary["links"]),
        checks=[Check(c["name"], c["ok"], c.get("level") or "", c.get("detail") or "") for c in summary["checks"]],
        expectations=[_expectation(clause) for clause in summary.get("expectations", [])],
        performance=summary.get("performance", {}),
        found_warmups_s=summary.get("warmup", {}).get("end_s", []),
        manifest=manifest,
        scenario=folder.scenario,
        sources=_texts(folder.path, [SCENARIO, *manifest.get("inputs", {})]),
        flow_rows=_columns(folder.optional("flows")),
        series_rows=_columns(folder.optional("series")),
        distribution_rows=_columns(folder.optional("distributions")),
        group_rows=_columns(folder.optional("groups")),
        census_rows=_columns(folder.optional("census")),
        transfer_rows=_columns(folder.optional("transfers")),
        application_rows=_columns(folder.optional("applications")),
        client_files=(folder.file("clients"), folder.file("client_events")),
        paragraph=paragraph(summary, manifest),
        at_most=summary.get("at_most"),
        event_rows=_events(folder.optional("events", ["replication", *EVENT_COLUMNS])),
        packet_file=folder.file("packets"),
    )


def recorded_clients(run: Run) -> list[Client]:
    """Return the clients of applications that are recorded over time, in the shown replication; read by each call."""
    series, events = (
        [] if file is None else read_parquet(file, filters=[("replication", "=", run.shown_replication)]).to_pylist()
        for file in run.client_files
    )
    return [
        client
        for group in dict.fromkeys(row["group"] for row in series)
        for client in clients_of(group, run.algorithms.get(group, group), series, events)
    ]


def client_traces(run: Run) -> list[Trace]:
    """Return the series of the first recorded client of each group in the shown replication; read by each call."""
    file = run.client_files[0]
    if file is None:
        return []
    rows = _columns(read_parquet(file, filters=[("replication", "=", run.shown_replication)]))
    found = []
    for group in dict.fromkeys(rows["group"].tolist()):
        client = rows["client"][rows["group"] == group].min()
        chosen = (rows["group"] == group) & (rows["client"] == client)
        columns = {name: values[chosen].astype(np.float64) for name, values in rows.items() if name != "group"}
        found.append(Trace(f"{group}[{client}]", group, columns))
    return found


def _texts(folder: Path, names: Sequence[str]) -> dict[str, str]:
    texts = {}
    for name in names:
        file = inside(folder, name, folder / MANIFEST)
        if file.is_file() and file.stat().st_size <= LONGEST_SOURCE:
            with suppress(UnicodeDecodeError):
                texts[name] = file.read_text("utf-8")
    return texts


def _owners(written: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Measure]]:
    return {owner: _measures(measures) for owner, measures in written.items()}


def _measures(written: Mapping[str, Any]) -> dict[str, Measure]:
    return {name: _measure(value) for name, value in written.items() if isinstance(value, dict)}


def _measure(written: Mapping[str, Any]) -> Measure:
    interval = written.get("ci95")
    ends = (interval[0], interval[1]) if interval else None
    method = written.get("interval_method")
    return Measure(written.get("mean"), ends, written.get("margin"), str(written.get("verdict") or ""), method)


def _expectation(written: Mapping[str, Any]) -> Expectation:
    return Expectation(
        of=str(written.get("group") or written.get("link") or ""),
        owner="link" if written.get("link") else "group",
        measure=str(written["measure"]),
        at_least=written.get("at_least"),
        at_most=written.get("at_most"),
        found=_measure(written),
        verdict=str(written["verdict"]),
    )


def _difference(written: Mapping[str, Any]) -> Difference:
    return Difference(
        of=written["of"],
        against=written["against"],
        groups=[_measures(each) for each in written["groups"].values()],
        links=[_measures(each) for each in written["links"].values()],
    )


def _columns(table: pa.Table | None) -> Columns:
    if table is None:
        return {}
    return {name: _column(table.column(name)) for name in table.column_names}


def _events(table: pa.Table | None) -> Columns:
    if table is None:
        return {}
    if not table.num_rows:
        return {name: np.empty(0) for name in ("time_s", "replication", *EVENT_COLUMNS)}
    columns = _columns(table)
    return {"time_s": columns["time_ps"] * 1e-12, **columns}


def _column(column: pa.ChunkedArray[Any]) -> Any:
    if pa.types.is_dictionary(column.type):
        return _labels(column)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return np.array(["" if word is None else word for word in column.to_pylist()], dtype=np.str_)
    if pa.types.is_integer(column.type) and column.null_count == 0:
        return column.to_numpy()
    values = column.to_numpy()
    return values if values.dtype == np.float64 else values.astype(np.float64)


def _labels(column: pa.ChunkedArray[Any]) -> Any:
    """Return the words of a column, empty if missing, without a Python object for each row."""
    found = [np.empty(0, dtype=np.str_)]
    for chunk in column.chunks:
        words = np.array(["" if word is None else word for word in [*chunk.dictionary.to_pylist(), None]], np.str_)
        codes = chunk.indices.to_numpy(zero_copy_only=False)
        found.append(words[np.where(np.isnan(codes), len(words) - 1, codes).astype(np.intp)])
    return np.concatenate(found)


EVENT_COLUMNS = (
    "time_ps", "place", "event", "rule", "group", "flow", "kind", "number", "cwnd_before_packets", "cwnd_packets",
    "ssthresh_before_packets", "ssthresh_packets", "state_before", "state",
)  # fmt: skip


# Bytes of the longest file that a page shows.
LONGEST_SOURCE = 65_536
