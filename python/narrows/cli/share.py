# SPDX-License-Identifier: Apache-2.0
"""`narrows pack` and `narrows verify`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from narrows import api
from narrows.cli.status import DONE, EXPECTATION_FAILED
from narrows.cli.work import Work
from narrows.files.json_objects import to_json
from narrows.plural import counted

if TYPE_CHECKING:
    import argparse


def pack(arguments: argparse.Namespace) -> int:
    """Write a folder of results into one file and print its path."""
    print(api.pack(arguments.folder, arguments.out))
    return DONE


def verify(arguments: argparse.Namespace) -> int:
    """Repeat packed results, and print whether they are the same and what differs."""
    work = Work(arguments)
    with work.watched():
        options = work.options
        verdict = api.verify(arguments.file, jobs=options.jobs, watch=options.watch, trust=options.trust)
    status = DONE if verdict.same else EXPECTATION_FAILED
    if arguments.json:
        print(to_json(verdict.as_json()))
        return status
    equal = sum(each.found == each.stored for each in verdict.repeated)
    words = "the same" if verdict.same else "different"
    wrong = sum(each.part in {"number", "records"} for each in verdict.differences)
    numbers = counted(wrong, "number is another", "numbers are others") if wrong else NUMBERS
    print(f"{words}: {verdict.title} ({verdict.kind}; {equal} of {len(verdict.repeated)} digests are equal, {numbers})")
    for each in verdict.repeated[:MOST]:
        name = f"{each.name}: " if each.name else ""
        print(f"  {name}{each.stored}" if each.found == each.stored else f"  {name}{each.stored}, here {each.found}")
    if len(verdict.repeated) > MOST:
        print(f"  and {len(verdict.repeated) - MOST} more; --json has all")
    for difference in verdict.differences:
        line = f"{difference.part}: {difference.what} {difference.detail}"
        print(line, file=sys.stdout if verdict.same else sys.stderr)
    print("not compared:")
    for left in verdict.not_compared:
        print(f"  {left.what}: {left.why}")
    return status


MOST = 10
NUMBERS = "all that was compared is equal"
