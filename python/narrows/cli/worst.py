"""`narrows worst`."""

from __future__ import annotations

import sys
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from narrows import core
from narrows.cli.command import recorded
from narrows.cli.default_folder import folder_of
from narrows.cli.interrupt import Interrupt
from narrows.cli.progress import Display
from narrows.cli.table import WIDTH, plus_minus, written
from narrows.cli.work import end
from narrows.commands.job import finish
from narrows.commands.page import CURVES
from narrows.errors import InputError
from narrows.external.source import OF_KERNELS, is_external
from narrows.files.disk import write_whole
from narrows.files.manifest import to_json
from narrows.linux import backend
from narrows.linux.backend import BOTH, SIMULATOR
from narrows.metrics import resolve
from narrows.search.run import Budget, Search, score_text
from narrows.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping


def worst(arguments: argparse.Namespace) -> int:
    """Search for environments in which an algorithm does worst against a reference."""
    subject = arguments.algorithm
    if arguments.on == BOTH:
        reason = "the search is the simulator's, and --on linux repeats every find on the kernel beside it"
        raise InputError("--on both", f"{reason}; allowed: simulator, linux, linux:NAME")
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
            given = (subject, reference, arguments.seed, folder, arguments.jobs, display, arguments.on)
            with Search(*given) as search:
                if search.damaged:
                    again = counted(search.damaged, "line is", "lines are")
                    print(f"{folder}: {again} damaged, and evaluated again", file=sys.stderr)
                archive = search.run(budget)
                finds = search.finds(archive)
                curves = [search.curves(find) for find in finds if find.confirmed]
                write_whole(folder / CURVES, to_json({"found": curves}) + "\n")
                atlas = search.write(archive, finds, recorded(arguments.given))
        finally:
            display.close()
        problem = finish(folder, stoppable=interrupt.at_once)
    print(to_json(atlas) if arguments.json else _table(atlas))
    return end(folder, problem, arguments)


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
    tried, left = counted(atlas["evaluations"], "environment"), counted(len(atlas["unconfirmed"]), "find")
    note = f"{tried} tried; {left} not confirmed on fresh seeds"
    return "\n".join([atlas["title"], note, *(line for find in atlas["found"] for line in _lines(find, atlas))])


def _lines(find: Mapping[str, Any], atlas: Mapping[str, Any]) -> list[str]:
    """Return a find on lines of its own, for an environment in words is as wide as a terminal."""
    lines = [
        "",
        f"{find['scenario']}: {find['kind']} {score_text(find['score'], find['interval'])}",
        *_indented(find["words"]),
    ]
    for on, entry in (("", find), (f"on {atlas['on']}: ", find.get("linux"))):
        if entry is not None:
            unit, scale = written(resolve(find["metric"]).unit, [entry["measured"], entry["reference_measured"]])
            numbers = [
                f"{plus_minus({'mean': entry[name], 'ci95': None}, scale)} {unit}"
                for name in ("measured", "reference_measured")
            ]
            score = f"score {score_text(entry['score'], entry['interval'])}, " if on else ""
            text = f"{on}{score}{find['metric']} of {find['group']} {numbers[0]}, with {atlas['against']} {numbers[1]}"
            lines += _indented(text)
    return lines


def _indented(text: str) -> list[str]:
    return wrap(text, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)


# What an algorithm is compared with; the kernel has no BBR 3.
FIRST, SECOND, SECOND_OF_KERNELS = "cubic", "bbr3", "bbr1"
INDENT = "  "
