# SPDX-License-Identifier: Apache-2.0
"""`narrows export` and `narrows import`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrows.api import export as write
from narrows.api import import_rates
from narrows.cli.status import DONE
from narrows.plural import counted

if TYPE_CHECKING:
    import argparse


def export(arguments: argparse.Namespace) -> int:
    """Write a run in the form of another tool, and print the file or the folder."""
    options = {name: value for name in ("at", "replication") if (value := getattr(arguments, name, None)) is not None}
    print(write(arguments.form, arguments.folder, arguments.out, **options))
    return DONE


def read(arguments: argparse.Namespace) -> int:
    """Write the rates of a capture or of a result of iperf3 as a table, and print what they are."""
    rates = import_rates(arguments.file, arguments.out, source=arguments.source, step_s=arguments.step)
    mean = rates.mean_bps() / 1e6
    print(f"{arguments.out}: {counted(len(rates.bps), 'rate')}, {mean:.3g} Mbps on average ({rates.what})")
    return DONE
