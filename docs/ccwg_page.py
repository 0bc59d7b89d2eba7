# SPDX-License-Identifier: Apache-2.0
"""The pages for the IETF's CCWG: rows of suites for each draft of an algorithm or a slow start, from `ccwg.json`.

Run as a program it joins the results of suites: `python docs/ccwg_page.py FOLDER`, where the folder of a suite is
`suite-algorithm-start`, as in `rfc9743-cubic-search`, and `starts/algorithm-start` the run that shows whether an
algorithm takes a slow start.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
from cards import cell

from narrows._internal import cards
from narrows._internal.evaluation.definition import read_suite
from narrows._internal.evaluation.verdict import (
    BETTER,
    BROKEN,
    NOT_APPLICABLE,
    NOT_MEASURED,
    WITHIN,
    WORSE,
    by_criterion,
)
from narrows._internal.library import SUITES
from narrows._internal.plural import counted
from narrows._internal.report.evaluation import words
from narrows._internal.run.summary import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Row = Mapping[str, Any]

KEPT = Path(__file__).with_name("ccwg.json")
ALGORITHMS = {
    "cubic": "CUBIC",
    "bbr3": "BBR version 3",
    "c4": "C4",
    "prague": "Prague",
    "copa": "Copa",
    "ledbat-pp": "LEDBAT++",
    "scream": "SCReAM v2",
}


class Start(NamedTuple):
    """A slow start.

    Attributes:
        title: Its name.
        source: The document and version that the simulator implements.
        page: Name of its page.
    """

    title: str
    source: str
    page: str


STARTS = {
    "hystart++": Start("HyStart++", "RFC 9406", "hystart-plus-plus"),
    "search": Start("SEARCH", "draft-chung-ccwg-search-09", "search"),
    "rapid": Start("Rapid Start", "draft-kazuho-ccwg-rapid-start-02", "rapid-start"),
}
STANDARD, PRESET = "standard", "hystart++"
TITLES = {"rfc9743": "RFC 9743", "access": "Satellites and cellular links", "bbr-draft": "Test cases of the draft",
          "rmcat": "RFC 8867"}  # fmt: skip
# Algorithms that take slow starts other than the preset's.
OTHERS = {
    STANDARD: ("cubic", "prague", "ledbat-pp"),
    "search": ("cubic", "prague"),
    "rapid": ("cubic", "prague", "ledbat-pp"),
}
# What a row has of its criterion, alike for all algorithms, and what is of a run.
CRITERION = (
    "section",
    "criterion",
    "level",
    "condition",
    "measure",
    "unit",
    "reference",
    "predicate_source",
    "scenario",
)
RESULT = ("verdict", "decided", "measured", "interval", "reference_measured", "reference_interval", "bound", "reason")
NAME = re.compile(rf"(?P<suite>{'|'.join(TITLES)})-(?P<algorithm>{'|'.join(ALGORITHMS)})-(?P<start>[a-z]+)")
# The parts of a command that have no effect on results.
OWN = re.compile(r" --(?:quick|quiet|jobs \S+|out \S+)(?= |$)")
READ = "[The overview](README.md) says what was measured, and how a row is repeated."
DIGITS = 6
DIGEST = 16
PREFACE = """\
# Drafts of CCWG

Rows of suites for algorithms and slow starts of the IETF's Congestion Control Working Group and of the documents
beside it, one page for each document. [Suites](../suites.md) explains the rows, the verdicts and the origin of every
bound: RFC 9743 sets no thresholds, and no row is a pass.

All is simulated, by the implementation of a draft that its card describes, with its deviations: this is no
measurement of deployed code. The size is the quick one: some conditions of each criterion, three or four replications
as the suites have them, {cells} runs in {seconds} s of processor time. Intervals are of 95 %, not corrected for the
number of rows.

The command of a page writes all rows. A row names its scenario and the digest of its records: after the command of
the page, `narrows run FOLDER/scenarios/SCENARIO.toml` repeats the row alone and prints that digest, here its first 16
digits (Narrows {narrows}, engine `{engine}`).

## Algorithms

All flows have the slow start of the preset `modern`, HyStart++, but for algorithms with a start of their own. Entries
are numbers of rows."""
SLOW_STARTS = """\
## Slow starts

Pages of slow starts compare rows of CUBIC, Prague and LEDBAT++ with those with standard slow start, RFC 5681. All
flows of a run have the same slow start, those of references and of other traffic, too, if their algorithm takes it."""
NO_SLOW_STARTS = """\
## Slow starts

