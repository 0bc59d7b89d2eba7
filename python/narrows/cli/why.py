# SPDX-License-Identifier: Apache-2.0
"""`narrows why`."""

from __future__ import annotations

from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING

from narrows.cli.status import DONE
from narrows.explain.moment import explain
from narrows.files.json_objects import to_json

if TYPE_CHECKING:
    import argparse


def why(arguments: argparse.Namespace) -> int:
    """Print what happened to a flow around a moment."""
    found = explain(arguments.folder, arguments.flow, arguments.at, arguments.replication, arguments.window)
    if arguments.json:
        print(to_json(found.as_json()))
        return DONE
    width = get_terminal_size().columns
    print(fill(found.answer, width), end="\n\n" if found.sentences else "\n")
    for each in found.sentences:
        stamp = f"{each.time_s:10.4f} s  "
        print(fill(each.text, width, initial_indent=stamp, subsequent_indent=" " * len(stamp)))
    return DONE
