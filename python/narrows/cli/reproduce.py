"""`narrows reproduce`."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from narrows.cli.interrupt import Interrupt
from narrows.cli.progress import Display
from narrows.cli.status import DONE, EXPECTATION_FAILED, INTERNAL
from narrows.cli.table import align, written
from narrows.cli.work import end
from narrows.commands import page
from narrows.commands.job import finish
from narrows.errors import InputError, Interrupted
from narrows.files.manifest import to_json, write_json
from narrows.reproduction import campaign
from narrows.reproduction.agreement import agreement
from narrows.reproduction.deciding import decide
from narrows.reproduction.headline import headline
from narrows.reproduction.ledger import VERDICTS
from narrows.reproduction.predicate import FAILS
from narrows.reproduction.registry import LEDGER, TABLES, find, published_studies
from narrows.reproduction.stored_cells import keep, restore
from narrows.run.jobs import processors
from narrows.study.executors.threads import Threads
from narrows.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from narrows.reproduction.part import Part
    from narrows.reproduction.registry import StudyFolder


def reproduce(arguments: argparse.Namespace) -> int:
    """Run a published study, judge its claims, and write the ledger and the report; or list the studies."""
    if arguments.list:
        return _list(arguments)
    if arguments.name is None:
        raise InputError("reproduce", f"which study? there are {', '.join(each.name for each in published_studies())}")
    study = find(arguments.name)
    found = campaign.parts(study, arguments.size, arguments.seed, arguments.replications, trust=arguments.trust)
    folder = arguments.out or Path("runs") / f"{study.name}-{arguments.size}"
    campaign.prepare(study, arguments.size, folder)
    jobs = arguments.jobs or processors()
    if study.cells(arguments.size).is_file() and not arguments.judge:
        taken = restore(found, folder, study.cells(arguments.size), _say)
        _say(f"{counted(taken, 'cell')} of {study.cells(arguments.size).name} taken over")
    if not arguments.json:
        print(_announced(study, arguments.size, found, folder, jobs), flush=True)
    with Interrupt() as interrupt:
        failed = 0 if arguments.judge else _work(arguments, found, folder, jobs, interrupt)
        if arguments.decide and not failed:
            _decide(arguments, study, found, folder, jobs, interrupt)
        ledger, results = campaign.judge(study, arguments.size, found, folder)
        keep(found, folder)
        write_json(folder / LEDGER, ledger)
        published = study.claims(arguments.size)
        write_json(folder / TABLES, agreement(published, arguments.size, ledger["digest"], results))
        build = partial(page.reproduction, published=published, ledger=ledger, results=results)
        problem = finish(folder, build, interrupt.at_once, _again(arguments, study, folder))
    print(to_json(ledger) if arguments.json else f"{_table(ledger)}\n{_spent(found, folder)}")
    status = EXPECTATION_FAILED if ledger["verdicts"][FAILS] else DONE
    if failed:
        open_claims = "claims on experiments that lack one are not judged"
        print(f"{counted(failed, 'cell')} failed; {folder}/*/failed says why; {open_claims}", file=sys.stderr)
        status = INTERNAL
    return end(folder, problem, arguments, status)


def _again(arguments: argparse.Namespace, study: StudyFolder, folder: Path) -> str:
    """Return the command that builds the page of a study of one's own; empty for a published one."""
    if study in published_studies():
        return ""
    return shlex.join(["narrows", "reproduce", arguments.name, f"--{arguments.size}", "--judge", "--out", str(folder)])


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _work(arguments: argparse.Namespace, found: Sequence[Part], folder: Path, jobs: int, interrupt: Interrupt) -> int:
    display = Display(interrupt, quiet=arguments.quiet)
    whole = campaign.Whole(found, display.update, display.stopped)
    try:
        return campaign.work(found, folder, lambda: Threads(jobs), whole.of)
    except Interrupted as stop:
        again = ["narrows", "reproduce", arguments.name, f"--{arguments.size}", "--out", str(folder)]
        again += ["--trust"] if arguments.trust else []
        reason, _, _ = str(stop).rpartition("; go on with")
        raise Interrupted(f"{reason or 'stopped'}; go on with `{shlex.join(again)}`") from None
    finally:
        display.close()