No suite has run so far with a slow start other than that of the preset."""
TAKEN = """\
Which algorithms take the key `slow_start` follows from the records of one scenario, each algorithm with each slow
start. The entries are digests; *same* is the digest with `standard`. BBR version 3, C4, Copa and SCReAM start in ways
of their own, which their documents describe, and the key is no error for them and changes nothing. LEDBAT++ leaves
slow start by a rule of its own before HyStart++ and SEARCH would in that scenario."""
LEFT_OUT = """\
## What is left out

* The size `--full` with ten replications: 6,330 runs of `rfc9743` for each algorithm and slow start, references
  included, of which 480 are of 80 s at 1 Gbps.
* Slow starts with algorithms that do not take them, and HyStart++ and SEARCH with LEDBAT++, for the same reason.
* Drafts of the group without an algorithm here.
{missing}"""
START_PREFACE = """\
{source}, `slow_start = "{name}"`. Rows of suites with {title} beside the same rows with standard slow start (RFC
5681), on the same seeds. Tables have the rows whose 95 % intervals do not overlap; they are not corrected for the
number of rows. *Better* says which is on the better side of the row's bound. {read}"""
PROBE = """\
narrows run two-flows --set flows.0.algorithm=cubic --set transport.slow_start=search --set path.rate=100Mbps \\
  --set path.rtt=100ms --set path.queue.limit=8bdp --set duration=20s --set warmup=1s"""


class Run(NamedTuple):
    """The rows of a suite with an algorithm and a slow start.

    Attributes:
        suite: Its name.
        algorithm: The algorithm under test.
        start: The slow start of all flows; `hystart++` is the preset's.
        command: What repeats it.
        rows: Its rows, each with the digest of the records of its cell.
    """

    suite: str
    algorithm: str
    start: str
    command: str
    rows: Sequence[Row]


