"""`narrows export`: a run folder in the formats of other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.export.source import RunFolder
from narrows.files.disk import new_file
from narrows.files.folder import appearing

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def pcapng(arguments: argparse.Namespace) -> int:
    """Write the packet log as a pcapng capture and print its path."""
    from narrows.export.pcapng import write

    run = RunFolder(arguments.folder)
    out: Path = arguments.out or arguments.folder / "packets.pcapng"
    with new_file(out) as partial:
        write(run, partial, arguments.at or ["sender"], arguments.replication)
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
