"""`narrows worst`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from narrows import core
from narrows.cli.command import recorded
from narrows.cli.interrupt import Interrupt
from narrows.cli.place import folder_of
from narrows.cli.progress import Display
from narrows.cli.status import DONE
from narrows.cli.table import align
from narrows.errors import InputError, ReportError
from narrows.files.manifest import to_json
from narrows.report.search.page import atlas_page
from narrows.search.run import Budget, Search

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping


def worst(arguments: argparse.Namespace) -> int:
    """Search for environments in which an algorithm does worst against a reference."""
    subject = arguments.algorithm
    reference = arguments.against or (SECOND if subject == FIRST else FIRST)
    if subject == reference:
        raise InputError(f"--against {reference}", "is the algorithm itself: nothing is worse than itself")
    budget = _budget(arguments.budget)
    folder = arguments.out or folder_of(f"worst {subject}", [reference, str(arguments.seed)])
    with Interrupt() as interrupt:
        display = Display(interrupt, quiet=arguments.quiet)
        try:
            search = Search(subject, reference, arguments.seed, folder, arguments.jobs, display)
            archive = search.run(budget)
            finds = search.finds(archive)
            atlas = search.write(archive, finds, recorded(arguments.given))
            curves = [search.curves(find) for find in finds if find.confirmed]
        finally:
            display.close()
    try:
        (folder / "report.html").write_text(atlas_page(atlas, curves), encoding="utf-8")
    except Exception as problem:
        raise ReportError(f"the results are in {folder}, but their report could not be built: {problem}") from problem
    print(to_json(atlas) if arguments.json else _table(atlas))
    print(f"Report: {folder / 'report.html'}", file=sys.stderr)
    print(folder, file=sys.stderr if arguments.json else sys.stdout)
    return DONE


def _budget(text: str) -> Budget:
    if text.isdigit() and int(text) > 0:
        return Budget(evaluations=int(text))
    try:
        time_s = core.quantity(text, "time")
    except ValueError:
        time_s = 0.0
    if time_s <= 0:
        raise InputError(f"--budget {text}", "is no budget; allowed: a time, as in 10min, or a number of environments")
    return Budget(time_s=time_s)


def _table(atlas: Mapping[str, Any]) -> str:
    rows = [["kind", "score", "95 % interval", "environment", "scenario"]]
    for find in atlas["found"]:
        interval = " to ".join(f"{end:.2f}" for end in find["interval"] or ())
        rows.append([find["kind"], f"{find['score']:.2f}", interval, find["words"], find["scenario"]])
    note = f"{atlas['evaluations']} environments tried; {len(atlas['unconfirmed'])} finds not confirmed on fresh seeds"
    return f"{atlas['title']}\n{note}\n\n{align(rows)}"


FIRST, SECOND = "cubic", "bbr3"
