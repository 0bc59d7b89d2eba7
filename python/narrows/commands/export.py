"""Runs in the formats of other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.errors import InputError
from narrows.export import csv, pcapng, qlog
from narrows.export.source import RunFolder
from narrows.files.disk import new_file
from narrows.files.folder import appearing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


SENDER = ("sender",)
FORMS = ("pcapng", "csv", "qlog")
PLACES = {"pcapng": "packets.pcapng"}


def export(
    form: str, folder: Path, out: Path | None = None, *, replication: int | None = None, at: Sequence[str] = SENDER
) -> Path:
    """Write the folder of a run in the form of another tool; arguments and errors are those of `narrows.export`."""
    run = RunFolder(folder)
    place = out or folder / PLACES.get(form, form)
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
            raise InputError(form, f"is no form; allowed: {', '.join(FORMS)}")
    return place
