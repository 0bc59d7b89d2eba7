"""`narrows worst`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from narrows import core
from narrows.cli.command import recorded
from narrows.cli.default_folder import folder_of
from narrows.cli.interrupt import Interrupt
from narrows.cli.progress import Display
from narrows.cli.status import DONE
from narrows.cli.table import align
from narrows.errors import InputError, ReportError
from narrows.external.source import OF_KERNELS, is_external
from narrows.files.manifest import to_json
from narrows.linux import backend
from narrows.linux.backend import BOTH, SIMULATOR
from narrows.report.search.page import atlas_page
from narrows.search.run import Budget, Search

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping


def worst(arguments: argparse.Namespace) -> int:
    """Search for environments in which an algorithm does worst against a reference."""
    subject = arguments.algorithm
    if arguments.on == BOTH:
        problem = "the search is the simulator's, and --on linux repeats every find on the kernel beside it"
        raise InputError("--on both", f"{problem}; allowed: simulator, linux, linux:NAME")
    backend.find(arguments.on)
    second = SECOND if arguments.on == SIMULATOR else SECOND_OF_KERNELS
    reference = arguments.against or (second if subject == FIRST else FIRST)
    if subject == reference:
        raise InputError(f"--against {reference}", "is the algorithm itself: nothing is worse than itself")
    for each in (subject, reference):
        if each.startswith(OF_KERNELS) and not is_external(each):
            raise InputError(each, "the search is the simulator's, which has no algorithms of a kernel")
    budget = _budget(arguments.budget)
    folder = arguments.out or folder_of(f"worst {subject}", [reference, str(arguments.seed)])
    with Interrupt() as interrupt:
        display = Display(interrupt, quiet=arguments.quiet)
        try:
            search = Search(subject, reference, arguments.seed, folder, arguments.jobs, display, arguments.on)
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
    kernel = [] if atlas["kernel"] is None else [f"on {atlas['on']}", "95 % interval"]
    rows = [["kind", "score", "95 % interval", *kernel, "environment", "scenario"]]
    for find in atlas["found"]:
        numbers = [each for entry in (find, find.get("linux")) if entry for each in _numbers(entry)]
        rows.append([find["kind"], *numbers, find["words"], find["scenario"]])
    note = f"{atlas['evaluations']} environments tried; {len(atlas['unconfirmed'])} finds not confirmed on fresh seeds"
    return f"{atlas['title']}\n{note}\n\n{align(rows)}"


def _numbers(entry: Mapping[str, Any]) -> list[str]:
    return [f"{entry['score']:.2f}", " to ".join(f"{end:.2f}" for end in entry["interval"])]


# What an algorithm is compared with; the kernel has no BBR 3.
FIRST, SECOND, SECOND_OF_KERNELS = "cubic", "bbr3", "bbr1"
