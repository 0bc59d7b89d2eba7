# SPDX-License-Identifier: Apache-2.0
"""A run folder in one of the formats, by its name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from narrows._internal.errors import InputError
from narrows._internal.files.disk import new_file
from narrows._internal.files.folder import appearing
from narrows._internal.files.run_folder import single
from narrows._internal.formats import csv, pcapng, qlog
from narrows._internal.names import UnknownNameError


def export(form: str, folder: Path, out: Path | None, replication: int | None, at: Sequence[str]) -> Path:
    """Write a run in a format; arguments, errors and result are as for `narrows.export`."""
    run = single(folder)
    place = out or run.path / {"pcapng": "packets.pcapng"}.get(form, form)
    match form:
        case "pcapng":
            with new_file(place) as capture:
                pcapng.write(run, capture, at, replication)
        case "csv" if replication is not None:
            raise InputError(f"replication={replication}", "does not apply: csv has the tables of all replications")
        case "csv":
            with appearing(place) as tables:
                csv.write(run, tables)
        case "qlog":
            with appearing(place) as logs:
                qlog.write(run, logs, replication)
        case _:
            raise UnknownNameError("form", form, ("pcapng", "csv", "qlog"))
    return place