def pages() -> Iterator[tuple[str, str]]:
    """Return each page with its path, relative to this folder."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    runs = [_run(each, kept["criteria"][each["suite"]]) for each in kept["runs"]]
    yield "ccwg/README.md", overview(kept, runs)
    for name in ALGORITHMS:
        if own := [each for each in runs if (each.algorithm, each.start) == (name, PRESET)]:
            yield f"ccwg/{name}.md", algorithm_page(name, own)
    for name, start in STARTS.items():
        if any(each.start == name for each in runs) and any(each.start == STANDARD for each in runs):
            yield f"ccwg/{start.page}.md", start_page(name, start, runs)


def _run(kept: Mapping[str, Any], criteria: Sequence[Row]) -> Run:
    rows = [
        {**criteria[place], **dict(zip(RESULT, result, strict=True)), "digest": of}
        for place, of, *result in kept["rows"]
    ]
    return Run(kept["suite"], kept["algorithm"], kept["start"], kept["command"], rows)


def source(algorithm: str) -> str:
    """Return the documents that the card of an algorithm names."""
    return str(next(card["source"] for card in cards.algorithms() if card["name"] == algorithm))


def overview(kept: Mapping[str, Any], runs: Sequence[Run]) -> str:
    """Return the page of all drafts."""
    main = {(each.algorithm, each.suite): each for each in runs if each.start == PRESET}
    suites = [each for each in TITLES if any(run.suite == each for run in runs)]
    lines = [
        f"| algorithm | document | {' | '.join(f'`{each}`' for each in suites)} |",
        "|---|---|" + "---|" * len(suites),
    ]
    for name, title in ALGORITHMS.items():
        numbers = [_numbers(main[name, each].rows) if (name, each) in main else "" for each in suites]
        linked = f"[{title}]({name}.md)" if any(main_of == name for main_of, _ in main) else title
        lines.append(f"| {linked} | {cell(source(name))} | {' | '.join(numbers)} |")
    documents = ["| slow start | document |", "|---|---|"]
    pages_of = {each.start for each in runs} if any(each.start == STANDARD for each in runs) else set()
    documents += [
        f"| {f'[{start.title}]({start.page}.md)' if name in pages_of else start.title} | {start.source} |"
        for name, start in STARTS.items()
    ]
    taken = [f"| algorithm | {' | '.join(f'`{each}`' for each in (STANDARD, *STARTS))} |", "|---|---|---|---|---|"]
    for name, title in ALGORITHMS.items():
        first, *others = (kept["starts"][name][each] for each in (STANDARD, *STARTS))
        places = [f"`{first}`", *("same" if each == first else f"`{each}`" for each in others)]
        taken.append(f"| {title} | {' | '.join(places)} |")
    about = PREFACE.format(
        cells=f"{kept['cells']:,}", seconds=f"{kept['seconds']:,}", engine=kept["engine"], narrows=kept["narrows"]
    )
    blocks = [
        lines,
        [SLOW_STARTS if pages_of else NO_SLOW_STARTS],
        documents,
        [TAKEN],
        ["```sh", PROBE, "```"],
        taken,
        [LEFT_OUT.format(missing=missing(runs))],
    ]
    return "\n\n".join([about, *("\n".join(each) for each in blocks)]).rstrip() + "\n"


def missing(runs: Sequence[Run]) -> str:
    """Return what of the plan has not run so far."""
    there = {(each.suite, each.algorithm, each.start) for each in runs}
    plan = [*((each, PRESET) for each in ALGORITHMS), *((each, start) for start in OTHERS for each in OTHERS[start])]
    lines = []
    for suite in ("rfc9743", "access"):
        lacking = [(name, start) for name, start in plan if (suite, name, start) not in there]
        names = [ALGORITHMS[name] + ("" if start == PRESET else f" with `{start}`") for name, start in lacking]
        if names:
            lines.append(f"* The suite `{suite}`, which has not run so far, for {', '.join(names)}.")
    return "\n".join(lines)


def algorithm_page(name: str, runs: Sequence[Run]) -> str:
    """Return the page of the draft of an algorithm."""
    parts = [
        f"# {ALGORITHMS[name]}",
        f"`{name}` implements {source(name)}; [its card](../algorithms/{name}.md) has equations and deviations. {READ}",
    ]
    for run in runs:
        parts += [f"## {TITLES[run.suite]}", f"```sh\n{run.command}\n```", f"{_numbers(run.rows)}."]
        for (section, criterion), rows in by_criterion(run.rows).items():
            parts += _criterion(section, criterion, rows)
    return "\n\n".join(parts) + "\n"


def _criterion(section: str, criterion: str, rows: Sequence[Row]) -> list[str]:
    level = f" ({rows[0]['level']})" if rows[0]["level"] else ""
    title = f"**{section}: {criterion}**{level}"
    measure = words.measure(rows)
    if not measure:
        reason = words.absent(rows)
        return [f"{title}: {rows[0]['verdict']}{f'. {reason}' if reason else ''}"]
    lines = ["| condition | measured | compared with | verdict | scenario, digest |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(cell(each) for each in _places(row))} |" for row in rows]
    return [f"{title}: `{measure}`. Bound: {words.about(rows)}.", "\n".join(lines)]


def _places(row: Row) -> tuple[str, ...]:
    return words.condition(row), words.measured(row), words.against(row), _verdict(row), _repeats(row)


def _verdict(row: Row) -> str:
    return f"{words.verdict(row)}: {row['reason']}" if row["reason"] else words.verdict(row)


def _repeats(row: Row) -> str:
    return f"`{Path(row['scenario']).stem}` `{row['digest']}`" if row["digest"] else ""


def start_page(name: str, start: Start, runs: Sequence[Run]) -> str:
    """Return the page of the draft of a slow start: rows that differ from those with standard slow start."""
    by = {(each.algorithm, each.suite, each.start): each for each in runs}
    parts = [f"# {start.title}", START_PREFACE.format(title=start.title, source=start.source, name=name, read=READ)]
    for algorithm, title in ALGORITHMS.items():
        for suite, of_suite in TITLES.items():
            own, other = by.get((algorithm, suite, name)), by.get((algorithm, suite, STANDARD))
            if own is not None and other is not None:
                parts += [
                    f"## {title}: {of_suite}",
                    f"```sh\n{own.command}\n{other.command}\n```",
                    *_beside(own, other, start),
                ]
    return "\n\n".join(parts) + "\n"


def _beside(own: Run, other: Run, start: Start) -> list[str]:
    measured = [
        (one, two)
        for one, two in zip(own.rows, other.rows, strict=True)
        if None not in (one["measured"], two["measured"])
    ]
    same = sum(one["digest"] == two["digest"] for one, two in measured)
    apart = [(one, two) for one, two in measured if _apart(one, two)]
    better = sum(_is_better(one, two) for one, two in apart)
    said = f"Of {counted(len(measured), 'row')}, {same} have the same records with both"
    if not apart:
        return [f"{said}; the intervals of all others overlap."]
    said += (
        f"; in {len(apart)} the intervals do not overlap, and {start.title} is on the better side of the row's bound "
        f"in {better} of these."
    )
    lines = [
        f"| row | condition | standard | {start.title} | better | scenario, digests |",
        "|---|---|---|---|---|---|",
    ]
    for one, two in apart:
        places = (
            f"{one['section']} {one['criterion']}", words.condition(one), words.measured(two), words.measured(one),
            start.title if _is_better(one, two) else "standard", f"{_repeats(two)} `{one['digest']}`",
        )  # fmt: skip
        lines.append(f"| {' | '.join(cell(each) for each in places)} |")
    return [said, "\n".join(lines)]


def _apart(one: Row, two: Row) -> bool:
    """Return whether the intervals of two rows do not overlap; a value without one is its own."""
    first, second = (row["interval"] or [row["measured"]] * 2 for row in (one, two))
    return bool(first[1] < second[0] or second[1] < first[0])


def _is_better(one: Row, two: Row) -> bool:
    """Return whether the first row is on the better side of its bound."""
    return bool((one["measured"] < two["measured"]) == ("at_most" in one["bound"]))


def _numbers(rows: Sequence[Row]) -> str:
    number = Counter(row["verdict"] for row in rows)
    order = (BETTER, WITHIN, WORSE, BROKEN, NOT_APPLICABLE, NOT_MEASURED)
    return ", ".join(f"{number[each]} {each}" for each in order if number[each])


def joined(folder: Path) -> dict[str, Any]:
    """Return the kept numbers of the suites in a folder, and of the runs by slow start in the folder `starts`."""
    criteria: dict[str, list[Row]] = {each: [] for each in TITLES}
    runs, cells = [], set()
    versions: Mapping[str, Any] = {}
    for place in sorted(folder.iterdir()):
        named = NAME.fullmatch(place.name)
        if not named or not (place / "summary.json").is_file():
            continue
        summary = json.loads((place / "summary.json").read_text(encoding="utf-8"))
        tables = {each.parent.name: pl.read_parquet(each) for each in sorted(place.glob("cells/*/cells.parquet"))}
        cells |= {each for table in tables.values() for each in table.select("digest", "cpu_s").iter_rows()}
        versions = json.loads(next(place.glob("cells/*/manifest.json")).read_text(encoding="utf-8"))["versions"]
        start = PRESET if named["start"] == "default" else named["start"]
        command = OWN.sub("", summary["command"]) + f" --out {place.name}"
        of_suite = criteria[named["suite"]]
        found = [_kept(row, of_suite, _digest(row, named, tables)) for row in summary["rows"]]
        runs.append({**named.groupdict(), "start": start, "command": command, "rows": found})
    starts = {
        name: {
            each: _short(
                json.loads((folder / "starts" / f"{name}-{each}" / "summary.json").read_text("utf-8"))["digest"]
            )
            for each in (STANDARD, *STARTS)
        }
        for name in ALGORITHMS
    }
    seconds = sum(cpu_s for _, cpu_s in cells)
    about = {
        "narrows": versions["narrows"],
        "engine": versions["engine"][:DIGEST],
        "cells": len(cells),
        "seconds": round(seconds),
    }
    return {**about, "starts": starts, "criteria": criteria, "runs": runs}


def _kept(row: Row, criteria: list[Row], of: str) -> list[Any]:
    about = {each: row[each] for each in CRITERION}
    if about not in criteria:
        criteria.append(about)
    return [criteria.index(about), of, *(_rounded(row[each]) for each in RESULT)]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return {name: _rounded(each) for name, each in value.items()} if isinstance(value, dict) else value


def _digest(row: Row, named: re.Match[str], tables: Mapping[str, pl.DataFrame]) -> str:
    """Return the digest that `narrows run` gives for the scenario of a row; empty without one."""
    if row["scenario"] is None:
        return ""
    cells = {
        (each.section, each.criterion): each.cells
        for each in read_suite(str(SUITES / named["suite"] / "suite.toml")).rows
    }
    table = tables[cells[row["section"], row["criterion"]]]
    at = [pl.col(name).cast(pl.String) == str(level) for name, level in row["condition"].items()]
    own = table.filter(pl.col("algorithm") == named["algorithm"], *at).sort("replication")
    return _short(digest(own["digest"].to_list()))


def _short(of: str) -> str:
    return of.removeprefix("sha256:")[:DIGEST]


def _text(kept: Mapping[str, Any]) -> str:
    """Return the kept numbers as JSON with a line for each row, so that a change of one row is a change of one line."""
    criteria = {
        name: "[\n" + ",\n".join(json.dumps(each) for each in rows) + "\n]" for name, rows in kept["criteria"].items()
    }
    of_suites = ",\n".join(f"{json.dumps(name)}: {rows}" for name, rows in criteria.items())
    runs = []
    for run in kept["runs"]:
        about = json.dumps({name: value for name, value in run.items() if name != "rows"})
        rows = ",\n".join(json.dumps(each) for each in run["rows"])
        runs.append(f'{about[:-1]}, "rows": [\n{rows}\n]}}')
    about = json.dumps({name: value for name, value in kept.items() if name not in {"criteria", "runs"}})
    return f'{about[:-1]},\n"criteria": {{\n{of_suites}\n}},\n"runs": [\n' + ",\n".join(runs) + "\n]}\n"


if __name__ == "__main__":
    KEPT.write_text(_text(joined(Path(sys.argv[1]))), encoding="utf-8")
