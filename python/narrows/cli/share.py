"""`narrows pack` and `narrows verify`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from narrows.cli.interrupt import Interrupt
from narrows.cli.progress import Display
from narrows.cli.status import DONE, EXPECTATION_FAILED
from narrows.files.disk import new_file
from narrows.files.manifest import to_json
from narrows.run.jobs import processors
from narrows.share import pack as packing
from narrows.share.verify import verify as verified

if TYPE_CHECKING:
    import argparse


def pack(arguments: argparse.Namespace) -> int:
    """Write a folder of results into one file and print its path."""
    folder: Path = arguments.folder
    out: Path = arguments.out or Path(f"{folder.resolve().name}.zip")
    with new_file(out) as partial:
        packing.pack(folder, partial)
    print(out)
    return DONE


def verify(arguments: argparse.Namespace) -> int:
    """Repeat packed results, and print whether they are the same and what differs."""
    with Interrupt() as interrupt:
        display = Display(interrupt, quiet=False)
        try:
            verdict = verified(arguments.file, arguments.jobs or processors(), trust=arguments.trust, watch=display)
        finally:
            display.close()
    status = DONE if verdict.same else EXPECTATION_FAILED
    if arguments.json:
        print(to_json(verdict.as_json()))
        return status
    equal = sum(each.found == each.stored for each in verdict.repeated)
    words = "the same" if verdict.same else "different"
    print(f"{words}: {verdict.title} ({verdict.kind}; {equal} of {len(verdict.repeated)} digests are equal)")
    for each in verdict.repeated[:MOST]:
        name = f"{each.name}: " if each.name else ""
        print(f"  {name}{each.stored}" if each.found == each.stored else f"  {name}{each.stored}, here {each.found}")
    if len(verdict.repeated) > MOST:
        print(f"  and {len(verdict.repeated) - MOST} more; --json has all")
    for difference in verdict.differences:
        line = f"{difference.part}: {difference.what} {difference.detail}"
        print(line, file=sys.stdout if verdict.same else sys.stderr)
    return status


MOST = 10