def _decide(  # noqa: PLR0913, PLR0917  # what the command line says, and what has run
    arguments: argparse.Namespace,
    study: StudyFolder,
    found: Sequence[Part],
    folder: Path,
    jobs: int,
    interrupt: Interrupt,
) -> None:
    display = Display(interrupt, quiet=arguments.quiet)

    def stopped(fraction: float, note: str) -> bool:
        display.update(min(fraction, 1.0), note)
        return display.stopped()

    claims = study.claims(arguments.size).claims
    try:
        done = decide(claims, found, folder, lambda: Threads(jobs), budget_s=arguments.decide, stopped=stopped)
    except Interrupted as stop:
        again = ["narrows", "reproduce", arguments.name, f"--{arguments.size}", "--out", str(folder)]
        again += ["--trust"] if arguments.trust else []
        again += ["--decide", f"{arguments.decide:g}s"]
        raise Interrupted(f"{stop}; go on with `{shlex.join(again)}`") from None
    finally:
        display.close()
    for error in done.failed:
        print(f"a cell failed: {error}", file=sys.stderr)
    if not arguments.json:
        print(f"{counted(done.cells, 'cell')} added; {counted(done.open, 'claim')} still open\n")


def _announced(study: StudyFolder, size: str, found: Sequence[Part], folder: Path, jobs: int) -> str:
    cells, done = sum(part.cells for part in found), campaign.finished(found, folder)
    lines = [study.published.title, study.published.source]
    lines += [
        f"  {part.path}: {counted(part.cells, 'cell')} of {part.simulated_s / part.cells:.4g} s" for part in found
    ]
    hops = study.published.packet_hops.get(size)
    there = f", {done} finished" if done else ""
    left = hops * (cells - done) / cells if hops else 0
    taking = f", about {_span(left / HOPS_PER_S / jobs)} on {counted(jobs, 'free processor')}" if left else ""
    return "\n".join([*lines, f"{size}: {counted(cells, 'cell')}{there}{taking}\n"])


def _span(time_s: float) -> str:
    if time_s < MINUTE_S:
        return f"{time_s:.0f} s"
    return f"{time_s / MINUTE_S:.0f} min" if time_s < 60 * MINUTE_S else f"{time_s / MINUTE_S / 60:.1f} h"


def _spent(found: Sequence[Part], folder: Path) -> str:
    spent = campaign.spent(found, folder)
    return f"{spent.packet_hops:.3g} packet-hops, {_span(spent.cpu_s)} of processor time"


def _table(ledger: Mapping[str, Any]) -> str:
    rows = [["claim", "strength", "verdict", "effect", "95 % interval", "", "seeds", "statement"]]
    # What is left of a wide terminal is the statements'.
    room = max(STATEMENT, get_terminal_size().columns - OTHER_COLUMNS)
    for claim in ledger["claims"]:
        effect, ci95 = claim["effect"], claim["ci95"]
        values = [each for each in (effect, *(ci95 or ())) if each is not None]
        unit, scale = written(claim["unit"] or "", values)
        interval = f"{ci95[0] / scale:.3g} to {ci95[1] / scale:.3g}" if ci95 else "-"
        size = f"{effect / scale:.3g}" if effect is not None else "-"
        statement = shorten(claim["statement"], room, placeholder=" …")
        seeds = str(claim["seeds"] or "-")
        rows.append([claim["id"], claim["strength"], claim["verdict"], size, interval, unit, seeds, statement])
    return "\n".join([align(rows), "", *headline(ledger)])


def _counted(ledger: Mapping[str, Any]) -> str:
    return ", ".join(f"{ledger['verdicts'][verdict]} {verdict}" for verdict in VERDICTS)


def _list(arguments: argparse.Namespace) -> int:
    known = published_studies()
    if arguments.json:
        print(to_json([_entry(each) for each in known]))
        return DONE
    for each in known:
        print(f"{each.name}  {each.published.title}\n  {each.published.source}")
        if each.ledger is not None:
            lacking = sum(bool(claim["lacks"]) for claim in each.ledger["claims"])
            not_run = f", {lacking} of these without results of this size" if lacking else ""
            print(f"  {each.ledger['size']}: {_counted(each.ledger)}{not_run}")
    return DONE


def _entry(study: StudyFolder) -> dict[str, Any]:
    published, ledger = study.published, study.ledger
    return {
        "name": study.name,
        "number": published.number,
        "title": published.title,
        "source": published.source,
        "claims": len(published.claims),
        "experiments": list(published.experiments),
        "verdicts": ledger["verdicts"] if ledger else None,
    }


# What published studies reach on a usual processor of today, one with another.
HOPS_PER_S = 2e7
MINUTE_S = 60
STATEMENT = 70
# Width of all columns but the statement's, about.
OTHER_COLUMNS = 90
