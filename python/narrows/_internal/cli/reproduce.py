# SPDX-License-Identifier: Apache-2.0
"""`narrows reproduce`."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrows._internal.cli import known
from narrows._internal.cli.command import DESIGN, DONE, EXPECTATION_FAILED, INTERNAL, Command
from narrows._internal.cli.options import CELLS, ITS_OWN, OF_RESUMED, RESUMED, common, sizes, time
from narrows._internal.errors import InputError
from narrows._internal.plural import counted, span

if TYPE_CHECKING:
    from narrows._internal.cli.work import Work
    from narrows._internal.commands.reproductions import Reproducing
    from narrows._internal.reproduction.experiment import Part
    from narrows._internal.reproduction.registry import StudyFolder


def reproduce(arguments: argparse.Namespace) -> int:
    """Run a published study, judge its claims, and write the ledger and the report; or list the studies."""
    from narrows._internal.cli.work import Work
    from narrows._internal.commands.reproductions import Reproducing
    from narrows._internal.reproduction.registry import published_studies

    if arguments.list:
        return _list(arguments)
    if arguments.name is None:
        raise InputError("reproduce", f"which study? there are {', '.join(each.name for each in published_studies())}")
    work = Work(arguments)
    if work.options.shard is not None:
        refused = {"decide": arguments.decide, "judge": arguments.judge}
        return work.shard(Reproducing.shard(arguments.name, work.options, arguments.size, arguments.only, **refused))
    how = arguments.size, arguments.decide or 0.0
    which = {"only": arguments.only, "only_judge": arguments.judge}
    return conclude(work, Reproducing.prepare(arguments.name, work.options, *how, **which), arguments)


def conclude(work: Work, job: Reproducing, arguments: argparse.Namespace) -> int:
    """Do the job of a reproduction, and print its verdicts."""
    from narrows._internal.files.json_objects import to_json
    from narrows._internal.reproduction.predicate import FAILS

    if not arguments.json:
        print(_announced(job), flush=True)
    done = work.perform(job)
    ledger, _, failed, decided = done.result
    if decided and not arguments.json:
        print(f"{counted(decided.cells, 'cell')} added; {counted(decided.open, 'claim')} still open\n")
    print(to_json(ledger) if arguments.json else f"{_table(ledger)}\n{_spent(job.parts, job.folder)}")
    status = EXPECTATION_FAILED if ledger["verdicts"][FAILS] else DONE
    if failed:
        open_claims = "claims on experiments that lack one are not judged"
        print(f"{counted(failed, 'cell')} failed; {job.folder}/*/failed says why; {open_claims}", file=sys.stderr)
        status = INTERNAL
    return work.end(done, status)


def _announced(job: Reproducing) -> str:
    from narrows._internal import core
    from narrows._internal.reproduction.registry import SHOWN, origin_text

    study, published = job.study, job.study.published
    lines = [published.title, published.source, f"engine {core.fingerprint()[:SHOWN]}"]
    if (kept := study.ledger_of(job.size)) is not None:
        lines.append(f"published: {origin_text(study.origin(kept))}")
    runs = {part.path for part in job.running}
    for part, now in zip(job.parts, job.before, strict=True):
        counts = {"taken over": now.finished, "to run" if part.path in runs else "left out": now.left}
        states = [f"{count} {state}" for state, count in counts.items() if count]
        duration_s = part.simulated_s / part.cells
        lines.append(f"  {part.path}: {counted(part.cells, 'cell')} of {duration_s:.4g} s, {', '.join(states)}")
    there = sum(now.finished for now in job.before)
    left_out = sum(now.left for now in job.before if now.path not in runs)
    sums = {"taken over": there, "left out": left_out}
    states = [f"{count} {state}" for state, count in sums.items() if count]
    cells = counted(sum(part.cells for part in job.parts), "cell")
    lines.append(f"{job.size}: {', '.join([cells, *states, *_expected(job)])}")
    if left_out and not job.only_judge:
        names = dict.fromkeys(part.name for part in job.parts if part.path not in runs)
        place = [study.given or study.name, f"--{job.size}", "--out", str(job.folder)]
        asked = shlex.join(each for name in names for each in ("--only", name))
        lines.append(f"what is left out runs with `narrows reproduce {shlex.join(place)} {asked}`")
    return "\n".join([*lines, ""])


def _expected(job: Reproducing) -> list[str]:
    """Return how long the cells to run take, in words; nothing if it is not known or nothing runs."""
    from narrows._internal.reproduction.campaign import costs
    from narrows._internal.run.speed import hops_per_s

    jobs, runs = job.options.threads, {part.path for part in job.running}
    left = sum(now.left for now in job.before if now.path in runs)
    hops = job.study.published.packet_hops.get(job.size)
    if any(now.cpu_s for now in job.before):
        expected = costs(job.before)
        time_s, speed = sum(expected[path] for path in runs) / jobs, "at the speed of the cells taken over"
    elif left and hops:
        time_s = hops * left / sum(part.cells for part in job.parts) / (OF_PRESENT_SPEED * hops_per_s(jobs))
        speed = "at the present speed of this machine"
    else:
        return []
    return [f"about {span(time_s)} {speed}, {counted(jobs, 'cell')} at a time"] if left else []


def _spent(found: Sequence[Part], folder: Path) -> str:
    from narrows._internal.reproduction import campaign

    spent = campaign.spent(found, folder)
    return f"{spent.packet_hops:.3g} packet-hops, {span(spent.cpu_s)} of processor time"


def _table(ledger: Mapping[str, Any]) -> str:
    from shutil import get_terminal_size
    from textwrap import shorten

    from narrows._internal.cli.table import align, written
    from narrows._internal.reproduction.headline import headline

    rows = [["claim", "strength", "verdict", "effect", "95 % interval", "", "seeds", "statement"]]
    # The remaining width of the terminal belongs to the statements.
    room = max(STATEMENT, get_terminal_size().columns - OTHER_COLUMNS)
    for claim in ledger["claims"]:
        effect, ci95 = claim["effect"], claim["ci95"]
        values = [each for each in (effect, *(ci95 or ())) if each is not None]
        unit, scale = written(claim["unit"] or "", values)
        size, interval = _written(effect, ci95, scale)
        statement = shorten(claim["statement"], room, placeholder=" …")
        seeds = str(claim["seeds"] or "-")
        strength = "check" if claim["check"] else claim["strength"]
        rows.append([claim["id"], strength, claim["verdict"], size, interval, unit, seeds, statement])
    return "\n".join([align(rows), "", *headline(ledger)])


def _counted(ledger: Mapping[str, Any]) -> str:
    """Return the verdicts on empirical claims, then the number of checks of the implementation that hold."""
    from narrows._internal.reproduction.headline import checked
    from narrows._internal.reproduction.ledger import NOT_TESTABLE, counted_stated, evidence_in

    untestable = {NOT_TESTABLE: sum(claim["verdict"] == NOT_TESTABLE for claim in ledger["claims"])}
    decidable = counted_stated(evidence_in(ledger["claims"]))
    counts = ", ".join(f"{count} {verdict}" for verdict, count in {**decidable, **untestable}.items())
    checks = checked(ledger["claims"])
    return f"{checks}; {counts}" if checks else counts


def _list(arguments: argparse.Namespace) -> int:
    from narrows._internal.files.json_objects import to_json
    from narrows._internal.reproduction.registry import origin_text, published_studies

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
            print(f"  {origin_text(each.origin(each.ledger))}")
            if since := each.ledger["outdated"]:
                print(f"  OUTDATED: these verdicts are of an earlier simulator; since then {since}")
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
        "evidence": ledger["evidence"] if ledger else None,
        "outdated": ledger["outdated"] if ledger else None,
        "origin": study.origin(ledger) if ledger else None,
    }


def _written(effect: float | None, ends: Sequence[float] | None, scale: float) -> tuple[str, str]:
    """Return an effect and its interval with the same number of decimals; a dash for a missing one."""
    from narrows._internal.rounding import decimals_of, estimate_decimals, other_end

    if effect is None:
        return "-", "-"
    low, high = (end / scale for end in ends or (effect, effect))
    decimals = estimate_decimals(effect / scale, low, high)
    if decimals is None:
        return f"{effect / scale:.{decimals_of(effect / scale)}f}", "-"
    value, left, right = (f"{each:z.{decimals}f}" for each in (effect / scale, low, high))
    return value, other_end(value, left, right) or f"{left} to {right}"


# The average speed of published studies relative to the measured one: their cells are short.
OF_PRESENT_SPEED = 0.4
STATEMENT = 70
# Width of all columns but the statement's, about.
OTHER_COLUMNS = 90


def _options(command: argparse.ArgumentParser) -> None:
    what = "name of a study, as in --list, or a folder with a study of your own"
    command.add_argument("name", metavar="NAME|DIR", nargs="?", help=what)
    command.add_argument("--list", action="store_true", help="list the studies and their verdicts")
    sizes(
        command,
        quick="short runs (the default)",
        medium="durations as published, only the cells that verdicts and printed values need; hours",
        full="all cells; may take hours",
    )
    what = "experiment or variant whose cells are run (default: all; with --medium no variant); may be given again"
    command.add_argument("--only", metavar="NAME", action="append", default=[], help=what)
    what = "afterwards, add seeds to the cells of undecided claims for this time, as in 30min or 2h"
    command.add_argument("--decide", metavar="TIME", type=time, help=what)
    what = "evaluate the claims from finished experiments, without running any"
    command.add_argument("--judge", action="store_true", help=what)
    common(command, f"{OF_RESUMED} shard", **ITS_OWN, jobs=CELLS, out=RESUMED)


COMMANDS = (
    Command(
        "reproduce",
        "reproduce a published study and evaluate its claims",
        DESIGN,
        _options,
        ("reproduce --list", "reproduce bansal-2001 --quick", "reproduce ./mine --out results"),
        {"name": known.studies},
        reproduce,
    ),
)
