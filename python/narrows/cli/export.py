"""`narrows export`: a run folder in the formats of other tools."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.errors import OutputError
from narrows.export.source import RunFolder
from narrows.files.folder import appearing

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def pcapng(arguments: argparse.Namespace) -> int:
    """Write the packet log as a pcapng capture and print its path."""
    from narrows.export.pcapng import write

    run = RunFolder(arguments.folder)
    out: Path = arguments.out or arguments.folder / "packets.pcapng"
    if out.exists():
        raise OutputError(f"{out} exists: name another file or remove it")
    partial = out.parent / f".{out.name}.partial-{os.getpid()}"
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write(run, partial, arguments.at or ["sender"], arguments.replication)
        partial.replace(out)
    except OSError as error:
        raise OutputError(f"{out} cannot be written: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)
    print(out)
    return DONE


def csv(arguments: argparse.Namespace) -> int:
    """Write every table as CSV and print the folder."""
    from narrows.export.csv import write

    run = RunFolder(arguments.folder)
    out: Path = arguments.out or arguments.folder / "csv"
    with appearing(out) as partial:
        write(run, partial)
    print(out)
    return DONE


def qlog(arguments: argparse.Namespace) -> int:
    """Write series, events and packets of each flow as qlog and print the folder."""
    from narrows.export.qlog import write

    run = RunFolder(arguments.folder)
    out: Path = arguments.out or arguments.folder / "qlog"
    with appearing(out) as partial:
        write(run, partial, arguments.replication)
    print(out)
    return DONE
